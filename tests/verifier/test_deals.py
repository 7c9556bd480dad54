"""Shares of shuffles that can be won: compared with a search of a few lines and with tables of the binomial
distribution, and evidence that says too much."""

from __future__ import annotations

import json
from dataclasses import replace
from math import comb
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import CHANCE, Game, Interpreter, goto, lose, require, when, win
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel import deals as kernel
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.deals import (
    CompiledDealsCertificate,
    DealEvidence,
    SampledDealsCertificate,
    WinnableShare,
    compute_lower_95_percent_bound_of_share,
    draw_state_after_deal_or_raise,
)
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Event
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Verdict
from playproof.verifier.search.compiled_explorer import CompiledExplorer
from tests.published_games import get_published_game
from tests.verifier.conftest import recheck

OPTIONS = {"game": "black_hole", "ranks": "8"}
COUNT = 7
ASKED = Question("share", "deals", {"share": {"outcome": "win"}, "deals": COUNT}, values=OPTIONS)


def rows(play: Interpreter, state: list[int]) -> tuple[list[list[int]], int]:
    """The piles of a dealt state, the open card last, and the number of ranks."""
    game = play.game
    card, height = game.get_field("card"), game.get_field("height")
    piles, deep = card.shape
    held = [state[card.offset + deep * p : card.offset + deep * p + state[height.offset + p]] for p in range(piles)]
    return held, card.hi + 1


def winnable(piles: list[list[int]], ranks: int) -> bool:
    """Whether all cards can be played onto the ace, by plain recursion."""
    lost: set[tuple[tuple[int, ...], int]] = set()

    def from_(heights: tuple[int, ...], heap: int) -> bool:
        if not any(heights):
            return True
        if (heights, heap) in lost:
            return False
        for p, height in enumerate(heights):
            if height and (piles[p][height - 1] - heap) % ranks in (1, ranks - 1):
                fewer = (*heights[:p], height - 1, *heights[p + 1 :])
                if from_(fewer, piles[p][height - 1]):
                    return True
        lost.add((heights, heap))
        return False

    return from_(tuple(map(len, piles)), 0)  # the ace of spades lies there


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, SampledDealsCertificate]:
    """The answer to a sample, with the kernel's certificate."""
    [answer] = prove(get_published_game("black_hole"), claims=[ASKED], output=tmp_path_factory.mktemp("deals"))
    assert recheck(answer, ASKED, game=get_published_game("black_hole")) == []
    [setting] = json.loads(Path(answer.evidence).read_text())["settings"]
    return answer, decode_json_as_type_or_raise(SampledDealsCertificate, setting["certificates"][0])


def game() -> Game:
    return build(get_published_game("black_hole"), Options(OPTIONS))


def test_each_deal_is_decided_as_a_plain_search_decides_it(made: tuple[Any, SampledDealsCertificate]) -> None:
    answer, certificate = made
    play = Interpreter(game())
    by_hand = [winnable(*rows(play, draw_state_after_deal_or_raise(play, 1, n))) for n in range(COUNT)]
    assert [bool(deal.line) for deal in certificate.deals] == by_hand
    assert 0 < sum(by_hand) < COUNT, "the sample has deals of one kind only"
    assert (answer.verdict, answer.bound["won"], answer.bound["open"]) == (Verdict.PROVEN, sum(by_hand), 0)


def test_deals_differ_and_come_again() -> None:
    play = Interpreter(game())
    states = [tuple(draw_state_after_deal_or_raise(play, 1, n)) for n in range(20)]
    assert len(set(states)) == 20
    assert states == [tuple(draw_state_after_deal_or_raise(play, 1, n)) for n in range(20)]
    assert states[0] != tuple(draw_state_after_deal_or_raise(play, 2, 0))


def tail(count: int, deals: int, share: float) -> float:
    return sum(comb(deals, k) * share**k * (1 - share) ** (deals - k) for k in range(count, deals + 1))


@pytest.mark.parametrize(("count", "deals"), [(1, 10), (5, 10), (10, 10), (67, 100), (290, 300)])
def test_bounds_are_those_of_clopper_and_pearson(count: int, deals: int) -> None:
    low = compute_lower_95_percent_bound_of_share(count, deals)
    assert tail(count, deals, low) <= 0.025 < tail(count, deals, low + 0.0001)


