"""Unbounded claims: Z3 finds and checks invariants that hold at the start and that every small step
keeps.

Candidates are linear: `q1 <= a * q2 + b * q3 + c` over the game's quantities and single fields,
fitted to random games. Houdini's method (Flanagan and Leino, "Houdini, an annotation assistant for
ESC/Java", FME 2001) then drops the candidates that a step breaks, until the rest is inductive. Each
automatic phase is a small step of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import z3

from playproof.database.errors import Where
from playproof.language import Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.induction import Inductive
from playproof.verifier.kernel.invariant import faults, no_dead_end
from playproof.verifier.kernel.reading import disj
from playproof.verifier.kernel.solving import WORK
from playproof.verifier.proof.evidence import phases
from playproof.verifier.proof.linear_candidates import candidates, paces
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.open_steps import Move, Steps, formula
from playproof.verifier.search.work import Solver

_STEP = 20.0  # work for one question
_PACES = 0.5  # of the time for a bound, for conditions about how slowly a win comes
Bound = tuple[int, list[str]]
"""A value that a number does not go beyond, and the conditions that show it."""


@dataclass(slots=True)
class Prover:
    """One game's symbolic state and small steps, with a fresh solver for each question.

    Over `integers`, sums of many counts stay sums, which proofs that cards and tokens are conserved
    need. Over bit-vectors, everything else is quicker.
    """

    case: Case
    integers: bool = False
    reading: Steps = field(init=False)
    state: list[Any] = field(init=False)
    moves: list[Move] = field(init=False)

    def __post_init__(self) -> None:
        self.reading = Steps(self.case.game, self.integers, room=True)
        self.state = self.reading.state("s")
        self.moves = self.reading.moves(self.state, "s")

    def term(self, text: str) -> Term:
        """Return a conjunct's text as a term."""
        return Formula(self.case.game, Where("invariant")).read(text)

    def holds(self, term: Term, state: Sequence[Any]) -> z3.BoolRef:
        """Return the condition that a term is true in a state."""
        return self.reading.holds(term, state)

    def solver(self, *assumptions: z3.BoolRef) -> z3.Solver:
        """Return a fresh solver over typed states."""
        solver = Solver("" if self.integers else "QF_BV", _STEP)
        solver.add(self.reading.typed(self.state), *assumptions)
        return solver

    # -- checking -------------------------------------------------------------------------------------------

    def check(self, texts: Sequence[str]) -> str:
        """Return why the kernel does not accept that every step keeps the conjunction, or "" if it does."""
        try:
            self._judge([*phases(self.case.game), *texts], self.integers).check(texts)
        except NotShown as error:
            return str(error)
        return ""

    def faults(self, texts: Sequence[str]) -> list[str]:
        """Return where a value may leave its bounds in a state that the conjuncts allow, as message
        and place, each once."""
        sides = [
            self._judge(texts, integers) for integers in (True, False)
        ]  # what is left of a sum needs integers
        messages: dict[str, None] = {}
        for what in sides[0].reading.kinds():
            places = dict.fromkeys((fault.message, fault.place) for fault in sides[0].step(what).faults)
            for (message, place), wrong in zip(places, faults(sides[0], what), strict=False):
                if not any(side.ask(what, [wrong], {}, WORK) == "unsat" for side in sides):
                    messages[f"{message} at {Path(place.file).name}:{place.line}"] = None
        return list(messages)

    def stuck(self, texts: Sequence[str]) -> list[str]:
        """Return the phases in which a player may have no legal action in a state that the
        conjuncts allow."""
        judge, dead_ends = self._judge(texts, self.integers), list[str]()
        for phase in self.case.game.phases:
            try:
                no_dead_end(judge, phase)
            except NotShown as error:
                dead_ends.append(str(error))
        return dead_ends

    def _judge(self, texts: Sequence[str], integers: bool) -> Inductive:
        """Return the kernel's questions about steps from states in which conditions hold."""
        return Inductive(self.case.game, texts, integers, (), self.case.context)

    def _all_hold(self, texts: Sequence[str]) -> list[z3.BoolRef]:
        """Return the conditions that conjuncts hold in the symbolic state."""
        return [self.holds(self.term(text), self.state) for text in texts]

    def implies(self, texts: Sequence[str], *refuted: z3.BoolRef) -> bool:
        """Return whether the conjuncts exclude the `refuted` formulas."""
        solver = self.solver(*self._all_hold(texts), *refuted)
        return bool(solver.check() == z3.unsat)

    def refutation(self, target: Target) -> list[z3.BoolRef]:
        """Return the formulas to refute for a target: its condition and, if the target is an
        action, that the action is legal."""
        condition = self.holds(target.condition, self.state)
        if target.idents is None:
            return [condition]
        legal = disj(self.reading.can(self.state, i) for i in sorted(target.idents))
        return [condition, formula(legal)]

    # -- finding --------------------------------------------------------------------------------------------

    def strongest(self, texts: Sequence[str], budget: Budget) -> list[str]:
        """Return the largest inductive subset of the candidates (Houdini), or [] if the budget runs
        out."""
        terms = {text: self.term(text) for text in texts}
        start = self.case.game.initial()
        standing = [text for text in texts if self.case.play.value(terms[text], start)]
        before = {text: self.holds(terms[text], self.state) for text in standing}
        changed = True
        while changed and standing:  # what one step loses, other steps can no longer rest on
            changed = False
            for move in self.moves:
                after = {text: self.holds(terms[text], move.outcome.after) for text in standing}
                lost = self._lost(move, standing, before, after, budget)
                if lost is None:
                    return []
                if lost:
                    standing, changed = [text for text in standing if text not in lost], True
            budget.say(f"invariants: {len(standing)} of {len(texts)} candidates stand")
        return standing

    def _lost(
        self,
        move: Move,
        standing: list[str],
        before: dict[str, z3.BoolRef],
        after: dict[str, z3.BoolRef],
        budget: Budget,
    ) -> set[str] | None:
        """Return the candidates that a step may break, given all of them before it. Return None if
        Z3 gives no answer or the budget runs out."""
        lost: set[str] = set()
        while True:
            alive = [text for text in standing if text not in lost]
            solver = self.solver(formula(move.outcome.sound), *(before[t] for t in alive))
            solver.add(z3.Or(*(z3.Not(after[t]) for t in alive)))
            answer = solver.check()
            if answer == z3.unsat:
                return lost
            if answer == z3.unknown or budget.left <= 0:
                return None
            model = solver.model()
            lost |= {t for t in alive if z3.is_false(model.eval(after[t], model_completion=True))}

    def needed(self, texts: Sequence[str], *refuted: z3.BoolRef) -> list[str]:
        """Return a small subset of inductive conjuncts that is inductive by itself and excludes the
        `refuted` formulas."""
        wanted = set(self._core(texts, list(refuted)))
        while True:
            more = set(wanted)
            for move in self.moves:
                for text in wanted:
                    broken = z3.Not(self.holds(self.term(text), move.outcome.after))
                    more |= set(self._core(texts, [formula(move.outcome.sound), broken], prefer=more))
            if more == wanted:
                return self._fewest([t for t in texts if t in wanted], list(refuted))
            wanted = more

    def _fewest(self, texts: list[str], refuted: list[z3.BoolRef]) -> list[str]:
        """Return the conjuncts without those that can be dropped one by one."""
        for text in list(texts):
            fewer = [t for t in texts if t != text]
            if self.implies(fewer, *refuted) and not self.check(fewer):
                texts = fewer
        return texts

    def _core(self, texts: Sequence[str], refuted: list[z3.BoolRef], prefer: Iterable[str] = ()) -> list[str]:
        preferred = [t for t in texts if t in set(prefer)]
        if preferred and self.implies(preferred, *refuted):
            return preferred if len(preferred) == 1 else self._core_of(preferred, refuted)
        return self._core_of(texts, refuted)

    def _core_of(self, texts: Sequence[str], refuted: list[z3.BoolRef]) -> list[str]:
        solver = Solver(most=_STEP)
        solver.add(self.reading.typed(self.state), *refuted)
        flags = {f"c{n}": t for n, t in enumerate(texts)}
        for name, text in flags.items():
            solver.assert_and_track(self.holds(self.term(text), self.state), name)
        if solver.check() != z3.unsat:
            return list(texts)
        return [flags[str(c)] for c in solver.unsat_core()]


