"""What the rulebook leaves open, as switches. cards/olith/rulebook.yaml gives question, reason and options."""

from __future__ import annotations

from dataclasses import dataclass, fields

from playproof import Options

CHOICES: dict[str, tuple[str, ...]] = {
    "A1": ("tiebreak", "battle", "shared"),
    "A2": ("early", "uniform", "reroll"),
    "A3": ("turn-end", "together"),
    "A4": ("any", "soul"),
    "A5": ("free", "paid"),
    "A5b": ("may", "must"),
    "A6": ("more", "ties"),
    "A7": ("any", "one"),
    "A8": ("combat-card", "always"),
    "A9": ("choose", "origin"),
    "A10": ("defender", "reroll", "both"),
    "A11": ("first-player", "nobody"),
    "A11b": ("own", "anyone"),
    "A12": ("random", "youngest"),
    "A13": ("12", "10", "14"),
    "A14": ("ten", "unlimited"),
    "A15": ("allowed", "forbidden"),
    "A17": ("anyone", "own"),
    "A18": ("region", "wisdom"),
    "A24": ("none", "zero"),
    "A25": ("none", "seven"),
    "A28": ("unlocked", "first"),
    "A29": ("matters", "any-time"),
    "A31": ("any-time", "own-turn"),
    "A32": ("own-turn", "any-time"),
    "A34": ("printed", "forests"),
    "A35": ("refused", "lost"),
}
"""The switches: the default first."""


@dataclass(frozen=True, slots=True)
class Rulings:
    """How each open question is read in this game."""

    a1: str
    a2: str
    a3: str
    a4: str
    a5: str
    a5b: str
    a6: str
    a7: str
    a8: str
    a9: str
    a10: str
    a11: str
    a11b: str
    a12: str
    a13: str
    a14: str
    a15: str
    a17: str
    a18: str
    a24: str
    a25: str
    a28: str
    a29: str
    a31: str
    a32: str
    a34: str
    a35: str

    @classmethod
    def read_from_options(cls, options: Options) -> Rulings:
        """Ask the options for every ruling."""
        read = {i.lower(): options.ruling(i, choices[0], choices[1:]) for i, choices in CHOICES.items()}
        return cls(**{f.name: read[f.name] for f in fields(cls)})