def test_open_deals_count_on_both_sides() -> None:
    assert compute_lower_95_percent_bound_of_share(0, 10) == 0
    about = WinnableShare(Event({"outcome": "win"}), 1, 10, 3, 2)
    assert about.interval == (
        compute_lower_95_percent_bound_of_share(3, 10),
        round(1 - compute_lower_95_percent_bound_of_share(2, 10), 4),
    )
    # The published bounds of 3 of 10, and of 8 of 10, at 95 %.
    assert about.interval == (0.0667, 0.9748)


def test_evidence_that_says_too_much_is_refused(made: tuple[Any, SampledDealsCertificate]) -> None:
    true, rules = made[1], game()
    true.require_valid_for_game(rules, Context())
    won = next(n for n, deal in enumerate(true.deals) if deal.line)
    lost = next(n for n, deal in enumerate(true.deals) if deal.states)

    def with_deal(number: int, deal: DealEvidence) -> SampledDealsCertificate:
        return replace(true, deals=(*true.deals[:number], deal, *true.deals[number + 1 :]))

    for wrong in (
        replace(true, seed=true.seed + 1),
        replace(true, deals=true.deals[::-1]),
        replace(true, deals=()),
        with_deal(won, DealEvidence((), 1)),
        with_deal(won, DealEvidence((), 10_000)),
        with_deal(won, DealEvidence(true.deals[won].line[:-1], 0)),
        with_deal(won, DealEvidence(true.deals[won].line, 1)),
        with_deal(lost, DealEvidence(true.deals[won].line, 0)),
        with_deal(lost, DealEvidence((), true.deals[lost].states + 1)),
        with_deal(lost, DealEvidence((), true.deals[lost].states - 1)),
        with_deal(lost, DealEvidence((), -1)),
        replace(true, event=Event({"action": "onto"})),
    ):
        with pytest.raises(NotShown):
            wrong.require_valid_for_game(rules, Context())


def test_columns_go_through_a_deal_as_the_interpreter_does(
    made: tuple[Any, SampledDealsCertificate], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "FEW_STATES", 0)
    made[1].require_valid_for_game(game(), Context())
    lost = next(n for n, deal in enumerate(made[1].deals) if deal.states)
    deals = tuple(DealEvidence((), d.states + 1) if n == lost else d for n, d in enumerate(made[1].deals))
    with pytest.raises(NotShown, match="evidence speaks of"):
        replace(made[1], deals=deals).require_valid_for_game(game(), Context())


