"""Each estimate's interval holds the exact value at its stated rate: hundreds of runs of small games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt

import numpy as np
import pytest

from playproof.lab.card_worth import (
    HoldingStatistics,
    list_card_like_things_of_game,
    measure_causal_worth_of_cards_best_first,
)
from playproof.lab.compare import ERROR, estimate_mean_by_confidence_sequence
from playproof.lab.estimates import (
    Estimate,
    compute_p_value_of_sign_test,
    estimate_mean_share_with_wilson_interval,
    estimate_mean_with_t_interval,
    estimate_paired_win_difference_and_p_value,
    estimate_ratio_of_means,
    estimate_share_with_wilson_interval,
    flag_discoveries_by_benjamini_hochberg,
)
from playproof.lab.game_runner import GameRunner
from playproof.lab.random_play import estimate_luck_and_skill
from playproof.lab.report import ReportPlan, _estimate_seat_results_and_endings, _record_games_into_holdings_count_legal
from playproof.referee.variant import Variant
from tests.lab.small_games import JACK, KING, QUEEN, kuhn_association, kuhn_leverage, kuhn_worth, tic_tac_toe

RUNS = 200
SLACK = 3.3 * sqrt(0.95 * 0.05 / RUNS)  # one false alarm in a thousand tests


def covered(estimates: Iterator[Estimate], exact: float) -> None:
    """The intervals hold the value as often as 95 % intervals do."""
    listed = list(estimates)
    assert len(listed) == RUNS
    held = sum(e.low is not None and e.high is not None and e.low <= exact <= e.high for e in listed)
    assert held / RUNS >= 0.95 - SLACK, f"{held} of {RUNS} intervals hold {exact}"
    values = [e.value for e in listed if e.value is not None]
    assert abs(np.mean(values) - exact) < 4 * np.std(values) / sqrt(RUNS) + 1e-9


def benches(name: str) -> Iterator[GameRunner]:
    variant = Variant(name)
    first = GameRunner(variant, ["random"], 0, 1)
    for seed in range(RUNS):
        bench = GameRunner(variant, ["random"], seed, 1)
        vars(bench).update(engine=first.engine, recorder=first.recorder)
        yield bench


def test_wins_endings_and_ties() -> None:
    wins, ties, _ = tic_tac_toe()
    results = [
        _estimate_seat_results_and_endings(bench, bench.play_games_in_compiled_code_or_raise(0, 300), None)
        for bench in benches("tic_tac_toe")
    ]
    covered((seats[0].wins for seats, _, _, _ in results), float(wins))
    covered((tied for _, _, tied, _ in results), float(ties))
    covered((next(e.share for e in ends if e.kind == "win") for *_, ends in results), float(1 - ties))
    second = float(1 - wins - ties)
    covered((seats[0].score for seats, _, _, _ in results), float(wins) - second)
    covered((starter for _, starter, _, _ in results if starter), (float(wins) - second) / 2)


def test_luck_and_choice() -> None:
    skill, luck = (float(part) for part in kuhn_leverage())
    measured = [
        estimate_luck_and_skill(bench.compute_win_chance_curves(range(60), 12)) for bench in benches("kuhn_poker")
    ]
    covered((m.skill for m in measured), skill)
    covered((m.luck for m in measured), luck)
    index = (skill - luck) / (skill + luck)
    held = [m.index.low <= index <= m.index.high for m in measured if m.index.low is not None and m.index.high]
    # a ratio is biased a little, so only its interval is held to the value
    assert np.mean(held) >= 0.95 - SLACK


@pytest.mark.parametrize(("word", "card"), [("king", KING), ("queen", QUEEN), ("jack", JACK)])
def test_the_causal_worth_of_a_card(word: str, card: int) -> None:
    things = [thing for thing in list_card_like_things_of_game(Variant("kuhn_poker")) if thing.word == word]
    made = [measure_causal_worth_of_cards_best_first(bench, things, 150)[0] for bench in benches("kuhn_poker")]
    covered((worth.held for worth in made if worth.held), float(kuhn_worth(card)))
    counted = np.mean([worth.counts for worth in made])
    assert counted > 0.99 if card != QUEEN else counted <= 0.05 + SLACK


def test_the_association_of_a_card_with_wins() -> None:
    thing = next(thing for thing in list_card_like_things_of_game(Variant("kuhn_poker")) if thing.word == "king")

    def association(bench: GameRunner) -> Estimate:
        holdings = HoldingStatistics([thing], 2)
        _record_games_into_holdings_count_legal(bench, ReportPlan(games=150, recorded=150), holdings)
        return holdings.estimate_win_differences_of_holding()[0]

    covered((association(bench) for bench in benches("kuhn_poker")), float(kuhn_association(KING)))


# -- the formulas alone -------------------------------------------------------------------------------------------


def drawn(make: Callable[[np.random.Generator], Estimate]) -> Iterator[Estimate]:
    random = np.random.default_rng(3)
    return (make(random) for _ in range(RUNS))


def test_pairs_and_ratios() -> None:
    chances = [0.1, 0.85, 0.05]  # better, equal, worse

    def pair(random: np.random.Generator) -> Estimate:
        signs = random.choice([1, 0, -1], size=120, p=chances)
        return estimate_paired_win_difference_and_p_value((signs > 0).astype(int), (signs < 0).astype(int))[0]

    def ratio(random: np.random.Generator) -> Estimate:
        below = random.exponential(2.0, 200)
        return estimate_ratio_of_means(below * 0.3 + random.normal(0, 0.5, 200), below)

    covered(drawn(pair), 0.05)
    covered(drawn(ratio), 0.3)
    covered(drawn(lambda random: estimate_share_with_wilson_interval(int((random.random(80) < 0.08).sum()), 80)), 0.08)


@pytest.mark.parametrize("win", [0.5, 0.9, 0.97])
def test_shares_of_a_few_games_with_ties(win: float) -> None:
    """A rung of 38 games, nearly all won: no interval passes 100 %, and none is missing where all are alike."""
    rng, tie = np.random.default_rng(3), 0.02
    runs = [rng.choice([1.0, 0.5, 0.0], 38, p=[win, tie, 1 - win - tie]) for _ in range(RUNS)]
    measured = [estimate_mean_share_with_wilson_interval(run) for run in runs]
    assert all(e.low is not None and e.high is not None and 0 <= e.low < e.high <= 1 for e in measured)
    covered(iter(measured), win + tie / 2)


def test_no_ratio_is_said_where_the_base_may_be_nothing() -> None:
    """Eila's chapter 1 between players at random, who never win: K and L are noise, and S was called 1 exactly."""
    noise = np.random.default_rng(1).normal(0, 1e-4, 80)
    assert estimate_ratio_of_means(noise, noise + 1e-20).value is None
    assert estimate_ratio_of_means(np.array([1.0]), np.array([2.0])).value is None


