"""Certificates about all states of a game that goes through layers: properties and chances.

`layers.py` makes the states, `chances.py` their values. A certificate names the measure that no
decision lowers, and how many states there are."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

import numpy as np

from playproof.database.errors import InputError
from playproof.language import Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import (
    Certificate,
    NotShown,
    require_partners_as_in_game,
    require_stated_state_count,
)
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.closed_sets import (
    LUCK,
    MEAN,
    SCALE,
    Column,
    Layers,
    Play,
    ValueStep,
    compute_longest_game_length,
    compute_lower_and_upper_state_values,
    make_play_of_seekers,
    require_bounds_implied,
)
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.layers import MOST_LAYERED, CompiledSweep, Horizon, LayerSweep, StatePacking
from playproof.verifier.kernel.state_graphs import (
    VECTORS,
    require_no_step_lowers_number,
    require_target_excluded_beyond_limit,
)
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    PROPERTIES,
    Event,
    EventChance,
    LengthLimit,
    Property,
    Statement,
    Subject,
)
from playproof.verifier.kernel.strict_json import OMITTED, encode_typed_value_as_json, to_canonical_json_text
from playproof.verifier.kernel.symmetry import Renaming, StateCanonicalizer, check_renamings_and_make_canonicalizer


@dataclass(frozen=True)
class LayerOrder:
    """How a game's states lie in layers: the measure that no decision lowers, and the number of states that are not
    over. States in which `number`, if it is not "", is more than `most` are not followed. The states are those behind
    the actions `after`."""

    measure: str
    states: int
    number: str = ""
    most: int = 0
    after: tuple[int, ...] = ()

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the numbers that order and limit the states."""
        return [("number", name) for name in (self.measure, self.number) if name]


def sweep_layers_requiring_state_count(
    game: Game,
    layer_order: LayerOrder,
    context: Context,
    event: Event | None = None,
    renamings: tuple[Renaming, ...] = (),
) -> Layers:
    """Return all layers. Raises NotShown, also if there are not exactly so many states."""
    made = sweep_layers_cached(game, layer_order, context, event, renamings=renamings)
    require_stated_state_count(made.states, layer_order.states)
    return made


def sweep_layers_cached(
    game: Game,
    layer_order: LayerOrder,
    context: Context,
    event: Event | None = None,
    *,
    must_measure_rise: bool = False,
    renamings: tuple[Renaming, ...] = (),
) -> Layers:
    """Return all layers of at most so many states. If `must_measure_rise`, each decision has to raise the measure. Of
    states that the renamings lead into each other, some are left out; whoever asks has certified them. The
    context holds the layers gone through last, because several claims are about the same. Raises NotShown, and
    MeasureNotRaised."""
    inner = None if event is None or can_event_hold_only_at_ends(event) else event
    of = layer_order
    named = encode_typed_value_as_json(inner), encode_typed_value_as_json(renamings)
    key = to_canonical_json_text([of.measure, of.number, of.most, of.after, *named])
    swept_last = context.get_or_build_for_game(game, "layers", dict[str, Layers])
    if key not in swept_last or (must_measure_rise and swept_last[key].circles):
        swept_last.clear()  # there is room for one
        measure, horizon = read_measure_and_horizon(game, layer_order, context)
        condition = None if inner is None else inner.build_condition_and_actions(game, context).condition
        instead = StateCanonicalizer(game, renamings).copy_rows_renamed_to_smaller_states if renamings else None
        most, after = min(layer_order.states, MOST_LAYERED), layer_order.after
        swept_last[key] = LayerSweep(
            game, measure, condition, most, horizon, strict=must_measure_rise, after=after, instead=instead
        ).sweep_all_layers()
    return swept_last[key]


def read_measure_and_horizon(game: Game, layer_order: LayerOrder, context: Context) -> tuple[Term, Horizon | None]:
    """Return the measure and the horizon of an order. Raises NotShown."""
    try:
        measure = context.read_number(game, layer_order.measure)
        number = context.read_number(game, layer_order.number) if layer_order.number else None
    except InputError as error:
        raise NotShown(error.findings[0].message) from None
    if layer_order.most and not layer_order.number:
        raise NotShown("there is no number that would be limited")
    return measure, None if number is None else Horizon(number, layer_order.most)


def can_event_hold_only_at_ends(event: Event) -> bool:
    """Return whether an event can hold only where the game is over: an outcome is read so."""
    return isinstance(event.of, Mapping) and ("outcome" in event.of or "reason" in event.of)


