"""Recorded games with one wrong move, as files: the command names it at file, line and column with its rule.

Each is a game between random players up to a moment in which only this rule stands against the move.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from playproof.language import CHANCE
from playproof.language.random import Stream, make_game_seed
from playproof.referee import Variant
from playproof.referee.engine import Engine
from playproof.referee.notation import ActionLexicon, get_declared_round_number_or_none, seat_name

Call = Callable[..., Any]
WRONG = [
    ("into a locked region", "olith", "to blue 2a", "R63: the region is locked"),
    ("an attack in Port", "olith", "attack Port", "R40: no combat takes place in Port"),
    ("excavating twice", "olith", "excavate blue 1c", "R45: the site is not blank: it was excavated before"),
    ("corrupting too early", "olith", "corrupt blue 1c", "R78: the Fate Wheel has not reached Corruption"),
    ("mana that one has not", "olith", "pay 1 wisdom", "R42: you have none of it"),
    ("a shop card that is too dear", "olith", "buy shop card 2", "R42: it costs 2 Wisdom, you have 1"),
    (
        "unlocking with mana of another kind",
        "olith",
        "unlock the next yellow region with 0 Wisdom",
        "R60: a yellow region is paid in Wisdom",
    ),
    ("an artifact that does not match", "olith", "play Cracked Idol", "R39: its symbols do not match the Action Card"),
    ("an artifact that is not in hand", "olith", "play Cracked Idol", "R39: the card is not in your hand"),
    (
        "a token on another's",
        "olith",
        "place a Victory Token on blue 1b",
        "R32: another player's Victory Token lies there",
    ),
    (
        "a token on another's in a Victory Turn",
        "olith",
        "exhaust the unit on red 2a for a Victory Token",
        "R32: another player's Victory Token lies there",
    ),
    ("a card of an empty Deck", "eurydice", "remove the top card of the Deck", "R30: the Deck is empty"),
    ("more cards than the Deck holds", "eurydice", "exchange 3 cards", "R13: the Deck holds "),
]
SEEDS = 400


@cache
def engine_of(game: str) -> tuple[Variant, Engine, ActionLexicon]:
    variant = Variant(game)
    return variant, Engine(variant.game), ActionLexicon(variant.game)


def games(game: str) -> Iterator[Iterator[tuple[list[int], list[int]]]]:
    """The moments of random games: a state, and all actions until then."""
    _, engine, _ = engine_of(game)

    def moments(stream: Stream) -> Iterator[tuple[list[int], list[int]]]:
        state, actions = engine.start(), list[int]()
        while not state[1]:
            yield state, actions
            legal, weights = engine.list_legal_actions_and_weights(state)
            chance = engine.actor(state) == CHANCE
            actions.append(legal[stream.draw_weighted_index(weights) if chance else stream.below(len(legal))])
            state = engine.apply(state, actions[-1])

    for seed in range(SEEDS):
        yield moments(Stream(make_game_seed(5, seed)))


def lines_until(game: str, words: str, reason: str) -> list[str]:
    """The action lines of the first random game that comes where exactly this reason stands against the move."""
    variant, engine, lexicon = engine_of(game)
    (wrong,) = lexicon.list_action_ids_of_exact_wording(words)
    phases = variant.game.get_action_of_ground_action_number(wrong).phases
    for moments in games(game):
        for state, actions in moments:
            if state[0] not in phases or wrong in engine.legal(state):
                continue
            broken = variant.play.why_not(state, wrong)
            if len(broken) == 1 and str(broken[0]).startswith(reason):
                return written(game, actions)
    raise AssertionError(f"{words} was never refused by `{reason}` alone")


def written(game: str, actions: list[int]) -> list[str]:
    """Actions as the lines of a transcript."""
    variant, engine, _ = engine_of(game)
    lines, state = [], engine.start()
    for number, ident in enumerate(actions, 1):
        actor = seat_name(variant.game, engine.actor(state))
        lines.append(
            f"{number:4}  {get_declared_round_number_or_none(variant.play, state)}/{actor}: {variant.game.show(ident)}"
        )
        state = engine.apply(state, ident)
    return lines


@pytest.mark.parametrize(("what", "game", "words", "reason"), WRONG, ids=[w[0].replace(" ", "-") for w in WRONG])
def test_the_first_wrong_move_is_named(
    playproof: Call, tmp_path: Path, what: str, game: str, words: str, reason: str
) -> None:
    lines = lines_until(game, words, reason)
    head = ["playproof transcript 1", f"game: {game}", ""]
    file = tmp_path / "game.txt"
    file.write_text("\n".join([*head, *lines, f"  {words}", "  more of this"]) + "\n", encoding="utf-8")
    answer = playproof("log", "judge", file)
    assert answer.status == 1, what
    line = len(head) + len(lines) + 1
    assert answer.err == ""
    assert answer.out.startswith(f"{file}:{line}:3: PP602 move {len(lines) + 1} by ")
    assert f"not legal: {words}; {reason}" in answer.out
    assert len(answer.out.splitlines()) == 1, "only the first wrong move counts"


def test_without_the_wrong_move_the_game_is_accepted(playproof: Call, tmp_path: Path) -> None:
    lines = lines_until("olith", "to blue 2a", "R63")
    file = tmp_path / "game.txt"
    file.write_text("\n".join(["playproof transcript 1", "game: olith", *lines]) + "\n", encoding="utf-8")
    answer = playproof("log", "judge", file, "--check", "--json")
    assert answer.status == 0
    assert json.loads(answer.out) == {"ok": True, "findings": []}


def test_an_unfinished_game_is_said_to_be(playproof: Call, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("playproof transcript 1\ngame: tic_tac_toe\n\nmark 4\n", encoding="utf-8")
    answer = playproof("log", "judge", file)
    assert (answer.status, answer.out) == (0, f"accepted: {file} (unfinished: player 2 to act)\n")


def test_another_games_file_is_not_taken_up(playproof: Call, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("playproof transcript 1\ngame: tic_tac_toe\n\nmark 4\n", encoding="utf-8")
    answer = playproof("play", "nim", "--load", file)
    assert answer.status == 2
    assert "is a game of tic_tac_toe, not of nim" in answer.err
    assert playproof("play", "tic_tac_toe", "--load", file).status == 0
