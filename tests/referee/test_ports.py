"""Games of OpenSpiel, written anew in the rules language (`tests/ports`), and replayed step by step against
OpenSpiel's own: who acts, what is legal, what chance brings and how often, what each player knows, and the returns.

PLAYPROOF_PORT_GAMES sets how many random games of each are replayed.
"""

from __future__ import annotations

import os
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

import pytest

pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")

from playproof.language.compiled import Compiled  # noqa: E402  # after importorskip
from playproof.language.options import Options  # noqa: E402  # after importorskip
from playproof.linting.random_play import list_problems_found_by_random_play  # noqa: E402  # after importorskip
from playproof.referee.engine import Engine  # noqa: E402  # after importorskip
from playproof.referee.openspiel import make_unregistered_openspiel_game  # noqa: E402  # after importorskip

GAMES = int(os.environ.get("PLAYPROOF_PORT_GAMES", "8"))
PORTS = [
    "breakthrough",
    "clobber",
    "phantom_tic_tac_toe",
    "dots_and_boxes",
    "einstein_wuerfelt_nicht",
    "battleship",
    "small_hanabi",
    "checkers",
    "oshi_zumo",
    "breakthrough_on_eight",
    "clobber_on_thirty",
]
LONG = {"checkers", "breakthrough_on_eight", "clobber_on_thirty"}
RECALLED = {"phantom_tic_tac_toe", "battleship", "oshi_zumo"}
"""Those whose hidden information OpenSpiel tells as an information state; of Hanabi it tells what is seen now."""
Known = list[tuple[int, str, str]]


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_MACHINE", "0")


def legal_by_words(port: Any, ours: Any, theirs: Any) -> dict[str, tuple[int, int]]:
    """Return our number and theirs of each legal action; both have the same actions."""
    player, named = theirs.current_player(), dict[str, int]()
    for action in theirs.legal_actions():
        named[port.words(theirs.action_to_string(player, action))] = action
    mine = {ours.shared.game.show(ident): ident for ident in ours.legal_actions()}
    assert mine.keys() == named.keys(), str(theirs)
    assert len(mine) == len(ours.legal_actions()) == len(theirs.legal_actions())
    return {word: (ident, named[word]) for word, ident in mine.items()}


def replay(port: Any, ours: Any, theirs: Any, dice: Random, told: Any) -> Known:
    """Play one random game in both; return what the acting players know in each."""
    known: Known = []
    while not theirs.is_terminal():
        assert not ours.is_terminal(), str(theirs)
        assert ours.current_player() == theirs.current_player(), str(theirs)
        pairs = legal_by_words(port, ours, theirs)
        if theirs.is_chance_node():
            chances = dict(ours.chance_outcomes())
            for action, probability in theirs.chance_outcomes():
                (ident,) = [mine for mine, its in pairs.values() if its == action]
                assert chances[ident] == pytest.approx(probability)
        else:
            player = theirs.current_player()
            known.append((player, ours.information_state_string(player), told(theirs, player)))
        mine, its = pairs[dice.choice(sorted(pairs))]
        ours.apply_action(mine)
        theirs.apply_action(its)
    assert ours.is_terminal(), str(theirs)
    assert ours.returns() == theirs.returns(), str(theirs)
    return known


@pytest.mark.parametrize("name", PORTS)
def test_a_port_is_openspiels_game(name: str) -> None:
    port = import_module(f"tests.ports.{name}")
    ours, theirs = (
        make_unregistered_openspiel_game(Engine(port.build(Options()).seal())),
        pyspiel.load_game(port.THEIRS),
    )
    dice, known = Random(name), Known()
    is_recalled = name in RECALLED

    def told(state: Any, player: int) -> str:
        if is_recalled:
            return str(state.information_state_string(player))
        return str(state.observation_string(player) if name == "small_hanabi" else state)

    for _ in range(4 * GAMES if is_recalled else -(-GAMES // 4) if name in LONG else GAMES):
        known += replay(port, ours.new_initial_state(), theirs.new_initial_state(), dice, told)
    both = set(known)
    assert len({(player, mine) for player, mine, _ in both}) == len(both), "they tell apart what we do not"
    if is_recalled:
        assert len({(player, its) for player, _, its in both}) == len(both), "we tell apart what they do not"


@pytest.mark.parametrize("name", ["phantom_tic_tac_toe", "battleship", "small_hanabi", "oshi_zumo"])
def test_lint_has_nothing_to_say_of_a_port(name: str) -> None:
    game = import_module(f"tests.ports.{name}").build(Options()).seal()
    assert [finding.code for finding in list_problems_found_by_random_play(game)] == []


BOARDS = [
    "breakthrough",
    "breakthrough_on_eight",
    "clobber",
    "clobber_on_thirty",
    "dots_and_boxes",
    "einstein_wuerfelt_nicht",
    "checkers",
]


@pytest.mark.skipif(not find_spec("llvmlite"), reason="LLVM is not here")
@pytest.mark.parametrize("name", BOARDS)
def test_machine_code_of_a_board_has_openspiels_steps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its legal actions are sets of bits (`playproof.language.choice_sets`); so are those that it draws."""
    monkeypatch.delenv("PLAYPROOF_MACHINE")
    port, dice = import_module(f"tests.ports.{name}"), Random(name)
    game = port.build(Options()).seal()
    ours, played = Compiled(game, machine=True), pyspiel.load_game(port.THEIRS)
    for _ in range(-(-GAMES // 2)):
        state, theirs = ours.start(), played.new_initial_state()
        while not theirs.is_terminal():
            player = theirs.current_player()
            named = {port.words(theirs.action_to_string(player, a)): a for a in theirs.legal_actions()}
            mine = {game.show(ident): ident for ident in ours.legal(state)}
            assert mine.keys() == named.keys(), str(theirs)
            word = dice.choice(sorted(mine))
            ours.apply(state, mine[word])
            theirs.apply_action(named[word])
        assert [*ours.returns(state)] == theirs.returns(), str(theirs)
