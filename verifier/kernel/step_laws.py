"""Laws of steps: Z3's questions whether any small step from an allowed state breaks one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from playproof.language import Action, Phase, Term
from playproof.language.description import compute_digest_of_rules_part
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.laws import read_law_from_spec
from playproof.verifier.kernel.reading import (
    Cells,
    Env,
    Number,
    Reading,
    SmallStep,
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    is_same_number_or_formula,
    negate_formula,
)
from playproof.verifier.kernel.strict import Json
from playproof.verifier.questions.laws import Law


def require_every_step_obeys_laws(
    game: Game, assumed_conditions: Sequence[str], integers: bool, laws_spec: Json, context: Context
) -> None:
    """Check that no decision from a state that the conditions allow breaks the law, or any of a list of laws.
    Raises NotShown."""
    rules = [
        read_law_from_spec(game, each) for each in (laws_spec if isinstance(laws_spec, list) else [laws_spec])
    ]
    if not rules:
        raise NotShown("a list of no laws says nothing")
    terms = [term for rule in rules for term in rule.terms]
    allowed = StepChecker(game, assumed_conditions, integers, (), context, terms)
    for rule in rules:
        _require_law_obeyed(game, allowed, rule)


def _require_law_obeyed(game: Game, checker: StepChecker, law: Law) -> None:
    if law.possible is not None:
        _require_one_law_decision_legal(checker, law, law.possible)
    for action in game.actions:
        for params in _list_parameters_of_law_decisions(checker.reading, action, law.idents):
            _require_step_obeys_law(checker, law, action, params)
            if law.legal is not None:
                _require_decision_legal_where_law_says(checker, law, law.legal, action, params)
    if law.phase is not None:
        _require_step_obeys_law(checker, law, game.phases[law.phase], ())


def _list_parameters_of_law_decisions(
    reading: Reading, action: Action, law_action_ids: frozenset[int]
) -> list[tuple[Number, ...]]:
    """Return the parameters of the decisions that the law is about: open if it is about every
    decision of the action, else one tuple for each."""
    mine = [i for i in action.idents if i in law_action_ids]
    return (
        [reading.make_symbolic_parameters(action)]
        if len(mine) == action.count
        else [action.get_values_of_ground_action(i) for i in mine]
    )


def _get_symbolic_or_concrete_step(
    checker: StepChecker, action_or_phase: Action | Phase, parameter_values: tuple[Number, ...]
) -> SmallStep:
    """Return the step of a decision or a phase. One whose parameters are all open is read once for all laws."""
    if not parameter_values or any(not isinstance(value, int) for value in parameter_values):
        return checker.get_symbolic_step(action_or_phase)
    return checker.reading.build_symbolic_step(action_or_phase, checker.state, parameter_values)


def _require_law_question_holds(
    checker: StepChecker,
    purpose: str,
    law: Law,
    action_or_phase: Action | Phase,
    parameter_values: tuple[Number, ...],
    ask_or_raise: Callable[[StepChecker], None],
) -> None:
    """Ask a question about a law and a kind of step, unless it was settled before. Raises NotShown."""
    values = [value if isinstance(value, int) else "open" for value in parameter_values]
    mine = [p.local for p in action_or_phase.params] if isinstance(action_or_phase, Action) else []
    terms = compute_digest_of_rules_part(checker.game, [*mine, *(name for name, _ in law.before), *law.terms])
    shape = len(law.changes), len(law.before), law.legal is not None
    only = law.only and (sorted(law.only.fields), [f.offset for f in checker.game.fields])
    question = (
        purpose,
        checker.digest_step_or_condition(action_or_phase),
        values,
        terms,
        shape,
        only,
        checker.integers,
    )
    checker.require_question_holds_under_some_subset(
        question, checker.list_relevant_condition_subsets(action_or_phase, law.terms), ask_or_raise
    )


def _require_step_obeys_law(
    checker: StepChecker, law: Law, action_or_phase: Action | Phase, parameter_values: tuple[Number, ...]
) -> None:
    """Check that no step of a kind breaks the law. Raises NotShown."""

    def ask(under: StepChecker) -> None:
        step, env = (
            _get_symbolic_or_concrete_step(under, action_or_phase, parameter_values),
            action_or_phase.map_parameter_locals_to(parameter_values)
            if isinstance(action_or_phase, Action)
            else {},
        )
        broken = _build_step_breaks_law_formulas(under.reading, law, env, under.state, step)
        under.require_no_state_satisfies(under.state, broken, f"`{step.name}` may break the law")

    _require_law_question_holds(checker, "obeyed", law, action_or_phase, parameter_values, ask)


def _build_step_breaks_law_formulas(
    reading: Reading, law: Law, local_values: Env, cells_before: Cells, step: SmallStep
) -> list[Truth]:
    """Return formulas that say together that a step breaks the law."""
    later = {
        **local_values,
        **{
            name.number: reading.build_term_value(term, cells_before, local_values)
            for name, term in law.before
        },
    }
    obeyed = [
        reading.build_term_is_true_formula(law.needs, cells_before, local_values),
        reading.build_term_is_true_formula(law.leads, step.after, later),
    ]
    for change in law.changes:
        was, now = (
            reading.build_term_value(change.number, cells, later) for cells in (cells_before, step.after)
        )
        amount = reading.build_term_value(change.amount, cells_before, local_values)
        obeyed.append(reading.build_comparison_formula("==", now, reading.combine_numbers("+", was, amount)))
    if law.legal is not None:
        obeyed.append(reading.build_term_is_true_formula(law.legal, cells_before, local_values))
    obeyed += _iter_only_allowed_cells_change_formulas(reading, law, cells_before, step.after, local_values)
    return [
        step.sound,
        reading.build_term_is_true_formula(law.when, cells_before, local_values),
        negate_formula(conjoin_formulas(obeyed)),
    ]


def _iter_only_allowed_cells_change_formulas(
    reading: Reading, law: Law, cells_before: Cells, cells_after: Cells, local_values: Env
) -> Iterator[Truth]:
    """Yield formulas that say together that a step changes only what its law allows."""
    if law.only is None:
        return
    places = [reading.build_term_value(place, cells_before, local_values) for place in law.only.places]
    for cell in law.only.list_cells_outside_allowed_fields(reading.game):
        if not is_same_number_or_formula(cells_before[cell], cells_after[cell]):
            same = reading.build_comparison_formula("==", cells_before[cell], cells_after[cell])
            yield disjoin_formulas(
                [same, *(reading.build_comparison_formula("==", place, cell) for place in places)]
            )


def _require_decision_legal_where_law_says(
    checker: StepChecker,
    law: Law,
    legal_condition: Term,
    action: Action,
    parameter_values: tuple[Number, ...],
) -> None:
    """Check that a decision is legal wherever the law says so. Raises NotShown."""

    def ask(under: StepChecker) -> None:
        reading, cells, env = under.reading, under.state, action.map_parameter_locals_to(parameter_values)
        wanted = [
            reading.build_term_is_true_formula(law.when, cells, env),
            reading.build_term_is_true_formula(legal_condition, cells, env),
        ]
        refused = negate_formula(_get_symbolic_or_concrete_step(under, action, parameter_values).legal)
        parts = [
            *_build_somebody_is_to_act_formulas(reading, cells),
            *reading.build_parameter_range_formulas(action, parameter_values),
            *wanted,
            refused,
        ]
        under.require_no_state_satisfies(cells, parts, f"`{action.name}` may be refused there")

    _require_law_question_holds(
        checker, f"legal {checker.reading.automatic}", law, action, parameter_values, ask
    )


def _build_somebody_is_to_act_formulas(reading: Reading, cells: Cells) -> list[Truth]:
    """Return formulas that say together that somebody is to act."""
    return [
        reading.build_comparison_formula("==", cells[1], 0),
        reading.build_somebody_acts_or_game_over_formula(cells),
    ]


def _require_one_law_decision_legal(checker: StepChecker, law: Law, action_ids: frozenset[int]) -> None:
    reading, cells = checker.reading, checker.state
    here = [
        *_build_somebody_is_to_act_formulas(reading, cells),
        reading.build_term_is_true_formula(law.when, cells, {}),
    ]
    refused = negate_formula(
        disjoin_formulas(reading.build_action_is_legal_formula(cells, ident) for ident in sorted(action_ids))
    )
    checker.require_no_state_satisfies(cells, [*here, refused], "such a decision may be refused there")
