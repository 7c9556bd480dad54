"""Answers that count or replay: states that meet a condition, shuffles that can be won, what cards say,
settings in which a claim holds, and worked examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from playproof.database.errors import Where, did_you_mean
from playproof.language import IllegalAction, Interpreter, RulesError
from playproof.language.explorer import Exploration, evaluate_term, explore
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deals import (
    CompiledDeals,
    DealEvidence,
    SampledDeals,
    WinnableShare,
    compute_max_states_read,
    draw_deal,
)
from playproof.verifier.kernel.deciding import Decision
from playproof.verifier.kernel.distances import Distance, compute_state_distance
from playproof.verifier.kernel.evidence import combine_answers, list_question_settings
from playproof.verifier.kernel.examples import WorkedExample, does_example_play, map_words_to_actions
from playproof.verifier.kernel.exploration import MOST_COUNTED, Count
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.kernel.tally import Tally, digest_cards
from playproof.verifier.proof.certificate_offers import build_exploration_excluding_event
from playproof.verifier.proof.explanations import explain_no_answer, exploration_progress_to_json
from playproof.verifier.questions.claims import NOW, REFUSED, Question, Target, TargetReader
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.ledger import evaluate_ledger_claim, format_breaking_rows
from playproof.verifier.questions.verdicts import UNFIT, Conclusion
from playproof.verifier.search.case import Budget, GameCase, spend_work
from playproof.verifier.search.compiled_explorer import begin_exploration_from_deal, can_chance_act
from playproof.verifier.search.portfolio import is_target_absent

# How many states that games come to meet a condition, and how far the nearest or the farthest of them is,
# from a complete exploration.


def answer_state_count_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the number of states that meet the condition; no number, and how far the exploration came,
    if there are too many states."""
    target = TargetReader(case.game, question.where).read_single_target(question.of, question.within)
    if target.idents is not None:
        return Conclusion(None, "exploration", (), "not supported: states are counted, not actions")
    seen = case.extend_exploration(budget)
    if not seen.complete:
        return Conclusion(
            None, "exploration", (), explain_no_answer(case, budget), exploration_progress_to_json(case)
        )
    number = len(seen.find_rows_where(target.condition))
    made = Count(Event(to_json(question.of), to_json(question.within)), seen.states, number)
    return Conclusion(number, "exploration", ((made,),))


def answer_state_distance_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return how many decisions the nearest or the farthest state is away that meets the condition; no number, and how
    far the exploration came, if there are too many states."""
    [(which, of)] = question.of.items()
    target = TargetReader(case.game, question.where).read_single_target(of, question.within)
    if target.idents is not None:
        return Conclusion(
            None, "exploration", (), "not supported: the way leads to a state, not to an action"
        )
    event, seen = Event(to_json(of), to_json(question.within)), case.extend_exploration(budget)
    if not seen.complete:
        return Conclusion(
            None, "exploration", (), explain_no_answer(case, budget), exploration_progress_to_json(case)
        )
    if is_target_absent(seen, target):
        return Conclusion(
            None, "exploration", (build_exploration_excluding_event(case, event, seen),), vacuous=True
        )
    if seen.states > MOST_COUNTED:
        return Conclusion(
            None, "exploration", (), f"{seen.states:,} states are more than the kernel goes through"
        )
    far = which == "farthest"
    states, number = compute_state_distance(case.game, event, far, seen.states, case.context)
    return Conclusion(number, "layers", ((Distance(event, far, states, number),),))


# -- deals ---------------------------------------------------------------------------------------------------
# Of all shuffles, which share can be won by a player who sees all cards: a sample of deals, each decided by
# a line or by a complete search from it, depth first, that stops at the target.

_METHOD = "a sample of shuffles"
_STATES = (100_000, 600_000, 3_000_000)
"""States of one deal at most: easy deals come first, so that a few hard ones do not take the work of all."""
_STATES_AT_ONCE = 100_000
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
    for start in range(first_row, seen.states, _STATES_AT_ONCE):
        hits = evaluate_term(
            target.condition, seen.get_state_columns(start, min(start + _STATES_AT_ONCE, seen.states))
        ).nonzero()[0]
        if len(hits):
            return start + int(hits[0])
    return -1


# -- ledger --------------------------------------------------------------------------------------------------
# Answers to `ledger`: what the cards say, counted from the cards.


def answer_card_ledger_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return what the cards give, and name the rows that break the claim."""
    if case.game.cards is None:
        return Conclusion(None, "", (), "the rules have no cards")
    result = evaluate_ledger_claim(tuple(case.game.cards.components.values()), question.of, question.where)
    bound = {"breaks": format_breaking_rows(result.breakers)} if result.breakers else {}
    cards = digest_cards(case.game, case.context)
    tally = Tally(to_json(question.of), cards, to_json(result.value), result.members)
    return Conclusion(result.value, "cards", ((tally,),), bound=bound, vacuous=result.value is None)


# -- settings ------------------------------------------------------------------------------------------------
# Questions over several settings: whether they all answer alike (`same`), and which of them make a claim
# true (`tune`).

_FIRST_SHARE = 0.3  # of the time, for the first try of all settings
QuestionAnswerer = Callable[[Question, Budget], Conclusion]


