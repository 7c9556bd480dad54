"""Bounded model checking by macro-steps: Z3 unrolls a whole run of one actor, or of one round, as
one layer.

A layer is a block of strides. Without a `key`, each layer from the third on has twice as many as
the one before. With a `key`, every layer has the same number and ends where the key changes; the
remaining strides stand still. `run_key` is the quantity that the game declares as its `layer` (else
its `round`, else the seat to act). Only the last layer may stop early. So Z3 is asked once a layer,
and never for a proof that nothing happens at each single step. Chance is chosen like any action,
and only when its turn comes: the best shuffle. Every line of play is cut into layers in exactly one
way, so the search loses none. If no game has another layer, finding no line is a proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise

import z3

from playproof.language import Term, pick
from playproof.language.expr import as_term
from playproof.verifier.kernel.reading import Cells, Number, Truth, conj, disj, neg
from playproof.verifier.proof.bounded import Bounded
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.commuting import Renaming, Renamings, Swaps
from playproof.verifier.search.open_steps import Strides, formula
from playproof.verifier.search.replay import replay
from playproof.verifier.search.work import Solver

INNER = 4
_MOST_LAYERS = 8


@dataclass(frozen=True, slots=True)
class Slot:
    """One stride of a layer: the state before it, the open choice, and whether it is made at
    all."""

    before: Cells
    choice: Number
    made: Truth


def run_key(case: Case) -> Term:
    """Return the term that stays the same within a layer: the declared quantity, or the seat to
    act."""
    game = case.game
    name = game.facts.get("layer") or game.facts.get("round")
    if name:
        return game.quantities[str(name)]
    key = as_term(0)
    for phase in game.phases:
        if not phase.automatic:
            key = pick(as_term(game.current_phase) == phase.number, phase.actor, key)
    return key


@dataclass(frozen=True, slots=True)
class Lean:
    """What the search may skip: orders of actions that commute (`after`), and names of cards that
    are alike (`renamings`)."""

    after: dict[int, frozenset[int]] = field(default_factory=dict)
    renamings: tuple[Renaming, ...] = ()


def lean(case: Case, target: Target, key: Term, budget: Budget) -> Lean:
    """Return all that can be proved within the budget. For a target that is an action, no orders
    are skipped."""
    after = Swaps(case, key, target).find(budget).after if target.idents is None else {}
    return Lean(after, tuple(Renamings(case, key, target).find(budget)))


class Layers:
    """The game unrolled by layers until a target is met: the first has `inner` strides, and so do all others if
    there is a `key`."""

    def __init__(
        self,
        case: Case,
        target: Target,
        inner: int = INNER,
        key: Term | None = None,
        lean: Lean | None = None,
    ) -> None:
        self.inner, self.grows, self.lean = inner, key is None, lean or Lean()
        self.key = as_term(0) if key is None else key
        self.target, self.reading = target, Strides(case.game, [self.key, target.condition])
        self.state: Cells = list(case.play.start())
        self.layers: list[list[Slot]] = []
        self.solver = Solver("QF_BV")
        self._least: list[Truth] = [True for _ in self.lean.renamings]
        self._template = self._make()

    def _make(self) -> tuple[Cells, Number, z3.BoolRef]:
        """Return one stride as a single term, so that one substitution makes the next."""
        state, choice = self.reading.state("t"), self.reading.choice("t")
        outcome = self.reading.stride(state, choice)
        raw = [self.reading.lifted(value) for value in outcome.after]
        pack = z3.Function("stride", *(r.sort() for r in raw), z3.BoolSort(), z3.BoolSort())
        return state, choice, pack(*raw, formula(outcome.sound))

    def _stride(self, state: Sequence[Number], choice: Number) -> tuple[Cells, Truth]:
        """Return the state after a stride, and whether the stride is sound."""
        names, number, packed = self._template
        pairs = self.reading.open_cells([*names, number], [*state, choice])
        whole = z3.simplify(z3.substitute(packed, *pairs))
        cells = [_folded(whole.arg(n)) for n in range(len(state))]
        sound = whole.arg(len(state))
        if z3.is_true(sound) or z3.is_false(sound):
            return cells, bool(z3.is_true(sound))
        return cells, sound

    # -- layers ---------------------------------------------------------------------------------------------

    @property
    def strides(self) -> int:
        """Return how many strides the layers have, made or not."""
        return sum(map(len, self.layers))

    def longer(self) -> None:
        """Add one layer, with at least one stride made in it. The layers before it must be as long
        as they can be."""
        if self.layers:
            self.solver.add(formula(self._whole(self.layers[-1])))
        k, cells, key = len(self.layers), self.state, self._key(self.state)
        slots: list[Slot] = []
        for i in range(self.inner << max(0, k - 1) if self.grows else self.inner):
            choice = self.reading.choice(f"c{k}.{i}")
            goes_on = conj([slots[-1].made, self._same(key, cells)]) if slots else True
            made: Truth = z3.Bool(f"m{k}.{i}") if slots else True
            after, sound = self._stride(cells, choice)
            acts = conj([made, neg(self.reading.due(cells))])
            rest = disj([acts, self.reading.compare("==", choice, 0)])
            goes = disj([neg(made), conj([goes_on, sound])])
            self.solver.add(formula(conj([goes, rest, self.reading.chosen(choice)])))
            slots.append(Slot(cells, choice, made))
            cells = [self.reading.pick(made, a, c) for a, c in zip(after, cells, strict=True)]
            cells = self._named(f"s{k}.{i}", cells)
        self.state = cells
        self.layers.append(slots)
        self._leave_out(slots, key)

    def _leave_out(self, slots: Sequence[Slot], key: Number) -> None:
        """Assert that a line is the least of those equivalent to it. A run longer than a layer goes
        on in the next."""
        run, runs_on = list(slots), True
        if (
            len(self.layers) > 1
        ):  # the last stride of the layer before comes first, if the run goes on from it
            before = self.layers[-2]
            run = [before[-1], *slots]
            runs_on = self._same(self._key(before[0].before), slots[0].before)
        behind = [*(slot.before for slot in run[2:]), self.state]  # the state after each pair of strides
        for (slot, following), then in zip(pairwise(run), behind, strict=False):
            both = conj([self._acts(slot), self._acts(following), self._same(key, then), runs_on])
            runs_on = True
            for second, firsts in self.lean.after.items():
                follows = self.reading.among(following.choice, firsts)
                here = self.reading.compare("==", slot.choice, second)
                self.solver.add(formula(neg(conj([both, here, follows]))))
        for slot in slots:
            acts = self._acts(slot)
            for n, renaming in enumerate(self.lean.renamings):
                rising = self.reading.among(slot.choice, renaming.rising)
                fixed = self.reading.among(slot.choice, renaming.fixed)
                self.solver.add(formula(disj([neg(acts), neg(self._least[n]), rising, fixed])))
                self._least[n] = conj([self._least[n], disj([neg(acts), fixed])])

    def _named(self, tag: str, cells: Sequence[Number]) -> Cells:
        fresh = self.reading.state(tag)
        self.solver.add(self.reading.equal(cells, fresh), self.reading.typed(fresh))
        return [c if isinstance(c, int) else f for c, f in zip(cells, fresh, strict=True)]

    def _key(self, cells: Sequence[Number]) -> Number:
        return self.reading.number(self.key, cells, {})

    def _same(self, key: Number, cells: Sequence[Number]) -> Truth:
        return self.reading.compare("==", key, self._key(cells))

    def _whole(self, slots: Sequence[Slot]) -> Truth:
        """Return the condition that a layer's strides stand still only after its run has ended."""
        key = self._key(slots[0].before)
        return conj(disj([s.made, neg(p.made), neg(self._same(key, s.before))]) for p, s in pairwise(slots))

    # -- answers --------------------------------------------------------------------------------------------

    def met(self) -> z3.BoolRef:
        """Return the condition that the target is met where the last layer stops, or by its last
        action."""
        if self.target.idents is None:
            calm = neg(self.reading.due(self.state))
            return formula(conj([calm, self.reading.holds(self.target.condition, self.state)]))
        slots = self.layers[-1] if self.layers else []
        following = [*slots[1:], None]
        return formula(disj(self._taken(s, then) for s, then in zip(slots, following, strict=False)))

    def _taken(self, slot: Slot, following: Slot | None) -> Truth:
        is_it = self.reading.among(slot.choice, self.target.idents or ())
        last = True if following is None else neg(following.made)
        holds = self.reading.holds(self.target.condition, slot.before)
        return conj([slot.made, last, self._acts(slot), is_it, holds])

    def _acts(self, slot: Slot) -> Truth:
        return conj([slot.made, neg(self.reading.due(slot.before))])

    def line(self) -> list[int]:
        """Return the actions of the model just found."""
        model = self.solver.model()
        idents = []
        for slot in chain.from_iterable(self.layers):
            if z3.is_true(model.eval(formula(self._acts(slot)), model_completion=True)):
                idents.append(self.reading.plain(slot.choice, model))
        return idents


