"""The certificate of a closed set of states: how the set is listed, and what is stated of it.

The theorem: if a set holds the start and, with each state, every state that one decision leads to, then every game
stays in it. So what holds in each of its states holds in every game, and what holds of a vector over it by
`closed_sets` holds of play.

| stated | over the set |
|---|---|
| an event, a property, a law, a secret | it holds in no state, or in each |
| a length | the vector of longest ways: MOST with a gain of 1, in a set without circles |
| a count, a distance | how many states meet the event; the first or last layer of the listing that has one |
| a chance | the vector of the file, whose bounds one step keeps; or what the kernel computes, rounded down and up |
| `SubjectOfPlay` | the same in the set that a strategy allows (`strategies`); an expected number (`worths`) |

The premises: the check lists the set itself, all at once (`state_graphs`) or layer by layer (`layers`), or lent code
does, and the verdict says so. The size of the set, and not the file, decides who reads the states, so `states` must be
that size. States beyond a limit are not followed: the event has to be excluded there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from playproof.language import Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import (
    Certificate,
    NotShown,
    raise_rules_errors_as_not_shown,
    require_partners_as_in_game,
    require_stated_state_count,
)
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import Decision
from playproof.verifier.kernel.closed_sets import (
    LUCK,
    MEAN,
    SCALE,
    Column,
    FractionBounds,
    ValueStep,
    are_lower_bounds_kept_with_ranks,
    are_upper_bounds_kept_by_steps,
    compute_bounds_at_start,
    compute_longest_game_length,
    make_layers_of_one,
    make_play_of_seekers,
    require_bounds_implied,
)
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.laws import (
    Law,
    do_automatic_phases_at_start_break_law,
    does_decision_or_phase_after_it_break_law,
    is_decision_required_by_law_illegal,
    read_law_from_spec,
)
from playproof.verifier.kernel.layers import (
    Listing,
    SubjectOfPlay,
    compute_rounded_down_state_values,
    evaluate_term_at_each_end,
    list_actions_reached_by_renamings,
    sweep_layers_by_compiled_code,
    sweep_layers_requiring_state_count,
)
from playproof.verifier.kernel.look_alikes import (
    read_secret_from_spec as read_secret,
    require_no_state_reveals_secret,
    require_secret_equal_in_look_alike_states,
)
from playproof.verifier.kernel.state_graphs import (
    COMPILED,
    FEW_STATES,
    MOST_STATES,
    VECTORS,
    StateGraph,
    argsort_states_by_cells,
    compute_longest_path_length_or_none,
    enumerate_game_states_cached,
    put_all_states_in_one_layer,
    require_target_excluded_beyond_limit,
)
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    PROPERTIES,
    Event,
    EventChance,
    LawObeyed,
    LengthLimit,
    Property,
    Secrecy,
    SecretDiffers,
    Statement,
    Subject,
    target_spec_to_event,
)
from playproof.verifier.kernel.strict_json import OMITTED
from playproof.verifier.questions.claims import Question

MOST_IN_COLUMNS = 2_000_000
"""The most states whose chances the kernel has to work out itself."""


# -- what only a closed set shows -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StateCount(Subject):
    """So many of the states that games come to meet the event."""

    kind: ClassVar[str] = "count"
    event: Event
    number: int

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return how many states meet the question's condition."""
        wanted = target_spec_to_event(question.of, question.within)
        return Decision(self.number) if question.ask == "count" and self.event.key == wanted.key else None


