"""What the referee promises holds for every game in rules/ and examples/, a new one the moment it is there."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from playproof.language import CHANCE, Game
from playproof.language.random import Stream
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.referee import Match, Variant
from playproof.referee.bots import make_bot, make_sight_that_bot_asks_for
from playproof.referee.engine import Engine
from playproof.referee.notation import ActionLexicon
from playproof.referee.recorded_games import replay_transcript_or_add_findings as judged
from playproof.referee.simulate import replay
from playproof.referee.text_table import render_table_seen_by_seat
from playproof.referee.transcript import parse_transcript_text_or_raise, write
from playproof.referee.view import (
    DisplayFacts,
    View,
    format_table_as_lines,
    has_fields_hidden_from_any_seat,
    list_fields_drawn_on_table,
)
from playproof.referee.worlds import draw_indistinguishable_state_or_raise
from tests.look_alikes import list_observable_differences_of_states

# Besides its defaults, what else of a game should have a golden playthrough.
MORE: dict[str, list[dict[str, str]]] = {
    "eila": [{"chapter": "1"}],
    "opale": [{"foreshadowing": "yes", "seashells": "yes"}],
    "olith": [{"players": "3"}, {"players": "4"}],
}
KNOWN = [*list_bundled_game_names(), *list_example_game_names()]
VARIANTS = [(name, options) for name in KNOWN for options in [{}, *MORE.get(name, [])]]
_STEPS = 120


@cache
def variant_of(name: str, chosen: tuple[tuple[str, str], ...] = ()) -> Variant:
    return Variant(name, dict(chosen))


@cache
def lexicon_of(name: str, chosen: tuple[tuple[str, str], ...] = ()) -> ActionLexicon:
    return ActionLexicon(variant_of(name, chosen).game)


def name_of(name: str, options: dict[str, str]) -> str:
    return "-".join([name, *(f"{key}-{value}" for key, value in options.items())])


@cache
def history(name: str) -> Match:
    """The first steps of a random game, taken in the interpreter."""
    variant = variant_of(name)
    engine, stream = Engine(variant.game), Stream(1)
    match = Match(variant, 1, lexicon=lexicon_of(name))
    while not match.over and len(match.steps) < _STEPS:
        legal, weights = engine.list_legal_actions_and_weights(match.state)
        if not legal:
            break
        match.apply(legal[stream.draw_weighted_index(weights) if match.actor == CHANCE else stream.below(len(legal))])
    return match


@pytest.mark.parametrize("name", KNOWN)
def test_what_it_says_of_itself_is_so(name: str) -> None:
    """Facts that the referee reads name things that exist and have the right size."""
    game = variant_of(name).game
    facts = game.facts
    assert len(facts.get("seats", range(game.players))) == game.players
    assert facts.get("round") is None or facts["round"] in game.quantities
    fields = {field.name for field in game.fields}
    for field in fields & set(facts.get("names", {})):  # a field of another variant may be named too
        made = game.get_field(field)
        given = facts["names"][field]
        if all(isinstance(word, str) for word in given):
            assert len(given) == made.shape[-1]
        else:
            assert [len(words) for words in given if words] == [
                size for size, words in zip(made.shape, given, strict=True) if words
            ]
    assert set(facts.get("grid", ())) <= fields
    look = DisplayFacts.from_game(game)
    for sized in fields & set(look.sizes):
        assert look.sizes[sized] in fields
    assert set(look.only.values()) <= set(game.quantities)
    for field in fields & {*look.each, *look.common, *look.totals, *look.beside, *look.beside.values()}:
        assert game.get_field(field).shape
    for board in look.boards:
        places = range(len(board["places"]))
        assert sorted(n for row in board["cells"] for there in row for n in there) == [*places]
        assert "while" not in board or board["while"][0] in fields
        for mark in board["marks"]:
            check_mark(game, mark, places)
    for quantity in facts.get("show", ()):
        assert quantity in game.quantities
    assert list_fields_drawn_on_table(game)


def check_mark(game: Game, mark: Mapping[str, Any], places: range) -> None:
    """What a mark says of a field, or of one thing's place, fits their sizes."""
    if "by" in mark:
        found = [mark["at"]]
        for name in mark["by"]:
            made = game.get_field(name)
            assert all(len(row) == made.hi - made.lo + 1 for row in found)
            found = [inner for row in found for inner in row]
        assert set(found) <= {None, *places}
        return
    made = game.get_field(mark["field"])
    cells = mark.get("cells", [[n] for n in places])
    assert len(cells) == len(places)
    assert all(0 <= n < made.size for own in cells for n in own)
    assert "cells" in mark or made.size == len(places)
    assert len(mark["names"]) == made.size if "names" in mark else len(mark["words"]) == made.hi - made.lo + 1


