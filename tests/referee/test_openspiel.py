"""The OpenSpiel adapter: its own random simulation test, and the values of its own games."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")

from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, minimax  # noqa: E402  # optional

from playproof.language.random import Stream  # noqa: E402  # after importorskip
from playproof.language.registry import list_bundled_game_names, list_example_game_names  # noqa: E402  # after importorskip
from playproof.referee import Variant, View, openspiel  # noqa: E402  # after importorskip
from playproof.referee.observations import (  # noqa: E402  # after importorskip
    collect_observations_of_seat_from_start,
    get_cached_observation_model,
)

Tiny = Callable[..., Variant]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_every_game_passes_openspiels_simulation(name: str) -> None:
    game = openspiel.load(name)
    pyspiel.random_sim_test(game, num_sims=1 if name in list_bundled_game_names() else 3, serialize=True, verbose=False)


@pytest.mark.parametrize("name", ["twins", "dice", "hands", "secret"])
def test_tiny_games_pass_it_too(tiny: Tiny, name: str) -> None:
    pyspiel.random_sim_test(
        pyspiel.load_game(openspiel.register(tiny(name))), num_sims=5, serialize=True, verbose=False
    )


def test_tic_tac_toe_has_openspiels_value() -> None:
    ours, _ = minimax.alpha_beta_search(openspiel.load("tic_tac_toe"))
    theirs, _ = minimax.alpha_beta_search(pyspiel.load_game("tic_tac_toe"))
    assert ours == theirs == 0.0


def solved(game: Any) -> tuple[float, float]:
    """Value to the first player and exploitability after 150 steps of CFR+."""
    solver = cfr.CFRPlusSolver(game)
    for _ in range(150):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    values = expected_game_score.policy_value(game.new_initial_state(), [average] * 2)
    return float(values[0]), float(exploitability.exploitability(game, average))


def test_kuhn_poker_has_openspiels_value() -> None:
    """-1/18 to the first player (Kuhn 1950)."""
    ours, exploitable = solved(openspiel.load("kuhn_poker"))
    theirs, _ = solved(pyspiel.load_game("kuhn_poker"))
    assert exploitable < 2e-3
    assert ours == pytest.approx(-1 / 18, abs=2e-3)
    assert ours == pytest.approx(theirs, abs=2e-3)


def test_kuhn_poker_has_twelve_information_states() -> None:
    game = openspiel.load("kuhn_poker")
    seen: set[str] = set()

    def walk(state: Any) -> None:
        if state.is_terminal():
            return
        if not state.is_chance_node():
            seen.add(state.information_state_string())
        for action in state.legal_actions():
            walk(state.child(action))

    walk(game.new_initial_state())
    assert len(seen) == 12


def test_zero_sum_is_told_only_where_it_shows(tiny: Tiny) -> None:
    assert openspiel.is_shown_to_be_zero_sum(Variant("tic_tac_toe").game)
    assert openspiel.is_shown_to_be_zero_sum(Variant("kuhn_poker").game)
    assert openspiel.is_shown_to_be_zero_sum(tiny("hands").game)
    assert not openspiel.is_shown_to_be_zero_sum(tiny("dice").game)


def test_resampling_keeps_the_information_state() -> None:
    state = openspiel.load("kuhn_poker").new_initial_state()
    for action in (0, 3):
        state.apply_action(action)
    others = [state.resample_from_infostate(0, lambda n=n: n / 20) for n in range(20)]
    assert len({str(other) for other in others}) == 2
    assert {other.information_state_string(0) for other in others} == {state.information_state_string(0)}
    assert len({other.information_state_string(1) for other in others}) == 2


def test_copies_share_the_past_and_go_their_own_ways() -> None:
    state = openspiel.load("kuhn_poker").new_initial_state()
    for action in (0, 3):
        state.apply_action(action)
    copy = state.clone()
    assert all(theirs is mine for theirs, mine in zip(copy.states, state.states, strict=True))
    copy.apply_action(copy.legal_actions()[0])
    assert (len(copy.states), len(state.states)) == (4, 3)
    assert (copy.taken[:2], len(state.taken)) == (state.taken, 2)


def test_words_are_total_and_tell_actions_apart(tiny: Tiny) -> None:
    state = pyspiel.load_game(openspiel.register(tiny("twins"))).new_initial_state()
    assert state.action_to_string(0, 0) == "take the path [#0]"
    assert state.action_to_string(0, 99) == "no action 99"


def walked(game: Any, seed: int, longest: int = 60) -> Any:
    """The states of a random game."""
    state, stream = game.new_initial_state(), Stream(seed)
    while True:
        yield state
        if state.is_terminal() or longest == 0:
            return
        legal = state.legal_actions()
        state = state.child(legal[stream.below(len(legal))])
        longest -= 1


@pytest.mark.parametrize(
    "name",
    ["kuhn_poker", "leduc_poker", "masked_guests", "prisoners", "three_suits", "tic_tac_toe", "parlour", "secret"],
)
def test_strings_and_tensors_tell_histories_apart_as_the_seat_does(tiny: Tiny, name: str) -> None:
    """Two histories have the same information string, and the same tensor, just where the seat observed the same; the
    same holds of observations and what the seat sees now."""
    known = name in list_example_game_names()
    game = openspiel.load(name) if known else pyspiel.load_game(openspiel.register(tiny(name)))
    recall: list[tuple[Any, ...]] = []
    for seed in range(6):
        for state in walked(game, seed):
            for seat in range(game.num_players()):
                told = collect_observations_of_seat_from_start(
                    get_cached_observation_model(state.shared.game), state.states, state.taken, seat
                )
                tensor = tuple(state.information_state_tensor(seat)) if known else None
                now = View.of(state.shared.game, state.states[-1], seat)
                recall.append(
                    (
                        seat,
                        told,
                        state.information_state_string(seat),
                        tensor,
                        now,
                        state.observation_string(seat),
                        tuple(state.observation_tensor(seat)),
                    )
                )
    for seat in range(game.num_players()):
        rows = [row for row in recall if row[0] == seat]
        strings = {(row[1], row[2]) for row in rows}
        assert len(strings) == len({a for a, _ in strings}) == len({b for _, b in strings}) > 4
        if known:
            tensors = {(row[1], row[3]) for row in rows}
            assert len(tensors) == len(strings) == len({b for _, b in tensors})
        views = {(row[4], row[5], row[6]) for row in rows}
        assert (
            len(views)
            == len({v for v, _, _ in views})
            == len({b for _, b, _ in views})
            == len({c for _, _, c in views})
        )


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "masked_guests", "three_suits"])
def test_a_history_resampled_has_the_same_information(name: str) -> None:
    met = 0
    for state in walked(openspiel.load(name), 4, 12):
        if state.is_terminal():
            break
        for seat in range(state.num_players()):
            for n in range(4):
                other = state.resample_from_infostate(seat, lambda n=n: (n + 0.5) / 4)
                assert other.information_state_string(seat) == state.information_state_string(seat)
                assert other.current_player() == state.current_player()
                if other.current_player() == seat:
                    assert other.legal_actions() == state.legal_actions()
                met += other.taken != state.taken
    assert met > 5


def test_other_kinds_of_observers_are_refused() -> None:
    kind = pyspiel.IIGObservationType(
        perfect_recall=True, public_info=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS
    )
    with pytest.raises(ValueError, match="observed by one player"):
        openspiel.load("kuhn_poker").make_py_observer(kind)


def test_no_zero_sum_where_all_win_together() -> None:
    assert not openspiel.is_shown_to_be_zero_sum(Variant("prisoners", {"players": "2"}).game)


@pytest.mark.parametrize("name", ["kuhn_poker", "tic_tac_toe", "pig"])
def test_a_state_serialises_and_pickles(name: str) -> None:
    game = openspiel.load(name)
    state = game.new_initial_state()
    for n in range(3):
        state.apply_action(state.legal_actions()[n % len(state.legal_actions())])
    for again in (
        game.deserialize_state(state.serialize()),
        pickle.loads(pickle.dumps(state)),
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1],
    ):
        assert str(again) == str(state)
        assert again.history() == state.history()
        assert again.information_state_string(0) == state.information_state_string(0)
        assert again.legal_actions() == state.legal_actions()


def test_a_text_that_is_no_state_is_refused() -> None:
    with pytest.raises(ValueError, match="no state of `kuhn_poker`"):
        openspiel.load("kuhn_poker").deserialize_state("{")