@dataclass(frozen=True)
class StateDistance(Subject):
    """Of the states that meet the event, the one nearest to the start (if `far`, the farthest one) is `number`
    decisions away by the shortest way."""

    kind: ClassVar[str] = "distance"
    event: Event
    far: bool
    number: int

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return how far the state is that the question asks about."""
        if question.ask != "distance":
            return None
        [(which, of)] = question.of.items()
        wanted = (target_spec_to_event(of, question.within).key, which == "farthest")
        return Decision(self.number) if (self.event.key, self.far) == wanted else None


# -- the certificate --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Vector:
    """Bounds of each state, in the order of the states' cells: places in `values`, from above and from below; and ranks
    for those from below."""

    values: tuple[Fraction, ...] = ()
    upper: tuple[int, ...] = ()
    lower: tuple[int, ...] = ()
    ranks: tuple[int, ...] = ()

    def require_chances_of_states(self, state_count: int) -> None:
        """Check that these are chances, two of them and a rank for each of so many states. Raises NotShown."""
        lengths = {len(self.upper), len(self.lower), len(self.ranks)}
        places = all(0 <= n < len(self.values) for n in (*self.upper, *self.lower))
        if lengths != {state_count} or not places or not all(0 <= value <= 1 for value in self.values):
            raise NotShown("expected chances from 0 to 1, and for each state two of them and a rank")

    def require_kept_by_step_and_get_bounds(self, step: ValueStep, order: Column) -> FractionBounds:
        """Return the bounds of the first state, after a check that one step keeps those of all states, which lie in
        this order of their cells. Raises NotShown."""
        units = np.array(self.values, dtype=np.object_) * SCALE
        if not (step.how == MEAN).any() and all(unit.denominator == 1 for unit in units):
            # no mean is taken, so whole numbers are as exact as fractions
            units = np.array([unit.numerator for unit in units], dtype=np.int64)
        place, no_end = np.argsort(order), np.zeros(1, dtype=units.dtype)
        lower, upper = (units[list(which)][place] for which in (self.lower, self.upper))
        if not are_upper_bounds_kept_by_steps([step], (upper, no_end)):
            raise NotShown("best play may do better than the bound from above")
        if not are_lower_bounds_kept_with_ranks([step], (lower, no_end), np.array(self.ranks, dtype=np.object_)[place]):
            raise NotShown("the bound from below is not reached")
        first = place[0]
        return self.values[self.lower[first]], self.values[self.upper[first]]


@dataclass(frozen=True)
class ClosedSetCertificate(Certificate):
    """What is stated of the states of a listing, as the module says. `vector` is that of a chance, if the file holds
    it."""

    kind: ClassVar[str] = "closed set"
    about: Subject
    listing: Listing
    vector: Vector = field(default=Vector(), metadata=OMITTED)

    def describe_what_must_be_trusted(self, needs_solver: bool = True) -> str:
        """Return what lists the states, and Z3 if a number limits them or some stand for others."""
        of = self.listing
        is_in_columns = isinstance(self.about, SubjectOfPlay) and self.about.is_read_in_columns
        lists = VECTORS if of.measure or of.states > FEW_STATES or is_in_columns else self.rests
        beyond = ", and Z3 for the states beyond" if of.number else ""
        return f"{COMPILED if of.rise else lists}{beyond}{', and Z3 for what is alike' if of.alike else ''}"

    def build_proved_statement(self) -> Statement:
        """State that the event never happens, that no two states are apart, or that the rest is so; if the rules keep
        their bounds where compiled code lists the states, which does not look at them."""
        grounds = (BOUNDS, PHASES_END) if self.listing.rise else ()
        return Statement(self.about, not isinstance(self.about, Event | SecretDiffers), grounds)

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is stated, and the numbers that order and limit the states."""
        return super().list_claim_parts() + self.listing.list_claim_parts()

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """List the set, and hold what is stated against it. Raises NotShown, also where the rules break."""
        self._require_listing_serves_subject()
        about, of = self.about, self.listing
        match about:
            case EventChance():
                bounds = self._compute_chance_bounds_or_raise(game, about, context)
                require_bounds_implied((about.low, about.high), bounds)
            case SubjectOfPlay():
                about.require_follows_from_listing(game, of, context)
            case Event() if of.rise:
                _require_compiled_code_finds_no_event(game, about, of, context)
            case _ if of.measure:
                _require_stated_in_layers(game, about, of, context)
            case _:
                _require_stated_in_graph(game, about, of, context)

    def _require_listing_serves_subject(self) -> None:
        """Check that the listing has no key that says nothing of such a subject. Raises NotShown."""
        of, about = self.listing, self.about
        layered, is_play = bool(of.measure), isinstance(about, SubjectOfPlay)
        limited: type[Subject] = EventChance if layered else Event
        in_layers = is_play or isinstance(about, Event | Property | LengthLimit | EventChance)
        in_file = isinstance(about, EventChance) and not (layered or of.rise)
        for is_wrong, message in (
            (layered and not in_layers, "no layers can show this"),
            (of.number and not isinstance(about, limited), "what is said of all states may not be limited by a number"),
            (of.most and not of.number, "there is no number that would be limited"),
            (of.after and not is_play, "what is said of all states is not of those behind actions"),
            (of.alike and not layered, "states stand for others in layers alone"),
            (of.rise and (of.alike or not isinstance(about, limited)), "compiled code serves events and chances alone"),
            (of.rise < 0, "no step may keep the measure"),
            (self.vector != Vector() and not in_file, "a vector is that of a chance over all states at once"),
        ):
            if is_wrong:
                raise NotShown(message)

    def _compute_chance_bounds_or_raise(self, game: Game, about: EventChance, context: Context) -> FractionBounds:
        if self.listing.rise and self.listing.states <= MOST_IN_COLUMNS:
            raise NotShown(f"the kernel goes through {self.listing.states:,} states itself")
        if self.vector == Vector():
            return compute_chance_bounds(game, about, self.listing, context)
        self.vector.require_chances_of_states(self.listing.states)
        graph, step = _put_states_in_one_step(game, about, self.listing, context)
        return self.vector.require_kept_by_step_and_get_bounds(step, argsort_states_by_cells(graph.cells))


