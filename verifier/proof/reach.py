"""Answers to `reach` and `dead`: lines of play show what can happen, proofs show what cannot."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import z3

from playproof.language import Interpreter
from playproof.language.explorer import Exploration
from playproof.language.symbolic import Symbolic, as_z3, truth
from playproof.language.traced_statements import Require
from playproof.verifier.proof.bounded import bounded_part
from playproof.verifier.proof.cell_candidates import conjectures
from playproof.verifier.proof.evidence import Part, transcript
from playproof.verifier.proof.induction import invariant_part, prover, unreachable
from playproof.verifier.proof.k_induction import k_inductive
from playproof.verifier.proof.relaxation import relaxation
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.portfolio import Search, absent, seek
from playproof.verifier.search.work import Solver

_BOUNDS = 2.0
_SUM_SHARE = 0.25  # of the time left, for a relaxation
_WORDS_SHARE = 0.7  # of the time left, for a claim's own words, where a first look found nothing
_SHARE = 0.5  # of the time left, for each of the other proofs


def missing_action(case: Case, target: Target) -> bool:
    """Return whether the target is an action that the game does not have: a requirement that reads
    no state fails for it."""
    if target.idents is None:
        return False
    return all(_does_not_exist(case, ident) for ident in target.idents)


def _does_not_exist(case: Case, ident: int) -> bool:
    action = case.game.action_of(ident)
    values = {p.local.number: value for p, value in zip(action.params, action.values(ident), strict=True)}
    play = Interpreter(case.game)
    for statement in action.body:
        if not isinstance(statement, Require):  # the requirements come first
            break
        if statement.condition.reads:
            continue
        if not play.value(statement.condition, [], dict(values)):
            return True
    return False


def exploration_part(seen: Exploration, target: Target, rounds: int | None) -> Part:
    """Return the part that says: the target is in none of the states, or in none up to a round."""
    return {
        "kind": "exploration",
        "target": target.spec,
        "name": target.name,
        "rounds": rounds,
        "states": _states_up_to(seen, rounds),
        "digest": digest(seen, rounds),
        "complete": seen.complete,
    }


def _states_up_to(seen: Exploration, rounds: int | None) -> int:
    """Return how many states were seen up to a round (None: in all)."""
    return seen.states if rounds is None else seen.layers[rounds]


def digest(seen: Exploration, rounds: int | None) -> str:
    """Return a digest of an exploration's states, in the order of their discovery."""
    count = _states_up_to(seen, rounds)
    return hashlib.sha256(seen.packed[:count].tobytes()).hexdigest()


def rounds_of(question: Question) -> int | None:
    """Return the bound on rounds in `within` if that is its only bound, else None."""
    if isinstance(question.within, dict) and len(question.within) == 1:
        [(name, most)] = question.within.items()
        return int(most) if name in ("round", "rounds") else None
    return None


def reach(case: Case, question: Question, budget: Budget) -> Found:
    """Answer True with a line of play for each target, or False if a proof excludes one of them."""
    sought = Sought(case, question, budget)
    if not sought.wanted:
        return Found(True, "the family is empty", vacuous=True)
    if sought.no:
        return Found(
            False, sought.method, sought.parts, bound={"unreachable": [p["name"] for p in sought.no]}
        )
    if sought.open:
        return Found(
            None,
            sought.method,
            sought.parts,
            why(case, budget),
            {"not found": sought.open, **bound_reached(case)},
        )
    return Found(True, sought.method, sought.parts)


def dead(case: Case, question: Question, budget: Budget) -> Found:
    """Return the members of a family that can never happen, as a list of names. The list is empty
    if each was seen to happen."""
    sought = Sought(case, question, budget)
    if not sought.wanted:
        return Found([], "the family is empty", vacuous=True)
    gone = [str(p["name"]) for p in sought.no]
    if sought.open:
        bound = {"dead": gone, "open": sought.open, **bound_reached(case)}
        return Found(None, sought.method, sought.parts, why(case, budget), bound)
    return Found(gone, sought.method, sought.parts)


class Sought:
    """The search for a question's targets, and the proofs against those not found. `no` holds the
    parts that exclude targets; `open` names the targets neither found nor excluded."""

    def __init__(self, case: Case, question: Question, budget: Budget) -> None:
        targets = Targets(case.game, question.where).read(question.of, question.within)
        self.wanted = [t for t in targets if not missing_action(case, t)]
        proofs: list[Part] = []  # and transcripts, where a proof's method came upon a line
        if case.small(budget) is not None:
            search = seek(case, self.wanted, budget, walks=False)
            proofs = refuted(case, question, self._left(search), budget)
        else:
            search = seek(case, self.wanted, budget, first_look=True)
            if len(self.wanted) == 1 and not search.lines:
                proofs = by_words(case, question, self.wanted[0], budget)
        if search.missing(self.wanted) and not proofs:
            search = seek(case, self.wanted, budget, earlier=search)
            proofs = refuted(case, question, self._left(search), budget)
        lines = [transcript(case, line, self.wanted[i]) for i, line in sorted(search.lines.items())]
        lines += [part for part in proofs if part["kind"] == "transcript"]
        self.no = [part for part in proofs if part["kind"] != "transcript"]
        self.parts = (*lines, *self.no)
        answered = {part["name"] for part in self.parts}
        self.open = [target.name for target in self.wanted if target.name not in answered]
        methods = [*search.method.values(), *(part["kind"] for part in proofs)]
        self.method = " + ".join(dict.fromkeys(methods))

    def _left(self, search: Search) -> list[Target]:
        """Return the targets that a search has not found."""
        return [self.wanted[i] for i in search.missing(self.wanted)]


