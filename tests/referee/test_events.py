"""Logs: what each seat is told of a deal, a pass, a peek, the weather and a trick that is cleared by itself."""

from collections.abc import Callable

import pytest

from playproof.language import CHANCE, Game, Local, RulesError, Sees, goto, win
from playproof.language.declarations import find_names_of_public_chance_parameters
from playproof.language.random import Stream
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.linting.rules import iter_contradicted_secrecy_findings
from playproof.referee import Match, Variant
from playproof.referee.observations import collect_observations_of_seat_from_start, get_cached_observation_model

Tiny = Callable[..., Variant]
SEATS = range(4)


@pytest.fixture
def parlour(tiny: Tiny) -> Match:
    """North holds two and ace, east four and seven, south five and six, west eight and three."""
    match = Match(tiny("parlour"), 1).apply_all(
        f"deal {card}" for card in ("two", "four", "five", "eight", "ace", "seven", "six", "three")
    )
    return match.apply_all(["pass ace", "pass seven", "pass five", "pass three", "the weather is breeze"])


def told(match: Match, seat: int | None, since: int = 0) -> list[str]:
    return [event.sentence for event in match.events(seat) if event.number > since]


def test_a_deal_is_heard_by_who_gets_the_card(parlour: Match) -> None:
    assert told(parlour, 0)[:2] == ["chance: deal two", "chance: deal ?"]
    assert told(parlour, 1)[:2] == ["chance: deal ?", "chance: deal four"]


def test_cards_passed_at_once_are_seen_by_giver_and_taker_only(parlour: Match) -> None:
    assert told(parlour, 0, 8)[:5] == [
        "north: pass ace",
        "east: pass ?",
        "south: pass ?",
        "west: pass ?",
        "the cards are passed to the left (now yours: hand three 1, passed none)",
    ]
    assert told(parlour, 2, 8)[:5] == [
        "north: pass ?",
        "east: pass ?",
        "south: pass five",
        "west: pass ?",
        "the cards are passed to the left (now yours: hand seven 1, passed none)",
    ]


def test_the_weather_is_public_though_two_of_three_change_nothing(parlour: Match) -> None:
    assert {told(parlour, seat, 12)[0] for seat in SEATS} == {"chance: the weather is breeze"}


def test_a_peek_is_known_to_who_peeks_alone(parlour: Match) -> None:
    parlour.apply_all(["peeks at east"])
    assert told(parlour, 0, 13) == ["north: peeks at east (now yours: peeked four)"]
    for seat in (1, 2, 3):
        assert told(parlour, seat, 13) == ["north: look around: ?"]
        event = parlour.heard(13, seat)[0]
        assert (event.action, dict(event.parameters), event.actor) == (None, {}, 0)


def test_the_fourth_card_of_a_trick_is_seen_by_all(parlour: Match) -> None:
    for play in ("two", "four", "seven", "eight"):
        parlour.apply_all(["looks away", f"play {play}"])
    for seat in SEATS:
        assert told(parlour, seat, 14)[-2:] == ["west: play eight", "the trick is taken"]
        assert parlour.heard(20, seat)[0].as_json()["parameters"] == {"card": "eight"}


def test_undoing_takes_events_back(parlour: Match) -> None:
    parlour.apply_all(["peeks at east", "play two"])
    assert told(parlour, 1, 14) == ["north: play two"]
    parlour.undo()
    parlour.apply_all(["play three"])
    assert told(parlour, 1, 14) == ["north: play three"]


def test_a_peek_makes_two_histories_of_one_view(tiny: Tiny) -> None:
    """Later the table looks alike, but whoever peeked remembers."""
    cards = ("two", "four", "five", "eight", "ace", "seven", "six", "three")
    seen = []
    for target in ("east", "south"):
        match = Match(tiny("parlour"), 1).apply_all(f"deal {card}" for card in cards)
        match.apply_all(["pass ace", "pass seven", "pass five", "pass three", "the weather is calm"])
        match.apply_all([f"peeks at {target}", "play two"])
        seen.append(
            [
                collect_observations_of_seat_from_start(
                    get_cached_observation_model(match.game), match.states, match.actions, seat
                )
                for seat in SEATS
            ]
        )
    assert [one == other for one, other in zip(*seen, strict=True)] == [False, True, True, True]


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_moments_are_the_interpreters(name: str) -> None:
    """The witness runs generated source, unchecked: along a random game it passes through the interpreter's states."""
    match, stream = Match(Variant(name), 5), Stream(5)
    witness = get_cached_observation_model(match.game)
    while not match.over and len(match.steps) < 60:
        if match.actor == CHANCE:
            match.take_chance_action_of_seed_or_raise()
        else:
            legal = match.play.legal(match.state)
            match.apply(legal[stream.below(len(legal))])
        before, ident = match.states[-2], match.actions[-1]
        assert witness.list_states_after_action_and_auto_phases(
            before, ident
        ) == match.play.list_states_until_next_choice(before, ident)
        assert witness.list_states_after_action_and_auto_phases(before, ident)[-1] == match.state


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_everybody_hears_who_acts_and_the_actor_hears_all(name: str) -> None:
    match, stream = Match(Variant(name), 6), Stream(6)
    while not match.over and len(match.steps) < 60:
        legal = match.play.legal(match.state)
        match.apply(legal[stream.below(len(legal))])
    for seat in range(match.game.players):
        for n, step in enumerate(match.steps):
            event = match.heard(n, seat)[0]
            assert event.actor == step.actor
            if step.actor in (seat, CHANCE) and "?" not in event.words:
                assert event.words == step.text


