"""Secrets, as `ask: secret` names them: a field, and the seat that must not be told what it holds.

    {from: 1, field: reserve, beside: [hand]}             what the others hold there, seat 1 is not told
    {from: 1, whose: 0, field: reserve, beside: [hand]}   what seat 0 holds there
    {from: 1}                                             everything that seat 1 does not see

Two states are *alike but for the secret* if all their cells are equal, except those that the seat does not
see of this field and of the fields `beside` it: a card that is not in the reserve is somewhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import Field
from playproof.language.game import Game
from playproof.verifier.questions.claims import Spec

_KEYS = ("from", "whose", "field", "beside")


@dataclass(frozen=True)
class Secret:
    """A secret kept from a seat: its `own` cells, and all `cells` that may differ with them. `shows` says of
    every cell of the state whether the seat sees it."""

    seat: int
    own: frozenset[int]
    cells: frozenset[int]
    shows: tuple[bool, ...]

    def get_cell_values_outside_secret(self, state: Sequence[int]) -> tuple[int, ...]:
        """Return the cells of a state that do not differ."""
        return tuple(value for n, value in enumerate(state) if n not in self.cells)

    def does_secret_differ_between(self, first_state: Sequence[int], second_state: Sequence[int]) -> bool:
        """Return whether the secret itself differs between two states."""
        return any(first_state[n] != second_state[n] for n in self.own)


def secret_spec_to_secret(game: Game, secret_spec: Spec, where: Where | None = None) -> Secret:
    """Return the secret that a specification names. Raises InputError if it cannot be understood, or if the
    seat sees all of a field."""
    reader = _SecretReader(game, where or Where(game.name))
    if not isinstance(secret_spec, Mapping) or "from" not in secret_spec:
        raise reader.make_secret_input_error(f"expected `of` as {{from: seat, field: name}}, found {secret_spec!r}")
    for key in secret_spec:
        if key not in _KEYS:
            raise reader.make_secret_input_error(
                f"unknown key `{key}` beside `from`", make_nearest_or_possible_words_hint(str(key), _KEYS)
            )
    seat = reader.get_seat_under_key_or_raise(secret_spec, "from")
    covered = [_list_cells_hidden_from_seat(game, f, seat) for f in game.fields]
    every = frozenset[int]().union(*covered)
    shows = tuple(n not in every for f in game.fields for n in range(f.offset, f.offset + f.size))
    if "field" not in secret_spec:
        if set(secret_spec) != {"from"}:
            raise reader.make_secret_input_error("`whose` and `beside` stand beside `field`", "name the field")
        if not every:
            raise reader.make_secret_input_error(f"seat {seat} sees everything, so nothing is secret")
        return Secret(seat, every, every, shows)
    whose = reader.get_seat_under_key_or_raise(secret_spec, "whose") if "whose" in secret_spec else None
    others = secret_spec.get("beside", [])
    if not isinstance(others, list):
        raise reader.make_secret_input_error(f"expected `beside` as a list of fields, found {others!r}")
    own, *more = [
        reader.list_cells_of_field_or_seat_row(name, whose) & every for name in (secret_spec["field"], *others)
    ]
    if not all((own, *more)):
        raise reader.make_secret_input_error(
            f"seat {seat} sees all of a field that is named", "name fields that are hidden from it"
        )
    return Secret(seat, own, own.union(*more), shows)


@dataclass(frozen=True)
class _SecretReader:
    """Reads the parts of a specification for one game."""

    game: Game
    where: Where

    def get_seat_under_key_or_raise(self, secret_spec: Mapping[str, object], key: str) -> int:
        seat = secret_spec[key]
        if type(seat) is not int or seat not in range(self.game.players):
            raise self.make_secret_input_error(
                f"expected `{key}` as a seat, found {seat!r}", f"seats are 0 to {self.game.players - 1}"
            )
        return seat

    def list_cells_of_field_or_seat_row(self, field_name: object, owner_seat: int | None) -> frozenset[int]:
        """Return the cells of a field, or of a seat's row of it."""
        names = [f.name for f in self.game.fields]
        if not isinstance(field_name, str) or field_name not in names:
            raise self.make_secret_input_error(
                f"there is no field `{field_name}`", make_nearest_or_possible_words_hint(str(field_name), names)
            )
        field = self.game.fields[names.index(field_name)]
        if owner_seat is None:
            return frozenset(range(field.offset, field.offset + field.size))
        if not field.shape or field.shape[0] != self.game.players:
            raise self.make_secret_input_error(f"`{field_name}` has no row for each seat", "leave `whose` out")
        share = field.size // field.shape[0]
        return frozenset(range(field.offset + owner_seat * share, field.offset + (owner_seat + 1) * share))

    def make_secret_input_error(self, message: str, hint: str = "") -> InputError:
        return InputError([Finding("PP701", self.where, message, hint)])


def _list_cells_hidden_from_seat(game: Game, field: Field, seat: int) -> frozenset[int]:
    """Return the cells of a field that a seat does not see and that have more than one value."""
    if field.lo == field.hi:
        return frozenset()
    mask = field.make_mask_of_cells_seen_by_seat(seat, game.players)
    return frozenset(field.offset + cell for cell, is_seen in enumerate(mask) if not is_seen)
