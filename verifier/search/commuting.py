"""Strides that may be swapped and cards that may be renamed: Z3 proves both before the bounded
search leaves out equivalent lines.

`Commuting` holds pairs (second, first) of ground actions. Wherever `second` and then `first` can be
taken within one layer, either `first` and then `second` can be taken too and lead to the same state
of the same layer, or `first` alone meets the target. So the search may skip `second, first` (a
partial-order reduction; cf. Wang, Yang, Kahlon and Gupta, "Peephole Partial Order Reduction", TACAS
2008). `Renaming` holds, for two cards that the game declares `identical`, the permutation of
actions that corresponds to swapping the cards. Among equivalent lines the search keeps the
shortest, and among those the least in the order of action numbers. Neither rule ever leaves that
line out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import z3

from playproof.language import Interpreter, RulesError, Term
from playproof.verifier.kernel.reading import Cells, Number, Step, Truth, conj, disj, neg
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.open_steps import Strides, formula
from playproof.verifier.search.work import INTERPRETED, Solver, spend

_GAMES = 40
_WORK = 3.0  # for the proof of one pair


@dataclass(frozen=True, slots=True)
class Commuting:
    """`after[b]` holds the actions a < b that need not come right after b. The proofs cover runs
    that keep `key`."""

    after: dict[int, frozenset[int]]
    tried: int

    @property
    def pairs(self) -> int:
        """Return how many pairs were proved."""
        return sum(map(len, self.after.values()))


class Swaps:
    """Finds the pairs: random games refute most candidates, and Z3 proves the rest."""

    def __init__(self, case: Case, key: Term, target: Target) -> None:
        self.case, self.key, self.target = case, key, target
        self.reading = Strides(case.game, [key, target.condition])
        self.state = self.reading.state("w")
        self._strides: dict[int, Step] = {}

    def find(self, budget: Budget) -> Commuting:
        """Return all pairs that can be proved within the budget."""
        after: dict[int, set[int]] = {}
        tried = 0
        for second, first in self._candidates(budget.share(1 / 2)):
            if budget.left <= 0:
                break
            tried += 1
            if self.proved(second, first, budget):
                after.setdefault(second, set()).add(first)
        return Commuting({b: frozenset(a) for b, a in after.items()}, tried)

    def _candidates(self, budget: Budget) -> list[tuple[int, int]]:
        """Return the pairs that random games took one after the other and that always swapped. A
        game without an end is left when the budget is."""
        play, r = self.case.play, random.Random(3)
        met: set[tuple[int, int]] = set()
        refused: set[tuple[int, int]] = set()
        for _ in range(_GAMES):
            state = play.start()
            while budget.left > 0 and not play.terminal(state) and (idents := play.legal(state)):
                second = r.choice(idents)
                after = _apply(play, state, second)
                if after is None:
                    break
                for first in play.legal(after) if not play.terminal(after) else ():
                    if first < second and (second, first) not in refused:
                        swaps = self._swaps(play, state, after, second, first)
                        if swaps is not None:
                            (met if swaps else refused).add((second, first))
                state = after
        return sorted(met - refused)

    def _swaps(
        self, play: Interpreter, state: list[int], after: list[int], second: int, first: int
    ) -> bool | None:
        """Return whether a pair swaps in one state. Return None if the run ends between the two
        actions or after them."""
        key = play.value(self.key, state)
        both = _apply(play, after, first)
        if both is None or play.value(self.key, after) != key or play.value(self.key, both) != key:
            return None
        other = _apply(play, state, first)
        if other is None or play.value(self.target.condition, other):
            return other is not None
        return play.value(self.key, other) == key and _apply(play, other, second) == both

    # -- proofs ---------------------------------------------------------------------------------------------

    def proved(self, second: int, first: int, budget: Budget) -> bool:
        """Return whether Z3 proves with little work that the pair may be swapped everywhere."""
        b, a = self._of(second, self.state), self._of(first, self.state)
        ba, ab = self._of(first, b.after), self._of(second, a.after)
        reading = self.reading
        premise = conj([b.sound, ba.sound, self._keeps(b.after), self._keeps(ba.after)])
        swapped = conj([ab.sound, self._keeps(a.after), reading.equal(ba.after, ab.after)])
        met = conj([neg(reading.due(a.after)), reading.truth(self.target.condition, a.after, {})])
        wanted = conj([a.sound, disj([swapped, met])])
        return _follows(reading.typed(self.state), premise, wanted, budget)

    def _keeps(self, cells: Sequence[Number]) -> Truth:
        number = self.reading.number
        return self.reading.compare("==", number(self.key, self.state, {}), number(self.key, cells, {}))

    def _of(self, ident: int, state: Sequence[Number]) -> Step:
        if state is not self.state:
            return self.reading.stride_of(state, ident)
        if ident not in self._strides:
            self._strides[ident] = self.reading.stride_of(state, ident)
        return self._strides[ident]


def _apply(play: Interpreter, state: list[int], ident: int) -> list[int] | None:
    """Return the state after an action, or None if it is not legal or breaks the rules."""
    spend(2 * INTERPRETED)
    if play.terminal(state) or ident not in play.legal(state):
        return None
    try:
        return play.apply(state, ident)
    except RulesError:
        return None


def _follows(typed: Truth, premise: Truth, wanted: Truth, budget: Budget) -> bool:
    """Return whether Z3 shows that a premise implies what is wanted, in every typed state."""
    solver = Solver("QF_BV", min(_WORK, budget.left))
    solver.add(formula(typed), formula(premise), formula(neg(wanted)))
    return bool(solver.check() == z3.unsat)


# -- identical cards ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Renaming:
    """A symmetry of the game: put cell `cells[c]` in place of cell `c` and action `idents[i]` in
    place of action `i`, and every game is still a game."""

    cells: dict[int, int]
    idents: tuple[int, ...]

    @property
    def fixed(self) -> list[int]:
        """Return the actions that keep their number."""
        return [i for i, image in enumerate(self.idents) if image == i]

    @property
    def rising(self) -> list[int]:
        """Return the actions whose image has a greater number."""
        return [i for i, image in enumerate(self.idents) if image > i]

    def swapped(self, state: Sequence[Number]) -> Cells:
        """Return the state with its cells swapped."""
        return [state[self.cells.get(c, c)] for c in range(len(state))]


class Renamings:
    """Proves the renamings of the cards that a game declares as `identical`.

    `g.fact(identical=[["where[3] used[3]", "where[5] used[5]"]])`: a group lists its cards, a card
    lists its cells.
    """

    def __init__(self, case: Case, key: Term, target: Target) -> None:
        self.case, self.key, self.target = case, key, target
        self.reading = Strides(case.game, [key, target.condition])
        self.state = self.reading.state("r")
        self.ground = [i for i, _, _ in case.game.idents()]

    def find(self, budget: Budget) -> list[Renaming]:
        """Return a renaming for each two cards of a group for which it is proved. It changes
        neither the target nor the layers."""
        renamings = []
        for group in self.case.game.facts.get("identical") or ():
            for card, other in combinations(group, 2):
                renaming = self._proved(self._cells(card), self._cells(other), budget)
                if renaming is not None:
                    renamings.append(renaming)
        return renamings

    def _cells(self, card: str) -> list[int]:
        cells = []
        for name, _, index in (word.rstrip("]").partition("[") for word in card.split()):
            cells.append(self.case.game.field_named(name).offset + int(index or 0))
        return cells

    def _proved(self, card: list[int], other: list[int], budget: Budget) -> Renaming | None:
        """Return the renaming that swaps the cells of two cards if it is proved, else None."""
        cells = {**dict(zip(card, other, strict=True)), **dict(zip(other, card, strict=True))}
        rough = Renaming(cells, ())
        start = self.case.play.start()
        fields = self.reading.fields
        if {0, 1} & set(cells) or rough.swapped(start) != start:
            return None
        if any((fields[c].lo, fields[c].hi) != (fields[d].lo, fields[d].hi) for c, d in cells.items()):
            return None
        if not all(self._unmoved(t, rough, budget) for t in (self.key, self.target.condition)):
            return None
        if not self._answers(None, None, rough, budget):
            return None
        idents: dict[int, int] = {}
        for ident in self.ground:
            if ident not in idents:
                image = self._image(ident, rough, set(idents), budget)
                if image is None:
                    return None
                idents[ident], idents[image] = image, ident
        taken = self.target.idents
        if taken is not None and {idents[i] for i in taken} != set(taken):
            return None
        return Renaming(cells, tuple(idents[i] for i in self.ground))

    def _unmoved(self, term: Term, by: Renaming, budget: Budget) -> bool:
        here = self.reading.number(term, self.state, {})
        same = self.reading.compare("==", here, self.reading.number(term, by.swapped(self.state), {}))
        return _follows(self.reading.typed(self.state), True, same, budget)

    def _image(self, ident: int, by: Renaming, taken: set[int], budget: Budget) -> int | None:
        """Return the action that does to swapped states what this one does to states, and vice
        versa; or None."""
        action = self.case.game.action_of(ident)
        others = [i for i in range(action.first, action.first + action.count) if i not in taken]
        for image in sorted(others, key=lambda i: i != ident):
            if budget.left <= 0:
                return None
            if self._answers(ident, image, by, budget) and self._answers(image, ident, by, budget):
                return image
        return None

    def _answers(self, ident: int | None, image: int | None, by: Renaming, budget: Budget) -> bool:
        """Return whether `image` (None: the automatic phases) does to swapped states what `ident`
        does to states."""
        swapped = by.swapped(self.state)
        done, other = self.reading.stride_of(self.state, ident), self.reading.stride_of(swapped, image)
        wanted = conj([other.sound, self.reading.equal(by.swapped(done.after), other.after)])
        return _follows(self.reading.typed(self.state), done.sound, wanted, budget)
