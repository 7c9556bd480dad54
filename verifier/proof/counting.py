"""Answers that count or replay: states that meet a condition, shuffles that can be won, what cards say,
settings in which a claim holds, and worked examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

from playproof.database.errors import Where, make_nearest_or_possible_words_hint
from playproof.language import IllegalAction, Interpreter, RulesError
from playproof.language.explorer import Exploration, evaluate_term_in_many_states, explore
from playproof.verifier.kernel.card_tally import CardTallyCertificate, digest_game_cards_cached_or_empty
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.closed_set_certificate import (
    ClosedSetCertificate,
    StateCount,
    StateDistance,
    count_states_and_get_distance_or_minus_1,
)
from playproof.verifier.kernel.deals import (
    CompiledDealsCertificate,
    DealEvidence,
    SampledDealsCertificate,
    WinnableShare,
    compute_max_states_kernel_enumerates,
    draw_state_after_deal_or_raise,
)
from playproof.verifier.kernel.evidence import combine_setting_decisions, list_questions_with_names_of_settings
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.state_graphs import MOST_COUNTED
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.kernel.transcript import (
    WorkedExampleCertificate,
    does_worked_example_play_as_written,
    map_action_words_to_action_ids,
)
from playproof.verifier.proof.certificate_offers import build_exploration_certificate_excluding_event
from playproof.verifier.proof.explanations import conclude_open_after_exploration
from playproof.verifier.questions.claims import NOW, REFUSED, Question
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise
from playproof.verifier.questions.statement_words import join_whoms_of_settings
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import UNFIT, Conclusion, format_first_breaking_rows
from playproof.verifier.search.case import Budget, GameCase, add_work_units_done
from playproof.verifier.search.compiled_explorer import (
    can_chance_act_after_deal,
    make_depth_first_exploration_from_deal,
)
from playproof.verifier.search.portfolio import is_target_absent_from_exploration

# How many states that games come to meet a condition, and how far the nearest or the farthest of them is,
# from a complete exploration.


def answer_state_count_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the number of states that meet the condition; no number, and how far the exploration came,
    if there are too many states."""
    target = TargetReader(case.game, question.where).read_single_target_of_spec(question.of, question.within)
    if target.idents is not None:
        return Conclusion(None, "exploration", (), "not supported: states are counted, not actions")
    seen = case.extend_shared_exploration(budget)
    if not seen.complete:
        return conclude_open_after_exploration(case, budget, "exploration")
    number = len(seen.find_rows_where_condition_holds(target.condition))
    event = Event(to_plain_json_data(question.of), to_plain_json_data(question.within))
    made = ClosedSetCertificate(StateCount(event, number), Listing(seen.states))
    return Conclusion(number, "exploration", ((made,),))