# -- what holds in each state -----------------------------------------------------------------------------------------


def _require_stated_in_graph(game: Game, about: Subject, listing: Listing, context: Context) -> None:
    """Check what is stated of all states at once. Raises NotShown."""
    are_moves_asked = not isinstance(about, StateCount | StateDistance)
    target = about.build_condition_and_actions(game, context) if isinstance(about, Event) else None
    if target is not None and listing.number:
        require_target_excluded_beyond_limit(game, target, listing.limit, context)
    if are_moves_asked and listing.states > MOST_STATES:
        raise NotShown(f"{listing.states:,} states are more than the kernel goes through")
    graph = enumerate_game_states_cached(game, listing.states, context, listing.limit, keep_moves=are_moves_asked)
    require_stated_state_count(len(graph.cells), listing.states)
    match about:
        case Event() if target is not None:
            _require_target_met_in_no_state(game, graph, target)
        case Property(name=name) if name in PROPERTIES:  # a broken bound or an endless phase has ended the listing
            stuck = (graph.cells[:, 1] == 0) & (np.diff(graph.first) == 0)
            if name == NO_DEAD_END and stuck.any():
                raise NotShown("there is a dead end")
        case LengthLimit(most=most):
            longest = compute_longest_path_length_or_none(graph)
            if longest is None or longest > most:
                raise NotShown("play can go in circles" if longest is None else f"a game has {longest} decisions")
        case LawObeyed(law=law):
            _require_no_decision_breaks_law(Interpreter(game), graph, read_law_from_spec(game, law, context))
        case Secrecy(of=of):
            play, secret = Interpreter(game), read_secret(game, of)
            with raise_rules_errors_as_not_shown():
                require_no_state_reveals_secret(play, secret, graph.cells.tolist(), graph.list_legal_actions_of_state)
        case SecretDiffers(of=of):
            require_secret_equal_in_look_alike_states(read_secret(game, of), graph.cells.tolist())
        case StateCount(event=event, number=number):
            met = len(_list_rows_meeting_event(game, graph, event, context))
            if met != number:
                raise NotShown(f"{met:,} states meet it, the evidence speaks of {number:,}")
        case StateDistance(event=event, far=far, number=number):
            if number < 0 or number != _get_distance_or_minus_1(game, graph, event, far, context):
                raise NotShown(f"the nearest or farthest state is not {number:,} decisions away")
        case _:
            raise NotShown("no closed set can show this")


