"""The tutorial forgives; Chapter 1 wants thought. Measured on many fast games with fixed seeds."""

from __future__ import annotations

from collections import Counter

import pytest

from playproof.language import Game
from playproof.language.compiled import Compiled
from playproof.language.options import Options
from playproof.language.playouts import PlayoutResults
from playproof.language.registry import build

GAMES = 20_000
RANDOM, GREEDY = 0, 1


def rates(game: Game, run: PlayoutResults) -> dict[str, float]:
    """How often each ending came, by the first word that tells them apart."""
    found = Counter(run.endings.tolist())
    names = ("card", "Goal", "track", "time")
    return {n: sum(k for e, k in found.items() if n in game.endings[e - 1].reason) / len(run.endings) for n in names}


@pytest.fixture(scope="module", params=["0", "1"])
def chapter(request: pytest.FixtureRequest) -> tuple[str, Compiled]:
    """A chapter under its default rulings."""
    return request.param, Compiled(build("eila", Options({"chapter": request.param})))


def test_every_option_can_be_chosen_and_every_loss_happens(chapter: tuple[str, Compiled]) -> None:
    _, compiled = chapter
    game, run = compiled.game, compiled.run_playouts(GAMES, seed=1)
    choose = next(a for a in game.actions if a.name == "choose")
    for name, spec in game.facts["families"]["option"].items():
        cards, letters = choose.params
        ident = choose.get_ground_action_number(
            [cards.labels.index(spec["card"]), letters.labels.index(spec["option"])]
        )
        assert run.taken[ident] > 0, name
    found = rates(game, run)
    assert min(found["card"], found["track"], found["time"]) > 0.01


def test_luck_alone_wins_the_tutorial_sometimes_and_chapter_1_hardly_ever(chapter: tuple[str, Compiled]) -> None:
    name, compiled = chapter
    won = rates(compiled.game, compiled.run_playouts(GAMES, seed=2))["Goal"]
    assert 0.05 < won < 0.3 if name == "0" else won < 0.002


def test_a_little_care_wins(chapter: tuple[str, Compiled]) -> None:
    """The greedy bot looks one step ahead only; a player who samples two rounds ahead won 59 % of Chapter 1."""
    name, compiled = chapter
    won = rates(compiled.game, compiled.run_playouts(2_000, seed=3, policies=[GREEDY]))["Goal"]
    assert won > 0.9 if name == "0" else 0.1 < won < 0.5
