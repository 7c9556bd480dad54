"""Greedy games: played again in Python they are the compiled ones, and they lead to the ending asked for."""

from __future__ import annotations

import pytest

from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search import guided_games
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.lines_of_play import replay_line_until_target_is_met


def case_of(name: str, **values: str) -> GameCase:
    """A case in plain Python."""
    return GameCase(name, values, machine=False)


@pytest.mark.parametrize(
    ("name", "values"),
    [("eila", {"chapter": "0"}), ("eila", {"chapter": "1"}), ("opale", {}), ("olith", {"players": "3"})],
)
def test_a_greedy_game_played_again_is_the_same_game(name: str, values: dict[str, str]) -> None:
    case = case_of(name, **values)
    batch = case.compiled.run_playouts(4, 5, policies=[guided_games.SEEING] * case.game.players)
    round_ = str(case.game.facts["round"])
    for game in range(4):
        line = guided_games.play_greedy_game_of_run(case, 5, game)
        assert line.ending == line.states[1, -1] == batch.endings[game]
        assert case.play.quantity(round_, line.states[:, -1].tolist()) == batch.rounds[game]
        assert len(line.idents) >= batch.decisions[game]


def test_it_leads_to_a_win_in_few_rounds() -> None:
    case = case_of("eila", chapter="0")
    target = TargetReader(case.game).read_single_target_of_spec({"outcome": "win"}, {"rounds": 4})
    line = guided_games.search_line_by_greedy_games_or_none(case, target, Budget(30))
    assert line is not None
    assert replay_line_until_target_is_met(case, line, target).hit == len(line)
    assert guided_games.search_line_by_greedy_games_or_none(case, target, Budget(0)) is None


def test_without_a_declared_worth_nothing_is_found() -> None:
    case = case_of("tic_tac_toe")
    case.game.facts.pop("evaluate", None)
    assert (
        guided_games.search_line_by_greedy_games_or_none(
            case, TargetReader(case.game).read_single_target_of_spec({"outcome": "win"}), Budget(5)
        )
        is None
    )
