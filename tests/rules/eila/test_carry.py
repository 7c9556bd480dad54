"""From one chapter to the next: R34 to R37."""

from __future__ import annotations

import pytest

from playproof.rules.eila.box import open_box
from playproof.rules.eila.campaign import after_loss, next_chapter
from playproof.rules.language import Interpreter
from playproof.rules.options import OptionError, Options
from playproof.rules.registry import build
from tests.rules.eila.scene import Scene, real


def finished(owned: str = "", habit: str = "deck") -> Scene:
    """A won game whose player has these items and whose habit lies there."""
    cards = {"001 green": {"A": "item I01, #H01 >"}, "H01 habit": {"A": ">", "B": "@", "C": "<"}}
    scene = Scene(cards, goal="G")
    if owned or habit != "deck":
        scene.choose().choose({"future": "A", "deck": "B", "past": "C"}[habit])
    else:
        scene.set("where", 4, 0).set("present", 2).set("phase", 0)
    return scene


def test_r34_a_won_chapter_has_an_ending_comic() -> None:
    endings = {c.fields["chapter"] for c in real().of_kind("comic") if c.fields["moment"] == "ending"}
    assert endings == {0, 1}


@pytest.mark.parametrize(("habit", "kept"), [("future", "I01 H01"), ("past", "I01 H01"), ("deck", "I01")])
def test_r35_items_and_habits_out_of_their_deck_are_kept(habit: str, kept: str) -> None:
    scene = finished("I01", habit)
    scene.set("outcome", next(e.number for e in scene.game.endings if e.kind == "win"))
    options = next_chapter(scene.game, scene.state, Options({"chapter": "0"}, {"A11": "heart"}))
    assert options is not None
    assert options.values == {"chapter": "1", "carried": kept}
    assert options.rulings == {"A11": "heart"}


def test_r35_the_carried_chapter_can_be_built() -> None:
    scene = finished("I01", "future")
    scene.set("outcome", next(e.number for e in scene.game.endings if e.kind == "win"))
    options = next_chapter(scene.game, scene.state, Options())
    play = Interpreter(build("eila", options))
    assert play.quantity("owns I01", play.start()) == 1
    assert play.quantity("habit H01", play.start()) == 1


def test_nothing_follows_an_unfinished_chapter_or_the_last_one() -> None:
    scene = finished("I01", "future")
    assert next_chapter(scene.game, scene.state, Options()) is None
    game = build("eila", Options({"chapter": "1"}))
    state = game.initial()
    state[1] = next(e.number for e in game.endings if e.kind == "win")
    assert next_chapter(game, state, Options({"chapter": "1"})) is None


def test_a22_after_a_loss_the_chapter_begins_again() -> None:
    options = Options({"chapter": "1", "carried": "I01"})
    assert after_loss(options).values == {"chapter": "1", "carried": "I01"}
    again = after_loss(Options({"chapter": "1", "carried": "I01"}, {"A22": "from-the-start"}))
    assert again.values == {"chapter": "0"}
    assert again.rulings == {"A22": "from-the-start"}


def test_r36_acquired_habits_stand_at_the_back_on_the_first_day() -> None:
    game = build("eila", Options({"chapter": "1", "carried": "H01"}))
    play = Interpreter(game)
    state, shown = play.start(), []
    while play.quantity("round", state) == 1 and not play.terminal(state):
        name = game.phases[state[0]].name
        if name == "choose":
            shown.append(game.field_named("present").show(state[game.field_named("present").offset]))
        state = play.apply(state, play.legal(state)[0])
    greens = [c for c in shown if c.startswith("10") or c == "110"]
    assert greens == sorted(greens)
    assert shown[-1] == "H01"


def test_r36_the_order_of_habits_is_the_players() -> None:
    for order in (("H03", "H01"), ("H01", "H03")):
        ids = [c.id for c in open_box(real(), 1, order).cards]
        assert ids[9:12] == ["110", *order]
        assert ids[12] == "111"


def test_r37_carried_items_lie_ready() -> None:
    play = Interpreter(build("eila", Options({"chapter": "1", "carried": "I01"})))
    assert play.quantity("owns I01", play.start()) == 1


@pytest.mark.parametrize("value", ["I09", "I01 I01", "H03"])
def test_what_cannot_have_been_had_is_refused(value: str) -> None:
    with pytest.raises(OptionError, match="carried"):
        build("eila", Options({"chapter": "1", "carried": value}))
    with pytest.raises(OptionError, match="carried"):
        build("eila", Options({"chapter": "0", "carried": "I01"}))