def _folded(value: z3.BitVecRef) -> Number:
    """Return a bit-vector, as a plain number if Z3 has folded it to a constant."""
    return int(value.as_signed_long()) if z3.is_bv_value(value) else value


def layered(case: Case, target: Target, layers: int, budget: Budget, game: Layers | None = None) -> Bounded:
    """Search for a line of at most so many layers; `steps` in the result counts strides."""
    game = game or Layers(case, target)
    for depth in range(layers + 1):
        if depth:
            game.longer()
            if _ask(game, budget) == z3.unsat:
                return Bounded(None, game.strides, True)
        answer = _ask(game, budget, game.met())
        if answer == z3.sat:
            return Bounded(_judged(case, game.line(), target), game.strides, False)
        if answer == z3.unknown:
            return Bounded(None, game.strides, False, f"time: Z3 gave no answer at {depth} layers")
        budget.say(f"no line of {depth} layers")
    return Bounded(None, game.strides, False, f"{layers} layers were searched, the limit")


def search(case: Case, target: Target, budget: Budget) -> list[int] | None:
    """Return a line to the target by blocks of strides, without orders that commute; None if none
    was found in time."""
    if budget.left <= 0:
        return None
    use = lean(case, target, as_term(0), budget.share(1 / 3))
    return layered(case, target, _MOST_LAYERS, budget, Layers(case, target, lean=use)).line


def _judged(case: Case, line: list[int], target: Target) -> list[int]:
    """Return the line up to the first moment at which the interpreter sees the target. Raises
    AssertionError if it never does: that is a defect of the search."""
    replayed = replay(case, line, target)
    if replayed.hit is None:
        raise AssertionError(f"macro-steps: the interpreter does not follow: {replayed.error}")
    return line[: replayed.hit]


def _ask(game: Layers, budget: Budget, *assumptions: z3.BoolRef) -> z3.CheckSatResult:
    if budget.left <= 0:
        return z3.unknown
    game.solver.most = budget.left
    return game.solver.check(*assumptions)