def test_a_mean_stays_within_what_values_can_be() -> None:
    returns = [1.0] * 15 + [0.0]
    assert (estimate_mean_with_t_interval(returns).high or 0) > 1
    assert estimate_mean_with_t_interval(returns, value_range=(-1, 1)).high == 1


def test_a_comparison_errs_no_oftener_than_stated_although_it_looks_again_and_again() -> None:
    random, wrong = np.random.default_rng(5), 0
    for _ in range(RUNS):
        signs = random.choice([-1.0, 0.0, 1.0], p=[0.1, 0.8, 0.1], size=6000)
        looks = [200, 300, 450, 675, 1000, 1500, 2250, 3375, 5000, 6000]
        wrong += any(estimate_mean_by_confidence_sequence(signs[:at], ERROR, 1.0).excludes_zero for at in looks)
    assert wrong / RUNS <= ERROR + SLACK
    ordinary = signs.std() * 1.96 / sqrt(6000)
    found = estimate_mean_by_confidence_sequence(signs, ERROR, 1.0)
    assert found.high is not None
    assert found.value is not None
    assert found.high - found.value < 2 * ordinary  # and it is not empty talk


def test_signs_and_discoveries() -> None:
    assert compute_p_value_of_sign_test(8, 1) == pytest.approx(2 * (1 + 9) / 2**9)
    assert compute_p_value_of_sign_test(0, 0) == compute_p_value_of_sign_test(30, 30) == 1.0
    # exact, and by its limit
    assert compute_p_value_of_sign_test(1200, 800) == pytest.approx(compute_p_value_of_sign_test(1201, 801), rel=0.1)
    assert flag_discoveries_by_benjamini_hochberg([0.01, 0.011, 0.03, 0.5]) == [
        True,
        True,
        True,
        False,
    ]  # 0.03 <= 3 / 4 of 0.05
    assert flag_discoveries_by_benjamini_hochberg([]) == []
