"""Answers to `reach` and `dead`: lines of play show what can happen, proofs show what cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import z3

from playproof.verifier.kernel.deciding import members
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import plain
from playproof.verifier.kernel.weighing import Weighing
from playproof.verifier.proof.cell_candidates import conjectures
from playproof.verifier.proof.evidence import Offer, Proof, by_conditions, by_states, transcript
from playproof.verifier.proof.induction import prover, unreachable
from playproof.verifier.proof.kernel_submission import aside_learning
from playproof.verifier.proof.layering import by_layers, order_and_alike
from playproof.verifier.proof.nearest import in_none
from playproof.verifier.proof.unanswered import bound_reached, why
from playproof.verifier.proof.weighing import because, is_accepted, weighing
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.faults import isolate_method
from playproof.verifier.search.open_steps import Steps
from playproof.verifier.search.portfolio import Search, absent, seek
from playproof.verifier.search.work import Solver

_BOUNDS = 2.0
_WEIGHTS_SHARE = 0.3  # of the work left
_WORDS_SHARE = 0.7  # of the time left, for a claim's own words, where a first look found nothing
_LAYERS_SHARE = 0.3  # of the work left, for all states in layers, where actions are left that nobody took
_SHARE = 0.5  # of the time left, for mined invariants


def rounds_of(question: Question) -> int | None:
    """Return the bound on rounds in `within` if that is its only bound, else None."""
    if isinstance(question.within, dict) and len(question.within) == 1:
        [(name, most)] = question.within.items()
        return int(most) if name in ("round", "rounds") else None
    return None


def reach(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Answer True with a line of play for each target, or False if a proof excludes one of them."""
    sought = Sought(case, question, budget)
    if not sought.wanted:
        return Conclusion(True, "the family is empty", vacuous=True)
    if sought.no:
        return Conclusion(
            False, sought.method, sought.offers, bound={"unreachable": sought.no, **sought.because}
        )
    if sought.open:
        return Conclusion(
            None,
            sought.method,
            sought.offers,
            why(case, budget),
            {"not found": sought.open, **bound_reached(case)},
        )
    return Conclusion(True, sought.method, sought.offers)


