"""Of all shuffles, which share can be won by a player who sees all cards: a sample of deals, each decided by a
line or by a complete search from it, depth first, that stops at the target."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from playproof.language.explorer import Exploration, explore
from playproof.language.vector import evaluate_term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deals import (
    CompiledDeals,
    DealEvidence,
    SampledDeals,
    WinnableShare,
    compute_max_states_read,
    draw_deal,
)
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.beyond import begin_exploration_from_deal, can_chance_act
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.work import spend_work

_METHOD = "a sample of shuffles"
_STATES = (100_000, 600_000, 3_000_000)
"""States of one deal at most: easy deals come first, so that a few hard ones do not take the work of all."""
_AT_ONCE = 100_000
OPEN = DealEvidence((), 0)


def answer_winnable_deals_claim(
    case: GameCase,
    question: Question,
    budget: Budget,
    decide: Callable[[int, Budget], DealEvidence] | None = None,
) -> Conclusion:
    """Return the bounds of the share of shuffles that can come to the target, which hold for 95 % of
    samples. Deals that the work does not suffice for are open, and count on both sides. `decide` decides a deal in
    place of a search here."""
    sample = build_deal_sample(case, question)
    if case.game.players != 1 or sample.target.idents is not None:
        return Conclusion(
            None, _METHOD, (), "not supported: shares are of conditions that one player can come to"
        )
    wanted = int(question.of["deals"])
    deals = [OPEN] * wanted
    rounds = [decide] if decide else [partial(sample.decide_deal, max_states=most) for most in _STATES]
    try:
        for search in rounds:
            for number in (n for n, deal in enumerate(deals) if deal is OPEN):
                budget.report_progress(f"{wanted - deals.count(OPEN):,} of {wanted:,} deals are decided")
                deals[number] = search(number, budget) if budget.left > 0 else OPEN
    except NotShown as error:
        return Conclusion(None, _METHOD, (), f"not supported: {error}")
    most = max((deal.states for deal in deals), default=0)
    kind = SampledDeals if most <= compute_max_states_read(case.game) else CompiledDeals
    made = kind(Event(to_json(question.of["share"])), sample.seed, tuple(deals))
    about = made.statement().about
    assert isinstance(about, WinnableShare)
    counts: dict[str, Any] = {"won": about.won, "lost": about.lost, "open": wanted - about.won - about.lost}
    return Conclusion(list(about.interval), _METHOD, ((made,),), bound=counts)


@dataclass(frozen=True)
class DealSample:
    """The deals of a seed, which a claim asks about."""

    case: GameCase
    target: Target
    seed: int

    def decide_deal(self, number: int, budget: Budget, max_states: int = _STATES[-1]) -> DealEvidence:
        """Return what a search from a deal shows. Raises NotShown if chance acts after the deal."""
        case, target = self.case, self.target
        state = draw_deal(case.play, self.seed, number)
        seen = begin_exploration_from_deal(case.compiled, state)
        looked, row = 0, -1

        def look(_: Exploration) -> bool:
            """Look for the target among the new states, and return whether to go on."""
            nonlocal looked, row
            row, looked = _find_target_row(seen, target, looked), seen.states
            return row < 0 and budget.left > 0

        left = budget.left
        most, limit = min(max_states, budget.states), int(left / case.step_cost)
        explore(case.compiled, states=most, steps=limit, resumed=seen, progress=look)
        cost = seen.steps * case.step_cost
        spend_work(cost)
        if row < 0 and looked < seen.states:
            look(seen)
        if can_chance_act(seen, state):
            raise NotShown("chance acts after the deal")
        if cost > left:  # whether the last chunk of states came to an end depends on where it began
            return OPEN
        if row > 0:
            return DealEvidence(tuple(seen.find_path_to_row(row)), 0)
        return DealEvidence((), seen.states) if seen.complete and row < 0 else OPEN


def build_deal_sample(case: GameCase, question: Question) -> DealSample:
    """Return the sample that a claim asks about."""
    target = TargetReader(case.game, question.where).read_single_target(question.of["share"])
    return DealSample(case, target, int(question.of.get("seed", 1)))


def _find_target_row(seen: Exploration, target: Target, first_row: int) -> int:
    """Return a state that meets the target, -1 if none does. All wins for a reason are alike, so that one state
    of each ending is enough to look at; other conditions are asked of all states from `first` on."""
    spec, endings = target.spec, seen.compiled.game.endings
    of_endings = isinstance(spec, Mapping) and not {"outcome", "reason"}.isdisjoint(spec)
    if of_endings and all(end.kind != "scores" for end in endings):
        rows = [int(row) for row in seen.end_first if row >= 0]
        return next(
            (r for r in rows if evaluate_term(target.condition, seen.get_state_columns(r, r + 1))[0]), -1
        )
    for start in range(first_row, seen.states, _AT_ONCE):
        hits = evaluate_term(
            target.condition, seen.get_state_columns(start, min(start + _AT_ONCE, seen.states))
        ).nonzero()[0]
        if len(hits):
            return start + int(hits[0])
    return -1
