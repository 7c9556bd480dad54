"""How the open questions are read: every ruling of the rulebook as a switch, the default first."""

from __future__ import annotations

from dataclasses import dataclass

from rules.options import Options

# Rulings whose other readings change the play, and those that only settle a wording (one reading).
RULINGS: dict[str, tuple[str, ...]] = {
    "A1": ("random", "youngest"),
    "A2": ("choose", "only-full"),
    "A3": ("public",),
    "A4": ("refill", "at-once", "bottom"),
    "A4b": ("whole-pile",),
    "A5": ("must", "decline"),
    "A6": ("refill", "last-card"),
    "A7": ("one-turn",),
    "A8": ("score-only",),
    "A9": ("pawn", "shared"),
    "A10": ("chosen", "unseen"),
    "A11": ("out", "under"),
    "A12": ("whole-turn",),
    "A13": ("pass", "redraw"),
    "A14": ("allowed", "one-shell"),
    "A15": ("two-plays",),
    "A16": ("picture",),
    "A17": ("picture", "both"),
    "A18": ("closed", "open"),
}


@dataclass(frozen=True, slots=True)
class Readings:
    """The variants in play and the reading chosen for each ruling."""

    foreshadowing: bool
    seashells: bool
    chosen: dict[str, str]

    @classmethod
    def of(cls, options: Options) -> Readings:
        """Ask the options; what is not known raises OptionError."""
        foreshadowing = options.choice("foreshadowing", ["no", "yes"]) == "yes"
        seashells = options.choice("seashells", ["no", "yes"]) == "yes"
        chosen = {ident: options.ruling(ident, known[0], known[1:]) for ident, known in RULINGS.items()}
        return cls(foreshadowing, seashells, chosen)

    def reads(self, ident: str, option: str) -> bool:
        """Whether this ruling is read in this way."""
        if option not in RULINGS[ident]:
            raise KeyError(f"{ident} has no reading {option}")
        return self.chosen[ident] == option
