"""Answers to `never` and `always`: what holds in every state of every game, however long.

`of` is a condition (`{holds: "hearts <= 3"}`, an ending, the name of an invariant that the game
declares) or one of
    bounds        no value ever leaves its field's bounds
    automatic phases end   none of them goes on for ever
    no dead end   the player to act has a legal action
    {ends: N}     every game is over after N decisions at most
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deciding import opposite as opposite_event, property_of
from playproof.verifier.kernel.exploration import explored
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.layered import gone_through
from playproof.verifier.kernel.statements import ENDS, Event, Property
from playproof.verifier.proof import clauses, grounds
from playproof.verifier.proof.evidence import Offer, by_conditions, by_states, of_all_states, transcript
from playproof.verifier.proof.grounds import BOUNDS, NO_DEAD_END, PHASES_END
from playproof.verifier.proof.induction import prover, unreachable
from playproof.verifier.proof.kernel_submission import accepted, aside_learning
from playproof.verifier.proof.known_layers import is_known
from playproof.verifier.proof.lasts import comes_to_an_end
from playproof.verifier.proof.layering import by_layers, order_and_alike
from playproof.verifier.proof.length import ends_within
from playproof.verifier.proof.linear_candidates import candidates
from playproof.verifier.proof.reach import by_weights
from playproof.verifier.proof.splitting import planned
from playproof.verifier.proof.unanswered import bound_reached, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import breaking_states
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.faults import isolate_method
from playproof.verifier.search.portfolio import Search, absent, seek, walker

_LAYERS = 0.2  # of the work left, for going through all states before conditions are made
_PROPOSALS = 0.3  # of the work left, for conditions that nobody wrote

__all__ = ["BOUNDS", "NO_DEAD_END", "conditions_of", "hints", "holds_always", "opposite"]


def holds_always(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Answer True with an invariant or a complete exploration; answer False with a
    game that breaks the claim."""
    name = property_of(question)
    if name == BOUNDS:
        return grounds.bounds(case, question, budget, lambda: _of_the_rules(case, BOUNDS, question, budget))
    if name == PHASES_END:
        return _phases_end(case, question, budget)
    if name == NO_DEAD_END:
        return _of_the_rules(case, name, question, budget)
    if question.of == ENDS:
        return comes_to_an_end(case, question, budget)
    if isinstance(question.of, Mapping) and "ends" in question.of:
        return ends_within(case, int(question.of["ends"]), budget)
    target = opposite(case, question)
    conditions = conditions_of(question)
    event = opposite_event(question)
    if case.small(budget) is not None:
        return _by_exploration(case, event, target, budget)
    search = seek(case, [target], budget, explore=False)
    if 0 in search.lines:
        return _refuted_by(case, search, event)
    weighed = by_weights(case, event, target, budget)
    if weighed is not None:
        return Conclusion(True, weighed.method, (weighed.offer,), bound={"because": weighed.because})
    with isolate_method(case, "invariant"):
        texts = unreachable(case, target, budget, conditions)
        if texts is not None:
            return Conclusion(True, "invariant", (by_conditions(case, event, texts),))
    with isolate_method(case, "clauses"):
        texts = clauses.against(case, [], budget.share(_PROPOSALS), clauses.target(target))
        offer = by_conditions(case, event, texts or [])
        if texts is not None and accepted(case, [offer], budget)[0][0] is not None:
            return Conclusion(True, "invariant", (offer,))
    return _by_exploration(case, event, target, budget)


def _refuted_by(case: Case, search: Search, event: Event) -> Conclusion:
    """Answer False with the line that a search found to the only target."""
    return Conclusion(False, search.method[0], ((transcript(case, event, search.lines[0]),),))


