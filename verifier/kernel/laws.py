"""Laws of steps: what they say, as terms, and what breaks one in a game that the interpreter plays."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from playproof.language import Interpreter, Table, Term
from playproof.language.expr import Local, as_term
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import ClaimTerm, ClaimTermBuilder
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.strict_json import Json, Unreadable

_PHASE = 0
"""The cell that says which phase it is. Every step may change it."""
_TRUE = as_term(1)


@dataclass(frozen=True)
class NumberChange:
    """A number that a decision changes, and the amount."""

    number: Term
    amount: Term


@dataclass(frozen=True)
class AllowedChanges:
    """The cells that a step may change, besides the phase: whole `fields`, by number, and single cells, each with
    the number of its place in the state."""

    fields: frozenset[int]
    places: tuple[Term, ...]

    def list_cells_outside_allowed_fields(self, game: Game) -> list[int]:
        """Return the cells of a state that the step leaves alone unless one of `places` means them."""
        mine = (f for f in game.fields if f.number not in self.fields)
        return [cell for f in mine for cell in range(f.offset, f.offset + f.size) if cell != _PHASE]


@dataclass(frozen=True)
class Law:
    """A law that every decision in `idents`, or every run of the automatic `phase`, obeys. With
    `possible`, the law says instead that one of those decisions is legal whenever `when` holds.

    `legal` is the condition, over the state and the parameters, under which each of `idents` is legal and without
    which none is. `before` are names in `leads` and in the numbers of `changes` for what terms were before the step."""

    idents: frozenset[int]
    when: Term
    phase: int | None = None
    needs: Term = _TRUE
    leads: Term = _TRUE
    changes: tuple[NumberChange, ...] = ()
    possible: frozenset[int] | None = None
    only: AllowedChanges | None = None
    before: tuple[tuple[Local, Term], ...] = ()
    legal: Term | None = None

    @property
    def terms(self) -> list[Term]:
        """Every term of the law."""
        own = [t for c in self.changes for t in (c.number, c.amount)]
        own += [t for _, t in self.before] + list(self.only.places if self.only else ())
        own += [self.legal] if self.legal is not None else []
        return [self.when, self.needs, self.leads, *own]


def read_law_from_spec(game: Game, law_spec: Json, context: Context) -> Law:
    """Return the law that a certificate speaks of. Raises InputError, or Unreadable if the data is
    no law."""
    return build_law(game, context.read_claim_part(game, "law", law_spec))


def build_law(game: Game, data: Json) -> Law:
    """Return the law of data. What is said of a step from a state that the data leaves out, is true."""
    idents, parameters = frozenset(data["actions"]), get_parameters_of_only_action_or_empty(game, data["actions"])
    before, after = ClaimTermBuilder(game, parameters), ClaimTermBuilder(game, parameters, [])
    leads = after.build_term(data.get("leads", 1))
    changes = [NumberChange(after.build_term(n), before.build_term(by)) for n, by in data.get("changes", ())]
    return Law(
        idents,
        before.build_term(data.get("when", 1)),
        data.get("phase"),
        before.build_term(data.get("needs", 1)),
        leads,
        tuple(changes),
        frozenset(data["can"]) if "can" in data else None,
        _build_allowed_changes(before, data["only"]) if "only" in data else None,
        tuple(after.earlier or ()),
        before.build_term(data["legal"]) if "legal" in data else None,
    )


def get_parameters_of_only_action_or_empty(game: Game, action_ids: Collection[int]) -> dict[str, Local]:
    """Return the parameters that a condition may name: those of the action, if the law is about one
    action only."""
    actions = [a for a in game.actions if not set(action_ids).isdisjoint(a.idents)]
    return {p.local.name: p.local for p in actions[0].params} if len(actions) == 1 else {}


def _build_allowed_changes(builder: ClaimTermBuilder, fields_and_cells: Sequence[ClaimTerm]) -> AllowedChanges:
    fields, places = set[int](), list[Term]()
    for each in fields_and_cells:
        match each:
            case ["field", str(name)]:
                fields.add(builder.game.handles[name].field.number)
            case ["cell", str(name), *place]:
                array, index = builder.find_array_and_cell_index(name, place)
                if isinstance(array, Table):
                    raise Unreadable(f"`{name}` is no field")
                places.append(as_term(index + array.offset))
    return AllowedChanges(frozenset(fields), tuple(places))


def does_decision_or_phase_after_it_break_law(
    interpreter: Interpreter, law: Law, state: Sequence[int], action_id: int
) -> bool:
    """Return whether a legal decision, or an automatic phase that follows it, breaks a law."""
    return does_decision_with_its_phases_break_law(
        interpreter, law, state, action_id, interpreter.list_states_until_next_choice(state, action_id)
    )


def does_decision_with_its_phases_break_law(
    interpreter: Interpreter,
    law: Law,
    state_before: Sequence[int],
    action_id: int,
    states_after: Sequence[Sequence[int]],
) -> bool:
    """Return whether a decision breaks a law, or an automatic phase on the way through `states_after`,
    the states that follow it."""
    if action_id in law.idents:
        action = interpreter.game.get_action_of_ground_action_number(action_id)
        if _does_small_step_break_law(
            interpreter,
            law,
            state_before,
            states_after[0],
            action.map_parameter_numbers_to_values(action.get_values_of_ground_action(action_id)),
        ):
            return True
    return law.phase is not None and does_automatic_phase_break_law(interpreter, law, states_after)


def does_automatic_phase_break_law(
    interpreter: Interpreter, law: Law, consecutive_states: Sequence[Sequence[int]]
) -> bool:
    """Return whether the law's phase breaks it between two neighbouring states of `consecutive_states`, which
    automatic phases join."""
    return any(
        state[0] == law.phase and _does_small_step_break_law(interpreter, law, state, after, {})
        for state, after in pairwise(consecutive_states)
    )


def _does_small_step_break_law(
    interpreter: Interpreter,
    law: Law,
    state_before: Sequence[int],
    state_after: Sequence[int],
    parameter_values: Mapping[int, int],
) -> bool:
    later = dict(parameter_values)

    def before(term: Term, local_values: Mapping[int, int] = parameter_values) -> int:
        return interpreter.value(term, state_before, dict(local_values))

    def after(term: Term) -> int:
        return interpreter.value(term, state_after, dict(later))

    if not before(law.when):
        return False
    later |= {name.number: before(term) for name, term in law.before}
    obeyed = before(law.needs) and (law.legal is None or before(law.legal)) and after(law.leads)
    obeyed = obeyed and all(after(c.number) - before(c.number, later) == before(c.amount) for c in law.changes)
    if obeyed and law.only is not None:
        places = {before(place) for place in law.only.places}
        cells = law.only.list_cells_outside_allowed_fields(interpreter.game)
        return not all(state_before[n] == state_after[n] for n in cells if n not in places)
    return not obeyed


def is_decision_required_by_law_illegal(interpreter: Interpreter, law: Law, state: Sequence[int]) -> bool:
    """Return whether somebody is to act where the law wants a decision to be legal that is not: one of some, or
    each for which its condition holds."""
    if interpreter.terminal(state):
        return False
    if law.possible is not None:
        return bool(interpreter.value(law.when, state)) and not law.possible & set(interpreter.legal(state))
    if law.legal is None:
        return False
    refused = law.idents - set(interpreter.legal(state))
    return any(_does_law_require_decision_legal(interpreter, law, law.legal, state, ident) for ident in refused)


def _does_law_require_decision_legal(
    interpreter: Interpreter, law: Law, legal_condition: Term, state: Sequence[int], action_id: int
) -> bool:
    action = interpreter.game.get_action_of_ground_action_number(action_id)
    env = action.map_parameter_numbers_to_values(action.get_values_of_ground_action(action_id))
    return bool(interpreter.value(law.when, state, dict(env)) and interpreter.value(legal_condition, state, dict(env)))


def does_end_of_line_break_law(
    interpreter: Interpreter,
    law: Law,
    state_before: Sequence[int],
    last_action: Sequence[int],
    state_after: Sequence[int],
) -> bool:
    """Return whether a line breaks a law: with its last action (none: with the automatic phases at
    the start), or because no decision is legal behind it that the law wants."""
    return (
        any(does_decision_or_phase_after_it_break_law(interpreter, law, state_before, ident) for ident in last_action)
        or is_decision_required_by_law_illegal(interpreter, law, state_after)
        or (not last_action and do_automatic_phases_at_start_break_law(interpreter, law))
    )


def do_automatic_phases_at_start_break_law(interpreter: Interpreter, law: Law) -> bool:
    """Return whether an automatic phase before the first decision breaks a law."""
    return law.phase is not None and does_automatic_phase_break_law(
        interpreter,
        law,
        list(interpreter.run_automatic_phases_yielding_copies(interpreter.game.get_state_before_automatic_phases())),
    )