def _require_target_met_in_no_state(game: Game, graph: StateGraph, target: Target) -> None:
    """Check that no state meets the target, and that none of its actions is taken where its condition holds. Open rows
    do not count. Raises NotShown."""
    meets = graph.evaluate_condition_in_each_state(game, target.condition) & ~graph.open
    if target.idents is not None:
        taken = graph.edges[np.isin(graph.edges[:, 1], sorted(target.idents)), 0]
        meets &= np.isin(np.arange(len(graph.cells)), taken)
    if meets.any():
        raise NotShown(f"it is met in state {np.argmax(meets)}")


def _require_no_decision_breaks_law(interpreter: Interpreter, graph: StateGraph, law: Law) -> None:
    """Check that no decision breaks a law. Raises NotShown."""
    for row, state in enumerate(graph.cells.tolist()):
        if is_decision_required_by_law_illegal(interpreter, law, state) or any(
            does_decision_or_phase_after_it_break_law(interpreter, law, state, i)
            for i in graph.list_legal_actions_of_state(row)
        ):
            raise NotShown("a decision breaks the law")
    if do_automatic_phases_at_start_break_law(interpreter, law):
        raise NotShown("the start breaks the law")


def _list_rows_meeting_event(game: Game, graph: StateGraph, event: Event, context: Context) -> Column:
    target = event.build_condition_and_actions(game, context)
    if target.idents is not None:
        raise NotShown("the event has to be a condition on states, not an action")
    return np.flatnonzero(graph.evaluate_condition_in_each_state(game, target.condition))


def _get_distance_or_minus_1(game: Game, graph: StateGraph, event: Event, farthest: bool, context: Context) -> int:
    """Return how many decisions the nearest or the farthest state that meets an event is away, -1 if none does."""
    rows = _list_rows_meeting_event(game, graph, event, context)
    return int(np.searchsorted(graph.layers, rows[-1 if farthest else 0], side="right")) if len(rows) else -1


def count_states_and_get_distance_or_minus_1(
    game: Game, event: Event, farthest: bool, max_states: int, context: Context
) -> tuple[int, int]:
    """Return how many states there are, and how many decisions the nearest or the farthest one that meets the event is
    away, -1 if none does. Raises NotShown if there are more than `max_states`, or if the rules break."""
    graph = enumerate_game_states_cached(game, max_states, context, keep_moves=False)
    return len(graph.cells), _get_distance_or_minus_1(game, graph, event, farthest, context)


def _require_compiled_code_finds_no_event(game: Game, event: Event, listing: Listing, context: Context) -> None:
    """Let lent code go through more states than the kernel does, at most so many as are stated. Raises NotShown."""
    if listing.states <= MOST_STATES:
        raise NotShown(f"the kernel goes through {listing.states:,} states itself")
    if context.compiled is None:
        raise NotShown(f"{listing.states:,} states are more than the kernel goes through")
    target = event.build_condition_and_actions(game, context)
    if listing.number:
        require_target_excluded_beyond_limit(game, target, listing.limit, context)
    fault = context.compiled(game, target, listing.limit, listing.states, None)
    if fault:
        raise NotShown(fault)


def _require_stated_in_layers(game: Game, about: Subject, listing: Listing, context: Context) -> None:
    """Check what is stated of all states layer by layer. Raises NotShown."""
    target = about.build_condition_and_actions(game, context) if isinstance(about, Event) else None
    inner = None if target is None or target.idents is not None else target.condition
    made = sweep_layers_requiring_state_count(game, listing, context, about if isinstance(about, Event) else None)
    match about:
        case Property(name=name) if name in PROPERTIES:
            if made.stuck and name == NO_DEAD_END:
                raise NotShown("there is a dead end")
        case LengthLimit(most=most):
            longest = compute_longest_game_length(made)
            if longest > most:
                raise NotShown(f"a game has {longest} decisions")
        case Event() if inner is not None:
            at_ends = evaluate_term_at_each_end(game, made, inner)
            if any(layer.met.any() for layer in made.layers) or at_ends.any():
                raise NotShown("it is met in a state")
        case Event() if target is not None and target.idents is not None:
            if made.taken & list_actions_reached_by_renamings(target.idents, listing.alike):
                raise NotShown("the action is legal in some state")
        case _:
            raise NotShown("no layers can show this")