# -- properties -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LayeredStatesCertificate(Certificate):
    """All states: the rules keep the property, no game is longer, or none meets the event.

    The sweep itself fails at a broken bound, and at automatic phases that run on.
    """

    kind: ClassVar[str] = "layered states"
    rests: ClassVar[str] = VECTORS
    about: Subject
    order: LayerOrder
    renamings: ClassVar[tuple[Renaming, ...]] = ()
    """The renamings by which states stand for others."""

    def build_proved_statement(self) -> Statement:
        """State that the property or the length is kept, or that the event never happens."""
        return Statement(self.about, not isinstance(self.about, Event))

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is stated, and the numbers that order the states."""
        return super().list_claim_parts() + self.order.list_claim_parts()

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Go through the layers. Raises NotShown."""
        event = self.about if isinstance(self.about, Event) else None
        if self.renamings:
            check_renamings_and_make_canonicalizer(
                game, self.renamings, list_event_and_horizon_terms(game, event, self.order, context), context
            )
        match self.about:
            case _ if self.order.number or self.order.after:
                raise NotShown("what is said of all states may not be limited")
            case Property(name=name) if name in PROPERTIES:
                if self._sweep_states_of_claimed_count(game, context).stuck and name == NO_DEAD_END:
                    raise NotShown("there is a dead end")
            case LengthLimit(most=most):
                longest = compute_longest_game_length(self._sweep_states_of_claimed_count(game, context))
                if longest > most:
                    raise NotShown(f"a game has {longest} decisions")
            case Event():
                self._require_event_met_in_no_state(game, self.about, context)
            case _:
                raise NotShown("no layers can show this")

    def _sweep_states_of_claimed_count(self, game: Game, context: Context, event: Event | None = None) -> Layers:
        return sweep_layers_requiring_state_count(game, self.order, context, event, self.renamings)

    def _require_event_met_in_no_state(self, game: Game, event: Event, context: Context) -> None:
        """Check that no state meets the event. Raises NotShown."""
        target = event.build_condition_and_actions(game, context)
        if target.idents is not None:
            if self._sweep_states_of_claimed_count(game, context).taken & list_actions_reached_by_renamings(
                target.idents, self.renamings
            ):
                raise NotShown("the action is legal in some state")
            return
        made = self._sweep_states_of_claimed_count(game, context, event)
        if (
            any(layer.met.any() for layer in made.layers)
            or evaluate_term_at_each_end(game, made, target.condition).any()
        ):
            raise NotShown("it is met in a state")


@dataclass(frozen=True)
class SymmetricStatesCertificate(LayeredStatesCertificate):
    """The same, where of states that renamings lead into each other only some are gone through."""

    kind: ClassVar[str] = "symmetric states"
    rests: ClassVar[str] = f"{VECTORS}, and Z3 for what is alike"
    alike: tuple[Renaming, ...]

    @property
    def renamings(self) -> tuple[Renaming, ...]:  # type: ignore[override]
        """The renamings by which states stand for others."""
        return self.alike


def list_actions_reached_by_renamings(action_ids: Set[int], renamings: tuple[Renaming, ...]) -> set[int]:
    """Return the actions that renamings lead these to, one after the other: if none of them is legal in the states that
    were gone through, none of these is legal in any state that such a state stands for."""
    reached, new = set[int](), set(action_ids)
    while new:
        reached |= new
        new = {each.idents[i] for each in renamings for i in new} - reached
    return reached


def evaluate_term_at_each_end(game: Game, layers: Layers, term: Term, as_number: bool = True) -> Column:
    """Return a term's value in each end, or (if not `as_number`) whether it is true there; 0 in the end that stands for
    open states."""
    reader, packing = ColumnReading(game, [term]), StatePacking(game)
    parts = [np.zeros(1, dtype=np.int64)]
    for keys in layers.ends:
        values = reader.evaluate_term_in_each_state(term, packing.unpack_states_from_words(keys))
        parts.append(values.astype(np.int64) if as_number else (values != 0).astype(np.int64))
    return np.concatenate(parts)