def answer_claim_over_settings(
    question: Question, claims: Mapping[str, Question], answer: QuestionAnswerer, budget: Budget
) -> Conclusion:
    """Return, for `same`, whether every setting gives one value; for `tune`, the settings under
    which the value is the intended one."""
    wanted = list_question_settings(question, claims)
    names = [name for name, _ in wanted]
    answers = dict(
        zip(names, _answer_each_setting([variant for _, variant in wanted], answer, budget), strict=True)
    )
    decisions = {name: Decision(each.value, each.vacuous, whom=each.whom) for name, each in answers.items()}
    decision = combine_answers(question, claims, decisions)
    settings = chain.from_iterable(each.settings for each in answers.values())
    assumed = chain.from_iterable(each.assumed for each in answers.values())
    result = Conclusion(
        decision.value,
        "each setting in turn",
        bound={"values": {name: each.value for name, each in answers.items()}},
        settings=tuple(settings),
        assumed=tuple(dict.fromkeys(assumed)),
        whom=decision.whom,
    )
    if decision.value is not None:
        return result
    reasons = [
        f"{name}: {each.reason}" if name else each.reason for name, each in answers.items() if not each.known
    ]
    faults = [each.fault for each in answers.values() if each.fault]
    return replace(result, reason="; ".join(reasons), fault=faults[0] if faults else "")


def _answer_each_setting(
    variants: Sequence[Question], answer: QuestionAnswerer, budget: Budget
) -> list[Conclusion]:
    """Return each setting's answer. A first try with small shares of the budget answers the easy
    ones; the others share what is left."""
    if len(variants) == 1:
        return [answer(variants[0], budget)]
    answers = []
    for n, variant in enumerate(variants):
        share = _FIRST_SHARE / (len(variants) - n)
        answers.append(answer(variant, budget.take_share(share)))
    waiting = [n for n, first in enumerate(answers) if not first.known and not first.vacuous]
    for done, n in enumerate(waiting):
        again = answer(variants[n], budget.take_share(1 / (len(waiting) - done)))
        if again.known:
            answers[n] = again
    return answers


# -- examples ------------------------------------------------------------------------------------------------
# Answers to `example`: replays a worked example from its own words as far as they are legal.

_NO_ACTION = "no action of the game"


def answer_worked_example_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether the example can be played as it says."""
    example = to_json(question.of)
    idents, state, unfit = _walk_example_entries(case.play, _list_example_entries(example))
    fit = {"actions that fit": len(idents)}
    try:
        certificate = WorkedExample(example, does_example_play(case.play, example))
    except (NotShown, RulesError) as error:
        return Conclusion(None, "replay", (), str(error), fit)
    if certificate.played:
        return Conclusion(True, "replay", ((certificate,),), bound=fit)
    why = unfit or _describe_different_end(case.play, state, example)
    return Conclusion(False, "replay", ((certificate,),), bound={**fit, UNFIT: why})


def play_given_examples(case: GameCase, question: Question) -> list[tuple[int, ...]]:
    """Return the lines of the examples given to a claim, as far as they can be played."""
    examples = (to_json(claim.of) for claim in question.given if claim.ask == "example")
    return [follow_action_words(case.play, _list_example_entries(example)) for example in examples]


def _list_example_entries(example: Mapping[str, Any]) -> list[str]:
    """Return the entries of an example's line: actions, refusals and conditions."""
    return [str(entry) for entry in example["line"]]


def follow_action_words(play: Interpreter, words: Sequence[str]) -> tuple[int, ...]:
    """Return the actions that the words stand for, up to the first word that does not fit: an
    action that is not legal, a refusal that is legal, or a condition that fails."""
    return _walk_example_entries(play, words)[0]


def _walk_example_entries(
    play: Interpreter, words: Sequence[str]
) -> tuple[tuple[int, ...], Sequence[int], str]:
    """Return the actions that fit, the state behind them, and what does not fit there, if anything."""
    by_words, formula = map_words_to_actions(play.game), ConditionReader(play.game, Where("example"))
    idents: list[int] = []
    state: Sequence[int] = ()
    try:
        state = play.start()
        for entry in words:
            if entry.startswith(REFUSED):
                name = entry.removeprefix(REFUSED)
                if name not in by_words:
                    return tuple(idents), state, f"`{entry}`: it is {_NO_ACTION}"
                if any(not play.why_not(state, i) for i in by_words[name]):
                    return tuple(idents), state, f"`{entry}`: it is legal"
            elif entry.startswith(NOW):
                if not play.value(formula.read_condition(entry.removeprefix(NOW)), state):
                    return tuple(idents), state, f"`{entry}` does not hold"
            else:
                legal = [i for i in by_words.get(entry, []) if not play.why_not(state, i)]
                if not legal:
                    return (
                        tuple(idents),
                        state,
                        f"`{entry}`: {_explain_illegal_words(play, state, entry, by_words)}",
                    )
                state = play.apply(state, legal[0])
                idents.append(legal[0])
    except (RulesError, IllegalAction) as error:
        return tuple(idents), state, str(error)
    return tuple(idents), state, ""


def _explain_illegal_words(
    play: Interpreter, state: Sequence[int], words: str, by_words: Mapping[str, list[int]]
) -> str:
    """Return why no action of these words is legal."""
    for ident in by_words.get(words, []):
        for broken in play.why_not(state, ident):
            return str(broken)
    return f"{_NO_ACTION}; {did_you_mean(words, by_words)}"


def _describe_different_end(play: Interpreter, state: Sequence[int], example: Mapping[str, Any]) -> str:
    """Return which condition fails behind an example's last action, or how the game ends instead."""
    formula = ConditionReader(play.game, Where("example"))
    for text in map(str, example.get("then", [])):
        if not play.value(formula.read_condition(text), state):
            return f"`{text}` does not hold at the end"
    ending, returns = play.ending(state), " ".join(map(str, play.returns(state)))
    end = f"`{ending.reason} | {returns}`" if ending else "none"
    return f"expected the end `{example.get('end')}`, found {end}"