def answer_state_distance_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return how many decisions the nearest or the farthest state is away that meets the condition; no number, and how
    far the exploration came, if there are too many states."""
    [(which, of)] = question.of.items()
    target = TargetReader(case.game, question.where).read_single_target_of_spec(of, question.within)
    if target.idents is not None:
        return Conclusion(None, "exploration", (), "not supported: the way leads to a state, not to an action")
    event, seen = (
        Event(to_plain_json_data(of), to_plain_json_data(question.within)),
        case.extend_shared_exploration(budget),
    )
    if not seen.complete:
        return conclude_open_after_exploration(case, budget, "exploration")
    if is_target_absent_from_exploration(seen, target):
        return Conclusion(
            None, "exploration", (build_exploration_certificate_excluding_event(case, event, seen),), vacuous=True
        )
    if seen.states > MOST_COUNTED:
        return Conclusion(None, "exploration", (), f"{seen.states:,} states are more than the kernel goes through")
    far = which == "farthest"
    states, number = count_states_and_get_distance_or_minus_1(case.game, event, far, seen.states, case.context)
    made = ClosedSetCertificate(StateDistance(event, far, number), Listing(states))
    return Conclusion(number, "layers", ((made,),))


# -- deals ---------------------------------------------------------------------------------------------------
# Of all shuffles, which share can be won by a player who sees all cards: a sample of deals, each decided by
# a line or by a complete search from it, depth first, that stops at the target.

_METHOD = "a sample of shuffles"
_STATES = (100_000, 600_000, 3_000_000)
"""States of one deal at most: easy deals come first, so that a few hard ones do not take the work of all."""
_STATES_AT_ONCE = 100_000
OPEN = DealEvidence((), 0)


def answer_share_of_winnable_deals_claim(
    case: GameCase, question: Question, budget: Budget, decide_deal: Callable[[int, Budget], DealEvidence] | None = None
) -> Conclusion:
    """Return the bounds of the share of shuffles that can come to the target, which hold for 95 % of
    samples. Deals that the work does not suffice for are open, and count on both sides. `decide_deal` decides a deal in
    place of a search here."""
    sample = build_deal_sample_of_claim(case, question)
    if case.game.players != 1 or sample.target.idents is not None:
        return Conclusion(None, _METHOD, (), "not supported: shares are of conditions that one player can come to")
    wanted = int(question.of["deals"])
    deals = [OPEN] * wanted
    rounds = (
        [decide_deal]
        if decide_deal
        else [partial(sample.search_deal_for_evidence, max_states=most) for most in _STATES]
    )
    try:
        for search in rounds:
            for number in (n for n, deal in enumerate(deals) if deal is OPEN):
                budget.report_progress_line(f"{wanted - deals.count(OPEN):,} of {wanted:,} deals are decided")
                deals[number] = search(number, budget) if budget.left > 0 else OPEN
    except NotShown as error:
        return Conclusion(None, _METHOD, (), f"not supported: {error}")
    most = max((deal.states for deal in deals), default=0)
    kind = (
        SampledDealsCertificate if most <= compute_max_states_kernel_enumerates(case.game) else CompiledDealsCertificate
    )
    made = kind(Event(to_plain_json_data(question.of["share"])), sample.seed, tuple(deals))
    about = made.build_proved_statement().about
    assert isinstance(about, WinnableShare)
    counts: dict[str, Any] = {"won": about.won, "lost": about.lost, "open": wanted - about.won - about.lost}
    return Conclusion(list(about.interval), _METHOD, ((made,),), bound=counts)


@dataclass(frozen=True)
class DealSample:
    """The deals of a seed, which a claim asks about."""

    case: GameCase
    target: Target
    seed: int

    def search_deal_for_evidence(self, deal_number: int, budget: Budget, max_states: int = _STATES[-1]) -> DealEvidence:
        """Return what a search from a deal shows. Raises NotShown if chance acts after the deal."""
        case, target = self.case, self.target
        state = draw_state_after_deal_or_raise(case.play, self.seed, deal_number)
        seen = make_depth_first_exploration_from_deal(case.compiled, state)
        looked, hits = 0, list[int]()

        def look(_: Exploration) -> bool:
            """Look for the target among the new states, and return whether to go on."""
            nonlocal looked
            row, looked = _find_row_meeting_target_or_none(seen, target, looked), seen.states
            if row is not None:
                hits.append(row)
            return not hits and budget.left > 0

        left = budget.left
        most, limit = min(max_states, budget.states), int(left / case.step_cost)
        explore(case.compiled, states=most, steps=limit, resumed=seen, progress=look)
        cost = seen.steps * case.step_cost
        add_work_units_done(cost)
        if not hits and looked < seen.states:
            look(seen)
        if can_chance_act_after_deal(seen, state):
            raise NotShown("chance acts after the deal")
        if cost > left:  # whether the last chunk of states came to an end depends on where it began
            return OPEN
        if not hits:
            return DealEvidence((), seen.states) if seen.complete else OPEN
        return DealEvidence(tuple(seen.list_action_numbers_from_start_to_row(hits[0])), 0) if hits[0] else OPEN


def build_deal_sample_of_claim(case: GameCase, question: Question) -> DealSample:
    """Return the sample that a claim asks about."""
    target = TargetReader(case.game, question.where).read_single_target_of_spec(question.of["share"])
    return DealSample(case, target, int(question.of.get("seed", 1)))


def _find_row_meeting_target_or_none(exploration: Exploration, target: Target, first_row: int) -> int | None:
    """Return a state that meets the target, None if none does. All wins for a reason are alike, so that one state
    of each ending is enough to look at; other conditions are asked of all states from `first_row` on."""
    spec, endings = target.spec, exploration.compiled.game.endings
    of_endings = isinstance(spec, Mapping) and not {"outcome", "reason"}.isdisjoint(spec)
    if of_endings and all(end.kind != "scores" for end in endings):
        rows = [int(row) for row in exploration.end_first if row >= 0]
        return next(
            (
                r
                for r in rows
                if evaluate_term_in_many_states(target.condition, exploration.unpack_rows_into_columns(r, r + 1))[0]
            ),
            None,
        )
    for start in range(first_row, exploration.states, _STATES_AT_ONCE):
        hits = evaluate_term_in_many_states(
            target.condition,
            exploration.unpack_rows_into_columns(start, min(start + _STATES_AT_ONCE, exploration.states)),
        ).nonzero()[0]
        if len(hits):
            return start + int(hits[0])
    return None


# -- ledger --------------------------------------------------------------------------------------------------
# Answers to `ledger`: what the cards say, counted from the cards.


def answer_ledger_claim_on_cards(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return what the cards give, and name the rows that break the claim."""
    if case.game.cards is None:
        return Conclusion(None, "", (), "the rules have no cards")
    result = count_ledger_claim_on_cards_or_raise(
        tuple(case.game.cards.components.values()), question.of, question.where
    )
    bound = {"breaks": format_first_breaking_rows(result.breakers)} if result.breakers else {}
    cards = digest_game_cards_cached_or_empty(case.game, case.context)
    tally = CardTallyCertificate(
        to_plain_json_data(question.of), cards, to_plain_json_data(result.value), result.members
    )
    return Conclusion(result.value, "cards", ((tally,),), bound=bound, vacuous=result.value is None)


