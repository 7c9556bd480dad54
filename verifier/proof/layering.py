"""Finds a measure that every decision raises, or at least that none lowers, so that the kernel can go through a game's
states layer by layer.

The measure is a sum of cells, sums of arrays and phases, with whole factors. Sampled decisions give the first
conditions on the factors; each decision that the kernel finds to break them gives another. Among the factors that fit,
those that most decisions raise are taken, and of those the ones with the smallest greatest jump, because the layers are
then few and wide. Where play can go in circles no measure rises at each decision; then decisions may keep it, and a
game without any such sum is one layer.
Source: rank functions by counterexamples, as in Podelski and Rybalchenko, VMCAI 2004.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, lcm

import numpy as np
import numpy.typing as npt
import z3

from playproof.language import RulesError, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.columns import Columns
from playproof.verifier.kernel.layered import (
    LayeredStates,
    Ordered,
    SymmetricStates,
    layers_of,
    numbers_of,
    swept_by_machine,
)
from playproof.verifier.kernel.layers import MOST_LAYERED, Falls
from playproof.verifier.kernel.statements import About, Event
from playproof.verifier.kernel.symmetry import Renaming, certified
from playproof.verifier.proof.highs import asked
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.machine_layers import MOST_STATES
from playproof.verifier.search.renamings import proposed
from playproof.verifier.search.work import INTERPRETED, RLIMIT, ask, spend

_GAMES, _LONGEST, _ROWS = 30, 300, 3_000
_MANY_ROWS = 30_000  # where a sweep in vain costs more
_ROUNDS, _CUTS, _AT_ONCE = 40, 60, 25
_STATE = 6e-6  # work for one state of a sweep, both ways
_FEW = 500_000
_STATE_BY_MACHINE = 6e-7  # the same by compiled code
_ACTION = 5.5e-5  # work for one action in one layer, however few states it has
_MOST_FEATURES = 80
_GREATEST = 1 << 40
_PLAIN = 0.1  # of the work, for few rounds before any renaming is tried
_WITH_ALIKE = 0.6  # of the work, while renamings are tried
_CERTIFYING = 0.2  # of the work that is left, for the kernel's questions about renamings
_FACTORING = 10.0  # of work, for one question about factors
_SECONDS = 600.0  # for HiGHS, beyond which no machine is that loaded: its steps are limited too
_SCALES = (1, 2, 6, 12, 60, 840, 10_000)
_MORE = 0.7  # a search in vain is repeated if it had a smaller part of the work that is left now
Matrix = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Limit:
    """How far states are followed: while a number is at most `most`."""

    number: str
    most: int


_ORDERS: Cache[
    tuple[bool, Limit | None, tuple[int, ...], tuple[Renaming, ...]], tuple[Ordered | None, float]
] = Cache()  # with the work that was left for it
_MEASURES: Cache[Limit | None, tuple[str, int]] = Cache()  # for compiled code, with the least rise
_ALIKE: Cache[str, tuple[list[Renaming], float]] = Cache()  # with the work that was left for it
_REFUSED: Cache[tuple[Renaming, str], float] = Cache()  # with the work that was left for it


@dataclass(frozen=True)
class Features:
    """Numbers of a state, as claims write them: `texts`, and the matrix that yields them from cells and phases."""

    texts: tuple[str, ...]
    of_cells: Matrix

    def values(self, cells: Matrix, phases: int) -> Matrix:
        """Return the numbers (rows x features) of states."""
        onehot = (cells[:, :1] == np.arange(phases)).astype(np.int64)
        return np.concatenate([cells, onehot], axis=1) @ self.of_cells


def order_of(
    case: Case,
    budget: Budget,
    *,
    circles: bool = False,
    limit: Limit | None = None,
    after: tuple[int, ...] = (),
    alike: tuple[Renaming, ...] = (),
) -> Ordered | None:
    """Return how the states of a case lie in layers, with their number; None if no measure is found, or if there are
    more states than the budget allows. With `circles`, decisions may keep the measure if not all can raise one. The
    states are those behind the actions `after`; of those that the renamings `alike` lead into each other, some."""
    cache = _ORDERS.of(case)
    for strict in (True, False) if circles else (True,):
        key = (strict, limit, after, alike)
        order, allowed = cache.get(key, (None, 0.0))
        left = budget.left
        if order is None and allowed < _MORE * left:
            order = _ordered(_Wanted(case, budget, strict, limit, after, alike))
            cache[key] = order, left
        if order is not None:
            return order
    return None


def few_states(budget: Budget) -> Budget:
    """Return a part of a budget, for so few states that columns may go through them in vain."""
    return budget.share(min(1.0, _FEW * _STATE / max(budget.left, _STATE)))


def order_by_machine(
    case: Case, budget: Budget, event: Event, limit: Limit | None
) -> tuple[Ordered, int] | None:
    """Return how the states lie in layers that compiled code goes through, and by how much each decision at least
    raises the measure; None if no measure is found, or if there are more states than the budget allows. The states do
    not go on behind the event."""
    if not case.machine or case.context.swept is None:
        return None
    wanted, measures = _Wanted(case, budget, True, limit, (), (), by_machine=event), _MEASURES.of(case)
    try:
        order = wanted.by(*measures[limit]) if limit in measures else _ordered(wanted)
    except Falls:
        order = _ordered(wanted)
    except NotShown:
        return None
    return None if order is None else (order, measures[limit][1])


def order_and_alike(
    case: Case,
    budget: Budget,
    *,
    event: Event | None = None,
    circles: bool = False,
    limit: Limit | None = None,
) -> tuple[Ordered | None, tuple[Renaming, ...]]:
    """Return how the states lie in layers, and the renamings by which some stand for others; without renamings if no
    measure rises with them."""
    if limit is not None:
        order = order_of(case, budget.share(_PLAIN), circles=circles, limit=limit)
        if order is not None:
            return order, ()
    alike = alike_in(case, budget, event, limit)
    if alike:
        order = order_of(case, budget.share(_WITH_ALIKE), circles=circles, limit=limit, alike=alike)
        if order is not None:
            return order, alike
    return order_of(case, budget, circles=circles, limit=limit), ()


def by_layers(about: About, order: Ordered, alike: tuple[Renaming, ...]) -> LayeredStates:
    """Return the certificate that all states in their layers show something."""
    return SymmetricStates(about, order, alike) if alike else LayeredStates(about, order)


def alike_in(
    case: Case, budget: Budget, event: Event | None = None, limit: Limit | None = None
) -> tuple[Renaming, ...]:
    """Return renamings that neither the rules nor a claim, about an event if there is one, notice."""
    terms = numbers_of(
        case.game, event, Ordered("0", 0, *(("", 0) if limit is None else (limit.number, limit.most)))
    )
    renamings, named = _proposed(case, budget), f"{event} {limit}"
    share = budget.share(_CERTIFYING)
    return tuple(each for each in renamings if _is_certified(case, each, terms, named, share))


def _proposed(case: Case, budget: Budget) -> list[Renaming]:
    """Return renamings that may be certified. A search that a small budget cut off goes on under a larger one."""
    cache, left = _ALIKE.of(case), budget.left
    renamings, allowed = cache.get("", ([], 0.0))
    if allowed < _MORE * left:
        try:
            renamings, complete = proposed(case.play, _decisions(case)[0].tolist(), budget)
        except (NotShown, RulesError):
            renamings, complete = [], True
        cache[""] = renamings, inf if complete else left
    return renamings


def _is_certified(case: Case, each: Renaming, terms: list[Term], named: str, budget: Budget) -> bool:
    """Return whether the kernel certifies within the budget that the rules and these terms, which `named` stands for,
    do not notice a renaming. What it refused is asked again only if much more work is left."""
    refused, left = _REFUSED.of(case), budget.left
    if left <= 0 or refused.get((each, named), 0.0) >= _MORE * left:
        return False
    allowed = int(left * RLIMIT)
    with case.context.limited(allowed):
        try:
            certified(case.game, (each,), terms, case.context)
        except NotShown:
            refused[each, named] = left
            return False
        finally:
            spend((allowed - case.context.work) / RLIMIT)
    return True


@dataclass
class _Wanted:
    """What is wanted of an order of a case's states."""

    case: Case
    budget: Budget
    strict: bool
    limit: Limit | None
    after: tuple[int, ...]
    alike: tuple[Renaming, ...]
    by_machine: Event | None = None
    """The event behind which states are not followed, if compiled code goes through them."""

    def by(self, measure: str, rise: int = 1) -> Ordered:
        """Return how the states lie in layers by a measure, which each decision raises by `rise` or more if compiled
        code goes through them. Raises NotShown, and Falls."""
        left = self.budget.left
        most = min(MOST_LAYERED, self.budget.states, int(left / _STATE))
        if self.by_machine is not None:
            most = min(MOST_STATES, int(left / _STATE_BY_MACHINE))
        far = ("", 0) if self.limit is None else (self.limit.number, self.limit.most)
        order = Ordered(measure, most, *far, self.after)
        try:
            states, layers = self._gone_through(order, rise)
        except Falls as error:
            self._pay(error.states / 2, error.layers)
            raise
        except NotShown:
            self._pay(most / 2, 0)  # so many states were gone through in vain
            raise
        self._pay(states, layers)
        if self.by_machine is not None:
            _MEASURES.of(self.case)[self.limit] = measure, rise
        return replace(order, states=states)

    def _gone_through(self, order: Ordered, rise: int) -> tuple[int, int]:
        """Return how many states and layers there are. Raises NotShown, and Falls."""
        game, context = self.case.game, self.case.context
        if self.by_machine is not None:
            return swept_by_machine(game, order, self.by_machine, rise, context).states, 0
        made = layers_of(game, order, context, strict=self.strict, alike=self.alike)
        return made.states, len(made.layers)

    def _pay(self, states: float, layers: int) -> None:
        """Count the work of a sweep; half for a state if values are not worked out behind it."""
        if self.by_machine is not None:
            spend(states * _STATE_BY_MACHINE)
        else:
            spend(states * _STATE + layers * self.case.game.ground * _ACTION)


