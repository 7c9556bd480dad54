"""What lint finds by playing: each finding in a small game that has it, and silence about one that has not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from playproof.language import (
    CHANCE,
    Deck,
    Game,
    Local,
    Pile,
    RulesError,
    Sees,
    Together,
    Value,
    all_of,
    any_of,
    goto,
    otherwise,
    require,
    score,
    tie,
    when,
    win,
)
from playproof.language.options import OptionError, Options
from playproof.language.registry import build, list_bundled_game_names, list_example_game_names
from playproof.linting.random_play import list_problems_found_by_random_play


def codes(game: Game) -> list[str]:
    return [finding.code for finding in list_problems_found_by_random_play(game.seal())]


def build_noughts_game(first: str, turn_is_kept: bool = True) -> Game:
    """Two beside each other on one line of four cells, which the last mark may fill; asked in this order."""
    g = Game("noughts", players=2)
    s = g.state
    g.array("cell", 4, 0, 2)
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn)

    @g.action(play, "mark {cell}", cell=4)
    def mark(cell: Local) -> None:
        require(s.cell[cell] == 0, "N1", "taken")
        s.cell[cell] = s.turn + 1
        own = s.turn + 1
        pair = any_of((s.cell[a] == own) & (s.cell[a + 1] == own) for a in range(3))
        full = all_of(4, lambda i: s.cell[i] != 0)
        if first == "tie":
            with when(full):
                tie("full")
            with when(pair):
                win("two beside each other", winner=s.turn)
        else:
            with when(pair):
                win("two beside each other", winner=s.turn)
            with otherwise(full):
                tie("full")
        with when((s.outcome == 0) if turn_is_kept else (s.turn >= 0)):
            s.turn = 1 - s.turn

    return g


def test_two_endings_that_meet_in_one_step_are_named_with_an_example() -> None:
    [finding] = list_problems_found_by_random_play(build_noughts_game("tie").seal())
    assert (finding.code, finding.severity) == ("PP377", "warning")
    assert "`two beside each other` is reached in the same step as `full`" in finding.message
    assert "the first counts" in finding.message
    assert codes(build_noughts_game("win")) == []


def build_game_with_trap(way_out: bool) -> Game:
    """Three cards, two of which are needed to win; when all are gone, one can only wait."""
    g = Game("trap", players=1)
    s = g.state
    g.integer("cards", 0, 3, 3)
    g.integer("laid", 0, 3)
    play = g.phase("play", 0)

    @g.action(play, "lay")
    def lay() -> None:
        require(s.cards > 0, "T1", "none is left")
        s.cards -= 1
        s.laid += 1
        with when(s.laid == 2):
            win("two are laid")

    @g.action(play, "throw away")
    def throw_away() -> None:
        require(s.cards > 0, "T1", "none is left")
        s.cards -= 1

    @g.action(play, "wait")
    def wait() -> None:
        require(s.cards == 0, "T2", "cards are left")
        if way_out:
            tie("no cards are left")

    return g


def test_a_place_from_which_no_play_ends_a_game_is_named() -> None:
    """Other games end, and so all was well until somebody simulated it."""
    [finding] = list_problems_found_by_random_play(build_game_with_trap(way_out=False).seal())
    assert finding.code == "PP379"
    assert "came to where no play ends it" in finding.message
    assert "the last: wait, wait, wait" in finding.message
    assert codes(build_game_with_trap(way_out=True)) == []


def test_a_winner_that_changes_behind_its_ending_is_named() -> None:
    """Whoever makes the pair, the other wins: the turn passes before `winner=` is read."""
    [finding] = list_problems_found_by_random_play(build_noughts_game("win", turn_is_kept=False).seal())
    assert (finding.code, finding.severity) == ("PP852", "warning")
    assert "`two beside each other` is won by player" in finding.message
    assert "put what follows the ending under `with otherwise():`" in finding.hint


def test_a_winner_of_the_same_team_is_the_same() -> None:
    g = Game("partners", players=2, teams=[(0, 1)])
    s = g.state
    g.integer("turn", 0, 1)
    play = g.phase("play", s.turn)

    @g.action(play, "end")
    def end() -> None:
        win("over", winner=s.turn)
        s.turn = 1 - s.turn

    assert codes(g) == []


def coin(how: str) -> Game:
    """A hidden coin; `how` it is told: by what is legal, by a condition, on purpose, or not at all."""
    g = Game("coin", players=2)
    s = g.state
    g.integer("coin", 0, 1, sees=Sees.NOBODY)
    g.integer("told", 0, 1)
    g.integer("step", 0, 3)
    toss, play = g.phase("toss", CHANCE), g.phase("play", s.step % 2)

    @g.action(toss, "{side}", side=2)
    def tossing(side: Local) -> None:
        s.coin = side
        goto(play)

    @g.action(play, "say {side}", side=2, reveals="coin" if how == "on purpose" else ())
    def say(side: Local) -> None:
        if how == "legal":
            require((s.coin == side) | (s.step > 0), "C1", "it is the other side")
        if how in ("condition", "on purpose"):
            with when(s.coin == side):
                s.told = 1
        if how == "at the end":
            with when(s.step == 3):
                score("over")
                with when(s.coin == side):
                    s.told = 1
        else:
            with when(s.step == 3):
                score("over")
        with when(s.step < 3):
            s.step += 1

    g.returns(s.told, 0)
    return g


@pytest.mark.parametrize(
    ("how", "found"),
    [("legal", ["PP374"]), ("condition", ["PP375"]), ("on purpose", []), ("at the end", []), ("not at all", [])],
)
def test_what_hidden_cells_tell_is_named(how: str, found: list[str]) -> None:
    findings = list_problems_found_by_random_play(coin(how).seal())
    assert [finding.code for finding in findings] == found
    if found == ["PP374"]:
        assert (
            "C1: whether `say` is legal depends on `coin`, which the player who acts does not see"
            in findings[0].message
        )
        assert "let them try and be told" in findings[0].hint
        assert "show it" in findings[0].hint


def test_what_a_seat_can_tell_for_itself_is_no_alarm() -> None:
    """How many hidden cards are left is hidden, and everybody can count."""
    g = Game("counting", players=2)
    s = g.state
    g.array("deck", 3, start=1, sees=Sees.NOBODY)
    g.integer("drawn", 0, 3)
    play, draw = g.phase("play", s.drawn % 2), g.phase("draw", CHANCE)

    @g.action(play, "draw")
    def drawing() -> None:
        require(any_of(3, lambda i: s.deck[i] == 1), "D1", "the deck is empty")
        goto(draw)

    @g.action(play, "stop")
    def stop() -> None:
        win("stopped", winner=0)

    @g.action(draw, "{card}", card=3)
    def card_is(card: Local) -> None:
        require(s.deck[card] == 1, "D2", "it is drawn")
        s.deck[card] = 0
        s.drawn += 1
        goto(play)

    assert codes(g) == []


def test_rules_that_break_are_found() -> None:
    def game(body: Callable[[Game], None], **facts: int) -> Game:
        g = Game("short", players=2)
        g.integer("n", 0, 3)
        if facts:
            g.fact(**facts)  # type: ignore[arg-type]  # numbers only
        play = g.phase("play", 0)

        @g.action(play, "on")
        def on() -> None:
            body(g)
            with when(g.state.n == 3):
                win("three", winner=0)

        return g

    def one(g: Game) -> None:
        g.state.n += 1

    def two(g: Game) -> None:
        g.state.n += 2

    def none(g: Game) -> None:
        g.state.n = g.state.n * 1

    def stuck(g: Game) -> None:
        require(g.state.n < 2, "S1", "no more")
        g.state.n += 1

    assert codes(game(one)) == []
    assert codes(game(two)) == ["PP310"]
    assert codes(game(none)) == ["PP379"]
    assert codes(game(stuck)) == ["PP378"]
    assert codes(game(one, ends_within=2)) == ["PP815"]
    assert codes(game(one, ends_within=3)) == []


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_lint_finds_nothing_in_our_games_by_playing(name: str) -> None:
    assert list_problems_found_by_random_play(build(name, Options())) == []


@pytest.mark.parametrize(
    "make",
    [
        lambda g: g.array("big", 10**9),
        lambda g: g.array("big", (1000, 1000)),
        lambda g: [g.array(f"big{n}", 60_000) for n in range(2)],
        lambda g: g.add_action(g.phases[0], lambda a, b: None, "{a} {b}", a=2000, b=2000),
        lambda g: any_of(10**9, lambda i: i == 0),
        lambda g: Together(g, "pick", 10**9, then=g.automatic("end")),
        lambda g: Pile(g, "pile", 3, 10**9),
        lambda g: Deck(g, "deck", 3, top=10**9),
        lambda g: Options().number("size", range(10**9), 5),
    ],
)
def test_what_is_too_large_is_refused_at_once(make: Callable[[Game], Value]) -> None:
    g = Game("big", players=2)
    g.phase("play", 0)
    with pytest.raises(RulesError, match="PP376"):
        make(g)


def test_numbers_of_an_option_come_from_a_range_of_any_size() -> None:
    most = range(1, 10**15)
    assert Options({"heaps": "3-999999999999999"}).numbers("heaps", most, (1, 2)) == (3, 10**15 - 1)
    for wrong in ("0-3", "3-03", "3-x", "3--4", f"3-{10**15}", "3-²"):
        with pytest.raises(OptionError, match="expected numbers from 1 to"):
            Options({"heaps": wrong}).numbers("heaps", most, (1, 2))
