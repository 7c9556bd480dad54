"""How the open questions are read: every ruling of the rulebook as a switch, the default first."""

from __future__ import annotations

from dataclasses import dataclass

from rules.options import Options

RULINGS: dict[str, tuple[str, ...]] = {
    "A1": ("lanes", "one-lane"),
    "A2": ("start", "direct"),
    "A3": ("as-much", "loss"),
    "A4": ("anywhere", "deck-only"),
    "A5": ("in-total", "each-zone"),
    "A5b": ("face-down",),
    "A6": ("all-hearts", "face-up"),
    "A6b": ("top", "anywhere"),
    "A7": ("once", "per-card"),
    "A8": ("exactly", "at-most"),
    "A9": ("looks", "end-too"),
    "A10": ("into-deck", "leave"),
    "A11": ("aside", "literal"),
    "A12": ("one-by-one", "declare"),
    "A13": ("no-limit", "three"),
    "A14": ("bottom", "out"),
    "A15": ("nothing",),
    "A16": ("face-down",),
    "A17": ("clubs",),
    "A18": ("above",),
    "A19": ("at-once",),
    "A20": ("special-cards",),
}


@dataclass(frozen=True, slots=True)
class Readings:
    """The setting in play and the reading chosen for each ruling."""

    hard: bool
    chosen: dict[str, str]

    @classmethod
    def of(cls, options: Options) -> Readings:
        """Ask the options; what is not known raises OptionError."""
        hard = options.choice("setting", ["usual", "hard"]) == "hard"
        return cls(hard, {ident: options.ruling(ident, known[0], known[1:]) for ident, known in RULINGS.items()})

    def reads(self, ident: str, option: str) -> bool:
        """Whether this ruling is read in this way."""
        if option not in RULINGS[ident]:
            raise KeyError(f"{ident} has no reading {option}")
        return self.chosen[ident] == option