def hints(question: Question) -> list[str]:
    """Return the claim's own words, and those it adds under `with`, as candidate conjuncts. A
    property of the rules has no words of its own."""
    texts: list[str] = []
    if question.ask == "always" and question.of != ENDS and not property_of(question):
        own = _own_words(question)
        if own:
            texts.append(own)
    if isinstance(question.of, Mapping):
        texts += [str(text) for text in question.of.get("with", [])]
    return texts


def _own_words(question: Question) -> str:
    """Return the condition of an `always` claim as text, or "" if the claim does not give it as
    text. A bound under `within` limits the states where the condition must hold."""
    text = _condition_text(question.of)
    if not text or question.within is None:
        return text
    if not isinstance(question.within, str):  # a bound that is not written as a condition
        return ""
    return f"not ({question.within}) or ({text})"


def _condition_text(of: object) -> str:
    """Return the condition that a claim is about as text, or "" if it is an event."""
    if not isinstance(of, Mapping):
        return str(of)
    if "holds" in of:
        return str(of["holds"])
    if "invariant" in of:
        return f"`{of['invariant']}` == 1"
    return ""


def conditions_of(question: Question) -> list[str]:
    """Return the conditions that the given claims state, then those of the claim itself, each once."""
    texts: list[str] = []
    for claim in question.given:
        texts += conditions_of(claim)
    texts += hints(question)
    return list(dict.fromkeys(texts))


def opposite(case: Case, question: Question) -> Target:
    """Return the target that must not happen: the target itself for `never`, its negation for
    `always`."""
    reader = Targets(case.game, question.where)
    if question.ask == "never":
        return reader.one(question.of, question.within)
    return reader.one({"not": question.of}, question.within)


def _by_exploration(case: Case, event: Event, target: Target, budget: Budget) -> Conclusion:
    search = seek(case, [target], budget, walks=False)
    if 0 in search.lines:
        return _refuted_by(case, search, event)
    seen = case.explored(budget)
    if seen.complete and absent(seen, target):
        return Conclusion(True, "exploration", (by_states(case, event, seen),))
    return Conclusion(None, "invariant + exploration", (), why(case, budget), bound_reached(case))


def _of_the_rules(case: Case, name: str, question: Question, budget: Budget) -> Conclusion:
    """Answer a claim of bounds or of no dead end: from the claims given; else by going through all
    states, if they are few; else by induction with mined conjuncts; else by going through all states."""
    sets = [conditions_of(claim) for claim in question.given]
    if sets:
        return _with_given_claims(case, name, question, sets, budget)
    if case.small(budget) is not None:
        return _no_stuck_state(case, budget) if name == NO_DEAD_END else _all_states(case, name, budget)
    p = prover(case)
    faults_of = p.faults if name == BOUNDS else p.stuck
    texts: list[str] = []
    faults = faults_of(texts)
    if faults:
        texts = p.strongest(candidates(case, walker(case).notable), budget)
        faults = faults_of(texts)
    if not faults:
        return Conclusion(True, "invariant", (_of_rules_kept(name, [texts]),))
    in_layers = _in_layers(case, name, budget.share(_LAYERS))
    if in_layers is not None:
        return in_layers
    more = clauses.against(case, texts, budget.share(_PROPOSALS), clauses.faults)
    if name == NO_DEAD_END and more is not None:  # what keeps the bounds helps here too
        more = clauses.against(case, texts, budget.share(_PROPOSALS), clauses.dead_ends)
    if more is not None and not faults_of(more):
        return Conclusion(True, "invariant", (_of_rules_kept(name, [more]),))
    in_layers = _in_layers(case, name, budget)
    if in_layers is not None:
        return in_layers
    if name == NO_DEAD_END:
        return _no_stuck_state(case, budget)
    through = _all_states(case, name, budget)
    return through if through.known else _not_inductive(faults)


def _in_layers(case: Case, name: str, budget: Budget) -> Conclusion | None:
    """Answer that a property holds in all states if they lie in layers, and there are not too many."""
    order, alike = order_and_alike(case, budget)
    if order is None or (
        name == NO_DEAD_END and gone_through(case.game, order, case.context, alike=alike).stuck
    ):
        return None
    return Conclusion(True, "layers", ((by_layers(Property(name), order, alike),),))