def dead(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Return the members of a family that can never happen, as a list of names. The list is empty
    if each was seen to happen."""
    sought = Sought(case, question, budget)
    if not sought.wanted:
        return Conclusion([], "the family is empty", vacuous=True)
    gone = sought.no
    if sought.open:
        bound = {"dead": gone, "open": sought.open, **bound_reached(case)}
        return Conclusion(None, sought.method, sought.offers, why(case, budget), bound)
    return Conclusion(gone, sought.method, sought.offers)


@dataclass(frozen=True)
class Goal:
    """One event of a question: as the kernel states it, and as searches read it."""

    event: Event
    target: Target


class Sought:
    """The search for a question's targets, and the proofs against those not found. `no` names the
    targets that a proof excludes; `open` those neither found nor excluded."""

    def __init__(self, case: Case, question: Question, budget: Budget) -> None:
        self.case, self.question, self.budget = case, question, budget
        reader, within = Targets(case.game, question.where), plain(question.within)
        specs, targets = reader.members(question.of), reader.read(question.of, question.within)
        goals = [Goal(Event(plain(s), within), t) for (_, s), t in zip(specs, targets, strict=True)]
        there = {event.key for _, event in members(case.game, question, case.context)}
        self.wanted = [goal for goal in goals if goal.event.key in there]
        search, proofs = self._searched()
        lines = [(transcript(case, self.wanted[i].event, line),) for i, line in sorted(search.lines.items())]
        self.no = [*proofs]
        self.offers: tuple[Offer, ...] = (*lines, *(proof.offer for proof in proofs.values()))
        answered = {self.wanted[i].target.name for i in search.lines} | proofs.keys()
        self.open = [goal.target.name for goal in self.wanted if goal.target.name not in answered]
        reasons = [proof.because for proof in proofs.values() if proof.because]
        self.because = {"because": "; ".join(reasons)} if reasons else {}
        methods = [*search.method.values(), *(proof.method for proof in proofs.values())]
        self.method = " + ".join(dict.fromkeys(methods))

    def _searched(self) -> tuple[Search, dict[str, Proof]]:
        """Return the lines found, and the proofs against other targets by their names."""
        case, budget, targets = self.case, self.budget, [goal.target for goal in self.wanted]
        proofs: dict[str, Proof] = {}
        if case.small(budget) is not None:
            search = seek(case, targets, budget, walks=False)
            proofs = refuted(case, self.question, self._left(search), budget)
        else:
            search = seek(case, targets, budget, first_look=True)
            if len(self.wanted) == 1 and not search.lines:
                proofs = self._proved(self.wanted[0])
            elif search.missing(targets):
                proofs = never_taken(case, self._left(search), budget)
        left = [i for i in search.missing(targets) if targets[i].name not in proofs]
        if left and (len(self.wanted) > 1 or not proofs):
            others = [targets[i] for i in left]
            more = seek(case, others, budget, earlier=Search())
            for n, line in more.lines.items():
                search.lines[left[n]], search.method[left[n]] = line, more.method[n]
            still = [self.wanted[left[n]] for n in more.missing(others)]
            proofs |= refuted(case, self.question, still, budget)
        return search, proofs

    def _proved(self, goal: Goal) -> dict[str, Proof]:
        """Return a proof by weights or by the claim's own words against the only target, by its name; {} if there is
        none."""
        proof = by_weights(self.case, goal.event, goal.target, self.budget)
        if proof is not None:
            return {goal.target.name: proof}
        return by_words(self.case, self.question, goal, self.budget)

    def _left(self, search: Search) -> list[Goal]:
        """Return the goals that a search has not found."""
        return [self.wanted[i] for i in search.missing([goal.target for goal in self.wanted])]


def never_taken(case: Case, goals: Sequence[Goal], budget: Budget) -> dict[str, Proof]:
    """Return proofs from all states, layer by layer, that actions are never legal, by the names of their targets."""
    actions = [goal for goal in goals if goal.target.idents is not None]
    if not actions:
        return {}
    proofs: dict[str, Proof] = {}
    with isolate_method(case, "layers"):
        order, alike = order_and_alike(case, budget.share(_LAYERS_SHARE))
        if order is None:
            return {}
        for goal in actions:
            certificate = by_layers(goal.event, order, alike)
            if is_accepted(case, certificate):
                proofs[goal.target.name] = Proof("layers", (certificate,))
    return proofs


def by_weights(case: Case, event: Event, target: Target, budget: Budget) -> Proof | None:
    """Return a proof by weights that excludes a target, or None if there is none."""

    def weigh(own: Budget) -> Weighing | None:
        return weighing(case, event, target, own)

    certificate: Weighing | None = None
    with isolate_method(case, "weights"):
        certificate = aside_learning(case, weigh, budget.share(_WEIGHTS_SHARE))
    if certificate is None:
        return None
    return Proof("weights", (certificate,), because(case.game, certificate))


def by_words(case: Case, question: Question, goal: Goal, budget: Budget) -> dict[str, Proof]:
    """Return a proof that excludes a target, by the target's name, or {} if there is none. It uses the
    fields' bounds alone, or the claim's conditions under `with` and the target's negation: by themselves,
    with conjectures about single cells in each phase, or with the invariants that the game
    declares."""
    target = goal.target
    if outside_bounds(case, target):
        outside = "its numbers cannot be so: it lies outside their bounds"
        return {target.name: Proof("invariant", by_conditions(case, goal.event, []), outside)}
    texts: list[str] = []
    if isinstance(question.of, Mapping):
        texts += [str(text) for text in question.of.get("with", [])]
    texts += negated(target)
    if not texts:
        return {}

    def prove(b: Budget) -> list[str] | None:
        p = prover(case)
        refutation = p.refutation(target)
        conditions = p.strongest(texts, b)
        if p.implies(conditions, *refutation):
            return p.needed(conditions, *refutation)
        conditions = p.strongest([*texts, *conjectures(case, target)], b)
        if conditions and p.implies(conditions, *refutation):
            return conditions
        conditions = p.strongest(
            [*texts, *_declared(case)], b
        )  # sums of many counts, over which Z3 may take long
        if conditions and p.implies(conditions, *refutation):
            return p.needed(conditions, *refutation)
        return None

    conditions: list[str] | None = None
    with isolate_method(case, "invariant"):
        conditions = aside(prove, budget, _WORDS_SHARE)
    if conditions is None:
        return {}
    return {target.name: Proof("invariant", by_conditions(case, goal.event, conditions))}


def outside_bounds(case: Case, target: Target) -> bool:
    """Return whether no assignment within the fields' bounds satisfies the target's condition."""
    if target.idents is not None:
        return False
    reading = Steps(case.game, extra=[target.condition])
    state = reading.state("b")
    solver = Solver("QF_BV", _BOUNDS)
    solver.add(reading.typed(state), reading.holds(target.condition, state))
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


def refuted(case: Case, question: Question, goals: Sequence[Goal], budget: Budget) -> dict[str, Proof]:
    """Return proofs, by the targets' names, that targets are out of reach, as far as they are found."""
    proofs: dict[str, Proof] = {}
    rounds = rounds_of(question)
    for goal in goals:
        proof = _by_states(case, goal, rounds) or _by_conditions(case, goal, budget)
        if proof is not None:
            proofs[goal.target.name] = proof
    return proofs


def _by_states(case: Case, goal: Goal, rounds: int | None) -> Proof | None:
    """Return the proof that the states explored so far exclude the target, since they are all
    states, or all up to a round; or None."""
    seen = case.seen
    if seen is None:
        return None
    if seen.complete and absent(seen, goal.target):
        words = in_none(case, seen, seen.states, goal.target, "")
        return Proof("exploration", by_states(case, goal.event, seen), words)
    if rounds is not None and rounds in seen.layers and absent(seen, goal.target):
        words = in_none(case, seen, seen.layers[rounds], goal.target, f" within round {rounds}")
        return Proof("exploration", by_states(case, goal.event, seen, rounds), words)
    return None


def _by_conditions(case: Case, goal: Goal, budget: Budget) -> Proof | None:
    """Return a proof by mined invariants, or None."""
    texts: list[str] | None = None
    with isolate_method(case, "invariant"):
        texts = aside(lambda b: unreachable(case, goal.target, b), budget, _SHARE)
    return None if texts is None else Proof("invariant", by_conditions(case, goal.event, texts))