# -- settings ------------------------------------------------------------------------------------------------
# Questions over several settings: whether they all answer alike (`same`), and which of them make a claim
# true (`tune`).

_FIRST_SHARE = 0.3  # of the time, for the first try of all settings
QuestionAnswerer = Callable[[Question, Budget], Conclusion]


def answer_same_or_tune_claim(
    question: Question, claims: Mapping[str, Question], answer_question: QuestionAnswerer, budget: Budget
) -> Conclusion:
    """Return, for `same`, whether every setting gives one value; for `tune`, the settings under
    which the value is the intended one."""
    wanted = list_questions_with_names_of_settings(question, claims)
    names = [name for name, _ in wanted]
    answers = dict(
        zip(
            names,
            _answer_each_setting_easy_first([variant for _, variant in wanted], answer_question, budget),
            strict=True,
        )
    )
    decisions = {name: Decision(each.value, each.vacuous) for name, each in answers.items()}
    decision = combine_setting_decisions(question, claims, decisions)
    settings = chain.from_iterable(each.settings for each in answers.values())
    assumed = chain.from_iterable(each.assumed for each in answers.values())
    result = Conclusion(
        decision.value,
        "each setting in turn",
        bound={"values": {name: each.value for name, each in answers.items()}},
        settings=tuple(settings),
        assumed=tuple(dict.fromkeys(assumed)),
        whom=join_whoms_of_settings(each.whom for each in answers.values()),
    )
    if decision.value is not None:
        return result
    reasons = [f"{name}: {each.reason}" if name else each.reason for name, each in answers.items() if not each.known]
    faults = [each.fault for each in answers.values() if each.fault]
    return replace(result, reason="; ".join(reasons), fault=faults[0] if faults else "")


def _answer_each_setting_easy_first(
    questions_by_setting: Sequence[Question], answer_question: QuestionAnswerer, budget: Budget
) -> list[Conclusion]:
    """Return each setting's answer. A first try with small shares of the budget answers the easy
    ones; the others share what is left."""
    if len(questions_by_setting) == 1:
        return [answer_question(questions_by_setting[0], budget)]
    answers = []
    for n, variant in enumerate(questions_by_setting):
        share = _FIRST_SHARE / (len(questions_by_setting) - n)
        answers.append(answer_question(variant, budget.make_budget_of_share(share)))
    waiting = [n for n, first in enumerate(answers) if not first.known and not first.vacuous]
    for done, n in enumerate(waiting):
        again = answer_question(questions_by_setting[n], budget.make_budget_of_share(1 / (len(waiting) - done)))
        if again.known:
            answers[n] = again
    return answers


# -- examples ------------------------------------------------------------------------------------------------
# Answers to `example`: replays a worked example from its own words as far as they are legal.

_NO_ACTION = "no action of the game"