def by_words(case: Case, question: Question, target: Target, budget: Budget) -> list[Part]:
    """Return a part that excludes a target, or [] if there is none. The proof uses the fields'
    bounds alone, or the claim's conditions under `with` and the target's negation: by themselves,
    with conjectures about single cells in each phase, or with the invariants that the game
    declares."""
    if outside_bounds(case, target):
        return [invariant_part([], target)]
    texts: list[str] = []
    if isinstance(question.of, Mapping):
        texts += [str(text) for text in question.of.get("with", [])]
    texts += negated(target)
    if not texts:
        return []

    def prove(b: Budget) -> Part | None:
        p = prover(case)
        refutation = p.refutation(target)
        conditions = p.strongest(texts, b)
        if p.implies(conditions, *refutation):
            return invariant_part(p.needed(conditions, *refutation), target)
        conditions = p.strongest([*texts, *conjectures(case, target)], b)
        if conditions and p.implies(conditions, *refutation):
            return invariant_part(conditions, target)
        conditions = p.strongest(
            [*texts, *_declared(case)], b
        )  # sums of many counts, over which Z3 may take long
        if conditions and p.implies(conditions, *refutation):
            return invariant_part(p.needed(conditions, *refutation), target)
        return None

    part = aside(prove, budget, _WORDS_SHARE)
    return [part] if part is not None else []


def outside_bounds(case: Case, target: Target) -> bool:
    """Return whether no assignment within the fields' bounds satisfies the target's condition."""
    if target.idents is not None:
        return False
    reading = Symbolic(case.game)
    state = reading.state("b")
    solver = Solver("QF_BV", _BOUNDS)
    solver.add(reading.typed(state), as_z3(truth(reading.value(target.condition, state))))
    return bool(solver.check() == z3.unsat)


def _declared(case: Case) -> list[str]:
    """Return the invariants that the game declares, as conjuncts."""
    return [
        f"`{name}` == 1" for name in case.game.facts.get("invariants") or {} if name in case.game.quantities
    ]


def negated(target: Target) -> list[str]:
    """Return the conjunct that the target does not hold, or [] if the target was not given as a
    formula."""
    spec = target.spec if isinstance(target.spec, Mapping) else {}
    text = spec.get("holds", spec.get("reach"))
    return [f"not ({text})"] if text is not None and target.idents is None else []


def refuted(case: Case, question: Question, targets: Sequence[Target], budget: Budget) -> list[Part]:
    """Return parts that show targets out of reach, as far as they are found, and a transcript if Z3
    finds a line of play."""
    parts: list[Part] = []
    rounds = rounds_of(question)
    for target in targets:
        part = _by_states(case, target, rounds)
        if part is None:
            part = _by_proof(case, target, budget, fine=len(targets) == 1)
        if part is not None:
            parts.append(part)
    return parts


def _by_states(case: Case, target: Target, rounds: int | None) -> Part | None:
    """Return a part that says: the states explored so far exclude the target, since they are all
    states, or all up to a round; or None."""
    seen = case.seen
    if seen is None:
        return None
    if seen.complete and absent(seen, target):
        return exploration_part(seen, target, None)
    if rounds is not None and rounds in seen.layers and absent(seen, target):
        return exploration_part(seen, target, rounds)
    return None


def _by_proof(case: Case, target: Target, budget: Budget, fine: bool) -> Part | None:
    """Try the relaxation (with the fine cut for a single target), mined invariants, k-induction and
    the bounded search, in this order."""
    return (
        aside(lambda b: relaxation(case, target, b, fine), budget, _SUM_SHARE)
        or aside(lambda b: unreachable(case, target, b), budget, _SHARE)
        or aside(lambda b: k_inductive(case, target, b), budget, _SHARE)
        or aside(lambda b: bounded_part(case, target, b), budget)
    )


def why(case: Case, budget: Budget) -> str:
    """Return why there is no answer."""
    if budget.stopped:
        return "stopped by hand"
    seen = case.seen
    if case.breaks:
        return case.breaks
    if seen is not None and seen.states >= budget.states:
        return f"memory: {seen.states:,} states were explored, the limit"
    if budget.late:
        return f"stopped by the clock after {budget.seconds:.3g} s, before the work allowed was done"
    return f"work: {budget.work:.3g} units were used"


def bound_reached(case: Case) -> dict[str, Any]:
    """Return how far the exploration came."""
    seen = case.seen
    if seen is None:
        return {}
    return {"states": seen.states, "rounds searched": max(seen.layers, default=0)}
