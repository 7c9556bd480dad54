"""Laws of steps: what breaks one in a game that the interpreter plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from playproof.database.errors import Where
from playproof.language import Interpreter, Term
from playproof.language.game import Game
from playproof.verifier.kernel.strict import Json, shaped, shown
from playproof.verifier.questions.laws import Law, read_step_law


def read(game: Game, spec: Json) -> Law:
    """Return the law that a certificate speaks of. Raises InputError, or Unreadable if the data is
    no law."""
    with shaped(f"{shown(spec)} is no law"):
        return read_step_law(game, spec, Where(game.name))


def breaks(play: Interpreter, rule: Law, before: Sequence[int], ident: int) -> bool:
    """Return whether a legal decision, or an automatic phase that follows it, breaks a law."""
    return broken_on(play, rule, before, ident, play.list_step_states(before, ident))


def broken_on(
    play: Interpreter, rule: Law, before: Sequence[int], ident: int, moments: Sequence[Sequence[int]]
) -> bool:
    """Return whether a decision breaks a law, or an automatic phase on the way through `moments`,
    the states that follow it."""
    if ident in rule.idents:
        action = play.game.get_action_of_ident(ident)
        if _wrong(play, rule, before, moments[0], action.bind_parameters(action.get_parameter_values(ident))):
            return True
    return rule.phase is not None and phase_breaks(play, rule, moments)


def phase_breaks(play: Interpreter, rule: Law, moments: Sequence[Sequence[int]]) -> bool:
    """Return whether the law's phase breaks it between two neighbouring states of `moments`, which
    automatic phases join."""
    return any(
        state[0] == rule.phase and _wrong(play, rule, state, after, {}) for state, after in pairwise(moments)
    )


def _wrong(
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
        and _leaves_alone(play, rule, before, after, env)
    )


def _leaves_alone(
    play: Interpreter, rule: Law, before: Sequence[int], after: Sequence[int], env: Mapping[int, int]
) -> bool:
    """Return whether a step changes only what its law allows."""
    if rule.only is None:
        return True
    places = {play.value(place, before, dict(env)) for place in rule.only.places}
    return all(before[n] == after[n] for n in rule.only.list_unchanged_cells(play.game) if n not in places)


def barred(play: Interpreter, rule: Law, state: Sequence[int]) -> bool:
    """Return whether somebody is to act where the law wants a decision to be legal that is not: one of some, or
    each for which its condition holds."""
    if play.terminal(state):
        return False
    if rule.possible is not None:
        return bool(play.value(rule.when, state)) and not rule.possible & set(play.legal(state))
    if rule.legal is None:
        return False
    refused = rule.idents - set(play.legal(state))
    return any(_wanted(play, rule, rule.legal, state, ident) for ident in refused)


def _wanted(play: Interpreter, rule: Law, legal: Term, state: Sequence[int], ident: int) -> bool:
    action = play.game.get_action_of_ident(ident)
    env = action.bind_parameters(action.get_parameter_values(ident))
    return bool(play.value(rule.when, state, dict(env)) and play.value(legal, state, dict(env)))


def broken_by(
    play: Interpreter, rule: Law, before: Sequence[int], last: Sequence[int], after: Sequence[int]
) -> bool:
    """Return whether a line breaks a law: with its last action (none: with the automatic phases at
    the start), or because no decision is legal behind it that the law wants."""
    return (
        any(breaks(play, rule, before, ident) for ident in last)
        or barred(play, rule, after)
        or (not last and at_the_start(play, rule))
    )


def at_the_start(play: Interpreter, rule: Law) -> bool:
    """Return whether an automatic phase before the first decision breaks a law."""
    return rule.phase is not None and phase_breaks(
        play, rule, list(play.iter_states_until_settled(play.game.get_initial_cells()))
    )
