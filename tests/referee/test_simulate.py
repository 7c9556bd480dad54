"""Simulation: same seeds, same games; every game replays alone; figures are right."""

import io
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from playproof.language import EVERYBODY, Game, Local, lose, score, tie, when, win
from playproof.language.playouts import PlayoutResults
from playproof.language.random import Stream
from playproof.language.registry import load_cards_if_rules_need_them
from playproof.referee import Variant
from playproof.referee.batches import (
    NOBODY,
    Batch,
    ReadingsDiffer,
    Tally,
    compute_95_percent_mean_interval_or_none,
    compute_95_percent_wilson_interval,
    compute_mean_of_counted_values_or_none,
    compute_quantile_of_counts_or_zero,
    play_batch_stepwise,
    play_batch_with_cached_engine,
    play_checked_batch_compiled_until_stopped,
)
from playproof.referee.bots import BotError
from playproof.referee.engine import Engine, InterpretedEngine
from playproof.referee.simulate import SimulationResult, replay, simulate
from playproof.referee.simulation_report import as_json, render_simulation_tables
from playproof.verifier.questions.targets import TargetReader

Tiny = Callable[..., Variant]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No machine code unless a test asks for it: it gives the same results and need not be compiled here."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


def same(one: Tally, other: Tally) -> bool:
    return (
        (one.endings, one.decisions, one.rounds, one.returns, one.wins, one.ties)
        == (other.endings, other.decisions, other.rounds, other.returns, other.wins, other.ties)
        and one.taken.tolist() == other.taken.tolist()
        and one.worth.tolist() == other.worth.tolist()
    )


@pytest.mark.parametrize(
    ("game", "bots"),
    [
        ("tic_tac_toe", ("random", "random")),
        ("kuhn_poker", ("random", "random")),
        ("dice", ("random",)),
        ("dice", ("greedy",)),
        ("secret", ("random", "random")),
    ],
)
def test_compiled_stepwise_and_interpreted_games_are_the_same(tiny: Tiny, game: str, bots: tuple[str, ...]) -> None:
    variant = tiny(game) if game in ("dice", "secret") else Variant(game)
    batch = Batch(variant, bots, seed=11, first=40, count=25)
    engine, reference = Engine(variant.game), InterpretedEngine(variant.game)
    compiled = play_checked_batch_compiled_until_stopped(batch, engine)
    assert same(compiled, play_batch_stepwise(batch, engine))
    assert same(compiled, play_batch_stepwise(batch, reference))
    assert same(compiled, play_batch_with_cached_engine(batch))


def test_machine_code_plays_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "1")
    variant = Variant("tic_tac_toe")
    batch = Batch(variant, ("random", "random"), seed=5, first=0, count=300, check=True)
    fast = play_checked_batch_compiled_until_stopped(batch, Engine(variant.game))
    assert same(fast, play_batch_stepwise(batch, Engine(variant.game)))


def test_a_run_does_not_depend_on_how_it_is_cut() -> None:
    one = simulate(Variant("tic_tac_toe"), 2500, jobs=1, seed=3)
    two = simulate(Variant("tic_tac_toe"), 2500, jobs=2, seed=3)
    assert one.tally.games == 2500
    assert same(one.tally, two.tally)
    assert one.checked >= 2


def test_processes_give_what_one_process_gives() -> None:
    variant = Variant("kuhn_poker")
    pooled = simulate(variant, 60, ["mcts:5", "random"], seed=2, jobs=2)
    assert pooled.reading == "stepwise"
    batch = Batch(variant, ("mcts:5", "random"), 2, 0, 60)
    assert same(pooled.tally, play_batch_stepwise(batch, Engine(variant.game)))


def test_any_game_of_a_run_replays_alone() -> None:
    variant = Variant("kuhn_poker")
    whole = simulate(variant, 30, seed=9).tally
    alone = Counter(replay(variant, ["random"], 9, index).state[1] for index in range(30))
    assert alone == whole.endings


