"""Laws of steps: what breaks one in a game that the interpreter plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from playproof.database.errors import Where
from playproof.language import Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.strict import Json, format_short, refuse_wrong_shape
from playproof.verifier.questions.laws import Law, read_step_law


def read_law(game: Game, spec: Json) -> Law:
    """Return the law that a certificate speaks of. Raises InputError, or Unreadable if the data is
    no law."""
    with refuse_wrong_shape(f"{format_short(spec)} is no law"):
        return read_step_law(game, spec, Where(game.name))


def does_decision_break_law(play: Interpreter, rule: Law, before: Sequence[int], ident: int) -> bool:
    """Return whether a legal decision, or an automatic phase that follows it, breaks a law."""
    return does_path_break_law(play, rule, before, ident, play.list_step_states(before, ident))


def does_path_break_law(
    play: Interpreter, rule: Law, before: Sequence[int], ident: int, moments: Sequence[Sequence[int]]
) -> bool:
    """Return whether a decision breaks a law, or an automatic phase on the way through `moments`,
    the states that follow it."""
    if ident in rule.idents:
        action = play.game.get_action_of_ident(ident)
        if _does_step_break_law(
            play, rule, before, moments[0], action.bind_parameters(action.get_parameter_values(ident))
        ):
            return True
    return rule.phase is not None and does_phase_break_law(play, rule, moments)


def does_phase_break_law(play: Interpreter, rule: Law, moments: Sequence[Sequence[int]]) -> bool:
    """Return whether the law's phase breaks it between two neighbouring states of `moments`, which
    automatic phases join."""
    return any(
        state[0] == rule.phase and _does_step_break_law(play, rule, state, after, {})
        for state, after in pairwise(moments)
    )


def _does_step_break_law(
    play: Interpreter, rule: Law, before: Sequence[int], after: Sequence[int], env: Mapping[int, int]
) -> bool:
    if not play.value(rule.when, before, dict(env)):
        return False
    later = {**env, **{name.number: play.value(term, before, dict(env)) for name, term in rule.before}}
    changed = all(
        play.value(c.number, after, dict(later)) - play.value(c.number, before, dict(later))
        == play.value(c.amount, before, dict(env))
        for c in rule.changes
    )
    return not (
        play.value(rule.needs, before, dict(env))
        and (rule.legal is None or play.value(rule.legal, before, dict(env)))
        and play.value(rule.leads, after, dict(later))
        and changed
        and _is_change_allowed(play, rule, before, after, env)
    )


def _is_change_allowed(
    play: Interpreter, rule: Law, before: Sequence[int], after: Sequence[int], env: Mapping[int, int]
) -> bool:
    """Return whether a step changes only what its law allows."""
    if rule.only is None:
        return True
    places = {play.value(place, before, dict(env)) for place in rule.only.places}
    return all(before[n] == after[n] for n in rule.only.list_unchanged_cells(play.game) if n not in places)


def is_wanted_decision_refused(play: Interpreter, rule: Law, state: Sequence[int]) -> bool:
    """Return whether somebody is to act where the law wants a decision to be legal that is not: one of some, or
    each for which its condition holds."""
    if play.terminal(state):
        return False
    if rule.possible is not None:
        return bool(play.value(rule.when, state)) and not rule.possible & set(play.legal(state))
    if rule.legal is None:
        return False
    refused = rule.idents - set(play.legal(state))
    return any(_does_law_want_decision(play, rule, rule.legal, state, ident) for ident in refused)


def _does_law_want_decision(
    play: Interpreter, rule: Law, legal: Term, state: Sequence[int], ident: int
) -> bool:
    action = play.game.get_action_of_ident(ident)
    env = action.bind_parameters(action.get_parameter_values(ident))
    return bool(play.value(rule.when, state, dict(env)) and play.value(legal, state, dict(env)))


def does_line_break_law(
    play: Interpreter, rule: Law, before: Sequence[int], last_action: Sequence[int], after: Sequence[int]
) -> bool:
    """Return whether a line breaks a law: with its last action (none: with the automatic phases at
    the start), or because no decision is legal behind it that the law wants."""
    return (
        any(does_decision_break_law(play, rule, before, ident) for ident in last_action)
        or is_wanted_decision_refused(play, rule, after)
        or (not last_action and does_start_break_law(play, rule))
    )


def does_start_break_law(play: Interpreter, rule: Law) -> bool:
    """Return whether an automatic phase before the first decision breaks a law."""
    return rule.phase is not None and does_phase_break_law(
        play, rule, list(play.iter_states_until_settled(play.game.get_initial_cells()))
    )