# -- chances --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LayeredChanceCertificate(Certificate):
    """Bounds on the chance that `seat` and its `partners` bring about the event, as `chance` states them for all states
    at once."""

    kind: ClassVar[str] = "layered chance"
    rests: ClassVar[str] = VECTORS
    event: Event
    chance: str
    seat: int
    order: LayerOrder
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)
    renamings: ClassVar[tuple[Renaming, ...]] = ()
    """The renamings by which states stand for others."""

    @property
    def seats(self) -> tuple[int, ...]:
        """The seats that want the event."""
        return self.seat, *self.partners

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The lower and the upper bound at the start."""
        return self.low, self.high

    def describe_what_must_be_trusted(self) -> str:
        """Return the vector reading, and Z3 if a number limits the states."""
        return f"{self.rests}, and Z3 for the states beyond" if self.order.number else self.rests

    def build_proved_statement(self) -> Statement:
        """State that the chance lies between the two bounds."""
        return Statement(EventChance(self.event, self.chance, self.seat, self.low, self.high, partners=self.partners))

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is stated, and the numbers that order the states."""
        return super().list_claim_parts() + self.order.list_claim_parts()

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Compute bounds. Raises NotShown if those of the certificate do not follow from them."""
        require_bounds_implied((self.low, self.high), compute_chance_bounds_by_sweep(game, self, context))


@dataclass(frozen=True)
class SymmetricChanceCertificate(LayeredChanceCertificate):
    """The same, where of states that renamings lead into each other only some are gone through."""

    kind: ClassVar[str] = "symmetric chance"
    alike: tuple[Renaming, ...]

    @property
    def renamings(self) -> tuple[Renaming, ...]:  # type: ignore[override]
        """The renamings by which states stand for others."""
        return self.alike

    def describe_what_must_be_trusted(self) -> str:
        """Return the vector reading, and Z3 for the renamings."""
        return f"{super().describe_what_must_be_trusted()}, and Z3 for what is alike"


MOST_IN_COLUMNS = 2_000_000
"""The most states whose chances the kernel has to work out itself."""
BY_MACHINE = "compiled code, which worked out the chances: the states are more than the kernel goes through"


@dataclass(frozen=True)
class CompiledChanceCertificate(LayeredChanceCertificate):
    """The same, if compiled code wrote down the states' edges rightly. There are more states than the kernel's columns
    go through in time. The kernel does not contain this code: the caller lends it in the context.

    The theorem is that of `closed_sets` without circles, where values are only rounded down. A mean of values that are
    each too small by at most n parts of SCALE is too small by less than n + 1 parts after it is rounded down, and
    choices add nothing. So the value is at most `lower` + the number of layers.

    The premises, and where they are checked: the event, the luck and the seats (`require_layerable_chance_target`); no
    step leads back, and weights are above 0 (`compute_rounded_down_state_values`) and few; no step lowers
    the number that limits the states, and the event is excluded beyond it (`_is_event_excluded_beyond_horizon`), else
    the bound from above is 1. The lent code answers for the states, their edges and weights, and that no game passes
    more layers than it counts. It carries out rules that keep their bounds: these are the grounds.
    """

    kind: ClassVar[str] = "compiled chance"
    rests: ClassVar[str] = BY_MACHINE
    rise: int
    """By so much each step raises the measure. States between two multiples of it are one layer."""

    def build_proved_statement(self) -> Statement:
        """State that the chance lies between the two bounds, if the rules keep theirs."""
        return replace(super().build_proved_statement(), grounds=(BOUNDS, PHASES_END))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Let compiled code compute the bounds. Raises NotShown if they are not those of the certificate."""
        if self.rise <= 0:
            raise NotShown("no step may keep the measure")
        if self.order.states <= MOST_IN_COLUMNS:
            raise NotShown(f"the kernel goes through {self.order.states:,} states itself")
        require_bounds_implied((self.low, self.high), compute_chance_bounds_by_compiled_code(game, self, context))


def compute_chance_bounds_by_compiled_code(
    game: Game, certificate: CompiledChanceCertificate, context: Context
) -> tuple[Fraction, Fraction]:
    """Return the bounds that compiled code gives. Raises NotShown, also if there are not exactly so many states."""
    require_layerable_chance_target(game, certificate, context)
    swept = sweep_layers_by_compiled_code(game, certificate.order, certificate.event, certificate.rise, context)
    require_stated_state_count(swept.states, certificate.order.states)
    play = make_play_of_seekers(certificate.chance, certificate.seats)
    values = compute_rounded_down_state_values(swept, play)
    low = int(values[0])
    if swept.open and not (certificate.order.number and _is_event_excluded_beyond_horizon(game, certificate, context)):
        return Fraction(low, SCALE), Fraction(1)
    is_rounded = values.any() and MEAN in play.by_actor.values()  # before the event, no value is rounded to 0
    rounded = swept.layers if is_rounded else 0
    return Fraction(low, SCALE), Fraction(min(SCALE, low + rounded), SCALE)