def test_a_game_that_does_not_replay_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    variant = Variant("tic_tac_toe")
    engine = Engine(variant.game)
    true = engine.compiled.run_playouts

    def wrong(*args: Any, **named: Any) -> Any:
        played = true(*args, **named)
        played.returns[0] += 1
        return played

    monkeypatch.setattr(engine.compiled, "run_playouts", wrong)
    with pytest.raises(ReadingsDiffer, match="game 0 of seed 1"):
        play_checked_batch_compiled_until_stopped(Batch(variant, ("random", "random"), 1, 0, 3, check=True), engine)


def test_the_json_has_the_promised_shape(tiny: Tiny) -> None:
    facts = as_json(simulate(tiny("dice"), 200, ["greedy"], seed=4))
    assert {
        "game",
        "options",
        "games",
        "seed",
        "bots",
        "seconds",
        "decisions_per_game",
        "rounds_per_game",
        "endings",
        "seats",
    } <= set(facts)
    assert {"seat", "wins", "win_rate", "interval", "score_mean"} <= set(facts["seats"][0])
    assert facts["endings"] == {"three turns are over": 200}
    assert facts["seats"][0]["score_mean"] == 3.0
    assert facts["rounds_per_game"] == 3.0
    taken = [(a["action"], a["taken"], a["worth"]) for a in facts["actions"]]
    assert taken == [("take a coin", 600, 0.0), ("throw", 0, None)]
    assert facts["first_player"] is None


def test_what_a_choice_is_worth(tiny: Tiny) -> None:
    """Throwing gives 3.5 on average and a coin 1, so throwers end with more."""
    worth = {a["action"]: a["worth"] for a in as_json(simulate(tiny("dice"), 3000, seed=1))["actions"]}
    assert worth["throw"] > 0.3
    assert worth["take a coin"] < -0.3


def test_the_first_player_has_the_better_of_random_tic_tac_toe() -> None:
    """By counting all games move by move at random: 58.49 % for the first, 28.81 % for the second player."""
    facts = as_json(simulate(Variant("tic_tac_toe"), 4000, seed=1))
    low, high = facts["seats"][0]["interval"]
    assert low < 0.5849 < high
    low, high = facts["seats"][1]["interval"]
    assert low < 0.2881 < high
    assert facts["first_player"]["certain"]
    assert facts["draws"] + sum(seat["wins"] for seat in facts["seats"]) == 4000


def test_wilson_intervals() -> None:
    """Reference values by the formula of Wilson 1927 for 8 of 10, and the ends."""
    low, high = compute_95_percent_wilson_interval(8, 10)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)
    assert compute_95_percent_wilson_interval(0, 50)[0] == 0.0
    assert compute_95_percent_wilson_interval(50, 50)[1] == 1.0
    assert compute_95_percent_wilson_interval(0, 0) == (0.0, 1.0)


def test_means_and_quantiles() -> None:
    counts = Counter({1: 1, 2: 2, 10: 1})
    assert compute_mean_of_counted_values_or_none(counts) == 3.75
    assert [compute_quantile_of_counts_or_zero(counts, share) for share in (0.25, 0.5, 1.0)] == [1, 2, 10]
    low, high = compute_95_percent_mean_interval_or_none(counts)
    assert low < 3.75 < high
    assert compute_mean_of_counted_values_or_none(Counter()) is None


@pytest.mark.parametrize("counts", [Counter(), Counter({3: 1}), Counter({-1: 20})])
def test_games_that_show_no_spread_give_no_interval(counts: Counter[int]) -> None:
    """An interval without width would claim that no other value can happen."""
    assert compute_95_percent_mean_interval_or_none(counts) is None


# -- who won --------------------------------------------------------------------------------------------------------


def tally_of(game: Game, endings: Sequence[int], returns: Sequence[Sequence[int]]) -> Tally:
    """The tally of games with these endings and returns. Seat 0 began each."""
    zeros, none = np.zeros(len(endings), dtype=np.int64), np.zeros(game.ground, dtype=np.int64)
    return Tally.from_playout_results(
        game, PlayoutResults(np.array(endings), zeros, zeros, np.array(returns), zeros, none, none)
    )


