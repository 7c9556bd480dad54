"""How to ask the kernel about a layer of conditions: for each kind of step the arithmetic, and the places to split by.

The kernel asks what a certificate says, and nothing else; so what is to be said is tried here, with the kernel's own
questions. A step that Z3 does not answer as a whole is split by a place on which it depends: a parameter, the phase,
or a cell that it uses as an index (whose turn it is, which site is fought for). A few values of each place are tried
with little work, and the place whose values are answered soonest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import z3

from playproof.rules.language import Action, Game, Interpreter, Phase
from playproof.rules.language.expr import Lookup, Read, Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.induction import LITTLE, Inductive, Known, Layer, Split, Wrong
from playproof.verifier.kernel.invariant import faults, within_bounds
from playproof.verifier.kernel.rank import goes_on, lowers
from playproof.verifier.kernel.reading import Env, Number, Reading
from playproof.verifier.kernel.solving import ALLOWED
from playproof.verifier.search.case import Budget
from playproof.verifier.search.work import RLIMIT

_MOST_VALUES, _MOST_PLACES, _DEEPEST = 80, 6, 4
_SAMPLES, _SCATTER = 3, 37
_WHOLE = (LITTLE, 3 * LITTLE, 10 * LITTLE)
"""Z3's work on a whole question before it is split, in either arithmetic before more is tried."""
_SOON = 200.0  # units of work that a split may take in all without others being tried
Kind = Action | Phase


def planned(game: Game, given: Sequence[str], own: Sequence[str], budget: Budget) -> Layer | None:
    """A layer with the splits that it needs, as the kernel accepts it; None where it does not."""
    play = Interpreter(game)
    judge = Inductive(game, [*given, *own], True, ())
    if not all(play.value(term, game.initial()) for text, term in judge.terms.items() if text in own):
        return None
    splits = _splits(_Plan(judge, lambda some, what: some.broken(what, own), lambda what: judge.kept_by(what, own),
                           budget))
    return None if splits is None else Layer(tuple(own), True, splits)


def planned_bounds(game: Game, conjuncts: Sequence[str], budget: Budget) -> tuple[Split, ...] | None:
    """Splits under which the kernel sees that conditions leave no value outside its bounds."""
    judge = Inductive(game, conjuncts, True, ())
    return _splits(_Plan(judge, faults, lambda what: within_bounds(judge, what), budget, (True, False)))


def planned_falls(game: Game, conjuncts: Sequence[str], numbers: Sequence[Term], budget: Budget
                  ) -> tuple[Split, ...] | None:
    """Splits under which the kernel sees that automatic phases lower numbers."""
    judge = Inductive(game, conjuncts, True, (), numbers)

    def questions(side: Inductive, what: Kind) -> list[Wrong]:
        return [partial(goes_on, side.reading, numbers)] if isinstance(what, Phase) else []

    def accept(what: Kind) -> None:
        if isinstance(what, Phase):
            lowers(judge, numbers, what)

    return _splits(_Plan(judge, questions, accept, budget, (True, False)))


def said_by(layers: Sequence[Layer]) -> list[str]:
    """The conditions of layers, each once, in the order in which the kernel takes them."""
    return list(dict.fromkeys(text for layer in layers for text in layer.conjuncts))


@dataclass(frozen=True)
class _Plan:
    """What is asked of each kind of step, and who has to accept the way of asking."""

    judge: Inductive
    questions: Callable[[Inductive, Kind], list[Wrong]]
    accept: Callable[[Kind], None]
    budget: Budget
    tries: tuple[bool, bool] = (False, True)
    """Over integers or not: bits are quick at who stands where and at what a step changes of a sum, integers at what
    a whole sum leaves for one of its summands, as bounds ask."""


def _splits(plan: _Plan) -> tuple[Split, ...] | None:
    judge = plan.judge
    tried = {integers: judge.over(integers) for integers in plan.tries}
    for what in judge.reading.kinds():
        name = what.name if isinstance(what, Action) else f"automatic {what.name}"
        plan.budget.say(f"invariants: {name}")
        if not plan.questions(tried[plan.tries[0]], what):
            continue
        for split in _Ways(tried, what, name, plan).all():
            judge.splits[name] = split
            try:
                plan.accept(what)
                break
            except NotShown:
                del judge.splits[name]
        else:
            return None
    return tuple(s for s in judge.splits.values() if s != Split(s.step, True, ()))


@dataclass(frozen=True)
class _Tried:
    """How a split by a place went: which it was of those tried, how many of its samples stay open, the work that all
    of its values may take, one open sample."""

    place: str
    order: int
    open: int
    cost: float
    worst: Known | None


