"""Laws of steps: Z3's questions whether any small step from an allowed state breaks one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from playproof.language import Action, Phase, Term
from playproof.language.description import compute_part_digest
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.laws import read_law
from playproof.verifier.kernel.reading import (
    Cells,
    Env,
    Number,
    Reading,
    SmallStep,
    Truth,
    conj,
    disj,
    is_same,
    neg,
)
from playproof.verifier.kernel.strict import Json
from playproof.verifier.questions.laws import Law


def check_every_step_obeys(
    game: Game, conjuncts: Sequence[str], integers: bool, laws_spec: Json, context: Context
) -> None:
    """Check that no decision from a state that the conditions allow breaks the law, or any of a list of laws.
    Raises NotShown."""
    rules = [read_law(game, each) for each in (laws_spec if isinstance(laws_spec, list) else [laws_spec])]
    if not rules:
        raise NotShown("a list of no laws says nothing")
    terms = [term for rule in rules for term in rule.terms]
    allowed = StepChecker(game, conjuncts, integers, (), context, terms)
    for rule in rules:
        _check_law(game, allowed, rule)


def _check_law(game: Game, checker: StepChecker, rule: Law) -> None:
    if rule.possible is not None:
        _check_some_decision_legal(checker, rule, rule.possible)
    for action in game.actions:
        for params in _list_decision_parameters(checker.reading, action, rule.idents):
            _check_step_obeys(checker, rule, action, params)
            if rule.legal is not None:
                _check_legal_where_wanted(checker, rule, rule.legal, action, params)
    if rule.phase is not None:
        _check_step_obeys(checker, rule, game.phases[rule.phase], ())


def _list_decision_parameters(
    reading: Reading, action: Action, taken: frozenset[int]
) -> list[tuple[Number, ...]]:
    """Return the parameters of the decisions that the law is about: open if it is about every
    decision of the action, else one tuple for each."""
    mine = [i for i in action.idents if i in taken]
    return (
        [reading.make_parameters(action)]
        if len(mine) == action.count
        else [action.get_parameter_values(i) for i in mine]
    )


def _get_step(checker: StepChecker, part: Action | Phase, params: tuple[Number, ...]) -> SmallStep:
    """Return the step of a decision or a phase. One whose parameters are all open is read once for all laws."""
    if not params or any(not isinstance(value, int) for value in params):
        return checker.get_open_step(part)
    return checker.reading.build_step(part, checker.state, params)


def _settle_law_question(
    checker: StepChecker,
    purpose: str,
    rule: Law,
    part: Action | Phase,
    params: tuple[Number, ...],
    ask: Callable[[StepChecker], None],
) -> None:
    """Ask a question about a law and a kind of step, unless it was settled before. Raises NotShown."""
    values = [value if isinstance(value, int) else "open" for value in params]
    mine = [p.local for p in part.params] if isinstance(part, Action) else []
    terms = compute_part_digest(checker.game, [*mine, *(name for name, _ in rule.before), *rule.terms])
    shape = len(rule.changes), len(rule.before), rule.legal is not None
    only = rule.only and (sorted(rule.only.fields), [f.offset for f in checker.game.fields])
    question = purpose, checker.digest_part(part), values, terms, shape, only, checker.integers
    checker.settle_question(question, checker.list_condition_subsets(part, rule.terms), ask)


def _check_step_obeys(
    checker: StepChecker, rule: Law, part: Action | Phase, params: tuple[Number, ...]
) -> None:
    """Check that no step of a kind breaks the law. Raises NotShown."""

    def ask(under: StepChecker) -> None:
        step, env = (
            _get_step(under, part, params),
            part.bind_parameters(params) if isinstance(part, Action) else {},
        )
        broken = _build_breaking_formulas(under.reading, rule, env, under.state, step)
        under.check_no_state(under.state, broken, f"`{step.name}` may break the law")

    _settle_law_question(checker, "obeyed", rule, part, params, ask)


def _build_breaking_formulas(
    reading: Reading, rule: Law, env: Env, before: Cells, step: SmallStep
) -> list[Truth]:
    """Return formulas that say together that a step breaks the law."""
    later = {**env, **{name.number: reading.read_number(term, before, env) for name, term in rule.before}}
    obeyed = [reading.read_truth(rule.needs, before, env), reading.read_truth(rule.leads, step.after, later)]
    for change in rule.changes:
        was, now = (reading.read_number(change.number, cells, later) for cells in (before, step.after))
        amount = reading.read_number(change.amount, before, env)
        obeyed.append(reading.compare("==", now, reading.combine("+", was, amount)))
    if rule.legal is not None:
        obeyed.append(reading.read_truth(rule.legal, before, env))
    obeyed += _iter_unchanged_formulas(reading, rule, before, step.after, env)
    return [step.sound, reading.read_truth(rule.when, before, env), neg(conj(obeyed))]


def _iter_unchanged_formulas(
    reading: Reading, rule: Law, before: Cells, after: Cells, env: Env
) -> Iterator[Truth]:
    """Yield formulas that say together that a step changes only what its law allows."""
    if rule.only is None:
        return
    places = [reading.read_number(place, before, env) for place in rule.only.places]
    for cell in rule.only.list_unchanged_cells(reading.game):
        if not is_same(before[cell], after[cell]):
            same = reading.compare("==", before[cell], after[cell])
            yield disj([same, *(reading.compare("==", place, cell) for place in places)])


def _check_legal_where_wanted(
    checker: StepChecker, rule: Law, legal: Term, action: Action, params: tuple[Number, ...]
) -> None:
    """Check that a decision is legal wherever the law says so. Raises NotShown."""

    def ask(under: StepChecker) -> None:
        reading, cells, env = under.reading, under.state, action.bind_parameters(params)
        wanted = [reading.read_truth(rule.when, cells, env), reading.read_truth(legal, cells, env)]
        refused = neg(_get_step(under, action, params).legal)
        parts = [
            *_build_to_act_formulas(reading, cells),
            *reading.build_parameter_bounds(action, params),
            *wanted,
            refused,
        ]
        under.check_no_state(cells, parts, f"`{action.name}` may be refused there")

    _settle_law_question(checker, f"legal {checker.reading.automatic}", rule, action, params, ask)


def _build_to_act_formulas(reading: Reading, cells: Cells) -> list[Truth]:
    """Return formulas that say together that somebody is to act."""
    return [reading.compare("==", cells[1], 0), reading.build_settled_formula(cells)]


def _check_some_decision_legal(checker: StepChecker, rule: Law, idents: frozenset[int]) -> None:
    reading, cells = checker.reading, checker.state
    here = [*_build_to_act_formulas(reading, cells), reading.read_truth(rule.when, cells, {})]
    refused = neg(disj(reading.build_legal_formula(cells, ident) for ident in sorted(idents)))
    checker.check_no_state(cells, [*here, refused], "such a decision may be refused there")
