"""Laws of steps: what breaks one in a game that the interpreter plays, and Z3's questions whether
any small step from an allowed state breaks one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from playproof.database.errors import Where
from playproof.language import Action, Game, Interpreter, Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive
from playproof.verifier.kernel.reading import (
    Cells,
    Env,
    Number,
    Reading,
    Step,
    Truth,
    alike,
    bound,
    conj,
    disj,
    idents,
    neg,
)
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
    play: Interpreter, rule: Law, before: Sequence[int], after: Sequence[int], env: Env
) -> bool:
    """Return whether a step changes only what its law allows."""
    if rule.only is None:
        return True
    places = {play.value(place, before, dict(env)) for place in rule.only.places}
    return all(before[n] == after[n] for n in rule.only.alone(play.game) if n not in places)


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
    action = play.game.action_of(ident)
    env = bound(action, action.values(ident))
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
            step = _step(allowed, action, params)
            _obeyed(allowed, rule, bound(action, params), step)
            if rule.legal is not None:
                _legal(allowed, rule, rule.legal, action, params)
    if rule.phase is not None:
        _obeyed(allowed, rule, {}, allowed.step(game.phases[rule.phase]))


def _grounds(reading: Reading, action: Action, taken: frozenset[int]) -> list[tuple[Number, ...]]:
    """Return the parameters of the decisions that the law is about: open if it is about every
    decision of the action, else one tuple for each."""
    mine = [i for i in idents(action) if i in taken]
    return [reading.params(action)] if len(mine) == action.count else [action.values(i) for i in mine]


def _step(allowed: Inductive, action: Action, params: tuple[Number, ...]) -> Step:
    """Return the step of a decision. One whose parameters are all open is read once for all laws."""
    if not params or any(not isinstance(value, int) for value in params):
        return allowed.step(action)
    return allowed.reading.step(action, allowed.state, params)


def _obeyed(allowed: Inductive, rule: Law, env: Env, step: Step) -> None:
    reading, before = allowed.reading, allowed.state
    later = {**env, **{name.number: reading.number(term, before, env) for name, term in rule.before}}
    obeyed = [reading.truth(rule.needs, before, env), reading.truth(rule.leads, step.after, later)]
    for change in rule.changes:
        was, now = (reading.number(change.number, cells, later) for cells in (before, step.after))
        amount = reading.number(change.amount, before, env)
        obeyed.append(reading.compare("==", now, reading.combine("+", was, amount)))
    if rule.legal is not None:
        obeyed.append(reading.truth(rule.legal, before, env))
    obeyed += _unchanged(reading, rule, before, step.after, env)
    broken = [step.sound, reading.truth(rule.when, before, env), neg(conj(obeyed))]
    allowed.exclude(before, broken, f"`{step.name}` may break the law")


def _unchanged(reading: Reading, rule: Law, before: Cells, after: Cells, env: Env) -> Iterator[Truth]:
    """Yield formulas that say together that a step changes only what its law allows."""
    if rule.only is None:
        return
    places = [reading.number(place, before, env) for place in rule.only.places]
    for cell in rule.only.alone(reading.game):
        if not alike(before[cell], after[cell]):
            same = reading.compare("==", before[cell], after[cell])
            yield disj([same, *(reading.compare("==", place, cell) for place in places)])


def _legal(allowed: Inductive, rule: Law, legal: Term, action: Action, params: tuple[Number, ...]) -> None:
    """Check that a decision is legal wherever the law says so. Raises NotShown."""
    reading, cells, env = allowed.reading, allowed.state, bound(action, params)
    there_is = [
        reading.within(x, p.low, p.low + p.count - 1) for p, x in zip(action.params, params, strict=True)
    ]
    wanted = [reading.truth(rule.when, cells, env), reading.truth(legal, cells, env)]
    parts = [*_asked(reading, cells), *there_is, *wanted, neg(_step(allowed, action, params).legal)]
    allowed.exclude(cells, parts, f"`{action.name}` may be refused there")


def _asked(reading: Reading, cells: Cells) -> list[Truth]:
    """Return formulas that say together that somebody is to act."""
    return [reading.compare("==", cells[1], 0), reading.settled(cells)]


def _can(allowed: Inductive, rule: Law, wanted: frozenset[int]) -> None:
    reading, cells = allowed.reading, allowed.state
    actions = [reading.game.action_of(ident) for ident in sorted(wanted)]
    steps = [reading.step(a, cells, a.values(i)) for a, i in zip(actions, sorted(wanted), strict=True)]
    here = [*_asked(reading, cells), reading.truth(rule.when, cells, {})]
    refused = neg(disj(step.legal for step in steps))
    allowed.exclude(cells, [*here, refused], "such a decision may be refused there")
