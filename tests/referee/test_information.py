"""What a seat knows: information states, the worlds that fit them, and that nothing else reaches a seat.

The worlds that are imagined are compared with all histories of a game, enumerated by the interpreter.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

import pytest

from playproof.language import CHANCE, Interpreter
from playproof.language.random import Stream
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.referee import Match, Variant
from playproof.referee.belief import Belief, TooManyStates, make_step_seen_by_seat
from playproof.referee.observations import (
    Observation,
    ObservationModel,
    collect_observations_of_seat_from_start,
    get_cached_observation_model,
)
from playproof.referee.view import (
    View,
    format_table_as_lines,
    get_flags_of_cells_seat_may_see,
    has_fields_hidden_from_any_seat,
)
from playproof.referee.worlds import (
    CannotResample,
    copy_state_with_hidden_cards_redealt,
    draw_fitting_history_end_or_raise,
    make_possible_worlds_for_seat,
)
from tests.look_alikes import list_observable_differences_of_states

Tiny = Callable[..., Variant]
History = tuple[list[list[int]], list[int], Fraction]
KNOWN = [*list_bundled_game_names(), *list_example_game_names()]


def random_match(variant: Variant, seed: int, most: int = 80) -> Match:
    """The first steps of a random game."""
    match, stream = Match(variant, seed), Stream(seed)
    while not match.over and len(match.steps) < most:
        legal = match.legal()
        chance = match.actor == CHANCE
        place = stream.draw_weighted_index([m.weight for m in legal]) if chance else stream.below(len(legal))
        match.apply(legal[place].ident)
    return match


# -- against enumeration --------------------------------------------------------------------------------------------


def histories(play: Interpreter, steps: int) -> Iterator[History]:
    """Every history of so many steps (shorter ones that ended are left out), chance's part of its probability, and
    for each secret choice one part in as many as there were."""
    stack: list[History] = [([play.start()], [], Fraction(1))]
    while stack:
        states, actions, weight = stack.pop()
        if len(actions) == steps:
            yield states, actions, weight
            continue
        legal = play.legal(states[-1])
        chance = play.actor(states[-1]) == CHANCE
        mass = sum(play.weight(states[-1], i) for i in legal)
        for ident in legal:
            action = play.game.get_action_of_ground_action_number(ident)
            if chance:
                share = Fraction(play.weight(states[-1], ident), mass)
            else:
                share = Fraction(1, sum(said(play, i) == said(play, ident) for i in legal))
            assert not (action.weight is not None and not chance)
            stack.append(([*states, play.apply(states[-1], ident)], [*actions, ident], weight * share))


def said(play: Interpreter, ident: int) -> object:
    """What everybody hears of a player's action."""
    action = play.game.get_action_of_ground_action_number(ident)
    if action.hidden:
        return None
    shown = (
        v
        for p, v in zip(action.params, action.get_values_of_ground_action(ident), strict=True)
        if p.local.name not in action.secret
    )
    return (action.name, *shown)


def posteriors(
    witness: ObservationModel, play: Interpreter, steps: int, seat: int
) -> dict[tuple[Observation, ...], dict[tuple[int, ...], Fraction]]:
    """For each information state after so many steps: the probability of each present state. A seat's own choices
    were its own, so they weigh nothing."""
    found: dict[tuple[Observation, ...], dict[tuple[int, ...], Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for states, actions, weight in histories(play, steps):
        mine = [Fraction(1)]
        for before, ident in zip(states, actions, strict=False):
            if play.actor(before) == seat:
                legal = play.legal(before)
                mine.append(Fraction(sum(said(play, i) == said(play, ident) for i in legal)))
        total = weight
        for factor in mine:
            total *= factor
        found[collect_observations_of_seat_from_start(witness, states, actions, seat)][tuple(states[-1])] += total
    return found


def examples_of(
    witness: ObservationModel, play: Interpreter, steps: int, seat: int
) -> dict[tuple[Observation, ...], History]:
    """A history for each information state."""
    return {collect_observations_of_seat_from_start(witness, h[0], h[1], seat): h for h in histories(play, steps)}


SMALL = [
    ("kuhn_poker", {}, 3),
    ("kuhn_poker", {}, 4),
    ("leduc_poker", {}, 5),
    ("masked_guests", {}, 5),
    ("prisoners", {"players": "3"}, 5),
]


@pytest.mark.parametrize(("name", "options", "steps"), SMALL)
def test_what_is_held_possible_is_what_enumeration_finds(name: str, options: dict[str, str], steps: int) -> None:
    """The same states with the same probabilities, for every information state of every seat."""
    variant = Variant(name, options)
    witness = get_cached_observation_model(variant.game)
    for seat in range(variant.game.players):
        expected = posteriors(witness, variant.play, steps, seat)
        for known, (states, actions, _) in examples_of(witness, variant.play, steps, seat).items():
            belief = Belief(witness, states[0], seat)
            belief.update_to_match_as_seen_by_seat(states, actions)
            mass = sum(expected[known].values())
            assert belief.weights.keys() == expected[known].keys()
            for state, weight in belief.weights.items():
                assert weight == pytest.approx(float(expected[known][state] / mass))


def chi_square(drawn: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], float]) -> float:
    """The statistic, less its degrees of freedom, in standard deviations."""
    total = sum(drawn.values())
    statistic = sum((drawn[s] - total * p) ** 2 / (total * p) for s, p in expected.items())
    free = max(1, len(expected) - 1)
    return float((statistic - free) / (2 * free) ** 0.5)


