"""The log of a seat: what happened, step by step, in the words that this seat may hear.

    for event in match.events(seat=0):
        print(event)                      # player 2: pass ?   (now yours: hand queen 1)

An event has the sentence, who acts, the action and its parameters, with "?" for those the seat does
not see. An automatic phase is a separate event if it has a text: `g.automatic("clear", text="the
trick is taken")`. `news` holds what a seat comes to see without being told, such as a card passed
to it. A phase that copies hidden cells to where all see them says what they hold: the next phase may
clear them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from playproof.language import AUTOMATIC
from playproof.language.declarations import ParameterFlow, trace_parameter_flow_into_fields
from playproof.language.fields import Field, Sees
from playproof.language.game import Action, Game
from playproof.referee.notation import seat_name, use_an_before_capital_vowels
from playproof.referee.observations import WATCHER, HeardAction, ObservationModel
from playproof.referee.view import (
    UNKNOWN,
    DisplayFacts,
    SeatOrReferee,
    get_flags_of_cells_seat_may_see,
    list_fields_drawn_on_table,
)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, as one seat heard it.

    `number` counts the match's actions from 1; an automatic phase has the number of the action
    before it. `actor` is a seat, CHANCE or AUTOMATIC; `who` is its name ("" for AUTOMATIC).
    `action` is the action's name, or None if it is hidden. `parameters` maps the action's
    parameters to words, or to None if the seat does not see them. `news` holds, in words, the
    private cells that changed and that the seat sees.
    """

    number: int
    actor: int
    who: str
    action: str | None
    parameters: Mapping[str, str | None]
    words: str
    news: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The event in one line."""
        words = use_an_before_capital_vowels(self.words)
        sentence = f"{self.who}: {words}" if self.who else words
        return f"{sentence} (now yours: {', '.join(self.news)})" if self.news else sentence

    def __str__(self) -> str:
        return self.sentence

    def as_json(self) -> dict[str, Any]:
        """Return the event as JSON values for scripts and browsers."""
        return asdict(self) | {"sentence": self.sentence}


def make_events_of_step_as_heard_by_seat(
    model: ObservationModel, state_before: Sequence[int], action_id: int, seat: SeatOrReferee, step_number: int
) -> list[Event]:
    """Return one step as a seat or WATCHER hears it (None: the referee): the action, then each automatic
    phase that has a text."""
    game, heard = model.game, model.get_action_as_heard_by_seat(state_before, action_id, seat)
    moments = [state_before, *model.list_states_after_action_and_auto_phases(state_before, action_id)]
    action = None if heard.action is None else game.actions[heard.action]
    name = action.name if action else None
    events = [
        Event(
            step_number,
            heard.actor,
            seat_name(game, heard.actor),
            name,
            _format_heard_parameters(action, heard),
            format_heard_action(game, heard, state_before),
        )
    ]
    heard_in_full = action is not None and None not in heard.values
    for place, (earlier, later) in enumerate(pairwise(moments)):
        phase = game.phases[earlier[0]]
        shown = _describe_cells_revealed_only_briefly(game, moments, place, action_id)
        if place and (shown or phase.text != phase.name):
            words = f"{phase.text}: {shown}" if shown else phase.text
            events.append(Event(step_number, AUTOMATIC, "", phase.name, {}, words))
        elif shown:
            events[-1] = replace(events[-1], words=f"{events[-1].words} ({shown})")
        if seat not in (None, WATCHER):
            cells = list(_iter_changed_cells_seen_privately(game, earlier, later, seat))
            if cells and not place and heard_in_full:
                surprises = _find_cells_seat_could_not_foresee(model, state_before, action_id, seat, later)
                cells = [cell for cell in cells if cell in surprises]
            events[-1] = replace(events[-1], news=events[-1].news + _format_cells_with_values(game, later, cells))
    return events


def _format_heard_parameters(action: Action | None, heard: HeardAction) -> dict[str, str | None]:
    if action is None:
        return {}
    return {
        p.local.name: None if v is None else p.format_value(v) for p, v in zip(action.params, heard.values, strict=True)
    }


def format_heard_action(game: Game, heard: HeardAction, state_before: Sequence[int]) -> str:
    """Return the words of an action as it was heard, with "?" for parts not seen. A hidden
    action shows the text of its phase."""
    if heard.action is None:
        return f"{game.phases[state_before[0]].text}: {UNKNOWN}"
    action = game.actions[heard.action]
    values = [v for v in heard.values if v is not None]
    if len(values) == len(heard.values):
        return action.format_ground_action(values)
    named = {name: word or UNKNOWN for name, word in _format_heard_parameters(action, heard).items()}
    if not isinstance(action.text, str):
        return f"{action.name.replace('_', ' ')}: {', '.join(named.values())}"
    return action.text.format(**named)


# -- what is shown to all ---------------------------------------------------------------------------------------------


def _describe_cells_revealed_only_briefly(
    game: Game, successive_states: Sequence[Sequence[int]], moment_index: int, action_id: int
) -> str:
    """Return in words what a small step shows to all of hidden fields and does not stay on the table; also what stays,
    of a phase that is there to reveal it (`reveals=`). Empty if it shows nothing."""
    before, after, last = (successive_states[moment_index], successive_states[moment_index + 1], successive_states[-1])
    by_phase, by_action = _map_phases_and_actions_to_shown_fields(id(game), game)
    fields = (
        by_phase.get(before[0], ())
        if moment_index
        else by_action.get(game.get_action_of_ground_action_number(action_id).number, ())
    )
    is_declared = moment_index > 0 and bool(game.phases[before[0]].reveals)
    look, words = DisplayFacts.from_game(game), list[str]()
    for held in fields:
        for cell in range(held.offset, held.offset + held.size):
            is_new = before[cell] != after[cell] and (is_declared or after[cell] != last[cell])
            if is_new:
                words.append(
                    f"{_describe_cell_with_owner(game, look, held, cell)} {look.format_field_value(held, after[cell])}"
                )
    return ", ".join(words)


def _describe_cell_with_owner(game: Game, display: DisplayFacts, game_field: Field, cell_number: int) -> str:
    """Return a cell in words, with its owner if it has one."""
    if not display.has_separate_part_per_seat(game_field):
        return _format_field_title_and_place(display, game_field, cell_number)
    owner = (cell_number - game_field.offset) * game_field.shape[0] // game_field.size
    name = seat_name(game, owner)
    return (
        name
        if len(game_field.shape) == 1
        else f"{name}: {_format_field_title_and_place(display, game_field, cell_number)}"
    )


def has_automatic_phase_revealing_hidden_cells(game: Game) -> bool:
    """Return whether an automatic phase copies hidden cells to where all see them."""
    return any(_map_phases_and_actions_to_shown_fields(id(game), game)[0].values())


_FieldsByNumber = Mapping[int, tuple[Field, ...]]


@lru_cache(maxsize=64)
def _map_phases_and_actions_to_shown_fields(_: int, game: Game) -> tuple[_FieldsByNumber, _FieldsByNumber]:
    """Return the drawn fields seen by all to which each automatic phase, and each action, copies hidden ones."""
    hidden = [held for held in game.fields if held.sees is not Sees.ALL]
    drawn = list_fields_drawn_on_table(game)

    def find_drawn_fields(leads: ParameterFlow) -> tuple[Field, ...]:
        to = {field.number for _, field in leads.reveals}
        return tuple(held for held in drawn if held.number in to)

    by_phase = {
        p.number: find_drawn_fields(trace_parameter_flow_into_fields((), p.body, hidden))
        for p in game.phases
        if p.body is not None
    }
    by_action = {
        a.number: find_drawn_fields(trace_parameter_flow_into_fields(a.params, a.body, hidden)) for a in game.actions
    }
    return by_phase, by_action


# -- news -----------------------------------------------------------------------------------------------------------


def _iter_changed_cells_seen_privately(
    game: Game, state_before: Sequence[int], state_after: Sequence[int], seat: int
) -> Iterator[int]:
    """Yield the drawn cells that changed, that the seat sees, and that some other seat does not
    see."""
    masks = [get_flags_of_cells_seat_may_see(game, other) for other in range(game.players)]
    for held in list_fields_drawn_on_table(game):
        for cell in range(held.offset, held.offset + held.size):
            if state_before[cell] != state_after[cell] and masks[seat][cell] and not all(mask[cell] for mask in masks):
                yield cell


def _find_cells_seat_could_not_foresee(
    model: ObservationModel, state_before: Sequence[int], action_id: int, seat: int, state_after: Sequence[int]
) -> set[int]:
    """Return the cells that a seat could not foresee although it heard the action in full, such as
    a card it peeks at.

    With other values in hidden cells, these cells would differ.
    """
    game, mask, surprises = model.game, get_flags_of_cells_seat_may_see(model.game, seat), set[int]()
    for end in ("lo", "hi"):
        bounds = (getattr(held, end) for held in game.fields for _ in range(held.size))
        cells = zip(state_before, mask, bounds, strict=True)
        other = [value if seen else bound for value, seen, bound in cells]
        then = model.list_states_after_action_and_auto_phases(other, action_id)[0]
        surprises |= {cell for cell, value in enumerate(state_after) if value != then[cell]}
    return surprises


def _format_cells_with_values(game: Game, state: Sequence[int], cell_numbers: Sequence[int]) -> tuple[str, ...]:
    """Return cells and their values in words."""
    look = DisplayFacts.from_game(game)
    words: list[str] = []
    for cell in cell_numbers:
        held = next(f for f in game.fields if f.offset <= cell < f.offset + f.size)
        words.append(f"{_format_field_title_and_place(look, held, cell)} {look.format_field_value(held, state[cell])}")
    return tuple(words)


def _format_field_title_and_place(display: DisplayFacts, game_field: Field, cell_number: int) -> str:
    """Return a cell in words: the field's title and its place, without the owner."""
    rest, places = cell_number - game_field.offset, list[int]()
    for size in reversed(game_field.shape):
        rest, digit = divmod(rest, size)
        places.append(digit)
    words = [display.get_field_title(game_field.name)]
    first = 1 if display.has_separate_part_per_seat(game_field) else 0  # the event names the seat already
    for dimension, place in list(enumerate(reversed(places)))[first:]:
        axis = display.get_declared_place_names_or_none(game_field, dimension)
        words.append(str(axis[place]) if axis else str(place))
    return " ".join(words)
