"""The variants in play, and how the open questions are read: every ruling of the rulebook is a switch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from playproof import Options
from playproof.database.rulebook import Ruling
from playproof.language import options as taken


@dataclass(frozen=True)
class Readings(taken.Readings):
    """The variants in play and the reading chosen for each ruling."""

    foreshadowing: bool
    seashells: bool

    @classmethod
    def read_from_options(cls, options: Options, rulings: Mapping[str, Ruling]) -> Readings:
        """Ask the options; what is not known raises OptionError."""
        foreshadowing = options.choice("foreshadowing", ["no", "yes"]) == "yes"
        seashells = options.choice("seashells", ["no", "yes"]) == "yes"
        return cls(rulings, taken.chosen_of(options, rulings), foreshadowing, seashells)
