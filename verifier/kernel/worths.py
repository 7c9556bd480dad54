"""Certificates of what a game is worth on average: a number at its end, how many decisions it takes, what each option
of a state is worth, and how likely each value is.

The theorem for a number is that of a chance: (number - least) / (greatest - least) lies from 0 to 1 in each end, and so
does its mean. A dead end is worth nothing, so there must be none. The bounds hold whatever number from the least to the
greatest play that goes on for ever is worth.

Who plays by a list of rules goes through the states that it allows (`strategies`), which are one layer.

The theorem for a length: each decision that counts adds a unit to T (`closed_sets`), so the expected length is the
least fixed point of T, as a chance is. A bound from above has to be found: no number bounds all lengths beforehand.

An option is worth what its successor is. The spread of a number between players at random is one chance per value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from playproof.language import CHANCE
from playproof.language.expr import as_term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, require_stated_state_count
from playproof.verifier.kernel.claim_values import (
    Decision,
    has_fields_hidden_from_some_player,
    round_expected_value_or_none,
)
from playproof.verifier.kernel.closed_sets import (
    LEAST,
    MEAN,
    MOST,
    SCALE,
    Column,
    FractionBounds,
    Layers,
    Play,
    compute_lower_and_upper_state_values,
)
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.layers import (
    Listing,
    StatePacking,
    SubjectOfPlay,
    evaluate_term_at_each_end,
    sweep_layers_requiring_state_count,
)
from playproof.verifier.kernel.state_graphs import StateGraph, put_all_states_in_one_layer
from playproof.verifier.kernel.strategies import enumerate_states_under_strategy
from playproof.verifier.kernel.strict_json import OMITTED, Json, to_canonical_json_text, to_plain_json_data
from playproof.verifier.kernel.ways_to_play import WorthNumber, read_worth
from playproof.verifier.questions.claims import Question

_LENGTHS = (1 << 8, 1 << 12, 1 << 16, 1 << 20)
_MOST_VALUES = 400
_MOST_SPAN = 1 << 31  # its square fits the 64 bits in which `_scale_numbers_down_and_up` multiplies


@dataclass(frozen=True)
class _Expected(SubjectOfPlay):
    """What `of`, as a `worth` claim, asks of is worth something to players who see all cards. The `partners` of its
    seat play for it too, and all others are against it, unless all play at random."""

    is_read_in_columns: ClassVar[bool] = True
    of: Json
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is asked of."""
        return [("worth", self.of)]

    @abstractmethod
    def is_what_follows(self, game: Game, listing: Listing, context: Context) -> bool:
        """Return whether the bounds are those that follow from a listing. Raises NotShown."""

    def require_follows_from_listing(self, game: Game, listing: Listing, context: Context) -> None:
        """Compute the bounds. Raises NotShown if they are others, or others play together with the seat."""
        if self.partners != read_worth(game, self.of, context).partners:
            raise NotShown("the seats that play together are others")
        if not self.is_what_follows(game, listing, context):
            raise NotShown("the expected value has other bounds")


