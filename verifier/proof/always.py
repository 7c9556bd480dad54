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

from playproof.verifier.kernel.deciding import property_of
from playproof.verifier.proof import grounds
from playproof.verifier.proof.evidence import Part, transcript
from playproof.verifier.proof.grounds import BOUNDS, NO_DEAD_END, PHASES_END
from playproof.verifier.proof.induction import by_hints, inductive, inductive_sets, prover, unreachable
from playproof.verifier.proof.k_induction import k_inductive
from playproof.verifier.proof.length import ends_within
from playproof.verifier.proof.linear_candidates import candidates
from playproof.verifier.proof.reach import bound_reached, exploration_part, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.portfolio import absent, seek, walker

__all__ = ["BOUNDS", "NO_DEAD_END", "hints", "holds_always", "opposite", "stated"]


def holds_always(case: Case, question: Question, budget: Budget) -> Found:
    """Answer True with an invariant, a complete exploration or k-induction; answer False with a
    game that breaks the claim."""
    name = property_of(question)
    if name == BOUNDS:
        return grounds.bounds(case, question, budget, lambda: _of_the_rules(case, BOUNDS, question, budget))
    if name == PHASES_END:
        return _phases_end(case, question, budget)
    if name == NO_DEAD_END:
        return _of_the_rules(case, name, question, budget)
    if isinstance(question.of, Mapping) and "ends" in question.of:
        return ends_within(case, int(question.of["ends"]), budget)
    target = opposite(case, question)
    part = by_hints(case, target, stated(question), budget)
    if part is not None:
        return Found(True, "invariant", (part,))
    if case.small(budget) is not None:
        return _by_exploration(case, target, budget)
    found = seek(case, [target], budget, explore=False)
    if 0 in found.lines:
        return Found(False, found.method[0], (transcript(case, found.lines[0], target),))
    part = unreachable(case, target, budget, stated(question))
    if part is not None:
        return Found(True, "invariant", (part,))
    explored = _by_exploration(case, target, budget)
    part = None if explored.known else k_inductive(case, target, budget)
    return explored if part is None else Found(True, "k-induction", (part,))


def hints(question: Question) -> list[str]:
    """Return the claim's own words, and those it adds under `with`, as candidate conjuncts. A
    property of the rules has no words of its own."""
    own = _own_words(question) if question.ask == "always" and not property_of(question) else ""
    beside = question.of.get("with", []) if isinstance(question.of, Mapping) else []
    return [*([own] if own else []), *(str(t) for t in beside)]


def _own_words(question: Question) -> str:
    """Return the condition of an `always` claim as text, or "" if the claim does not give it as
    text. A bound under `within` limits the states where the condition must hold."""
    of = question.of
    if isinstance(of, Mapping):
        text = str(of["holds"]) if "holds" in of else f"`{of['invariant']}` == 1" if "invariant" in of else ""
    else:
        text = str(of)
    if not text or question.within is None:
        return text
    return f"not ({question.within}) or ({text})" if isinstance(question.within, str) else ""


def stated(question: Question) -> list[str]:
    """Return the conditions that the given claims state, then those of the claim itself, each once.
    """
    given = [text for g in question.given for text in stated(g)]
    return list(dict.fromkeys([*given, *hints(question)]))


def opposite(case: Case, question: Question) -> Target:
    """Return the target that must not happen: the target itself for `never`, its negation for
    `always`."""
    reader = Targets(case.game, question.where)
    if question.ask == "never":
        return reader.one(question.of, question.within)
    return reader.one({"not": question.of}, question.within)


def _by_exploration(case: Case, target: Target, budget: Budget) -> Found:
    found = seek(case, [target], budget, walks=False)
    if 0 in found.lines:
        return Found(False, found.method[0], (transcript(case, found.lines[0], target),))
    seen = case.explored(budget)
    if seen.complete and absent(seen, target):
        return Found(True, "exploration", (exploration_part(seen, target, None),))
    return Found(None, "invariant + exploration", (), why(case, budget), bound_reached(case))


def _of_the_rules(case: Case, name: str, question: Question, budget: Budget) -> Found:
    """Answer a claim of bounds or of no dead end: from the claims given; else by induction with
    mined conjuncts; else, for dead ends, by exploration."""
    sets = [stated(g) for g in question.given]
    if sets:
        return _with_the_given(case, name, question, sets, budget)
    p = prover(case)
    check = p.faults if name == BOUNDS else p.stuck
    left = check([])
    texts: list[str] = []
    if left:
        texts = p.strongest(candidates(case, walker(case).notable), budget)
        left = check(texts)
    if not left:
        return Found(True, "invariant", (_rules_part(name, [texts], {}),))
    if name == NO_DEAD_END:
        return _no_stuck_state(case, budget)
    return Found(None, "invariant", (), "not inductive: " + "; ".join(left[:5]), {"open": len(left)})


def _phases_end(case: Case, question: Question, budget: Budget) -> Found:
    """Answer False with a line after which phases run for ever, or True with a complete
    exploration. The search for numbers that the phases lower comes before this."""
    found = grounds.bounds(case, question, budget, lambda: Found(None, ""))
    if found.parts:
        return found
    seen = case.explored(budget)
    if seen.complete:
        return Found(True, "exploration", ({"kind": "exploration", "property": PHASES_END, "rounds": None,
                                            "states": seen.states, "complete": True},))
    reason = f"no numbers found that every automatic phase lowers; {why(case, budget)}"
    return Found(None, "rank + exploration", (), reason, bound_reached(case))


def _with_the_given(case: Case, name: str, question: Question, sets: list[list[str]], budget: Budget) -> Found:
    """Prove each given claim as an invariant by itself, then ask whether all of them together leave
    no fault, or no dead end."""
    for given, texts in zip(question.given, sets, strict=True):
        if not inductive(case, texts, budget):
            reason = (f"work: {budget.work - budget.left:.3g} units gave no proof of `{given.id}`, which this needs; "
                      "what a run has proved once it does not prove again")
            return Found(None, "invariant", (), reason, {"proved of what is given": question.given.index(given)})
    texts = list(dict.fromkeys(text for some in sets for text in some))

    def left_open(_: Budget) -> list[str]:
        p = prover(case)
        return p.faults(texts) if name == BOUNDS else p.stuck(texts)

    left = aside(left_open, budget)
    if left == []:
        return Found(True, "invariant", (_rules_part(name, sets, inductive_sets(case)),))
    reason = why(case, budget) if left is None else "not inductive: " + "; ".join(left[:5])
    return Found(None, "invariant", (), reason, {} if left is None else {"open": len(left)})


def _rules_part(name: str, sets: Sequence[Sequence[str]], integers: Mapping[frozenset[str], bool]) -> Part:
    return {"kind": "invariant", "property": name,
            "sets": [{"conjuncts": list(s), "integers": integers.get(frozenset(s), False)} for s in sets]}


def _no_stuck_state(case: Case, budget: Budget) -> Found:
    seen = case.explored(budget, until=lambda now: now.stuck > 0)
    if seen.stuck:
        line = seen.path(int(seen.facts[6]))
        part: Part = {"kind": "transcript", "property": NO_DEAD_END, "idents": line,
                      "words": [case.game.show(i) for i in line]}
        return Found(False, "exploration", (part,))
    if seen.complete:
        return Found(True, "exploration", ({"kind": "exploration", "property": NO_DEAD_END, "rounds": None,
                                            "states": seen.states, "complete": True},))
    return Found(None, "invariant + exploration", (), why(case, budget), bound_reached(case))