_PROVERS: Cache[bool, Prover] = Cache()
"""Provers by whether they reason over integers."""


def prover(case: Case, integers: bool = False) -> Prover:
    """Return the case's prover, made once for bit-vectors and once for integers."""
    provers = _PROVERS.of(case)
    if integers not in provers:
        provers[integers] = Prover(case, integers)
    return provers[integers]


def conjuncts(case: Case, budget: Budget, lines: Sequence[Sequence[int]] = ()) -> list[str]:
    """Return inductive conjuncts mined from random games and the given lines."""
    return prover(case).strongest(candidates(case, lines), budget)


def unreachable(case: Case, target: Target, budget: Budget, hints: Sequence[str] = ()) -> list[str] | None:
    """Return conditions that show a target out of reach for ever, or None. It tries the fields' bounds
    alone, then invariants from the hints and from mined candidates."""
    if budget.left <= 0:
        return None
    p = prover(case)
    try:
        refuted = p.refutation(target)
    except NotShown:  # its numbers are too large for the bits in which the game is read
        return None
    if p.implies([], *refuted):
        return []
    texts = p.strongest([*hints, *candidates(case)], budget)
    if texts and p.implies(texts, *refuted):
        return p.needed(texts, *refuted)
    return None


def lower_bound(
    case: Case,
    target: Target,
    number: Term,
    best: int | None,
    budget: Budget,
    lines: Sequence[Sequence[int]] = (),
) -> Bound | None:
    """Return a bound, where the target holds, on the number from below, and conditions that show it; or
    None. It tries how slowly a win comes, then all candidates: for `best` first, then for smaller bounds."""
    p = prover(case)
    bounds = [_by_pace(case, target, number, best, budget.share(_PACES), lines)]
    if not _closed(bounds, best) and budget.left > 0:
        texts = conjuncts(case, budget, lines)
        bounds.append(_least(case, target, number, best, texts))
    if not _closed(bounds, best) and budget.left > 0:
        more = dict.fromkeys([*texts, *candidates(case, lines, unless_lost=True)])
        bounds.append(_least(case, target, number, best, p.strongest(list(more), budget)))
    return max(filter(None, bounds), key=lambda bound: bound[0], default=None)


