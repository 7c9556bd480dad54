"""Laws of steps: Z3's questions whether any small step from an allowed state breaks one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from playproof.language import Action, Phase, Term
from playproof.language.description import compute_part_digest
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive
from playproof.verifier.kernel.laws import read
from playproof.verifier.kernel.reading import (
    Cells,
    Env,
    Number,
    Reading,
    SmallStep,
    Truth,
    alike,
    conj,
    disj,
    neg,
)
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
            if rule.legal is not None:
                _legal(allowed, rule, rule.legal, action, params)
    if rule.phase is not None:
        _obeyed(allowed, rule, game.phases[rule.phase], ())


def _grounds(reading: Reading, action: Action, taken: frozenset[int]) -> list[tuple[Number, ...]]:
    """Return the parameters of the decisions that the law is about: open if it is about every
    decision of the action, else one tuple for each."""
    mine = [i for i in action.idents if i in taken]
    return (
        [reading.params(action)]
        if len(mine) == action.count
        else [action.get_parameter_values(i) for i in mine]
    )


def _step(allowed: Inductive, what: Action | Phase, params: tuple[Number, ...]) -> SmallStep:
    """Return the step of a decision or a phase. One whose parameters are all open is read once for all laws."""
    if not params or any(not isinstance(value, int) for value in params):
        return allowed.step(what)
    return allowed.reading.step(what, allowed.state, params)


def _settle(
    allowed: Inductive,
    purpose: str,
    rule: Law,
    what: Action | Phase,
    params: tuple[Number, ...],
    ask: Callable[[Inductive], None],
) -> None:
    """Ask a question about a law and a kind of step, unless it was settled before. Raises NotShown."""
    values = [value if isinstance(value, int) else "open" for value in params]
    mine = [p.local for p in what.params] if isinstance(what, Action) else []
    terms = compute_part_digest(allowed.game, [*mine, *(name for name, _ in rule.before), *rule.terms])
    shape = len(rule.changes), len(rule.before), rule.legal is not None
    only = rule.only and (sorted(rule.only.fields), [f.offset for f in allowed.game.fields])
    question = purpose, allowed.name(what), values, terms, shape, only, allowed.integers
    allowed.settle(question, allowed.slices(what, rule.terms), ask)


def _obeyed(allowed: Inductive, rule: Law, what: Action | Phase, params: tuple[Number, ...]) -> None:
    """Check that no step of a kind breaks the law. Raises NotShown."""

    def ask(under: Inductive) -> None:
        step, env = (
            _step(under, what, params),
            what.bind_parameters(params) if isinstance(what, Action) else {},
        )
        broken = _broken(under.reading, rule, env, under.state, step)
        under.exclude(under.state, broken, f"`{step.name}` may break the law")

    _settle(allowed, "obeyed", rule, what, params, ask)


def _broken(reading: Reading, rule: Law, env: Env, before: Cells, step: SmallStep) -> list[Truth]:
    """Return formulas that say together that a step breaks the law."""
    later = {**env, **{name.number: reading.number(term, before, env) for name, term in rule.before}}
    obeyed = [reading.truth(rule.needs, before, env), reading.truth(rule.leads, step.after, later)]
    for change in rule.changes:
        was, now = (reading.number(change.number, cells, later) for cells in (before, step.after))
        amount = reading.number(change.amount, before, env)
        obeyed.append(reading.compare("==", now, reading.combine("+", was, amount)))
    if rule.legal is not None:
        obeyed.append(reading.truth(rule.legal, before, env))
    obeyed += _unchanged(reading, rule, before, step.after, env)
    return [step.sound, reading.truth(rule.when, before, env), neg(conj(obeyed))]


def _unchanged(reading: Reading, rule: Law, before: Cells, after: Cells, env: Env) -> Iterator[Truth]:
    """Yield formulas that say together that a step changes only what its law allows."""
    if rule.only is None:
        return
    places = [reading.number(place, before, env) for place in rule.only.places]
    for cell in rule.only.list_unchanged_cells(reading.game):
        if not alike(before[cell], after[cell]):
            same = reading.compare("==", before[cell], after[cell])
            yield disj([same, *(reading.compare("==", place, cell) for place in places)])


def _legal(allowed: Inductive, rule: Law, legal: Term, action: Action, params: tuple[Number, ...]) -> None:
    """Check that a decision is legal wherever the law says so. Raises NotShown."""

    def ask(under: Inductive) -> None:
        reading, cells, env = under.reading, under.state, action.bind_parameters(params)
        wanted = [reading.truth(rule.when, cells, env), reading.truth(legal, cells, env)]
        refused = neg(_step(under, action, params).legal)
        parts = [*_asked(reading, cells), *reading.in_range(action, params), *wanted, refused]
        under.exclude(cells, parts, f"`{action.name}` may be refused there")

    _settle(allowed, f"legal {allowed.reading.automatic}", rule, action, params, ask)


def _asked(reading: Reading, cells: Cells) -> list[Truth]:
    """Return formulas that say together that somebody is to act."""
    return [reading.compare("==", cells[1], 0), reading.settled(cells)]


def _can(allowed: Inductive, rule: Law, wanted: frozenset[int]) -> None:
    reading, cells = allowed.reading, allowed.state
    here = [*_asked(reading, cells), reading.truth(rule.when, cells, {})]
    refused = neg(disj(reading.can(cells, ident) for ident in sorted(wanted)))
    allowed.exclude(cells, [*here, refused], "such a decision may be refused there")