class _Ways:
    """Ways of asking about one kind of step, the likeliest first."""

    def __init__(self, sides: dict[bool, Inductive], what: Kind, name: str, plan: _Plan) -> None:
        self.sides, self.what, self.name, self.plan = sides, what, name, plan
    def all(self) -> Iterator[Split]:
        """As a whole, then split, then piece by piece; nothing more once Z3 has found that the step goes wrong.

        A whole question costs less than its parts, wherever it is answered at all.
        """
        for work in _WHOLE:
            # The same measure takes half the time over integers, so they go first where more work is needed.
            for integers in self.plan.tries if work == LITTLE else (True, False):
                found = self._ask(integers, {}, work)
                if found == "sat":
                    return
                if found == "unsat":
                    yield Split(self.name, integers, ())
        for integers in self.plan.tries:
            places = self._places(integers, {}, _DEEPEST)
            if places:
                yield Split(self.name, integers, tuple(places))
        for integers in self.plan.tries if self.plan.budget.left > 0 else ():
            yield Split(self.name, integers, ())

    def _wrongs(self, integers: bool) -> list[Wrong]:
        """What may go wrong, in either arithmetic, where that is asked at all."""
        return self.plan.questions(self.sides[integers], self.what)

    def _ask(self, integers: bool, known: Known, work: int = LITTLE) -> str:
        """Z3's answer with little work, of all together."""
        return self.sides[integers].ask(self.what, self._wrongs(integers), known, work)

    def _places(self, integers: bool, known: Known, deepest: int) -> list[str]:
        """Places to split by, one within the other, [] if none helps: the best by its samples, and what its worst
        sample needs."""
        some: list[_Tried] = []
        for order, place in enumerate(_candidates(self.sides[integers], self.what, known)):
            if self.plan.budget.left <= 0:
                return []
            some.append(self._sampled(integers, place, order, known))
            if not some[-1].open and some[-1].cost < _SOON:
                break
        if not some:
            return []
        best = min(some, key=lambda tried: (tried.open, tried.order if tried.open else tried.cost))
        if best.worst is None:
            return [best.place]
        further = self._places(integers, best.worst, deepest - 1) if deepest > 1 else []
        return [best.place, *further] if further else []

    def _sampled(self, integers: bool, place: str, order: int, known: Known) -> _Tried:
        """How a split by a place goes, by some of its values."""
        side, wrongs = self.sides[integers], self._wrongs(integers)
        values = side.values(self.what, place)
        began, left, tried, asked = ALLOWED.left, list[Known](), 0, 0
        for value in sorted(values, key=lambda v: (v * _SCATTER % len(values), v)):  # neighbours are often alike
            here = {**known, place: value}
            tried += 1
            if side.question(self.what, wrongs, here)[-1] is not False:
                asked += 1
                left += [here] if self._ask(integers, here) != "unsat" else []
            if asked == _SAMPLES:
                break
        cost = (began - ALLOWED.left) / RLIMIT / max(1, tried) * len(values)
        return _Tried(place, order, len(left), cost, left[0] if left else None)


def _candidates(side: Inductive, what: Kind, known: Known) -> list[str]:
    """Parameters, the phase, and the cells that a step uses as indices: first those that alone make an index."""
    reading = _Indices(side.game, side.integers, tuple(side.terms.values()))
    cells = [known.get(f"cell {n}", c) for n, c in enumerate(reading.state())]
    params = [known.get(f"param {n}", p) for n, p in enumerate(reading.params(what))]
    reading.step(what, cells, params)
    beside: dict[str, int] = {}  # with how few others a place makes an index
    for index in reading.indices:
        some = _places_in(index)
        beside.update({p: min(len(some), beside.get(p, len(some))) for p in some})
    beside.update({f"param {n}": 0 for n, x in enumerate(params) if not isinstance(x, int)})
    if isinstance(what, Action) and len(what.phases) > 1 and "cell 0" not in known:
        beside["cell 0"] = 1
    sizes = {place: len(side.values(what, place)) for place in beside}
    few = [place for place, size in sizes.items() if size <= _MOST_VALUES]
    return sorted(few, key=lambda place: (beside[place], sizes[place], place))[:_MOST_PLACES]


class _Indices(Reading):
    """A reading that notes by what it looks things up."""

    def __init__(self, game: Game, integers: bool, extra: Sequence[Term]) -> None:
        super().__init__(game, integers, extra)
        self.indices: list[z3.ExprRef] = []

    def number(self, term: Term, cells: Sequence[Number], env: Env) -> Number:
        """The value, as ever."""
        if isinstance(term, Read | Lookup):
            where = super().number(term.index, cells, env)
            if not isinstance(where, int):
                self.indices.append(where)
        return super().number(term, cells, env)


def _places_in(formula: z3.ExprRef) -> set[str]:
    """Cells and parameters that a formula speaks of."""
    found: set[str] = set()
    seen: set[int] = set()
    todo = [formula]
    while todo:
        here = todo.pop()
        if here.get_id() not in seen:
            seen.add(here.get_id())
            todo.extend(here.children())
            name = here.decl().name() if z3.is_app(here) and here.num_args() == 0 else ""
            if name[:1] in ("s", "p") and name[1:].isdecimal():
                found.add(f"{'cell' if name[0] == 's' else 'param'} {name[1:]}")
    return found


__all__ = ["planned", "planned_bounds", "said_by"]