def _ordered(wanted: _Wanted) -> Ordered | None:
    game = wanted.case.game
    if wanted.limit is not None and wanted.by_machine is None:  # few and wide layers, and nothing to search
        try:
            return replace(wanted, strict=False).by(wanted.limit.number)
        except Falls:
            pass
        except NotShown:
            return None
    try:
        before, after = _decisions(wanted.case, _ROWS if wanted.by_machine is None else _MANY_ROWS)
    except (NotShown, RulesError):
        return None
    for features in (_features(game, together=True), _features(game, together=False)):
        if len(features.texts) > _MOST_FEATURES:
            continue
        try:
            order = _Search(wanted, features).by_counterexamples(before, after)
        except NotShown:  # too many states, which no other sum makes fewer
            return None
        if order is not None:
            return order
    return None


@dataclass
class _Search:
    """The search for a measure that is a sum of given features."""

    wanted: _Wanted
    features: Features

    def by_counterexamples(self, before: Matrix, after: Matrix) -> Ordered | None:
        """Return an order that all decisions keep, learned from those given and from those that broke others. Raises
        NotShown."""
        phases = len(self.wanted.case.game.phases)
        for _ in range(_ROUNDS):
            of = self.features.values
            changes = np.unique(of(after, phases) - of(before, phases), axis=0)
            factors = _by_highs(changes) if self.wanted.by_machine is not None else None
            factors = factors or _factors(changes, self.wanted.strict)
            if factors is None or self.wanted.budget.left <= 0:
                return None
            try:
                return self.wanted.by(written(self.features.texts, factors[0]), factors[1])
            except Falls as error:
                before, after = np.vstack([before, error.before]), np.vstack([after, error.after])
        return None


