"""What a description shows without being played: requirements that read hidden cells, cells that hold
cards nobody can tell apart, phases that can be reached, and bounds of the payoffs.

A player sees which actions may be chosen, and whose turn it is. If these depend on hidden cells, they are part of
what the player knows. Everything that groups worlds by what a seat knows asks `RevealingPhases.from_game(game)`.

The answer errs on one side: a requirement that is not listed reads only what its actor sees. One that is listed may
still tell nothing, because another requirement or an invariant of the game decides it.

Which cells hold the cards that a seat cannot tell apart: what `g.fact(exchangeable=...)` declares, cell by cell.

`playproof.referee.worlds` says what the declaration means and deals from these cells. The machine code of greedy
players deals from the same cells (`encode_unseen_card_pools_as_table`, `playproof.language.machine.players`)."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Any, NamedTuple

from playproof.language.expr import Apply, Const, Local, Op, Read, Term, get_child_terms
from playproof.language.fields import Field, Sees
from playproof.language.game import Game
from playproof.language.parts import Action, Phase
from playproof.language.statements import (
    Assign,
    If,
    Keep,
    Require,
    Statement,
    find_fields_term_depends_on,
    iter_conditions_joined_by_and,
    iter_statements_recursively,
    make_structural_key_or_identity,
)

# -- legality ------------------------------------------------------------------------------------------------
# Finds what legality may tell: requirements that read cells which the acting player does not see, and
# phases whose actor not everybody can tell.

_TermsByLocal = Mapping[int, tuple[Term, ...]]


@dataclass(frozen=True, slots=True)
class HiddenRequirement:
    """A requirement of a player's action that may read `field` where the actor does not see it. `source` is the
    requirement, or the condition around one."""

    action: Action
    source: Require | If
    field: Field


@dataclass(frozen=True, slots=True)
class RevealingPhases:
    """The phases in which a seat may learn something beside the cells that it sees: `choices` are those in which the
    legal actions may tell it something, `actors` those in which it may learn from who acts."""

    choices: frozenset[int]
    actors: frozenset[int]

    @classmethod
    def from_game(cls, game: Game) -> RevealingPhases:
        """Return the phases of a game that may tell something."""
        return _find_revealing_phases_cached(id(game), game)


@lru_cache(maxsize=256)
def _find_revealing_phases_cached(_: int, game: Game) -> RevealingPhases:
    if not any(is_hidden_from_some_seat(game, held) for held in game.fields):
        return RevealingPhases(frozenset(), frozenset())
    choices = {phase for found in find_requirements_reading_hidden_cells(game) for phase in found.action.phases}
    actors = {phase.number for phase in game.phases if _has_hidden_actor(game, phase)}
    return RevealingPhases(frozenset(choices), frozenset(actors))


def is_hidden_from_some_seat(game: Game, field: Field) -> bool:
    """Return whether some seat does not see all of a field."""
    return any(not all(field.make_mask_of_cells_seen_by_seat(seat, game.players)) for seat in range(game.players))


def _has_hidden_actor(game: Game, phase: Phase) -> bool:
    return not phase.automatic and any(
        is_hidden_from_some_seat(game, held) for held in find_fields_term_depends_on(phase.actor)
    )


def find_requirements_reading_hidden_cells(game: Game) -> list[HiddenRequirement]:
    """Return the requirements of players' actions that may read what the actor does not see, in order, one for each
    requirement and field."""
    found: dict[tuple[int, int, int], HiddenRequirement] = {}
    for action in game.actions:
        for number in action.phases:
            phase = game.phases[number]
            if phase.chance:
                continue
            for source, held in _UnseenReadFinder(game, phase, action).iter_requirements_reading_hidden_fields():
                found.setdefault((action.number, id(source), held.number), HiddenRequirement(action, source, held))
    return list(found.values())


class _UnseenReadFinder:
    """The part of an action that decides whether it is legal, as the actor of one phase meets it."""

    def __init__(self, game: Game, phase: Phase, action: Action) -> None:
        self.game, self.actor, self.action = game, phase.actor, action
        values: dict[int, list[Term]] = {}
        for statement in iter_statements_recursively(action.head):
            if isinstance(statement, Keep):
                values.setdefault(statement.local.number, []).append(statement.value)
        self.values: _TermsByLocal = {number: tuple(terms) for number, terms in values.items()}
        self.same = self._find_term_keys_equal_to_actor()

    def iter_requirements_reading_hidden_fields(self) -> Iterator[tuple[Require | If, Field]]:
        """Yield each requirement (or condition around requirements) with a field that it reads where the actor may
        not see it."""
        for statement in iter_statements_recursively(self.action.head):
            match statement:
                case Require(condition, _, _, args, _):
                    terms: Sequence[Term] = (condition, *args)
                case If(condition, then, other) if _has_requirement_inside(then) or _has_requirement_inside(other):
                    terms = (condition,)
                case _:
                    continue
            for held in dict.fromkeys(
                chain.from_iterable(self._iter_fields_read_unseen_by_actor(term, {}) for term in terms)
            ):
                yield statement, held

    def _find_term_keys_equal_to_actor(self) -> set[object]:
        """Return the keys of all that equals the actor where the action is legal."""
        same = {self._make_key_equal_for_equal_terms(self.actor, {})}
        for statement in self.action.head:
            if isinstance(statement, Require):
                for part in iter_conditions_joined_by_and(statement.condition):
                    if isinstance(part, Op) and part.op == "==":
                        keys = {self._make_key_equal_for_equal_terms(side, {}) for side in part.args}
                        same |= keys if keys & same else set()
        return same

    def _iter_fields_read_unseen_by_actor(self, term: Term, arguments_by_local: _TermsByLocal) -> Iterator[Field]:
        """Yield the fields that a term reads in cells that the actor may not see. `arguments_by_local` holds the
        arguments of the functions around it."""
        match term:
            case Local():
                known = {**self.values, **arguments_by_local}.get(term.number, ())
                for value in known:
                    if value is not term:
                        yield from self._iter_fields_read_unseen_by_actor(value, arguments_by_local)
                return
            case Apply():
                params = zip(term.function.params, term.args, strict=True)
                inner = {p.number: tuple(self._iter_possible_argument_terms(a, arguments_by_local)) for p, a in params}
                yield from self._iter_fields_read_unseen_by_actor(term.function.body, {**arguments_by_local, **inner})
            case Read() if not self._is_cell_surely_seen_by_actor(term, arguments_by_local):
                yield term.field
        for child in get_child_terms(term):
            yield from self._iter_fields_read_unseen_by_actor(child, arguments_by_local)

    def _iter_possible_argument_terms(self, term: Term, arguments_by_local: _TermsByLocal) -> Iterator[Term]:
        """Yield what an argument may be, in terms of the action's own locals."""
        if isinstance(term, Local) and term.number in arguments_by_local:
            yield from arguments_by_local[term.number]
        else:
            yield term

    def _is_cell_surely_seen_by_actor(self, read: Read, arguments_by_local: _TermsByLocal) -> bool:
        """Return whether the actor surely sees a cell."""
        held, players = read.field, self.game.players
        if players == 1:
            return all(held.make_mask_of_cells_seen_by_seat(0, 1))
        if isinstance(held.sees, frozenset):
            return set(range(self.actor.lo, self.actor.hi + 1)) <= held.sees
        if held.sees in (Sees.ALL, Sees.NOBODY):
            return held.sees is Sees.ALL
        owner = derive_first_index_term_or_none(held, read.index)
        if owner is None:
            return False
        if held.sees is Sees.OWNER:
            return self._make_key_equal_for_equal_terms(owner, arguments_by_local) in self.same
        return isinstance(owner, Const) and isinstance(self.actor, Const) and owner.value != self.actor.value

    def _make_key_equal_for_equal_terms(self, term: Term, arguments_by_local: _TermsByLocal) -> object:
        """Return a key that is equal for terms that surely have one value."""
        known = {**self.values, **arguments_by_local}
        while isinstance(term, Local) and len(known.get(term.number, ())) == 1:
            term = known[term.number][0]
        if isinstance(term, Op):
            return (term.op, *(self._make_key_equal_for_equal_terms(arg, arguments_by_local) for arg in term.args))
        return make_structural_key_or_identity(term)


