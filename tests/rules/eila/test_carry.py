"""From one chapter to the next: R34 to R37."""

from __future__ import annotations

import pytest

from playproof.cards.eila.rules.chapter_components import collect_chapter_components_or_refuse
from playproof.language import Game, Interpreter
from playproof.language.options import OptionError, Options
from playproof.language.registry import build
from playproof.referee import Match, Variant
from playproof.referee.transcript import (
    get_next_game_of_campaign_or_none,
    iter_titles_and_paragraphs_of_story,
    start_next_campaign_match_or_none,
)
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


def won(scene: Scene, chapter: str = "0", rulings: dict[str, str] | None = None) -> Match:
    """The scene as a match that was won."""
    variant = Variant("eila", {"chapter": chapter}, rulings or {})
    vars(variant)["game"] = scene.game  # `cached_property` keeps its value here
    match = Match(variant)
    match.states.append(scene.set("outcome", ending(scene.game, "win")).state)
    return match


def ending(game: Game, kind: str) -> int:
    """The number of the first ending of a kind."""
    return next(e.number for e in game.endings if e.kind == kind)


def test_r12_r34_the_comics_are_told_before_a_chapter_and_after_a_won_one() -> None:
    told = {}
    for chapter in ("0", "1"):
        match = Match(Variant("eila", {"chapter": chapter}))
        before = [title for title, _ in iter_titles_and_paragraphs_of_story(match, "before")]
        assert not list(iter_titles_and_paragraphs_of_story(match, "after")), "not before it is won"
        match.state[1] = ending(match.game, "loss")
        assert not list(iter_titles_and_paragraphs_of_story(match, "after"))
        match.state[1] = ending(match.game, "win")
        told[chapter] = (
            before,
            [(title, len(lines)) for title, lines in iter_titles_and_paragraphs_of_story(match, "after")],
        )
    assert told == {"0": ([], [("The Lamp Is Lit", 3)]), "1": (["The Gorge"], [("The Other Side", 3)])}


@pytest.mark.parametrize(("habit", "kept"), [("future", "H01 I01"), ("past", "H01 I01"), ("deck", "I01")])
def test_r35_items_and_habits_out_of_their_deck_are_kept(habit: str, kept: str) -> None:
    match = won(finished("I01", habit), rulings={"A11": "heart"})
    after = get_next_game_of_campaign_or_none(match)
    assert after is not None
    variant = after.build_variant_of_next_game(match.variant)
    assert variant.options == {"chapter": "1", "carried": kept}
    assert variant.rulings == {"A11": "heart"}


def test_r35_the_carried_chapter_can_be_built() -> None:
    match = start_next_campaign_match_or_none(won(finished("I01", "future")), 2)
    assert match is not None
    assert match.play.quantity("owns I01", match.state) == 1
    assert match.play.quantity("habit H01", match.state) == 1


def test_nothing_follows_an_unfinished_chapter_or_the_last_one() -> None:
    assert get_next_game_of_campaign_or_none(Match(Variant("eila"))) is None
    match = Match(Variant("eila", {"chapter": "1"}))
    match.state[1] = ending(match.game, "win")
    assert get_next_game_of_campaign_or_none(match) is None


def test_a22_after_a_loss_the_chapter_begins_again() -> None:
    options = {"chapter": "1", "carried": "I01"}
    for rulings, again in ({}, options), ({"A22": "from-the-start"}, {"chapter": "0"}):
        match = Match(Variant("eila", options, rulings))
        match.state[1] = ending(match.game, "loss")
        after = get_next_game_of_campaign_or_none(match)
        assert after is not None
        variant = after.build_variant_of_next_game(match.variant)
        assert (variant.options, variant.rulings) == (again, rulings)


def test_r36_acquired_habits_stand_at_the_back_on_the_first_day() -> None:
    game = build("eila", Options({"chapter": "1", "carried": "H01"}))
    play = Interpreter(game)
    state, shown = play.start(), []
    while play.quantity("round", state) == 1 and not play.terminal(state):
        name = game.phases[state[0]].name
        if name == "choose":
            shown.append(game.get_field("present").format_value(state[game.get_field("present").offset]))
        state = play.apply(state, play.legal(state)[0])
    greens = [c for c in shown if c.startswith("10") or c == "110"]
    assert greens == sorted(greens)
    assert shown[-1] == "H01"


def test_r36_the_order_of_habits_is_the_players() -> None:
    for order in (("H03", "H01"), ("H01", "H03")):
        ids = [c.id for c in collect_chapter_components_or_refuse(real(), 1, order).cards]
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