def written(texts: Sequence[str], factors: Sequence[int]) -> str:
    """Return a sum as claims write it."""
    parts = [
        f"{'-' if factor < 0 else '+'} {text if abs(factor) == 1 else f'{abs(factor)} * {text}'}"
        for text, factor in zip(texts, factors, strict=True)
        if factor
    ]
    if not parts:
        return "0"
    return " ".join(parts).removeprefix("+ ").replace("- ", "0 - ", 1 if parts[0].startswith("-") else 0)


# -- decisions ------------------------------------------------------------------------------------------------------


def _decisions(case: Case, most: int = _ROWS) -> tuple[Matrix, Matrix]:
    """Return decisions from states of random games and of (at most so many) explored ones, as rows of cells before and
    after, without those that end the game."""
    rows = _played(case)
    seen = case.seen
    if seen is not None and seen.states > 1:
        chosen = np.random.default_rng(1).integers(0, seen.states, min(most, seen.states))
        rows += [seen.state(int(row)) for row in np.unique(chosen)]
    cells = np.unique(np.array(rows, dtype=np.int64), axis=0)
    cells = cells[cells[:, 1] == 0]
    before, after = [cells[:0]], [cells[:0]]
    for here, _, states in Columns(case.game).steps(cells):
        on = states[:, 1] == 0
        before.append(cells[here[on]])
        after.append(states[on])
    return np.concatenate(before), np.concatenate(after)