def of_kinds(game: Game, *rows: tuple[str, tuple[int, ...]]) -> Tally:
    """The tally of games that ended by these kinds of endings, 0 for none, with these returns."""
    kinds = {"everybody" if end.shared else end.kind: end.number for end in game.endings}
    return tally_of(game, [kinds.get(kind, 0) for kind, _ in rows], [returns for _, returns in rows])


def ends(players: int, teams: Sequence[Sequence[int]] = ()) -> Game:
    """A game with an ending of each kind."""
    g = Game("ends", players=players, teams=teams)
    play = g.phase("play", 0)

    @g.action(play, "end {how}", how=5)
    def end(how: Local) -> None:
        with when(how == 0):
            win("a seat wins", winner=0)
        with when(how == 1):
            win("all win", winner=EVERYBODY)
        with when(how == 2):
            lose("all lose")
        with when(how == 3):
            tie("nobody wins")
        with when(how == 4):
            score("counted")

    g.start(play)
    g.returns(*[0] * players)
    return g.seal()


def test_a_win_of_everybody_is_a_win_of_each_seat() -> None:
    """1,277 of 20,000 games of the prisoners were won, and the report said: 0 wins."""
    result = simulate(Variant("prisoners"), 400, seed=1)
    won = sum(n for end, n in result.tally.endings.items() if result.variant.game.endings[end - 1].kind == "win")
    assert 0 < won < 400
    assert result.tally.wins == [won] * 4
    assert result.tally.ties == 0, "a loss of all is no tie"
    facts = as_json(result)
    assert [row["win_rate"] for row in facts["seats"]] == [won / 400] * 4
    assert facts["draws"] == 0
    assert facts["first_player"] is None, "nobody plays against whoever begins"


def test_each_kind_of_ending_has_its_winners() -> None:
    rows = [
        ("win", (1, -1, -1)),
        ("everybody", (1, 1, 1)),
        ("loss", (-1, -1, -1)),
        ("draw", (0, 0, 0)),
        ("scores", (3, 9, 2)),
        ("scores", (4, 4, 0)),
        ("none", (7, 0, 0)),
    ]
    tally = of_kinds(ends(3), *rows)
    assert tally.wins == [2, 2, 1]
    assert tally.ties == 2
    assert tally.began_and_won == 2
    two = of_kinds(ends(2), *((kind, returns[:2]) for kind, returns in rows))
    assert (two.wins, two.ties, two.began_and_won) == ([2, 2], 2, 2)


def test_a_team_wins_with_each_of_its_seats() -> None:
    game = ends(4, teams=[(0, 2), (1, 3)])
    tally = of_kinds(
        game,
        ("win", (1, -1, 1, -1)),
        ("win", (-1, 1, -1, 1)),
        ("scores", (5, 3, 4, 2)),
        ("scores", (5, 3, 1, 3)),
        ("scores", (5, 5, 5, 5)),
    )
    assert tally.wins == [3, 1, 2, 1]
    assert tally.ties == 1
    together = of_kinds(ends(2, teams=[(0, 1)]), ("win", (1, 1)), ("loss", (-1, -1)), ("scores", (7, 2)))
    assert (together.wins, together.ties) == ([1, 1], 0)


def test_a_player_alone_may_tie() -> None:
    result = simulate(Variant("blackjack"), 400, seed=1)
    tied = sum(n for end, n in result.tally.endings.items() if result.variant.game.endings[end - 1].kind == "draw")
    assert 0 < tied == result.tally.ties


def test_the_winners_are_those_of_the_claims() -> None:
    """`simulate` and a claim about `{outcome: win, seat: N}` speak of the same games."""
    for name in ("opale", "three_suits", "prisoners", "pig"):
        variant = Variant(name)
        targets = TargetReader(variant.game)
        wins = [
            targets.read_single_target_of_spec({"outcome": "win", "seat": seat}).condition
            for seat in range(variant.game.players)
        ]
        for index in range(6):
            match = replay(variant, ["random"], 5, index)
            tally = tally_of(variant.game, [match.state[1]], [match.returns()])
            assert tally.wins == [variant.play.value(term, match.state) for term in wins], (name, index)


