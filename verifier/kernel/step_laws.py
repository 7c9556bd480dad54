"""Laws of steps: Z3's questions whether any small step from an allowed state breaks one."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import Action, Game, Phase
from playproof.verifier.kernel.actions import bound, idents
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive
from playproof.verifier.kernel.laws import read
from playproof.verifier.kernel.reading import Number, Reading, conj, disj, neg
from playproof.verifier.kernel.strict import Json
from playproof.verifier.questions.laws import Law


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