@pytest.mark.parametrize("name", KNOWN)
def test_every_legal_action_can_be_named_and_read_back(name: str) -> None:
    match = history(name)
    for state, step in zip(match.states[::7], match.steps[::7], strict=False):
        legal = match.play.legal(state)
        assert step.ident in legal or step is not match.steps[0]
        for ident in legal:
            found = match.lexicon.list_action_ids_of_exact_wording(
                match.lexicon.format_action_numbered_if_ambiguous(ident, legal)
            )
            assert [i for i in found if i in legal] == [ident]


@pytest.mark.parametrize("name", KNOWN)
def test_a_transcript_is_accepted_as_it_was_played(name: str) -> None:
    match = history(name)
    findings: list[object] = []
    again = judged(parse_transcript_text_or_raise(write(match)), findings)  # type: ignore[arg-type]
    assert findings == []
    assert again is not None
    assert again.state == match.state


@pytest.mark.parametrize("name", KNOWN)
def test_the_table_can_be_drawn_and_hides_what_is_hidden(name: str) -> None:
    match = history(name)
    for state in match.states[::20]:
        for seat in (None, *range(match.game.players)):
            render_table_seen_by_seat(match.play, state, seat, match.variant.title)
            assert format_table_as_lines(match.play, state, seat)
    for seat in range(match.game.players):
        hidden = [cell for cell, value in enumerate(View.of(match.game, match.state, seat).cells) if value is None]
        other = list(match.state)
        for cell in hidden:
            field = next(f for f in match.game.fields if f.offset <= cell < f.offset + f.size)
            other[cell] = field.lo if other[cell] != field.lo else field.hi
        assert format_table_as_lines(match.play, other, seat) == format_table_as_lines(match.play, match.state, seat)


@pytest.mark.parametrize("name", KNOWN)
def test_no_secret_leaks_into_views_or_legal_actions(name: str) -> None:
    """Worlds that look alike to a seat, at several moments: the same view, the same actor, the same legal actions."""
    match, tried = history(name), 0
    for length in range(1, len(match.states), 1 + len(match.states) // 12):
        for seat in range(match.game.players):
            for n in range(3):
                world = draw_indistinguishable_state_or_raise(
                    match.play, match.states[:length], match.actions[: length - 1], seat, Stream(n)
                )
                assert list_observable_differences_of_states(match.play, match.states[length - 1], world, seat) == []
                tried += world != match.states[length - 1]
    assert (tried > 0) == has_fields_hidden_from_any_seat(match.game)


SECRETIVE = [name for name in KNOWN if has_fields_hidden_from_any_seat(variant_of(name).game)]


@pytest.mark.parametrize("bot", ["greedy", "mcts:12"])
@pytest.mark.parametrize("name", SECRETIVE)
def test_no_bot_peeks(name: str, bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hidden cards truly are changes nothing in what a bot chooses: with the same chance it chooses alike."""
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")
    match, mind, compared = history(name), make_bot(bot), 0
    engine = Engine(match.game)
    for length in range(1, len(match.states)):
        states, actions = match.states[:length], match.actions[: length - 1]
        seat = match.play.actor(states[-1])
        if seat == CHANCE or len(engine.legal(states[-1])) < 2 or compared == 3:
            continue
        world = draw_indistinguishable_state_or_raise(match.play, states, actions, seat, Stream(length))
        if world == states[-1]:
            continue
        chosen = mind.choose(make_sight_that_bot_asks_for(mind, engine, states, actions, seat), Stream(7))
        other = make_sight_that_bot_asks_for(mind, engine, [*states[:-1], world], actions, seat)
        assert mind.choose(other, Stream(7)) == chosen
        compared += 1
    assert compared > 0


@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=[name_of(*v) for v in VARIANTS])
def test_the_golden_playthrough(name: str, options: dict[str, str], golden: Callable[[str, str], None]) -> None:
    """Game 0 of seed 0 between random players, as a transcript; without the digest, which every new card changes."""
    chosen = tuple(options.items())
    text = write(replay(variant_of(name, chosen), ["random"], 0, 0))
    lines = [line for line in text.splitlines() if not line.startswith("description:")]
    golden(f"{name_of(name, options)}.txt", "\n".join(lines) + "\n")