# -- chances ----------------------------------------------------------------------------------------------------------


def compute_chance_bounds(game: Game, about: EventChance, listing: Listing, context: Context) -> FractionBounds:
    """Return bounds on the chance of an event, rounded down and up; those of `about` count for nothing. Raises
    NotShown, also if there are not exactly so many states as the listing says."""
    if not listing.measure:
        _, step = _put_states_in_one_step(game, about, listing, context)
        return compute_bounds_at_start(make_layers_of_one(step.layer), step.play, context)
    target = _require_chance_target(game, about, context)
    play = make_play_of_seekers(about.chance, (about.seat, *about.partners))
    if listing.rise:
        return _compute_chance_bounds_by_compiled_code(game, about, listing, target, context)
    made = sweep_layers_requiring_state_count(game, listing, context, about.event)
    down = evaluate_term_at_each_end(game, made, target.condition, as_number=False) * SCALE
    up = down.copy()
    if made.open and not _is_event_excluded_beyond_limit(game, target, listing, context):
        up[0] = SCALE
    return compute_bounds_at_start(made, play, context, (down, up))


def _compute_chance_bounds_by_compiled_code(
    game: Game, about: EventChance, listing: Listing, target: Target, context: Context
) -> FractionBounds:
    """Return the bounds that the edges give which lent code wrote down, without circles and with values that are only
    rounded down. A mean of values that are each too small by at most n parts of SCALE is too small by less than n + 1
    parts after it is rounded down, and choices add nothing. So the value is at most `lower` + the number of layers.

    The lent code answers for the states, their edges and weights, and that no game passes more layers than it counts;
    that no step leads back, and that weights are above 0, is checked (`compute_rounded_down_state_values`)."""
    swept = sweep_layers_by_compiled_code(game, listing, about.event, context)
    require_stated_state_count(swept.states, listing.states)
    play = make_play_of_seekers(about.chance, (about.seat, *about.partners))
    values = compute_rounded_down_state_values(swept, play)
    low = int(values[0])
    if swept.open and not (listing.number and _is_event_excluded_beyond_limit(game, target, listing, context)):
        return Fraction(low, SCALE), Fraction(1)
    is_rounded = values.any() and MEAN in play.by_actor.values()  # before the event, no value is rounded to 0
    return Fraction(low, SCALE), Fraction(min(SCALE, low + (swept.layers if is_rounded else 0)), SCALE)


def _put_states_in_one_step(
    game: Game, about: EventChance, listing: Listing, context: Context
) -> tuple[StateGraph, ValueStep]:
    """Return all states of a listing, and one step from each of them. Raises NotShown."""
    target = _require_chance_target(game, about, context)
    graph = enumerate_game_states_cached(game, listing.states, context)
    require_stated_state_count(len(graph.cells), listing.states)
    layer = put_all_states_in_one_layer(graph, game, target.condition)
    return graph, ValueStep(layer, make_play_of_seekers(about.chance, (about.seat, *about.partners)))


def _require_chance_target(game: Game, about: EventChance, context: Context) -> Target:
    """Return the target of a chance. Raises NotShown if it has none, or speaks of luck or seats that there are not."""
    target = about.event.build_condition_and_actions(game, context)
    if target.idents is not None or about.chance not in LUCK:
        raise NotShown("the event has to be a condition, and luck best, worst or mean")
    if not 0 <= about.seat < game.players:
        raise NotShown("the game has no such seat")
    require_partners_as_in_game(game, about.seat, about.partners)
    return target


def _is_event_excluded_beyond_limit(game: Game, target: Target, listing: Listing, context: Context) -> bool:
    """Return whether no open state leads to the event."""
    try:
        require_target_excluded_beyond_limit(game, target, listing.limit, context)
    except NotShown:
        return False
    return True
