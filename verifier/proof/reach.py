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
from playproof.verifier.search.portfolio import absent, seek
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
    bound = {p.local.number: v for p, v in zip(action.params, action.values(ident), strict=True)}
    play = Interpreter(case.game)
    for statement in action.body:
        if not isinstance(statement, Require):
            break
        if not statement.condition.reads and not play.value(statement.condition, [], dict(bound)):
            return True
    return False


def exploration_part(seen: Exploration, target: Target, rounds: int | None) -> Part:
    """Return the part that says: the target is in none of the states, or in none up to a round."""
    return {"kind": "exploration", "target": target.spec, "name": target.name, "rounds": rounds,
            "states": seen.layers[rounds] if rounds is not None else seen.states,
            "digest": digest(seen, rounds), "complete": seen.complete}


def digest(seen: Exploration, rounds: int | None) -> str:
    """Return a digest of an exploration's states, in the order of their discovery."""
    count = seen.layers[rounds] if rounds is not None else seen.states
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
        return Found(False, sought.method, sought.parts, bound={"unreachable": [p["name"] for p in sought.no]})
    if sought.open:
        return Found(None, sought.method, sought.parts, why(case, budget),
                     {"not found": sought.open, **bound_reached(case)})
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
        judged: list[Part] = []
        if case.small(budget) is not None:
            search = seek(case, self.wanted, budget, walks=False)
            judged = refuted(case, question, [self.wanted[i] for i in search.missing(self.wanted)], budget)
        else:
            search = seek(case, self.wanted, budget, first_look=True)
            if len(self.wanted) == 1 and not search.lines:
                judged = by_words(case, question, self.wanted[0], budget)
        if search.missing(self.wanted) and not judged:
            search = seek(case, self.wanted, budget, known=search)
            left = [self.wanted[i] for i in search.missing(self.wanted)]
            judged = refuted(case, question, left, budget)
        shown = [transcript(case, line, self.wanted[i]) for i, line in sorted(search.lines.items())]
        self.no = [p for p in judged if p["kind"] != "transcript"]
        self.parts = (*shown, *(p for p in judged if p["kind"] == "transcript"), *self.no)
        named = {p["name"] for p in self.parts}
        self.open = [t.name for t in self.wanted if t.name not in named]
        self.method = " + ".join(dict.fromkeys([*search.method.values(), *(p["kind"] for p in judged)]))


def by_words(case: Case, question: Question, target: Target, budget: Budget) -> list[Part]:
    """Return a part that excludes a target, or [] if there is none. The proof uses the fields'
    bounds alone, or the claim's conditions under `with` and the target's negation: by themselves,
    with conjectures about single cells in each phase, or with the invariants that the game
    declares."""
    if outside_bounds(case, target):
        return [invariant_part([], target)]
    said = [str(t) for t in question.of.get("with", [])] if isinstance(question.of, Mapping) else []
    texts = [*said, *negated(target)]
    if not texts:
        return []

    def prove(b: Budget) -> Part | None:
        p = prover(case)
        refused, kept = p.refutation(target), p.strongest(texts, b)
        if p.implies(kept, *refused):
            return invariant_part(p.needed(kept, *refused), target)
        kept = p.strongest([*texts, *conjectures(case, target)], b)
        if kept and p.implies(kept, *refused):
            return invariant_part(kept, target)
        kept = p.strongest([*texts, *_declared(case)], b)  # sums of many counts, over which Z3 may take long
        return invariant_part(p.needed(kept, *refused), target) if kept and p.implies(kept, *refused) else None

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
    return [f"`{name}` == 1" for name in case.game.facts.get("invariants") or {} if name in case.game.quantities]


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
    seen, rounds = case.seen, rounds_of(question)
    for target in targets:
        found: Part | None
        if seen is not None and seen.complete and absent(seen, target):
            found = exploration_part(seen, target, None)
        elif seen is not None and rounds is not None and rounds in seen.layers and absent(seen, target):
            found = exploration_part(seen, target, rounds)
        else:
            found = _by_proof(case, target, budget, len(targets) == 1)
        parts += [] if found is None else [found]
    return parts


def _by_proof(case: Case, target: Target, budget: Budget, fine: bool) -> Part | None:
    """Try the relaxation (with the fine cut for a single target), mined invariants, k-induction and
    the bounded search, in this order."""
    return (aside(lambda b: relaxation(case, target, b, fine), budget, _SUM_SHARE)
            or aside(lambda b: unreachable(case, target, b), budget, _SHARE)
            or aside(lambda b: k_inductive(case, target, b), budget, _SHARE)
            or aside(lambda b: bounded_part(case, target, b), budget))


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