def test_deals_with_more_states_than_the_kernel_reads_rest_on_compiled_code(
    made: tuple[Any, SampledDealsCertificate], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = next(n for n, deal in enumerate(made[1].deals) if deal.states > 1)
    with pytest.raises(NotShown, match="more states than the kernel reads, and no others"):
        CompiledDealsCertificate(made[1].event, made[1].seed, made[1].deals).require_valid_for_game(game(), Context())
    monkeypatch.setattr(kernel, "FEW_STATES", 1)
    monkeypatch.setattr(kernel, "MOST_READ", 1)
    with pytest.raises(NotShown, match="more states than the kernel reads, and no others"):
        made[1].require_valid_for_game(game(), Context())
    [answer] = prove(get_published_game("black_hole"), claims=[ASKED], output=tmp_path)
    assert answer.value == made[0].value
    said = check_evidence_file_to_result(
        answer.evidence, game=get_published_game("black_hole"), claims={ASKED.id: ASKED}
    ).format_confirmed_answer_lines()
    assert any("compiled code, which went through" in line for line in said), said
    [setting] = json.loads(Path(answer.evidence).read_text())["settings"]
    true = decode_json_as_type_or_raise(CompiledDealsCertificate, setting["certificates"][0])
    true.require_valid_for_game(game(), Context(compiled=CompiledExplorer().explain_why_not_excluded_or_empty))
    with pytest.raises(NotShown, match="more than the kernel goes through"):
        true.require_valid_for_game(game(), Context())
    states, met = true.deals[lost].states, Event({"holds": "gone == 1"})
    for event, number, match in (
        (true.event, states + 1, "exactly"),
        (true.event, states - 1, "exactly"),
        (met, states, "the target is met"),
    ):
        deals = tuple(DealEvidence((), number if n == lost else 0) for n in range(COUNT))
        with pytest.raises(NotShown, match=match):
            CompiledDealsCertificate(event, 1, deals).require_valid_for_game(
                game(), Context(compiled=CompiledExplorer().explain_why_not_excluded_or_empty)
            )
    with pytest.raises(NotShown, match="chance acts after the deal"):
        CompiledDealsCertificate(Event({"holds": "outcome > 2"}), 1, (DealEvidence((), 4),)).require_valid_for_game(
            late(), Context(compiled=CompiledExplorer().explain_why_not_excluded_or_empty)
        )


def breaking() -> Game:
    """The last step takes `held` out of its bounds, and nobody can win."""
    g = Game("breaking")
    deal, play = g.phase("deal", CHANCE), g.phase("play")
    g.integer("held", 0, 3)
    g.integer("steps", 0, 9)

    @g.action(deal, "deal")
    def dealing() -> None:
        goto(play)

    @g.action(play, "add")
    def add() -> None:
        g.state.held += 1
        g.state.steps += 1
        with when(g.state.steps == 6):
            lose("late")

    @g.action(play, "win")
    def winning() -> None:
        require(g.state.steps == 9, "R1", "too early")
        win("never")

    return g


def test_what_compiled_code_says_of_deals_holds_if_the_rules_keep_their_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code does not see that a number leaves its bounds; the kernel does."""
    deals, context = ((DealEvidence((), 7),), Context(compiled=CompiledExplorer().explain_why_not_excluded_or_empty))
    with pytest.raises(NotShown, match="the rule gives 4"):
        SampledDealsCertificate(Event({"outcome": "win"}), 1, deals).require_valid_for_game(breaking(), context)
    monkeypatch.setattr(kernel, "FEW_STATES", 1)
    monkeypatch.setattr(kernel, "MOST_READ", 1)
    theorem = Theorem(CompiledDealsCertificate(Event({"outcome": "win"}), 1, deals), breaking(), context)
    assert theorem.grounds == (BOUNDS, PHASES_END)


def late() -> Game:
    """Chance acts again after the player: whoever sees all cards would see that too, and no deal holds it."""
    g = Game("late")
    deal, play, toss = g.phase("deal", CHANCE), g.phase("play"), g.phase("toss", CHANCE)

    @g.action(deal, "deal")
    def dealing() -> None:
        goto(play)

    @g.action(play, "go on")
    def go() -> None:
        goto(toss)

    @g.action(toss, "falls {side}", side=2)
    def falls(side: Any) -> None:
        with when(side == 0):
            win("heads")
        with when(side == 1):
            lose("tails")

    return g


def test_chance_after_the_deal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    event = Event({"holds": "outcome > 2"})  # met nowhere
    for deal in (DealEvidence((1, 2), 0), DealEvidence((), 4)):
        for few in (kernel.FEW_STATES, 0):
            monkeypatch.setattr(kernel, "FEW_STATES", few)
            with pytest.raises(NotShown, match="chance acts after the deal"):
                SampledDealsCertificate(event, 1, (deal,)).require_valid_for_game(late(), Context())


def test_work_that_does_not_suffice_leaves_deals_open() -> None:
    [found] = prove(get_published_game("black_hole"), claims=[ASKED], work=0.0001)
    assert found.bound["open"] > 0
    assert found.value[0] <= found.bound["won"] / COUNT <= found.value[1]


@pytest.mark.parametrize(
    "wrong",
    [
        {"of": {"share": {"outcome": "win"}}},
        {"of": {"share": {"outcome": "win"}, "deals": 0}},
        {"of": {"share": {"outcome": "win"}, "deals": 5, "seed": True}},
        {"of": {"share": {"outcome": "gold"}, "deals": 5}},
        {"expect": 0.5},
        {"within": "gone > 2"},
    ],
)
def test_a_claim_of_other_words_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        prove(get_published_game("black_hole"), claims=[replace(ASKED, **wrong)])


def test_a_certificate_is_read_back(made: tuple[Any, SampledDealsCertificate]) -> None:
    assert decode_json_as_type_or_raise(SampledDealsCertificate, encode_typed_value_as_json(made[1])) == made[1]