# -- declarations ---------------------------------------------------------------------------------------------------


def hidden_hand(**declared: object) -> Game:
    """A player lays a card from a hidden hand."""
    g = Game("lay", players=2)
    s = g.state
    g.array("hand", (2, 3), start=1, sees=Sees.OWNER)
    lay = g.phase("lay", 0)

    @g.action(lay, "lay {card}", card=3, **declared)  # type: ignore[arg-type]  # what is declared is what is tested
    def put(card: Local) -> None:
        s.hand[0, card] = 0
        win("laid", winner=0)

    return g.seal()


def test_a_parameter_that_leads_to_a_hidden_field_must_be_declared() -> None:
    with pytest.raises(RulesError, match=r"PP349 `card` of action `put` leads to `hand`"):
        hidden_hand()
    assert hidden_hand(public="card").actions[0].public == {"card"}
    assert hidden_hand(secret=["card"]).actions[0].secret == {"card"}
    assert hidden_hand(secret=True).actions[0].hidden


@pytest.mark.parametrize(
    "declared", [{"secret": "crad"}, {"public": "card", "secret": "card"}, {"public": True, "secret": True}]
)
def test_declarations_that_make_no_sense_are_refused(declared: dict[str, object]) -> None:
    with pytest.raises(RulesError, match="PP373"):
        hidden_hand(**declared)


def test_it_is_found_through_functions_procedures_and_kept_values() -> None:
    g = Game("roundabout", players=2)
    s = g.state
    g.array("hand", (2, 3), start=1, sees=Sees.OWNER)
    g.integer("last", 0, 2)
    lay, end = g.phase("lay", 0), g.phase("end", 0)

    @g.function(place=3)
    def holds(place: Local) -> object:
        return s.hand[0, place]

    @g.procedure(place=3)
    def drop(place: Local) -> None:
        s.hand[1, place] = 0

    @g.action(lay, "ask {a}", a=3)
    def ask(a: Local) -> None:
        s.last = holds(a) * 2
        goto(end)

    @g.action(lay, "drop {b}", b=3)
    def fall(b: Local) -> None:
        drop(2 - b)
        goto(end)

    @g.action(lay, "name {c}", c=3)
    def name(c: Local) -> None:
        s.last = c
        goto(end)

    @g.action(end, "stop")
    def stop() -> None:
        win("done", winner=0)

    with pytest.raises(RulesError) as refused:
        g.seal()
    found = [str(error).split(" leads")[0].rsplit(" ", 3)[0].split()[-1] for error in refused.value.all]
    assert found == ["`a`", "`b`"]


def test_a_die_and_an_open_card_are_seen_by_all(tiny: Tiny) -> None:
    chance = {
        a.name: find_names_of_public_chance_parameters(a)
        for a in tiny("parlour").game.actions
        if a.name in ("dealing", "weather")
    }
    assert chance == {"dealing": frozenset(), "weather": frozenset({"storm"})}


# -- lint -------------------------------------------------------------------------------------------------------------


def leaking(**declared: object) -> Game:
    """A secret bid that is noted on an open board, and a phase that turns a hidden card up."""
    g = Game("leaking", players=2)
    s = g.state
    g.array("hand", 2, 0, 5, [2, 4], sees=Sees.OWNER)
    g.integer("board", 0, 5)
    g.integer("card", 0, 5)
    bid, show = g.phase("bid", 0), g.automatic("show")

    @g.action(bid, "bid {number}", number=3, secret="number")
    def bidding(number: Local) -> None:
        s.hand[0] = number
        s.board = number + 1
        goto(show)

    @g.on(show, **declared)  # type: ignore[arg-type]  # what is declared is what is tested
    def showing() -> None:
        s.card = s.hand[1]
        win("shown", winner=0)

    return g.seal()


def test_lint_finds_secrets_that_are_told() -> None:
    assert [(f.code, f.severity, f.message) for f in iter_contradicted_secrecy_findings(leaking())] == [
        ("PP352", "warning", "`number` of action `bidding` is secret, and is shown in `board`"),
        ("PP353", "warning", "phase `show` shows `hand`, which not everybody sees, in `card`"),
    ]
    assert [f.code for f in iter_contradicted_secrecy_findings(leaking(reveals="hand"))] == ["PP352"]
    with pytest.raises(RulesError, match="PP320"):
        leaking(reveals="hund")


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_no_game_tells_its_secrets(name: str) -> None:
    assert list(iter_contradicted_secrecy_findings(Variant(name).game)) == []
