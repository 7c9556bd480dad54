"""Laws of steps: what breaks one in a game that the interpreter plays, and Z3's questions whether
any small step from an allowed state breaks one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from playproof.database.errors import Where
from playproof.language import Action, Game, Interpreter, Phase
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive
from playproof.verifier.kernel.reading import Env, Number, Reading, bound, conj, disj, idents, neg
from playproof.verifier.kernel.strict import Json, Unreadable, shown
from playproof.verifier.questions.laws import Law, law


def read(game: Game, spec: Json) -> Law:
    """Return the law that a certificate speaks of. Raises InputError, or Unreadable if the data is
    no law."""
    try:
        return law(game, spec, Where(game.name))
    except (TypeError, ValueError, KeyError, AttributeError, IndexError):
        raise Unreadable(f"{shown(spec)} is no law") from None


def breaks(play: Interpreter, rule: Law, before: Sequence[int], ident: int) -> bool:
    """Return whether a legal decision, or an automatic phase that follows it, breaks a law."""
    return broken_on(play, rule, before, ident, play.moments(before, ident))


def broken_on(
    play: Interpreter, rule: Law, before: Sequence[int], ident: int, moments: Sequence[Sequence[int]]
) -> bool:
    """Return whether a decision breaks a law, or an automatic phase on the way through `moments`,
    the states that follow it."""
    if ident in rule.idents:
        action = play.game.action_of(ident)
        if _wrong(play, rule, before, moments[0], bound(action, action.values(ident))):
            return True
    return rule.phase is not None and phase_breaks(play, rule, moments)


def phase_breaks(play: Interpreter, rule: Law, moments: Sequence[Sequence[int]]) -> bool:
    """Return whether the law's phase breaks it between two neighbouring states of `moments`, which
    automatic phases join."""
    return any(
        state[0] == rule.phase and _wrong(play, rule, state, after, {}) for state, after in pairwise(moments)
    )


def _wrong(play: Interpreter, rule: Law, before: Sequence[int], after: Sequence[int], env: Env) -> bool:
    if not play.value(rule.when, before, dict(env)):
        return False
    changed = all(
        play.value(c.number, after) - play.value(c.number, before) == play.value(c.amount, before, dict(env))
        for c in rule.changes
    )
    return not (
        play.value(rule.needs, before, dict(env)) and play.value(rule.leads, after, dict(env)) and changed
    )


def barred(play: Interpreter, rule: Law, state: Sequence[int]) -> bool:
    """Return whether somebody is to act where the law wants one of some decisions to be legal, and
    none is."""
    return (
        rule.possible is not None
        and not play.terminal(state)
        and bool(play.value(rule.when, state))
        and not rule.possible & set(play.legal(state))
    )


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
    return rule.phase is not None and phase_breaks(play, rule, list(play.settling(play.game.initial())))


def every_step_obeys(
    game: Game, conjuncts: Sequence[str], integers: bool, spec: Json, context: Context
) -> None:
    """Check that no decision from a state that the conditions allow breaks the law, or any of a list of laws.
    Raises NotShown."""
    rules = [read(game, each) for each in (spec if isinstance(spec, list) else [spec])]
    if not rules:
        raise NotShown("a list of no laws says nothing")
    terms = [term for rule in rules for term in rule.terms]
    allowed = Inductive(game, conjuncts, integers, (), context, terms)
    for rule in rules:
        _every_step(game, allowed, rule)


def _every_step(game: Game, allowed: Inductive, rule: Law) -> None:
    if rule.possible is not None:
        _can(allowed, rule, rule.possible)
    for action in game.actions:
        for params in _grounds(allowed.reading, action, rule.idents):
            _obeyed(allowed, rule, action, params)
    if rule.phase is not None:
        _obeyed(allowed, rule, game.phases[rule.phase], ())


def _grounds(reading: Reading, action: Action, taken: frozenset[int]) -> list[tuple[Number, ...]]:
    """Return the parameters of the decisions that the law is about: open if it is about every
    decision of the action, else one tuple for each."""
    mine = [i for i in idents(action) if i in taken]
    return [reading.params(action)] if len(mine) == action.count else [action.values(i) for i in mine]


def _obeyed(allowed: Inductive, rule: Law, what: Action | Phase, params: tuple[Number, ...]) -> None:
    reading, before = allowed.reading, allowed.state
    step = reading.step(what, before, params)
    env = bound(what, params) if isinstance(what, Action) else {}
    obeyed = [reading.truth(rule.needs, before, env), reading.truth(rule.leads, step.after, env)]
    for change in rule.changes:
        was, now = reading.number(change.number, before, env), reading.number(change.number, step.after, env)
        obeyed.append(
            reading.compare("==", now, reading.combine("+", was, reading.number(change.amount, before, env)))
        )
    broken = [step.sound, reading.truth(rule.when, before, env), neg(conj(obeyed))]
    allowed.exclude(before, broken, f"`{step.name}` may break the law")


def _can(allowed: Inductive, rule: Law, wanted: frozenset[int]) -> None:
    reading, cells = allowed.reading, allowed.state
    actions = [reading.game.action_of(ident) for ident in sorted(wanted)]
    steps = [reading.step(a, cells, a.values(i)) for a, i in zip(actions, sorted(wanted), strict=True)]
    here = [reading.compare("==", cells[1], 0), reading.settled(cells), reading.truth(rule.when, cells, {})]
    refused = neg(disj(step.legal for step in steps))
    allowed.exclude(cells, [*here, refused], "such a decision may be refused there")