def _closed(bounds: Sequence[Bound | None], best: int | None) -> bool:
    """Return whether one of the bounds is the best value that a line reaches."""
    return any(bound is not None and bound[0] == best for bound in bounds)


def _by_pace(
    case: Case,
    target: Target,
    number: Term,
    best: int | None,
    budget: Budget,
    lines: Sequence[Sequence[int]],
) -> Bound | None:
    """Return the greatest bound that two conditions about how slowly a win comes show, or None."""
    p = prover(case)
    holds = p.holds(target.condition, p.state)
    for pace in paces(case, number, lines):
        if budget.left <= 0 or pace.least <= number.lo:
            return None
        texts = [pace.needs, pace.grows]
        if best is None or pace.least <= best:
            excluded = holds, p.holds(number < pace.least, p.state)
            if p.implies(texts, *excluded) and p.strongest(texts, budget) == texts:
                return pace.least, texts
    return None


def _least(case: Case, target: Target, number: Term, best: int | None, texts: Sequence[str]) -> Bound | None:
    """Return the greatest bound that the conjuncts imply and the conjuncts that it needs, or
    None."""
    p = prover(case)
    holds = p.holds(target.condition, p.state)
    for least in range(number.hi if best is None else best, number.lo, -1):
        refuted = [holds, p.holds(number < least, p.state)]
        if p.implies(texts, *refuted):
            return least, p.needed(texts, *refuted)
    return None