def compute_rounded_down_state_values(compiled_sweep: CompiledSweep, play: Play) -> Column:
    """Return the values of all states, rounded down at each step, with open states worth 0. Raises NotShown."""
    values, ends = compiled_sweep.make_empty_column_per_state(), np.array([0, 0, SCALE])
    values[:] = -1
    for numbers, layer in compiled_sweep.iter_state_numbers_and_edges_from_last_layer():
        step = ValueStep(layer, play)
        if (values[layer.to[layer.to >= 0]] < 0).any() or (step.get_weight_of_each_edge() <= 0).any():
            raise NotShown("a step leads to no later layer, or a result of chance has no weight")
        values[numbers] = step.compute_values_after_one_step(values, ends, round_up=False)
    if (values < 0).any():
        raise NotShown("the steps from some state are missing")
    return values


def sweep_layers_by_compiled_code(
    game: Game, layer_order: LayerOrder, event: Event, least_measure_rise: int, context: Context
) -> CompiledSweep:
    """Return what compiled code goes through: at most so many states as the order says, where each step raises the
    measure by `least_measure_rise` or more. States of the event are not followed. Raises NotShown, and
    MeasureNotRaised."""
    if context.swept is None:
        raise NotShown(f"{layer_order.states:,} states are more than the kernel goes through")
    swept: CompiledSweep = context.swept(game, layer_order, event, least_measure_rise)
    return swept


def compute_chance_bounds_by_sweep(
    game: Game, certificate: LayeredChanceCertificate, context: Context
) -> tuple[Fraction, Fraction]:
    """Return the bounds that a sweep gives. Raises NotShown, also if those of listed states do not hold."""
    target = require_layerable_chance_target(game, certificate, context)
    alike = certificate.renamings
    check_renamings_and_make_canonicalizer(
        game, alike, list_event_and_horizon_terms(game, certificate.event, certificate.order, context), context
    )
    made = sweep_layers_requiring_state_count(game, certificate.order, context, certificate.event, alike)
    down = evaluate_term_at_each_end(game, made, target.condition, as_number=False) * SCALE
    up = down.copy()
    if made.open and not _is_event_excluded_beyond_horizon(game, certificate, context):
        up[0] = SCALE
    play = make_play_of_seekers(certificate.chance, certificate.seats)
    lower, upper = compute_lower_and_upper_state_values(made, (down, up), play, context)
    return Fraction(int(lower[0]), SCALE), Fraction(int(upper[0]), SCALE)


def require_layerable_chance_target(game: Game, certificate: LayeredChanceCertificate, context: Context) -> Target:
    """Return the target of a chance. Raises NotShown if layers do not answer for such a chance."""
    target = certificate.event.build_condition_and_actions(game, context)
    if target.idents is not None or certificate.chance not in LUCK:
        raise NotShown("the event has to be a condition, and luck best, worst or mean")
    if not 0 <= certificate.seat < game.players:
        raise NotShown("the game has no such seat")
    require_partners_as_in_game(game, certificate.seat, certificate.partners)
    if certificate.order.after:
        raise NotShown("a chance is that of the start")
    return target


def list_event_and_horizon_terms(
    game: Game, event: Event | None, layer_order: LayerOrder, context: Context
) -> list[Term]:
    """Return what a claim is about: the event's condition, and the number that limits the states."""
    number = [context.read_number(game, layer_order.number)] if layer_order.number else []
    return number if event is None else [event.build_condition_and_actions(game, context).condition, *number]


def _is_event_excluded_beyond_horizon(game: Game, certificate: LayeredChanceCertificate, context: Context) -> bool:
    """Return whether no open state leads to the event: no step lowers the number, and beyond the limit the event does
    not hold."""
    target, number = (
        certificate.event.build_condition_and_actions(game, context),
        context.read_number(game, certificate.order.number),
    )
    try:
        require_no_step_lowers_number(game, number, context)
        require_target_excluded_beyond_limit(game, target, number, certificate.order.most, context)
    except NotShown:
        return False
    return True