def _has_requirement_inside(body: Sequence[Statement]) -> bool:
    return any(isinstance(statement, Require) for statement in iter_statements_recursively(tuple(body)))


def derive_first_index_term_or_none(field: Field, cell_number: Term) -> Term | None:
    """Return the first index of an array's cell from the number of the cell, or None if it cannot be told."""
    row: Term | None = cell_number
    for size in reversed(field.shape[1:]):
        row = None if row is None else _derive_row_term_from_cell_number_term(row, size)
    return row


def _derive_row_term_from_cell_number_term(cell_number: Term, size: int) -> Term | None:
    """Return `cell_number // size` for a number that is written as `row * size + place`."""
    match cell_number:
        case Const():
            return Const(cell_number.value // size)
        case Op(op="*", args=(row, Const() as factor)) if factor.value == size:
            return row
        case Op(op="+", args=(Op(op="*", args=(row, Const() as factor)), place)) if factor.value == size:
            return row if place.lo >= 0 and place.hi < size else None
    return Const(0) if cell_number.lo >= 0 and cell_number.hi < size else None


# -- exchange ------------------------------------------------------------------------------------------------
# Which cells hold the cards that a seat cannot tell apart: what `g.fact(exchangeable=...)` declares, cell
# by cell.

_MOST_CARDS = 20_000  # cards of a group for which machine code makes room


@dataclass(frozen=True, slots=True)
class CardHolder:
    """Cells that hold cards of some `kinds`. If it `counts`, cell n says how many cards of the kind `base + n` there
    are. Else it is one cell, whose value is `kind + base`: place number `index` of a row, of which the cell `size`
    says how many places are filled; without it (-1), a value from `base` on fills the place. `owner` is the first
    index of the field, and `most` how many cards it can hold."""

    cells: tuple[int, ...]
    counts: bool
    base: int
    kinds: range
    owner: int
    most: int = 1
    size: int = -1
    index: int = 0

    def list_kinds_of_held_cards(self, state: Sequence[int]) -> list[int]:
        """Return the kinds of the cards it holds."""
        if self.counts:
            return [kind for kind, cell in zip(self.kinds, self.cells, strict=True) for _ in range(state[cell])]
        kind = state[self.cells[0]] - self.base
        filled = self.index < state[self.size] if self.size >= 0 else kind >= 0
        return [kind] if filled and kind in self.kinds else []

    def write_cards_into_state(self, state: list[int], card_kinds: Sequence[int]) -> None:
        """Write cards of those kinds into the cells of `state`."""
        if not self.counts:
            for kind in card_kinds:
                state[self.cells[0]] = kind + self.base
            return
        for cell in self.cells:
            state[cell] = 0
        for kind in card_kinds:
            state[self.cells[kind - self.base]] += 1


CardPool = tuple[CardHolder, ...]


def list_pools_of_cards_unseen_by_seat(game: Game, seat: int) -> tuple[CardPool, ...]:
    """Return the groups of holders that exchange cards which a seat does not see."""
    return _list_unseen_card_pools_cached(id(game), game, seat)


@lru_cache(maxsize=256)
def _list_unseen_card_pools_cached(_: int, game: Game, seat: int) -> tuple[CardPool, ...]:
    mask = [seen for field in game.fields for seen in field.make_mask_of_cells_seen_by_seat(seat, game.players)]
    made: list[CardPool] = []
    for group in game.facts.get("exchangeable", ()):
        holders = [*_iter_holders_counting_cards_by_kind(game, group), *_iter_holders_of_single_card_slots(game, group)]
        hidden = [holder for holder in holders if not any(mask[cell] for cell in holder.cells)]
        owners = sorted({holder.owner for holder in hidden}) if group.get("by_player") else [None]
        made += [tuple(holder for holder in hidden if owner in (None, holder.owner)) for owner in owners]
    return tuple(made)


def _iter_holders_counting_cards_by_kind(game: Game, group: Mapping[str, Any]) -> Iterator[CardHolder]:
    """Yield the rows of a group's counting arrays."""
    wanted = _get_card_kind_range_or_unlimited(group)
    for field in map(game.get_field, group.get("counts", ())):
        for row in _list_cell_ranges_of_rows(field):
            cells = tuple(row[wanted.start : wanted.stop])
            kinds = range(wanted.start, wanted.start + len(cells))
            yield CardHolder(
                cells, True, wanted.start, kinds, _get_first_index_of_cell(field, row.start), field.hi * len(cells)
            )


def _iter_holders_of_single_card_slots(game: Game, group: Mapping[str, Any]) -> Iterator[CardHolder]:
    """Yield the places of a group's slots. Places of one row may be seen by different seats (a hand of one card each),
    so each is a holder."""
    first, wanted = int(group.get("first", 0)), _get_card_kind_range_or_unlimited(group)
    sizes: Mapping[str, str | None] = group.get("slots", {})
    for name, size_name in sizes.items():
        field = game.get_field(name)
        kinds = range(wanted.start, min(wanted.stop, field.hi - first + 1))
        filled = game.get_field(size_name).offset if size_name else None
        for number, row in enumerate(_list_cell_ranges_of_rows(field)):
            size = -1 if filled is None else filled + number
            for index, cell in enumerate(row):
                yield CardHolder(
                    (cell,), False, first, kinds, _get_first_index_of_cell(field, cell), size=size, index=index
                )


def _get_card_kind_range_or_unlimited(group: Mapping[str, Any]) -> range:
    return range(*group.get("kinds", (0, sys.maxsize)))


def _get_first_index_of_cell(field: Field, cell: int) -> int:
    """Return the first index of a cell."""
    return (cell - field.offset) * field.shape[0] // field.size if field.shape else 0


def _list_cell_ranges_of_rows(field: Field) -> list[range]:
    width = field.shape[-1] if field.shape else 1
    return [range(start, start + width) for start in range(field.offset, field.offset + field.size, width)]


# -- for machine code -----------------------------------------------------------------------------------------------


class EncodedPools(NamedTuple):
    table: list[int]
    card_kind_count: int
    largest_pool_size: int


def encode_unseen_card_pools_as_table(game: Game) -> EncodedPools:
    """Return the pools of all seats as one table, how many kinds of cards there are, and how many cards a pool can
    hold at most.

    The table begins with the place of each seat's pools. These are: how many, then for each pool how many holders,
    then for each holder how many numbers it has, 1 if it counts, its base, and its cells; or 0, its base, its cell,
    where its size stands, its index, and the range of its kinds.
    """
    table, every = (
        [0] * game.players,
        [list_pools_of_cards_unseen_by_seat(game, seat) for seat in range(game.players)],
    )
    for seat, groups in enumerate(every):
        table[seat] = len(table)
        table.append(len(groups))
        for pool in groups:
            table.append(len(pool))
            for h in pool:
                place = (*h.cells, h.size, h.index, h.kinds.start, h.kinds.stop)
                numbers = [int(h.counts), h.base, *(h.cells if h.counts else place)]
                table += [len(numbers) + 1, *numbers]
    holders = [pool for groups in every for pool in groups]
    kinds = max((h.kinds.stop for pool in holders for h in pool), default=0)
    largest = max((sum(h.most for h in pool) for pool in holders), default=0)
    return EncodedPools(table, max(0, kinds), largest)


def can_deal_in_machine_code(game: Game) -> bool:
    """Return whether the game says what may be exchanged unseen, and machine code has room to deal it."""
    _, kinds, cards = encode_unseen_card_pools_as_table(game)
    return bool(game.facts.get("exchangeable")) and kinds + cards <= _MOST_CARDS


# -- phases --------------------------------------------------------------------------------------------------
# The phases that a game can go to: a fixed point over the values assigned to the fields that hold phases.


def compute_values_assigned_to_phase_fields(game: Game) -> dict[int, frozenset[int]]:
    """Return, for each field that holds phases, the values that the rules ever assign to it (a
    fixed point over assignments)."""
    held = {f.number: f for f in (game.current_phase.field, *game.phase_fields)}
    bodies = [a.body for a in game.actions] + [p.body or () for p in game.phases] + [p.body for p in game.procedures]
    assigned = [
        s
        for body in bodies
        for s in iter_statements_recursively(body)
        if isinstance(s, Assign) and s.field.number in held
    ]
    values: dict[int, frozenset[int]] = {n: frozenset(f.start) for n, f in held.items()}
    while True:
        grown = dict(values)
        for s in assigned:
            grown[s.field.number] |= _find_values_a_term_may_have(s.value, values, held[s.field.number])
        if grown == values:
            return values
        values = grown


def list_player_actions_before_chance(game: Game) -> list[Action]:
    """Return the actions of players behind which chance may act at once."""
    chance = {number for number, phase in enumerate(game.phases) if phase.chance}
    current = game.current_phase.field
    values = compute_values_assigned_to_phase_fields(game)

    def find_phases_after(body: tuple[Statement, ...]) -> set[int]:
        return {
            number
            for s in iter_statements_recursively(body)
            if isinstance(s, Assign) and s.field.number == current.number
            for number in _find_values_a_term_may_have(s.value, values, current)
        }

    found = []
    for action in game.actions:
        after = find_phases_after(action.body)
        while (
            more := {
                number
                for phase in after
                if game.phases[phase].automatic
                for number in find_phases_after(game.phases[phase].body or ())
            }
            - after
        ):
            after |= more
        if after & chance and not all(game.phases[number].chance for number in action.phases):
            found.append(action)
    return found


def find_unreached_phases(game: Game) -> list[Phase]:
    """Return the phases that no rule goes to: a `goto` is missing, or the loaded cards never ask for
    them."""
    reached = compute_values_assigned_to_phase_fields(game)[game.current_phase.field.number]
    return [phase for phase in game.phases if phase.number not in reached]


def _find_values_a_term_may_have(
    term: Term, values_by_field: dict[int, frozenset[int]], field: Field
) -> frozenset[int]:
    match term:
        case Const():
            return frozenset((term.value,))
        case Read() if term.field.number in values_by_field:
            return values_by_field[term.field.number]
        case Op(op="pick"):
            return _find_values_a_term_may_have(term.args[1], values_by_field, field) | _find_values_a_term_may_have(
                term.args[2], values_by_field, field
            )
    return frozenset(range(field.lo, field.hi + 1))


# -- payoffs -------------------------------------------------------------------------------------------------
# A game's payoffs: the least and greatest return, and whether the returns of two sides always cancel.


def get_bounds_of_returns(game: Game) -> tuple[int, int]:
    """Return the least and greatest return of a seat."""
    if game.payoffs is None:
        return -1, 1
    return min(t.lo for t in game.payoffs), max(t.hi for t in game.payoffs)


def is_shown_to_be_zero_sum(game: Game) -> bool:
    """Return whether the description shows that two seats' returns always cancel. False may mean
    only that it does not show it."""
    return game.players == 2 and len(game.sides) == 2 and _do_returns_of_two_sides_cancel(game)


def is_first_return_deciding_all_returns(game: Game) -> bool:
    """Return whether the description shows that the first seat's return gives all others': all play together, or two
    sides against each other, whose seats get the same each."""
    if game.payoffs is not None:
        for side in game.sides:
            if len({make_structural_key_or_identity(game.payoffs[seat]) for seat in side}) > 1:
                return False
    return len(game.sides) == 1 or (len(game.sides) == 2 and _do_returns_of_two_sides_cancel(game))


def _do_returns_of_two_sides_cancel(game: Game) -> bool:
    """Return whether the returns of two sides cancel, each taken from its first seat."""
    if game.payoffs is None:
        return not any(end.shared or end.kind == "loss" for end in game.endings)
    first, second = (game.payoffs[side[0]] for side in game.sides)
    return _is_negation_of(first, second) or _is_negation_of(second, first)


def _is_negation_of(first: Term, second: Term) -> bool:
    if not isinstance(second, Op) or second.op != "-":
        return False
    left, right = second.args
    if isinstance(left, Const) and left.value == 0:
        return make_structural_key_or_identity(first) == make_structural_key_or_identity(right)
    return isinstance(first, Op) and make_structural_key_or_identity(first) == (
        "-",
        make_structural_key_or_identity(right),
        make_structural_key_or_identity(left),
    )
