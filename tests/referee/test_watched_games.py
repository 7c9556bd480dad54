"""Games with all that must hold asked after every step: planted mistakes are caught, sound games are kept."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from playproof.language import Game, sum_of
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.language.watched_source import get_declared_invariants, list_names_of_checked_conditions
from playproof.referee import Variant
from playproof.referee.batches import (
    Batch,
    ReadingsDiffer,
    play_batch_stepwise,
    play_checked_batch_compiled_until_stopped,
)
from playproof.referee.engine import WatchedEngine
from playproof.referee.recorded_games import judge, list_names_of_invariants_failing_now
from playproof.referee.simulate import find_sampled_game_out_of_bounds_or_none, simulate
from playproof.referee.watched_games import replay_game_to_its_violation_or_raise

Tiny = Callable[..., Variant]
MORE: dict[str, list[dict[str, str]]] = {
    "eila": [{"chapter": "1"}],
    "opale": [{"foreshadowing": "yes", "seashells": "yes"}],
    "olith": [{"players": "3"}, {"players": "4"}],
}
VARIANTS = [
    (name, options)
    for name in [*list_bundled_game_names(), *list_example_game_names()]
    for options in [{}, *MORE.get(name, [])]
]
GAMES = {"olith": 4, "eila": 20, "opale": 12}


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watched source as plain Python: the same questions, and nothing to compile."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


@cache
def variant_of(name: str, chosen: tuple[tuple[str, str], ...]) -> Variant:
    return Variant(name, dict(chosen))


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=["-".join([n, *o.values()]) for n, o in VARIANTS])
def test_every_game_keeps_what_must_hold(name: str, options: dict[str, str]) -> None:
    variant = variant_of(name, tuple(options.items()))
    result = simulate(variant, GAMES.get(name, 30), seed=3, jobs=1, watch=True)
    assert result.tally.flawed is None
    assert result.tally.games == GAMES.get(name, 30)
    if name in list_bundled_game_names():
        assert get_declared_invariants(variant.game), "a shipped game says what it keeps"


@pytest.mark.parametrize(
    ("fault", "name", "text"),
    [
        ("coin", "coins-conserved", "the invariant `coins-conserved` does not hold"),
        ("overflow", "bounds", "`coins`, place 0, holds 0..3, the rules give 4"),
        ("stuck", "dead end", "nobody can act in `choose`"),
    ],
)
def test_a_planted_mistake_is_caught_and_its_transcript_leads_to_it(
    tiny: Tiny, tmp_path: Path, fault: str, name: str, text: str
) -> None:
    result = simulate(tiny("purse", fault=fault), 500, seed=1, watch=True)
    assert result.tally.flawed is not None
    found = replay_game_to_its_violation_or_raise(result.variant, result.bots, 1, result.tally.flawed)
    assert (found.flaw.name, found.flaw.text) == (name, text)
    assert f"game {result.tally.flawed} of seed 1, after step {found.steps} (" in str(found)
    file = found.save_transcript(tmp_path)
    (finding,) = judge(file, check=True, game=result.variant.ref)
    assert finding.code == ("PP310" if fault == "overflow" else "PP610")
    assert f"move {found.steps}: " in finding.message
    last = len(file.read_text(encoding="utf-8").splitlines())
    assert (finding.where.file, finding.where.line) == (file, last)


def test_without_asking_a_legal_game_is_accepted(tiny: Tiny, tmp_path: Path) -> None:
    """The players kept the rules; that the rules do not keep their word is another question."""
    result = simulate(tiny("purse", fault="coin"), 500, seed=1, watch=True)
    file = replay_game_to_its_violation_or_raise(
        result.variant, result.bots, 1, result.tally.flawed or 0
    ).save_transcript(tmp_path)
    assert judge(file, game=result.variant.ref) == []


@pytest.mark.parametrize("bots", [["random"], ["greedy"], ["mcts:4"]])
def test_all_bots_can_be_watched(tiny: Tiny, bots: list[str]) -> None:
    result = simulate(tiny("purse", fault="coin"), 60, bots, seed=2, jobs=1, watch=True)
    assert result.tally.flawed is not None
    assert (
        replay_game_to_its_violation_or_raise(result.variant, bots, 2, result.tally.flawed).flaw.name
        == "coins-conserved"
    )
    assert simulate(tiny("purse"), 20, bots, seed=2, jobs=1, watch=True).tally.flawed is None


def test_the_first_game_is_named_however_the_run_is_cut(tiny: Tiny) -> None:
    variant = tiny("purse", fault="coin")
    engine = WatchedEngine(variant.game)
    batch = Batch(variant, ("random",), 1, 0, 500)
    first = play_checked_batch_compiled_until_stopped(batch, engine).flawed
    assert first is not None
    assert play_batch_stepwise(batch, engine).flawed == first
    assert play_checked_batch_compiled_until_stopped(Batch(variant, ("random",), 1, 0, first), engine).flawed is None
    assert play_checked_batch_compiled_until_stopped(Batch(variant, ("random",), 1, first, 1), engine).flawed == first
    assert simulate(variant, 3000, seed=1, jobs=2, watch=True).tally.flawed == first


def test_machine_code_asks_the_same(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    variant = tiny("purse", fault="overflow")
    slow = simulate(variant, 50, seed=4, jobs=1, watch=True).tally.flawed
    monkeypatch.setenv("PLAYPROOF_MACHINE", "1")
    assert simulate(variant, 50, seed=4, jobs=1, watch=True).tally.flawed == slow is not None


def test_watched_games_are_the_same_games(tiny: Tiny) -> None:
    one, two = (simulate(tiny("dice"), 50, seed=6, jobs=1, watch=watch).tally for watch in (True, False))
    assert (one.endings, one.returns, one.decisions) == (two.endings, two.returns, two.decisions)
    assert one.taken.tolist() == two.taken.tolist()


def test_a_wrong_start_is_found(tiny: Tiny) -> None:
    variant = tiny("purse")
    game: Game = variant.game
    game.fact(invariants={"no-coins": game.state.table == 0})
    found = replay_game_to_its_violation_or_raise(variant, ["random"], 0, 0)
    assert (found.flaw.name, found.steps) == ("no-coins", 0)
    assert "at the start" in str(found)
    assert "no-coins" in list_names_of_checked_conditions(game)


def test_a_game_without_a_flaw_has_nothing_to_explain(tiny: Tiny) -> None:
    with pytest.raises(ReadingsDiffer, match="nothing is wrong"):
        replay_game_to_its_violation_or_raise(tiny("purse"), ["random"], 0, 0)


def test_the_interpreter_agrees_on_what_does_not_hold(tiny: Tiny) -> None:
    result = simulate(tiny("purse", fault="coin"), 500, seed=1, watch=True)
    found = replay_game_to_its_violation_or_raise(result.variant, result.bots, 1, result.tally.flawed or 0)
    assert list_names_of_invariants_failing_now(found.match) == ["coins-conserved"]
    found.match.undo()
    assert list_names_of_invariants_failing_now(found.match) == []
    coins = found.match.game.state.coins
    assert found.match.play.value(sum_of(2, lambda i: coins[i]), found.match.state) <= 3


def test_a_run_without_check_asks_the_bounds_of_a_sample(tiny: Tiny) -> None:
    """A purse that overflows in about one game of ten is met among the 64 that are sampled; a sound game is not."""
    assert find_sampled_game_out_of_bounds_or_none(tiny("purse").game, ["random"], 1, 3_000) is None
    variant = tiny("purse", fault="overflow")
    found = find_sampled_game_out_of_bounds_or_none(variant.game, ["random"], 1, 3_000)
    assert found is not None
    assert replay_game_to_its_violation_or_raise(variant, ["random"], 1, found).flaw.name == "bounds"
