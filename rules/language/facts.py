"""What a game may declare of itself with `g.fact(...)`, and whether what it declares exists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from playproof.database.errors import did_you_mean, nearest
from playproof.rules.language.errors import Place, RulesError

if TYPE_CHECKING:
    from playproof.rules.language.game import Game

FACTS = {
    "beside": "what lies by the thing in a place of an array: `{\"slot\": \"guard\"}`",
    "better": "fields of which more (+1) or less (-1) is better, for searching with a proved order",
    "better_when": "where states may be compared so (default: everywhere)",
    "boards": "boards on which several fields lie: rows, columns, places, and a mark for each field",
    "common": "arrays that belong to all, though they have as many places as there are seats",
    "each": "arrays drawn place by place, not place by value",
    "ends_within": "the most decisions of a game, where they are bounded",
    "evaluate": "how good a state is: one expression, or one for each seat; greedy players and searches go by it",
    "exchangeable": "hidden cards that could as well lie elsewhere, for players that imagine them (PP805)",
    "families": "members of `{every: WORD}` in claims: word, then member, then what is claimed of it",
    "grid": "a board's columns, or its rows as lists of cells (None is a gap), by array",
    "hidden": "fields that are bookkeeping and are not drawn",
    "identical": "groups of things that may change places in every game, each as its cells: `\"hand[3] deck[3]\"`",
    "invariants": "conditions that always hold, by name, for claims",
    "layer": "a quantity that keeps its value for a while; the verifier takes together what happens meanwhile",
    "names": "names of an array's places, by array: one list, or one a dimension",
    "only": "a field or text that is drawn only while a quantity is not 0",
    "round": "the quantity that counts rounds",
    "seats": "what the seats are called",
    "show": "quantities drawn beside the table",
    "sizes": "the field that says how many hidden cards there are, by the hidden field",
    "steps_within": "the most steps of a game, chance's among them, where they are bounded",
    "texts": "lines made of fields, which are then not drawn elsewhere: `{\"region\": \"{colour} {level}\"}`",
    "title": "the title, where no game.yaml gives it",
    "titles": "what fields are called on the table",
    "totals": "arrays of which only the sum is drawn",
    "values": "names of a field's numbers, by field",
}
"""What each fact that a reading, the referee or the verifier looks for says. A game may have others of its own."""
_OF_FIELDS = ("beside", "better", "common", "each", "grid", "hidden", "names", "sizes", "titles", "totals", "values")
_OF_QUANTITIES = ("layer", "round", "show")
_NEEDED = ("better", "layer", "round")  # the others may speak of what only some cards or options bring
_SO_NEAR = 0.8  # a name that differs in a letter or two is a slip of the pen


def check_names(names: Iterable[str]) -> None:
    """Refuse a fact that is but a slip away from one that somebody looks for."""
    for name in names:
        if name not in FACTS and _slip(name, FACTS):
            raise RulesError("PP338", f"no reading knows the fact `{name}`", did_you_mean(name, FACTS))


def faults(game: Game, place: Place) -> Iterator[RulesError]:
    """Facts that name fields or quantities which the game does not have."""
    fields = [f.name for f in game.fields]
    for fact, what, known in [*((f, "field", fields) for f in _OF_FIELDS),
                              *((q, "quantity", [*game.quantities]) for q in _OF_QUANTITIES)]:
        declared = game.facts.get(fact) or ()
        for name in [declared] if isinstance(declared, str) else declared:
            if name not in known and (fact in _NEEDED or _slip(name, known)):
                yield RulesError("PP338", f"the fact `{fact}` names {name!r}, which is no {what}",
                                 did_you_mean(name, known) or f"declare the {what} first", place)


def _slip(name: str, known: Iterable[str]) -> bool:
    near = nearest(name, known)
    return bool(near) and SequenceMatcher(None, name, near).ratio() > _SO_NEAR
