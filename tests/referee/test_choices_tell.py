"""What a seat may choose is part of what it knows: in its information, its beliefs, its bots and OpenSpiel's states."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playproof.language import CHANCE, Game, Local, Move, Sees, goto, require, win
from playproof.language.game_analysis import RevealingPhases, find_requirements_reading_hidden_cells
from playproof.language.options import Options
from playproof.language.random import Stream
from playproof.language.registry import build, list_bundled_game_names, list_example_game_names
from playproof.referee import Match, Variant
from playproof.referee.batches import Batch, play_batch_stepwise
from playproof.referee.belief import Belief, make_step_seen_by_seat
from playproof.referee.bots import Sight
from playproof.referee.bots.tree_search import compute_advice_from_several_searches
from playproof.referee.engine import Engine
from playproof.referee.histories import Histories, _get_cached_replay_rules
from playproof.referee.observations import get_cached_observation_model
from playproof.referee.text_table import NumberedChoice, iter_choices_grouped_by_shared_words
from playproof.referee.worlds import make_possible_worlds_for_seat

Tiny = Callable[..., Variant]


def test_the_choices_of_a_seat_leave_only_worlds_in_which_it_has_them(tiny: Tiny) -> None:
    match = Match(tiny("groping")).apply_all(["mark 2"])
    witness = get_cached_observation_model(match.game)
    belief = Belief(witness, match.states[0], 1)
    belief.update_to_match_as_seen_by_seat(match.states, match.actions)
    assert set(belief.weights) == {tuple(match.state)}
    worlds = make_possible_worlds_for_seat(match.play, match.states, match.actions, 1)
    assert worlds.exact
    assert worlds.draw(Stream(1)) == match.state
    match.apply("mark 0")
    belief = Belief(witness, match.states[0], 0)
    belief.update_to_match_as_seen_by_seat(match.states, match.actions)
    assert set(belief.weights) == {tuple(match.state)}  # and so they stay known


@pytest.mark.parametrize("machine", ["0", "1"])
def test_histories_keep_the_choices(tiny: Tiny, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", machine)
    _get_cached_replay_rules.cache_clear()
    match = Match(tiny("groping")).apply_all(["mark 2", "mark 0", "mark 4"])
    witness = get_cached_observation_model(match.game)
    histories = Histories(witness, match.states[0], 1)
    histories.update_to_seen_steps(
        [make_step_seen_by_seat(witness, *step, 1) for step in zip(match.states, match.actions, strict=False)]
    )
    assert set(histories.worlds) == {tuple(match.state)}
    histories.update_to_seen_steps(histories.seen[:1])
    assert set(histories.worlds) == {tuple(match.states[1])}
    _get_cached_replay_rules.cache_clear()


@pytest.mark.parametrize("bots", [("mcts:30", "random"), ("greedy", "mcts:30")])
def test_bots_choose_what_is_legal(tiny: Tiny, bots: tuple[str, str]) -> None:
    """A search blamed itself for choosing what was legal in a world that it imagined."""
    variant = tiny("groping")
    tally = play_batch_stepwise(Batch(variant, bots, 0, 0, 6), Engine(variant.game))
    assert tally.games == 6
    assert tally.flawed is None


def test_a_hint_names_a_choice_that_is_there(tiny: Tiny) -> None:
    match = Match(tiny("groping")).apply_all(["mark 2", "mark 1"])
    sight = Sight.of(Engine(match.game), match.states, match.actions, match.actor)
    advice = compute_advice_from_several_searches(sight, Stream(0), iterations=200, searches=2)
    assert advice.best.ident in sight.legal


def test_openspiels_information_states_have_one_set_of_legal_actions(tiny: Tiny) -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")
    from playproof.referee import openspiel

    game = pyspiel.load_game(openspiel.register(tiny("groping")))
    legal: dict[str, list[int]] = {}

    def walk(state: object, depth: int) -> None:
        if state.is_terminal() or not depth:  # type: ignore[attr-defined]  # pyspiel has no types
            return
        told = state.information_state_string()  # type: ignore[attr-defined]
        actions = state.legal_actions()  # type: ignore[attr-defined]
        assert legal.setdefault(told, actions) == actions
        for action in actions:
            walk(state.child(action), depth - 1)  # type: ignore[attr-defined]

    walk(game.new_initial_state(), 4)
    assert len(legal) > 30


def hidden_turn() -> Game:
    """A game in which a hidden field says who acts."""
    g = Game("hidden_turn", players=2)
    g.integer("who", 0, 1, sees=Sees.NOBODY)
    toss, act = g.phase("toss", CHANCE), g.phase("act", g.state.who)

    @g.action(toss, "{side}", side=2)
    def tossing(side: Local) -> None:
        g.state.who = side
        goto(act)

    @g.action(act, "go on")
    def going() -> None:
        require(g.state.who == g.state.who, "H1", "always")
        win("it is over", winner=0)

    return g.seal()


def test_whose_turn_it_is_tells_what_it_depends_on() -> None:
    game = hidden_turn()
    assert RevealingPhases.from_game(game).actors == {1}
    witness = get_cached_observation_model(game)
    start = [0, 0, 0]
    for side in (0, 1):
        states = [start, witness.list_states_after_action_and_auto_phases(start, side)[-1]]
        belief = Belief(witness, start, 0)
        belief.update_to_match_as_seen_by_seat(states, [side])
        assert set(belief.weights) == {tuple(states[1])}


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_no_requirement_of_our_games_reads_what_its_actor_does_not_see(name: str) -> None:
    game = build(name, Options())
    assert find_requirements_reading_hidden_cells(game) == []
    assert RevealingPhases.from_game(game) == RevealingPhases(frozenset(), frozenset())


def test_a_name_with_a_vowel_has_its_article_where_people_read_it() -> None:
    """Opale's rules write "a" before each spot: "lay a Octopus Hunter". What is recorded keeps the rules' words."""
    match = Match(Variant("opale"), 3)
    text = next(text for text in match.game.idents_by_text if text.startswith("lay a Octopus Hunter"))
    [ident] = match.game.idents_by_text[text]
    [group] = iter_choices_grouped_by_shared_words(match.game, [NumberedChoice(1, Move(ident, text, 1))])
    assert group.own[0].startswith("lay an Octopus Hunter")
    assert (
        match.lexicon.list_action_ids_of_exact_wording(group.own[0])
        == match.lexicon.list_action_ids_of_exact_wording(text)
        == [ident]
    )