def test_a_run_without_a_finished_game_has_no_means() -> None:
    variant = Variant("tic_tac_toe")
    result = SimulationResult(variant, ("random", "random"), 0, Tally(2, variant.game.ground), 0.0, "compiled", asked=5)
    facts = as_json(result)
    assert (facts["decisions_per_game"], facts["seats"][0]["win_rate"], facts["seats"][0]["score_mean"]) == (None,) * 3
    assert facts["seats"][0]["interval"] == [0.0, 1.0]
    printed = io.StringIO()
    Console(width=100, file=printed).print(render_simulation_tables(result))
    assert "no game was finished" in printed.getvalue()


FOR_A_SCORE = """from playproof import Game, Options, score

def build(options: Options) -> Game:
    g = Game("for_a_score", players=1)
    s = g.state
    g.integer("gold", 0, 3)
    play = g.phase("play", 0)

    @g.action(play, "take {n}", n=4)
    def take(n) -> None:
        s.gold = n
        score("taken")

    g.returns(s.gold)
    return g
"""


def test_who_plays_for_a_score_neither_wins_nor_loses(tmp_path: Path) -> None:
    """A player with a score of 2 was said to have won 0 of 20 games, and claims call it a win."""
    (tmp_path / "rules.py").write_text(FOR_A_SCORE, encoding="utf-8")
    printed = io.StringIO()
    Console(width=100, file=printed).print(render_simulation_tables(simulate(Variant(str(tmp_path)), 20, seed=1)))
    assert "mean return" in printed.getvalue()
    assert "win" not in printed.getvalue()


def test_a_game_where_nobody_can_act_is_counted_as_such(tiny: Tiny) -> None:
    variant = tiny("leaky")
    result = simulate(variant, 20, seed=1)
    assert as_json(result)["endings"] == {"guessed": 20}
    assert NOBODY not in as_json(result)["endings"]
    stuck = Tally(1, variant.game.ground, games=1, endings=Counter({0: 1}))
    result.tally.add_in_place(stuck)
    assert as_json(result)["endings"][NOBODY] == 1


@pytest.mark.parametrize("bots", [["random"] * 3, ["nobody"], []])
def test_wrong_bots_are_refused(bots: list[str]) -> None:
    with pytest.raises(BotError):
        simulate(Variant("tic_tac_toe"), 5, bots)


def test_random_players_are_fair() -> None:
    counts = Counter(Stream(seed).below(3) for seed in range(3000))
    assert all(900 < counts[side] < 1100 for side in range(3))


# -- who began, what was never done -----------------------------------------------------------------------------


def test_who_really_began_is_counted() -> None:
    """Opale draws who begins: both do about as often, in compiled code as step by step."""
    variant = Variant("opale")
    batch = Batch(variant, ("random", "random"), seed=1, first=0, count=6)
    engine = Engine(variant.game)
    compiled, stepwise = play_checked_batch_compiled_until_stopped(batch, engine), play_batch_stepwise(batch, engine)
    assert compiled.began == stepwise.began
    assert compiled.began_and_won == stepwise.began_and_won
    assert min(compiled.began) > 0
    assert sum(compiled.began) == 6


def test_the_json_lists_what_was_never_done() -> None:
    """Olith has hundreds of actions; here only one was ever taken."""
    variant = Variant("olith", {"players": "2"})
    tally = Tally(2, variant.game.ground, games=1)
    tally.taken[-1] = 1
    rows = as_json(SimulationResult(variant, ("random", "random"), 0, tally, 0.0, "compiled", asked=1))["actions"]
    players = [
        i
        for i in range(variant.game.ground)
        if any(not variant.game.phases[p].chance for p in variant.game.get_action_of_ground_action_number(i).phases)
    ]
    assert len(rows) == len(players) > 200
    assert [row["taken"] for row in rows[:2]] == [1, 0]
    assert rows[-1]["worth"] is None


# -- Ctrl-C -----------------------------------------------------------------------------------------------------


