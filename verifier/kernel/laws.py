"""Laws of steps: what breaks one in a game that the interpreter plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from playproof.database.errors import Where
from playproof.language import Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.strict_json import Json, format_data_shortened, raise_unreadable_for_wrong_shape
from playproof.verifier.questions.laws import Law, law_spec_to_law


def read_law_from_spec(game: Game, law_spec: Json) -> Law:
    """Return the law that a certificate speaks of. Raises InputError, or Unreadable if the data is
    no law."""
    with raise_unreadable_for_wrong_shape(f"{format_data_shortened(law_spec)} is no law"):
        return law_spec_to_law(game, law_spec, Where(game.name))


def does_decision_or_phase_after_it_break_law(
    interpreter: Interpreter, law: Law, state: Sequence[int], action_id: int
) -> bool:
    """Return whether a legal decision, or an automatic phase that follows it, breaks a law."""
    return does_decision_with_its_phases_break_law(
        interpreter, law, state, action_id, interpreter.list_states_after_action_and_phases(state, action_id)
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
        list(interpreter.iter_copies_while_running_automatic(interpreter.game.get_state_before_automatic_phases())),
    )