@pytest.mark.parametrize(
    ("name", "moves"),
    [
        ("kuhn_poker", ["deal jack to player 1", "deal king to player 2", "pass"]),
        ("leduc_poker", ["deal jack to player 1", "deal queen to player 2", "raise", "call", "turn up queen"]),
        ("masked_guests", ["draw spy", "draw duke", "draw guard", "the spy looks", "draw guard"]),
        ("masked_guests", ["draw guard", "draw queen", "draw guard", "the guard names the duke", "draw spy"]),
    ],
)
def test_worlds_are_drawn_as_likely_as_they_are(name: str, moves: list[str]) -> None:
    match = Match(Variant(name)).apply_all(moves)
    witness = get_cached_observation_model(match.game)
    for seat in range(match.game.players):
        found = posteriors(witness, match.play, len(moves), seat)
        expected = found[collect_observations_of_seat_from_start(witness, match.states, match.actions, seat)]
        mass = sum(expected.values())
        worlds, stream = (make_possible_worlds_for_seat(match.play, match.states, match.actions, seat), Stream(seat))
        assert worlds.exact
        drawn = Counter(tuple(worlds.draw(stream)) for _ in range(4_000))
        assert drawn.keys() <= expected.keys()
        assert chi_square(drawn, {s: float(w / mass) for s, w in expected.items()}) < 4


def test_a_card_that_was_shown_stays_known() -> None:
    """The spy has looked; the field that showed it is cleared with the next card played, and the player remembers."""
    match = Match(Variant("masked_guests")).apply_all(
        [
            "draw spy",
            "draw duchess",
            "draw guard",
            "the spy looks",
            "draw guard",
            "the guard names the spy",
            "draw guard",
        ]
    )
    hand = match.game.get_field("hand").offset + 5
    worlds, stream = make_possible_worlds_for_seat(match.play, match.states, match.actions, 0), Stream(1)
    assert worlds.exact
    assert {worlds.draw(stream)[hand + 3] for _ in range(200)} == {1}
    match.apply_all(["the guard names the spy"])
    assert match.state[match.game.get_field("seen").offset] == 0
    again = make_possible_worlds_for_seat(match.play, match.states, match.actions, 0)
    assert {again.draw(stream)[hand + 3] for _ in range(200)} == {1}


def test_a_suit_that_was_not_followed_is_not_imagined() -> None:
    match = random_match(Variant("three_suits"), 3, 14)
    # Seek a game in which somebody does not follow in the first trick.
    seed = 3
    while not (void := _void(match)):
        seed += 1
        match = random_match(Variant("three_suits"), seed, 15)
    hand = match.game.get_field("hand").offset
    who, suit = void
    seat = (who + 1) % 3
    worlds, stream = make_possible_worlds_for_seat(match.play, match.states, match.actions, seat), Stream(2)
    assert worlds.exact
    for _ in range(200):
        held = worlds.draw(stream)[hand + 12 * who : hand + 12 * who + 12]
        assert sum(held[4 * suit : 4 * suit + 4]) == 0


def _void(match: Match) -> tuple[int, int] | None:
    """Who did not follow in the first trick, and which suit."""
    played = [s for s in match.steps if s.actor != CHANCE]
    suits = [
        match.game.get_action_of_ground_action_number(s.ident).get_values_of_ground_action(s.ident)[0] // 4
        for s in played
    ]
    return next(((s.actor, suits[0]) for s, suit in zip(played[:3], suits, strict=False) if suit != suits[0]), None)