def answer_worked_example_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return whether the example can be played as it says."""
    example = to_plain_json_data(question.of)
    followed = _follow_entries_until_one_does_not_fit(case.play, _list_entries_of_example_line(example))
    fit = {"actions that fit": len(followed.action_ids)}
    try:
        certificate = WorkedExampleCertificate(
            example, does_worked_example_play_as_written(case.play, example, case.context)
        )
    except (NotShown, RulesError) as error:
        return Conclusion(None, "replay", (), str(error), fit)
    if certificate.played:
        return Conclusion(True, "replay", ((certificate,),), bound=fit)
    why = followed.unfit_reason or _describe_failed_condition_or_other_end(case.play, followed.state, example)
    return Conclusion(False, "replay", ((certificate,),), bound={**fit, UNFIT: why})


def list_playable_lines_of_given_examples(case: GameCase, question: Question) -> list[tuple[int, ...]]:
    """Return the lines of the examples given to a claim, as far as they can be played."""
    examples = (to_plain_json_data(claim.of) for claim in question.given if claim.ask == "example")
    return [follow_action_words_while_legal(case.play, _list_entries_of_example_line(example)) for example in examples]


def _list_entries_of_example_line(example: Mapping[str, Any]) -> list[str]:
    """Return the entries of an example's line: actions, refusals and conditions."""
    return [str(entry) for entry in example["line"]]


def follow_action_words_while_legal(interpreter: Interpreter, entries: Sequence[str]) -> tuple[int, ...]:
    """Return the actions that the words stand for, up to the first word that does not fit: an
    action that is not legal, a refusal that is legal, or a condition that fails."""
    return _follow_entries_until_one_does_not_fit(interpreter, entries).action_ids


class _FollowedEntries(NamedTuple):
    """The actions of an example's entries that fit, the state behind them, and why the next entry does not fit there;
    "" if all fit."""

    action_ids: tuple[int, ...]
    state: Sequence[int]
    unfit_reason: str = ""


def _follow_entries_until_one_does_not_fit(interpreter: Interpreter, entries: Sequence[str]) -> _FollowedEntries:
    """Return how far the entries of an example's line can be followed."""
    by_words, formula = (
        map_action_words_to_action_ids(interpreter.game),
        ConditionReader(interpreter.game, Where("example")),
    )
    idents: list[int] = []
    state: Sequence[int] = ()
    try:
        state = interpreter.start()
        for entry in entries:
            if entry.startswith(REFUSED):
                name = entry.removeprefix(REFUSED)
                if name not in by_words:
                    return _FollowedEntries(tuple(idents), state, f"`{entry}`: it is {_NO_ACTION}")
                if any(not interpreter.why_not(state, i) for i in by_words[name]):
                    return _FollowedEntries(tuple(idents), state, f"`{entry}`: it is legal")
            elif entry.startswith(NOW):
                if not interpreter.value(formula.condition_text_to_term(entry.removeprefix(NOW)), state):
                    return _FollowedEntries(tuple(idents), state, f"`{entry}` does not hold")
            else:
                legal = [i for i in by_words.get(entry, []) if not interpreter.why_not(state, i)]
                if not legal:
                    why = _explain_why_no_action_is_legal(interpreter, state, entry, by_words)
                    return _FollowedEntries(tuple(idents), state, f"`{entry}`: {why}")
                state = interpreter.apply(state, legal[0])
                idents.append(legal[0])
    except (RulesError, IllegalAction) as error:
        return _FollowedEntries(tuple(idents), state, str(error))
    return _FollowedEntries(tuple(idents), state)


def _explain_why_no_action_is_legal(
    interpreter: Interpreter, state: Sequence[int], action_words: str, by_words: Mapping[str, list[int]]
) -> str:
    """Return why no action of these words is legal."""
    for ident in by_words.get(action_words, []):
        for broken in interpreter.why_not(state, ident):
            return str(broken)
    return f"{_NO_ACTION}; {make_nearest_or_possible_words_hint(action_words, by_words)}"


def _describe_failed_condition_or_other_end(
    interpreter: Interpreter, state: Sequence[int], example: Mapping[str, Any]
) -> str:
    """Return which condition fails behind an example's last action, or how the game ends instead."""
    formula = ConditionReader(interpreter.game, Where("example"))
    for text in map(str, example.get("then", [])):
        if not interpreter.value(formula.condition_text_to_term(text), state):
            return f"`{text}` does not hold at the end"
    ending, returns = interpreter.ending(state), " ".join(map(str, interpreter.returns(state)))
    end = f"`{ending.reason} | {returns}`" if ending else "none"
    return f"expected the end `{example.get('end')}`, found {end}"