@dataclass(frozen=True)
class ExpectedValue(_Expected):
    """For players who see all cards, the expected value of what `of` asks for lies between `low` and `high`."""

    kind: ClassVar[str] = "worth"
    low: Fraction
    high: Fraction

    def is_what_follows(self, game: Game, listing: Listing, context: Context) -> bool:
        """Return whether the bounds are those that follow from a listing. Raises NotShown."""
        return (self.low, self.high) == compute_expected_value_bounds(game, self.of, listing, context)

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return the expected number to as many digits as are sure, but none if it may be the one that the question
        expects, and its digits say otherwise. Who plays at random uses no knowledge, and rules read what their seat
        sees; who plays well sees what `luck` says of players who see all."""
        of = to_plain_json_data(question.of)
        if question.ask != "worth" or to_canonical_json_text(self.of) != to_canonical_json_text(of):
            return None
        blind = isinstance(of, Mapping) and (of.get("play") == "random" or isinstance(of.get("play"), list))
        is_sight_short = has_fields_hidden_from_some_player(game) and not blind
        if is_sight_short and question.seeing != "all":
            return None
        value = round_expected_value_or_none(self.low, self.high, question.expect)
        return None if value is None else Decision(value, see_all=is_sight_short)


@dataclass(frozen=True)
class ValueBounds:
    """Bounds on what an option is worth, or on the chance of a value. `name` is the option or the value in words."""

    name: str
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class ExpectedValues(_Expected):
    """For players who see all cards, each option of a state is worth, or each value of a number is as likely, as the
    bounds say."""

    kind: ClassVar[str] = "worths"
    each: tuple[ValueBounds, ...]

    def is_what_follows(self, game: Game, listing: Listing, context: Context) -> bool:
        """Return whether all bounds are those that follow from a listing. Raises NotShown."""
        return self.each == compute_bounds_of_each_option_or_value(game, self.of, listing, context)


def compute_expected_value_bounds(game: Game, worth_spec: Json, listing: Listing, context: Context) -> FractionBounds:
    """Return the bounds of the expected value. Raises NotShown."""
    number, made = _read_number_and_sweep_layers(game, worth_spec, listing, context)
    values = _WorthBounds(game, made, number, context)
    return values.scaled_bounds_to_number_bounds(int(values.lower[0]), int(values.upper[0]))


def compute_bounds_of_each_option_or_value(
    game: Game, worth_spec: Json, listing: Listing, context: Context
) -> tuple[ValueBounds, ...]:
    """Return the bounds of each option or of each value. Raises NotShown."""
    number, made = _read_number_and_sweep_layers(game, worth_spec, listing, context)
    if number.options:
        return _compute_bounds_of_each_option(game, made, _WorthBounds(game, made, number, context))
    if number.spread and number.term is not None:
        return _compute_chance_bounds_of_each_value(made, evaluate_term_at_each_end(game, made, number.term), context)
    raise NotShown("neither options nor a spread is asked for")


def _read_number_and_sweep_layers(
    game: Game, worth_spec: Json, listing: Listing, context: Context
) -> tuple[WorthNumber, Layers]:
    """Return what is asked of, and all states. Raises InputError, and NotShown."""
    number = read_worth(game, worth_spec, context)
    if listing != Listing(listing.states, listing.measure, after=number.after):
        raise NotShown("the states are those behind other actions, or not all")
    if bool(listing.measure) != (number.plan is None):
        raise NotShown("the states that a list of rules allows are listed at once, and all others in layers")
    if number.plan is None:
        made = sweep_layers_requiring_state_count(game, listing, context)
    else:
        graph = enumerate_states_under_strategy(game, number.plan, worth_spec, listing.states, context)
        require_stated_state_count(len(graph.cells), listing.states)
        made = _split_graph_into_live_layer_and_ends(graph, game)
    if made.stuck:
        raise NotShown("there is a dead end, which is worth nothing")
    if made.open:
        raise NotShown("some states are not followed")
    if not made.ends:
        raise NotShown("no game ends")
    return number, made


def _split_graph_into_live_layer_and_ends(graph: StateGraph, game: Game) -> Layers:
    """Return all states as one layer, in which play may come back to a state, with the states in which the game is over
    as its ends. Raises NotShown."""
    layer, over = put_all_states_in_one_layer(graph, game, as_term(0)), graph.cells[:, 1] != 0
    if over[0]:
        raise NotShown("the game is over before anybody acts")
    number = np.where(over, -1 - np.cumsum(over), np.cumsum(~over) - 1).astype(np.int32)
    degree, met = layer.degree[~over], layer.met[~over]  # ends have no edges; others' edges stay in order
    live = replace(layer, degree=degree, to=number[layer.to], actor=layer.actor[~over], met=met)
    ends = [StatePacking(game).pack_states_into_words(graph.cells[over].astype(np.int64))] if over.any() else []
    return Layers([live], ends, len(degree), int((degree == 0).sum()), circles=True)


class _WorthBounds:
    """The bounds of all states in whole numbers, and how they are read: `unit` of them are one of the number, and
    `least` is where it begins."""

    def __init__(self, game: Game, made: Layers, number: WorthNumber, context: Context) -> None:
        self.made, self.number = made, number
        at_random = number.play == "random" or (number.plan is not None and number.plan.ties == "random")
        choice = MOST if number.play == "best" else MEAN if at_random else LEAST
        others = MEAN if number.play == "random" else LEAST
        followers = (number.seat,) if number.plan is None else number.plan.seats
        helpers = dict.fromkeys((number.seat, *number.partners), choice if number.plan is None else MOST)
        self.play = Play({CHANCE: MEAN, **helpers, **dict.fromkeys(followers, choice)}, others)
        self.least, self.unit = 0, Fraction(SCALE)
        self.gain = 0
        if number.term is None:
            self._fill_bounds_of_expected_length(context)
        else:
            self._fill_bounds_of_expected_number(evaluate_term_at_each_end(game, made, number.term), context)

    def _fill_bounds_of_expected_number(self, number_at_each_end: Column, context: Context) -> None:
        number_at_each_end[0] = number_at_each_end[1]  # no state is open
        self.least = int(number_at_each_end.min())
        span = int(number_at_each_end.max()) - self.least
        if span > _MOST_SPAN:
            raise NotShown("the number has too many values")
        self.unit = Fraction(SCALE, max(span, 1))
        self.down, self.up = _scale_numbers_down_and_up(number_at_each_end - self.least, max(span, 1))
        self.lower, self.upper = compute_lower_and_upper_state_values(
            self.made, (self.down, self.up), self.play, context, is_endless_play_possible=span > 0
        )

    def _fill_bounds_of_expected_length(self, context: Context) -> None:
        nothing = np.zeros(1 + sum(map(len, self.made.ends)), dtype=np.int64)
        self.down = self.up = nothing
        for most in _LENGTHS:
            self.unit, self.gain = Fraction(SCALE // most), SCALE // most
            play = replace(self.play, gain=self.gain, gainless=() if self.number.counts == "all" else (CHANCE,))
            try:
                self.lower, self.upper = compute_lower_and_upper_state_values(
                    self.made, (nothing, nothing), play, context
                )
            except NotShown:
                continue
            return
        raise NotShown(f"no bound of at most {_LENGTHS[-1]:,} decisions on average was found")

    def scaled_bounds_to_number_bounds(self, scaled_low: int, scaled_high: int) -> FractionBounds:
        """Return bounds in units of the number."""
        return scaled_low / self.unit + self.least, scaled_high / self.unit + self.least


def _compute_bounds_of_each_option(game: Game, layers: Layers, worth_bounds: _WorthBounds) -> tuple[ValueBounds, ...]:
    first = layers.layers[0]
    bounds = []
    for ident, to in zip(layers.options, first.to[: int(first.degree[0])].tolist(), strict=True):
        low = int(worth_bounds.lower[to] if to >= 0 else worth_bounds.down[-1 - to]) + worth_bounds.gain
        high = int(worth_bounds.upper[to] if to >= 0 else worth_bounds.up[-1 - to]) + worth_bounds.gain
        bounds.append(ValueBounds(game.show(ident), *worth_bounds.scaled_bounds_to_number_bounds(low, high)))
    return tuple(bounds)


def _compute_chance_bounds_of_each_value(
    layers: Layers, number_at_each_end: Column, context: Context
) -> tuple[ValueBounds, ...]:
    """Return the bounds on the chance of each value between players at random."""
    values = np.unique(number_at_each_end[1:]).tolist()
    if len(values) > _MOST_VALUES:
        raise NotShown(f"the number has more than {_MOST_VALUES} values")
    bounds = []
    for value in values:
        ends = np.where(number_at_each_end == value, SCALE, 0)
        ends[0] = 0
        lower, upper = compute_lower_and_upper_state_values(layers, (ends, ends), Play({}, MEAN), context)
        bounds.append(ValueBounds(str(value), Fraction(int(lower[0]), SCALE), Fraction(int(upper[0]), SCALE)))
    return tuple(bounds)


def _scale_numbers_down_and_up(numbers: Column, greatest_number: int) -> tuple[Column, Column]:
    """Return numbers from 0 to `greatest_number` in SCALE, rounded down and up."""
    whole, part = numbers * (SCALE // greatest_number), numbers * (SCALE % greatest_number)
    return whole + part // greatest_number, whole - (-part // greatest_number)