class Interrupting:
    """A progress callback that stands for somebody who presses Ctrl-C after some games."""

    def __init__(self, after: int) -> None:
        self.after = after

    def __call__(self, done: int, of: int) -> None:
        if done >= self.after:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("bot", "jobs"), [("random", 2), ("mcts:5", 1), ("mcts:5", 2)])
def test_an_interrupted_run_keeps_what_is_done(bot: str, jobs: int) -> None:
    """On threads, in one process and in several; what is kept are the first games of the run."""
    variant, games = Variant("tic_tac_toe"), 12_000 if bot == "random" else 60
    result = simulate(variant, games, [bot], seed=3, jobs=jobs, progress=Interrupting(1))
    facts = as_json(result)
    assert 0 < facts["games"] < facts["asked"] == games
    assert facts["interrupted"]
    assert sum(facts["endings"].values()) == facts["games"]
    first = play_batch_stepwise(Batch(variant, (bot, bot), 3, 0, facts["games"]), Engine(variant.game))
    assert same(result.tally, first)


def test_a_checked_run_that_is_interrupted_says_so() -> None:
    """It said that all was kept in every game that was asked for, with exit status 0."""
    result = simulate(Variant("kuhn_poker"), 12_000, seed=3, jobs=2, watch=True, progress=Interrupting(1))
    facts = as_json(result)
    assert facts["check"]["ok"]
    assert 0 < facts["games"] < 12_000
    assert facts["interrupted"]


SIMULATE = [sys.executable, "-m", "playproof.cli.main", "simulate"]
LONG_RUN = [*SIMULATE, "kuhn_poker", "--games", "1000000", "--bot", "mcts:20", "--jobs", "2"]


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is sent otherwise there")
def test_ctrl_c_prints_what_is_done(tmp_path: Path) -> None:
    """The whole command: interrupted while bots think in other processes, it prints its JSON and no traceback."""
    out, err = tmp_path / "out", tmp_path / "err"
    with out.open("w") as to, err.open("w") as errors:
        # A job in the background of a shell ignores Ctrl-C, and so would what it starts.
        hears = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
        run = subprocess.Popen(
            [*LONG_RUN, "--json"], stdout=to, stderr=errors, start_new_session=True, preexec_fn=hears
        )
        try:
            time.sleep(6)  # long enough to begin; how many games that is does not matter
            os.killpg(run.pid, signal.SIGINT)
            assert run.wait(60) == 130
        finally:
            with suppress(ProcessLookupError):
                os.killpg(run.pid, signal.SIGKILL)
    assert "Traceback" not in err.read_text()
    facts = json.loads(out.read_text())
    assert facts["interrupted"]
    assert facts.get("games", 0) < 1_000_000  # no number on a busy machine: interrupted before the first game


def alive(group: int) -> list[str]:
    """The processes of a group that have not ended, from /proc."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it ended meanwhile
            _, rest = stat.read_text().rsplit(") ", 1)
            state, _, own, *_ = rest.split()
            if int(own) == group and state != "Z":
                found.append(stat.parent.name)
    return found


def waited_for(what: Callable[[], bool]) -> bool:
    """Whether it happens within a minute."""
    return any(what() or time.sleep(0.2) for _ in range(300))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_a_run_that_is_killed_leaves_no_worker() -> None:
    run = subprocess.Popen(LONG_RUN, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        assert waited_for(lambda: len(alive(run.pid)) > 2), "two workers, and Python's own helper"
        run.terminate()
        run.wait(60)
        assert waited_for(lambda: not alive(run.pid))
    finally:
        with suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)


def test_cards_that_were_given_are_played_and_do_not_travel() -> None:
    """Two versions of the cards under one name: the second is not played as the first, nor read anew elsewhere."""
    greedy = [
        Variant.from_loaded_cards("eila", load_cards_if_rules_need_them("eila", version), {"chapter": "0"})
        for version in (True, "1.4")
    ]
    wins = [play_batch_with_cached_engine(Batch(variant, ("greedy",), 1, 0, 200)).wins[0] for variant in greedy]
    assert wins[0] == 200
    assert wins[1] < 180
    with pytest.raises(TypeError, match="do not travel"):
        pickle.dumps(greedy[1])