def test_a_card_passed_and_a_peek_are_remembered(tiny: Tiny) -> None:
    cards = ("two", "four", "five", "eight", "ace", "seven", "six", "three")
    match = Match(tiny("parlour"), 1).apply_all(f"deal {card}" for card in cards)
    match.apply_all(["pass ace", "pass seven", "pass five", "pass three", "the weather is calm", "peeks at south"])
    hand, stream = match.game.get_field("hand").offset, Stream(4)
    worlds = make_possible_worlds_for_seat(match.play, match.states, match.actions, 0)
    assert worlds.exact
    drawn = [worlds.draw(stream) for _ in range(200)]
    assert {world[hand + 8] for world in drawn} == {1}  # east holds the ace that was passed to it
    assert {world[hand + 16 + 6] for world in drawn} == {1}  # south's higher card is the seven
    assert len({tuple(world) for world in drawn}) > 5


# -- nothing else reaches a seat --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KNOWN)
def test_worlds_that_look_alike_give_the_same_prompts_and_choices(name: str) -> None:
    """Along a random game, for each seat: worlds it imagines have its view, its words and its legal actions, and where
    they are exact also a history with its information state."""
    match = random_match(Variant(name), 11, 100)
    if not has_fields_hidden_from_any_seat(match.game):
        return
    witness, tried = get_cached_observation_model(match.game), 0
    for length in range(0, len(match.steps), 1 + len(match.steps) // 10):
        states, actions = match.states[: length + 1], match.actions[:length]
        for seat in range(match.game.players):
            world = make_possible_worlds_for_seat(match.play, states, actions, seat).draw(Stream(length))
            assert list_observable_differences_of_states(match.play, states[-1], world, seat) == []
            assert format_table_as_lines(match.play, world, seat) == format_table_as_lines(match.play, states[-1], seat)
            tried += world != states[-1]
            belief = Belief(witness, states[0], seat, most=300)
            try:
                belief.update_to_match_as_seen_by_seat(states, actions)
            except TooManyStates:
                continue
            others, done = belief.draw_states_and_actions_of_possible_match(Stream(length))
            assert collect_observations_of_seat_from_start(
                witness, others, done, seat
            ) == collect_observations_of_seat_from_start(witness, states, actions, seat)
            assert all(match.play.apply(a, i) == b for (a, b), i in zip(pairwise(others), done, strict=True))
    assert tried > 0


@pytest.mark.parametrize("name", ["secret", "hands", "parlour"])
def test_a_history_made_anew_is_the_same_to_the_seat(tiny: Tiny, name: str) -> None:
    match = random_match(tiny(name), 2, 10)
    witness = get_cached_observation_model(match.game)
    for seat in range(match.game.players):
        seen = collect_observations_of_seat_from_start(witness, match.states, match.actions, seat)
        world = draw_fitting_history_end_or_raise(match.play, seen, match.actions, seat, Stream(1))
        assert list_observable_differences_of_states(match.play, match.state, world, seat) == []


def test_what_is_remembered_is_not_what_the_table_shows() -> None:
    """Later in such a game cards dealt anew have not the law of all that fits: a card left the deck before others came
    into it. What is imagined keeps to all of it."""
    match = random_match(Variant("eurydice"), 5, 33)
    belief = Belief(get_cached_observation_model(match.game), match.states[0], 0)
    belief.update_to_match_as_seen_by_seat(match.states, match.actions)
    stream = Stream(9)
    dealt = Counter(
        tuple(copy_state_with_hidden_cards_redealt(match.game, match.state, 0, stream)) for _ in range(6_000)
    )
    likely = {s: w for s, w in belief.weights.items() if w * 6_000 >= 5}
    assert chi_square(Counter({s: n for s, n in dealt.items() if s in likely}), likely) > 10
    worlds = make_possible_worlds_for_seat(match.play, match.states, match.actions, 0)
    assert worlds.exact
    drawn = Counter(tuple(worlds.draw(stream)) for _ in range(6_000))
    assert chi_square(Counter({s: n for s, n in drawn.items() if s in likely}), likely) < 4


@pytest.mark.parametrize(
    ("quick", "how"), [(False, "some come more often than they should"), (True, "not what the seat only remembers")]
)
def test_what_cannot_be_drawn_exactly_says_so(quick: bool, how: str) -> None:
    match = random_match(Variant("opale"), 1, 30)
    worlds = make_possible_worlds_for_seat(
        match.play, match.states, match.actions, 0, ignore_memory_if_exchangeable=quick
    )
    assert not worlds.exact
    assert how in worlds.how
    assert View.of(match.game, worlds.draw(Stream(1)), 0) == View.of(match.game, match.state, 0)


@pytest.mark.parametrize("name", ["opale", "eurydice"])
def test_cards_dealt_anew_are_as_likely_as_enumeration_says(name: str) -> None:
    """Two games with hidden decks while nothing has to be remembered: the first cards drawn, the first one discarded.
    The exchangeable cards, dealt anew, have the law of all that fits."""
    variant = Variant(name)
    match = random_match(variant, 5, 7 if name == "opale" else 40)
    seat = 1 if name == "opale" else 0
    game, witness = match.game, get_cached_observation_model(match.game)
    length = next((n for n in range(len(match.steps)) if 2 < _possible(witness, match, n, seat) < 700), None)
    assert length is not None
    states, actions = match.states[: length + 1], match.actions[:length]
    belief = Belief(witness, states[0], seat)
    belief.update_to_match_as_seen_by_seat(states, actions)
    stream = Stream(9)
    drawn = Counter(tuple(copy_state_with_hidden_cards_redealt(game, states[-1], seat, stream)) for _ in range(6_000))
    likely = {s: w for s, w in belief.weights.items() if w * 6_000 >= 5}
    rest = Counter({s: n for s, n in drawn.items() if s in likely})
    assert drawn.keys() <= belief.weights.keys()
    assert chi_square(rest, {s: w / sum(likely.values()) for s, w in likely.items()}) < 4


def _possible(witness: ObservationModel, match: Match, length: int, seat: int) -> int:
    belief = Belief(witness, match.states[0], seat, most=1_000)
    try:
        belief.update_to_match_as_seen_by_seat(match.states[: length + 1], match.actions[:length])
    except TooManyStates:
        return 0
    return len(belief.weights)


def test_a_belief_can_be_taken_back_and_followed_anew() -> None:
    match = Match(Variant("kuhn_poker")).apply_all(["deal jack to player 1", "deal king to player 2", "pass", "bet"])
    belief = Belief(get_cached_observation_model(match.game), match.states[0], 0)
    belief.update_to_match_as_seen_by_seat(match.states, match.actions)
    assert len(belief.weights) == 2
    other = Match(Variant("kuhn_poker")).apply_all(["deal king to player 1"])
    belief.update_to_match_as_seen_by_seat(other.states, other.actions)
    assert len(belief.weights) == 1
    belief.update_to_match_as_seen_by_seat(match.states, match.actions)
    assert len(belief.weights) == 2


def test_few_levels_of_a_large_belief_stay_and_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is possible, drawn histories and moves taken back do not depend on how much memory there is."""
    match = random_match(Variant("masked_guests"), 7, 20)
    seen = [
        make_step_seen_by_seat(get_cached_observation_model(match.game), s, i, 0)
        for s, i in zip(match.states, match.actions, strict=False)
    ]
    answers = []
    for ample in (10**9, 0):
        monkeypatch.setattr("playproof.referee.belief._AMPLE", ample)
        belief = Belief(get_cached_observation_model(match.game), match.states[0], 0)
        for length in (len(seen), len(seen) - 3, len(seen) - 1, 2, len(seen)):
            belief.update_to_seen_steps(seen[:length])
            answers.append(
                (dict(belief.weights), [belief.draw_states_and_actions_of_possible_match(Stream(n)) for n in range(5)])
            )
    half = len(answers) // 2
    assert answers[:half] == answers[half:]
    assert len(belief._levels) < len(seen) > 6


def test_too_much_is_refused_and_stays_refused() -> None:
    match = random_match(Variant("three_suits"), 1, 12)
    belief = Belief(get_cached_observation_model(match.game), match.states[0], 0, most=20)
    for length in (8, 12):
        with pytest.raises(TooManyStates):
            belief.update_to_match_as_seen_by_seat(match.states[: length + 1], match.actions[:length])


def test_a_game_whose_history_cannot_be_found_says_what_to_declare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("playproof.referee.worlds._MOST_STEPS", 3)
    monkeypatch.setattr("playproof.referee.worlds.get_shared_exact_belief_or_none", lambda *_: None)
    match = random_match(Variant("three_suits"), 1, 20)
    with pytest.raises(CannotResample, match="exchangeable"):
        make_possible_worlds_for_seat(match.play, match.states, match.actions, 0).draw(Stream(0))


def test_masks_are_what_the_fields_say() -> None:
    game = Variant("masked_guests").game
    hand = game.get_field("hand")
    assert [get_flags_of_cells_seat_may_see(game, 0)[hand.offset + n] for n in range(10)] == [True] * 5 + [False] * 5