def _played(case: Case) -> list[list[int]]:
    play, r, rows = case.play, random.Random(3), list[list[int]]()
    for _ in range(_GAMES):
        state = play.start()
        for _ in range(_LONGEST):
            spend(INTERPRETED)
            rows.append(list(state))
            legal = [] if play.terminal(state) else play.legal(state)
            if not legal:
                break
            state = play.apply(state, r.choice(legal))
    return rows


# -- features -------------------------------------------------------------------------------------------------------


def _features(game: Game, *, together: bool) -> Features:
    """Return the sum of each array, or each of its cells; each single field; and for each phase whether it is due."""
    cells = sum(f.size for f in game.fields)
    texts: list[str] = []
    rows: list[Matrix] = []

    def add(text: str, places: Sequence[int]) -> None:
        texts.append(text)
        row = np.zeros(cells + len(game.phases), dtype=np.int64)
        row[list(places)] = 1
        rows.append(row)

    for held in game.fields:
        if held.lo == held.hi or held.offset < 2:  # the phase and the outcome come last
            continue
        names = [(_cell(held.name, held.shape, place), held.offset + place) for place in range(held.size)]
        if together and held.size > 1:
            add("(" + " + ".join(name for name, _ in names) + ")", [place for _, place in names])
            continue
        for name, place in names:
            add(name, [place])
    for phase in game.phases:
        if not phase.automatic:
            add(f"(phase == {phase.number})", [cells + phase.number])
    return Features(tuple(texts), np.array(rows, dtype=np.int64).T)


def _cell(name: str, shape: Sequence[int], place: int) -> str:
    quoted = name if name.isidentifier() else f"`{name}`"
    if not shape:
        return quoted
    return f"{quoted}[{', '.join(str(int(n)) for n in np.unravel_index(place, tuple(shape)))}]"


# -- factors --------------------------------------------------------------------------------------------------------


def _by_highs(changes: Matrix) -> tuple[list[int], int] | None:
    """Return the same for decisions that each have to raise the measure, as HiGHS finds it in a moment; None if it is
    not installed, or finds none."""
    solution = asked("rises", {"changes": changes.tolist()}, _SECONDS) if len(changes) else None
    for scale in _SCALES if solution else ():
        factors = np.rint(np.array(solution) * scale).astype(np.int64)
        rise = int((changes @ factors).min())
        if 2 * rise >= scale:
            return factors.tolist(), rise
    return None


def _factors(changes: Matrix, strict: bool) -> tuple[list[int], int] | None:
    """Return whole factors w and a least rise r, with w . change >= r > 0 for all changes (if `strict`; else >= 0), and
    a small greatest one; None if there are none. Only the changes that matter are asked of Z3."""
    if not len(changes):
        return None
    chosen = changes[np.random.default_rng(2).permutation(len(changes))[:_AT_ONCE]]
    for _ in range(_CUTS):
        solution = _least_jump(chosen, strict)
        if solution is None:
            return None
        raised = changes @ np.array(solution[0], dtype=np.int64)
        bad = np.flatnonzero(raised < solution[1] * strict)
        if not len(bad):
            return solution
        chosen = np.vstack([chosen, changes[bad[np.argsort(raised[bad])[:_AT_ONCE]]]])
    return None


def _least_jump(changes: Matrix, strict: bool) -> tuple[list[int], int] | None:
    model = z3.Optimize()
    weights = [z3.Real(f"w{n}") for n in range(changes.shape[1])]
    jump = z3.Real("jump")
    rises = [z3.RealVal(1) if strict else z3.Real(f"r{n}") for n in range(len(changes))]
    for change, rise in zip(changes.tolist(), rises, strict=True):
        total = z3.Sum([factor * weights[n] for n, factor in enumerate(change) if factor] or [z3.RealVal(0)])
        model.add(total >= rise, total <= jump)
        if not strict:
            model.add(rise >= 0, rise <= 1)
    if not strict:
        model.maximize(z3.Sum(rises))
    model.minimize(jump)
    if ask(model, model.check, _FACTORING) != z3.sat:
        return None
    solution = model.model()
    values = [solution.eval(w, model_completion=True).as_fraction() for w in weights]
    common = lcm(*(value.denominator for value in values))
    whole = [int(value * common) for value in values]
    return (whole, common) if max(map(abs, whole)) < _GREATEST else None
