"""How the unclear places of the rulebook are read: each ruling of rulebook.yaml is a switch with a default.
And the rules that nothing here carries out, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from playproof import Options
from playproof.database.rulebook import Ruling
from playproof.language.options import chosen_of

# How the unclear places of the rulebook are read: each ruling of rulebook.yaml is a switch with a default.

HEALTH = {"three": 3, "five": 5}


@dataclass(frozen=True)
class Rulings:
    """The chosen option of every ruling, by its A-number."""

    chosen: Mapping[str, str]

    def is_ruling_read_as(self, ident: str, option: str) -> bool:
        """Whether a ruling is read in this way; a ruling that the data does not have is read in its default way."""
        return self.chosen.get(ident) == option

    @property
    def hearts_of_later_chapter(self) -> int | None:
        """A4: Hearts of a later chapter where they differ from the Goal card's slots."""
        return HEALTH.get(self.chosen.get("A4", ""))


def read_chosen_rulings(options: Options, rulings: Mapping[str, Ruling]) -> Rulings:
    """The rulings as the player set them; unknown names and values raise OptionError."""
    return Rulings(chosen_of(options, rulings))


# -- coverage ------------------------------------------------------------------------------------------------
# Rules of the rulebook that nothing here carries out, and why. Every other rule is cited where it is
# carried out.

NOT_APPLICABLE = {
    "R64": "Supports work as Items do, but the demo has no Support card (ruling A3).",
    "R65": "Combat, riddles and walks on the map begin with Chapter 2, which the demo does not have.",
}
