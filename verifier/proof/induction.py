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
from functools import partial
from pathlib import Path
from typing import Any

import z3

from playproof.database.errors import Where
from playproof.language import Phase, Term
from playproof.language.symbolic import Move, Symbolic, as_z3, conj, disj, neg, truth
from playproof.verifier.proof.kept_conditions import Keeping
from playproof.verifier.proof.linear_candidates import candidates
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.work import Solver

_STEP = 20.0  # work for one question
Bound = tuple[int, list[str]]
"""A value that a number does not go beyond, and the conditions that show it."""
_TRIES = ((True, 0.1), (False, 0.9))
"""Arithmetic over integers or not, and the share of the remaining budget for each try."""


@dataclass(slots=True)
class Prover:
    """One game's symbolic state and small steps, with a fresh solver for each question.

    Over `integers`, sums of many counts stay sums, which proofs that cards and tokens are conserved
    need. Over bit-vectors, everything else is quicker.
    """

    case: Case
    integers: bool = False
    reading: Symbolic = field(init=False)
    state: list[Any] = field(init=False)
    moves: list[Move] = field(init=False)

    def __post_init__(self) -> None:
        self.reading = Symbolic(self.case.game, self.integers)
        self.state = self.reading.state("s")
        self.moves = self.reading.moves(self.state, "s")

    def term(self, text: str) -> Term:
        """Return a conjunct's text as a term."""
        return Formula(self.case.game, Where("invariant")).read(text)

    def holds(self, term: Term, state: Sequence[Any]) -> z3.BoolRef:
        """Return the condition that a term is true in a state."""
        return as_z3(truth(self.reading.value(term, state)))

    def solver(self, *assumptions: z3.BoolRef) -> z3.Solver:
        """Return a fresh solver over typed states."""
        solver = Solver("" if self.integers else "QF_BV", _STEP)
        solver.add(self.reading.typed(self.state), *assumptions)
        return solver

    # -- checking -------------------------------------------------------------------------------------------

    def check(self, texts: Sequence[str]) -> str:
        """Return why the conjunction is not an inductive invariant, or "" if it is. Each conjunct
        is tried at the start and over each step."""
        start = self.case.game.initial()
        for text in texts:
            if not self.case.play.value(self.term(text), start):
                return f"`{text}` does not hold at the start"
        proved = inductive_sets(self.case)
        already: set[str] = set()  # conjuncts that sets proved earlier, all assumed here too, keep
        for conditions in proved:
            if conditions <= set(texts):
                already |= conditions
        keeping = Keeping(self, texts)
        todo = [text for text in texts if text not in already]
        for move in self.moves:
            for text, answer in keeping.lost(move, todo):
                return f"`{move.name}`: `{text}`: {answer}"
        proved[frozenset(texts)] = self.integers
        return ""

    def faults(self, texts: Sequence[str]) -> list[str]:
        """Return where a value may leave its bounds in a state that the conjuncts allow, as message
        and place, each once."""
        keeping = Keeping(self, texts)
        messages: dict[str, None] = {}
        for move in self.moves:
            for fault in keeping.faults(move):
                messages[f"{fault.message} at {Path(fault.place.file).name}:{fault.place.line}"] = None
        return list(messages)

    def stuck(self, texts: Sequence[str]) -> list[str]:
        """Return the phases in which a player may have no legal action in a state that the
        conjuncts allow."""
        dead_ends = []
        a = self.reading.arithmetic
        solver = self.solver(*self._all_hold(texts))
        for phase in self.case.game.phases:
            if phase.automatic:
                continue
            here = [phase.number, 0, *self.state[2:]]
            waits = conj(a.compare("==", self.state[0], phase.number), a.compare("==", self.state[1], 0))
            legal = disj(*(self.reading.permits(here, ident) for ident in self._idents_of(phase)))
            if solver.check(as_z3(conj(waits, neg(legal)))) != z3.unsat:
                dead_ends.append(f"a dead end in phase `{phase.name}`")
        return dead_ends

    def _idents_of(self, phase: Phase) -> list[int]:
        """Return the ground actions of a phase."""
        idents: list[int] = []
        for action in self.case.game.actions:
            if phase.number in action.phases:
                idents += range(action.first, action.first + action.count)
        return idents

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
        legal = [as_z3(self.reading.permits(self.state, i)) for i in sorted(target.idents)]
        return [condition, z3.Or(*legal)]

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
            solver = self.solver(as_z3(move.outcome.sound), *(before[t] for t in alive))
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
                    more |= set(self._core(texts, [as_z3(move.outcome.sound), broken], prefer=more))
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
_INDUCTIVE: Cache[frozenset[str], bool] = Cache()


def prover(case: Case, integers: bool = False) -> Prover:
    """Return the case's prover, made once for bit-vectors and once for integers."""
    provers = _PROVERS.of(case)
    if integers not in provers:
        provers[integers] = Prover(case, integers)
    return provers[integers]


def conjuncts(case: Case, budget: Budget, lines: Sequence[Sequence[int]] = ()) -> list[str]:
    """Return inductive conjuncts mined from random games and the given lines."""
    return prover(case).strongest(candidates(case, lines), budget)


def inductive_sets(case: Case) -> dict[frozenset[str], bool]:
    """Return the sets of conditions that every step keeps together, each with whether the proof is
    over integers. Later claims use them without a new proof."""
    return _INDUCTIVE.of(case)


def inductive(case: Case, texts: Sequence[str], budget: Budget) -> bool:
    """Return whether the conditions are proved to be an inductive invariant.

    The proof over integers comes first: it shows at once, or not at all, that steps keep sums of
    many counts. Bit-vectors come next; they are better at positions of pieces.
    """
    proved, conditions = inductive_sets(case), frozenset(texts)
    for integers, share in _TRIES:
        if conditions in proved:
            return True
        if aside(partial(_checks, case, texts, integers), budget, share):
            proved[conditions] = integers
    return conditions in proved


def _checks(case: Case, texts: Sequence[str], integers: bool, _: Budget) -> bool:
    """Return whether the conditions are an inductive invariant in one of the two arithmetics."""
    return not prover(case, integers).check(texts)


def by_hints(case: Case, target: Target, hints: Sequence[str], budget: Budget) -> bool | None:
    """Return whether it is over integers that the claim's own words show a target out of reach, without a
    search; None if they do not."""
    if not hints or not inductive(case, hints, budget):
        return None
    integers = inductive_sets(case)[frozenset(hints)]
    p = prover(case, integers)
    return integers if p.implies(hints, *p.refutation(target)) else None


def unreachable(case: Case, target: Target, budget: Budget, hints: Sequence[str] = ()) -> list[str] | None:
    """Return conditions that show a target out of reach for ever, or None. It tries the fields' bounds
    alone, then invariants from the hints and from mined candidates."""
    if budget.left <= 0:
        return None
    p = prover(case)
    refuted = p.refutation(target)
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
    None. It tries `best` first, then smaller bounds."""
    p, texts = prover(case), conjuncts(case, budget, lines)
    first = _least(case, target, number, best, texts)
    if (first is not None and first[0] == best) or budget.left <= 0:
        return first
    more = [*texts, *candidates(case, lines, unless_lost=True)]
    better = _least(case, target, number, best, p.strongest(list(dict.fromkeys(more)), budget))
    if first is None or better is None:
        return first or better
    return better if better[0] > first[0] else first


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