def _all_states(case: Case, name: str, budget: Budget) -> Conclusion:
    """Answer that a property holds in all states, if all are explored: the kernel goes through them again, and refuses
    what breaks a bound."""
    seen = case.explored(budget)
    if not seen.complete:
        return Conclusion(None, "exploration", (), why(case, budget), bound_reached(case))
    try:
        explored(case.game, seen.states, case.context)
    except NotShown:  # machine code went on behind a value that left its bounds
        line = breaking_states.find(case, seen)
        if line is not None:
            bound = {"breaks": line.message}
            return Conclusion(
                False, "games that break the rules", ((grounds.breach(case, line),),), bound=bound
            )
    return Conclusion(True, "exploration", (of_all_states(Property(name), seen),))


def _not_inductive(faults: Sequence[str]) -> Conclusion:
    """Leave the answer open, and say what the conditions leave possible."""
    return Conclusion(None, "invariant", (), "not inductive: " + "; ".join(faults[:5]), {"open": len(faults)})


def _phases_end(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Answer False with a line after which phases run for ever, or True with a complete
    exploration. The search for numbers that the phases lower comes before this."""
    answer = grounds.bounds(case, question, budget, lambda: Conclusion(None, ""))
    if answer.offers:
        return answer
    seen = case.explored(budget)
    if seen.complete:
        return Conclusion(True, "exploration", (of_all_states(Property(PHASES_END), seen),))
    reason = f"no numbers found that every automatic phase lowers; {why(case, budget)}"
    return Conclusion(None, "rank + exploration", (), reason, bound_reached(case))


def _with_given_claims(
    case: Case, name: str, question: Question, sets: list[list[str]], budget: Budget
) -> Conclusion:
    """Say which of the given claims has no proof as an invariant, or what all of them together leave possible.
    If nothing, the kernel was not asked long enough: offer them once more."""
    for number, (claim, texts) in enumerate(zip(question.given, sets, strict=True)):
        shown = is_known(case, hints(claim))
        if not shown and aside_learning(case, partial(planned, case, (), texts), budget) is None:
            reason = (
                f"work: {budget.work - budget.left:.3g} units gave no proof of `{claim.id}`, which this needs"
            )
            return Conclusion(None, "invariant", (), reason, {"proved of what is given": number})
    together = list(dict.fromkeys(chain.from_iterable(sets)))

    def faults_left(_: Budget) -> list[str]:
        p = prover(case)
        return p.faults(together) if name == BOUNDS else p.stuck(together)

    faults = aside_learning(case, faults_left, budget)
    if faults is None:
        return Conclusion(None, "invariant", (), why(case, budget))
    if faults:
        return _not_inductive(faults)
    return Conclusion(True, "invariant", (_of_rules_kept(name, sets),))


def _of_rules_kept(name: str, sets: Sequence[Sequence[str]]) -> Offer:
    """Return the certificates that sets of conditions give a property of the rules, over integers, then over
    bit-vectors."""
    conditions = [tuple(texts) for texts in sets if texts]
    return tuple(
        Invariant(Property(name), tuple(Lemma(texts, integers, ()) for texts in conditions), integers)
        for integers in (True, False)
    )


def _no_stuck_state(case: Case, budget: Budget) -> Conclusion:
    seen = case.explored(budget, until=lambda now: now.stuck > 0)
    if seen.stuck:
        line = seen.path(int(seen.facts[6]))  # the first state in which nobody can act
        return Conclusion(False, "exploration", ((transcript(case, Property(NO_DEAD_END), line),),))
    if seen.complete:
        return Conclusion(True, "exploration", (of_all_states(Property(NO_DEAD_END), seen),))
    return Conclusion(None, "invariant + exploration", (), why(case, budget), bound_reached(case))
