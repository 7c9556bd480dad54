"""Invariants: what never happens or always holds, because every small step keeps some conditions; ranks:
numbers that small steps lower, so that the steps end; and laws of steps: whether any small step from an
allowed state breaks one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from playproof.language import Action, Interpreter, Phase, Place, Term
from playproof.language.description import compute_digest_of_rules_part
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Z3, Certificate, NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.formula_reading import Fault, Reading, SmallStep
from playproof.verifier.kernel.formulas import (
    Number,
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    is_same_number_or_formula,
    negate_formula,
)
from playproof.verifier.kernel.induction import (
    BadStepFormula,
    Lemma,
    Split,
    StepChecker,
    require_layers_inductive,
)
from playproof.verifier.kernel.laws import Law, read_law_from_spec
from playproof.verifier.kernel.secret_steps import require_every_step_keeps_secret
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    Event,
    LawObeyed,
    LengthLimit,
    Property,
    Secrecy,
    Statement,
    Subject,
)
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.kernel.term_reading import Cells, Env


@dataclass(frozen=True)
class InvariantCertificate(Certificate):
    """Layers of conditions that every small step keeps, and what follows from them:

        an event        never happens: no allowed state meets it
        a property      no step leaves bounds; whoever is to act can; automatic phases lower `numbers`
        a length        is not exceeded: every step lowers the one of `numbers`
        a law           is obeyed by every step
        a secret        is kept by every step, from any two states that are alike but for it

    `integers` and `splits` say how Z3 is asked what follows, as they do in a layer.
    """

    kind: ClassVar[str] = "invariant"
    rests: ClassVar[str] = Z3
    about: Subject
    layers: tuple[Lemma, ...] = ()
    integers: bool = True
    splits: tuple[Split, ...] = ()
    numbers: tuple[str, ...] = ()

    def build_proved_statement(self) -> Statement:
        """State that the event never happens, or that the property, the length or the law is kept;
        all but BOUNDS themselves are shown only if no value leaves its bounds."""
        grounds: tuple[str, ...] = (BOUNDS,)
        if self.about == Property(BOUNDS):
            grounds = ()
        elif self.about == Property(NO_DEAD_END):
            grounds = (BOUNDS, PHASES_END)
        return Statement(self.about, not isinstance(self.about, Event), grounds)

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is stated, the conditions, and the numbers that steps lower."""
        parts = super().list_claim_parts() + [("condition", text) for text in self.numbers]
        return parts + [part for layer in self.layers for part in layer.list_claim_parts()]

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Check that steps keep every layer, and that the statement follows. Raises NotShown."""
        require_layers_inductive(game, self.layers, context)
        conjuncts = [text for layer in self.layers for text in layer.conjuncts]
        match self.about:
            case Event():
                require_conditions_exclude_target(
                    game, conjuncts, self.about.build_condition_and_actions(game, context), self.integers, context
                )
            case Property(name=name) if name == BOUNDS:
                allowed = StepChecker(game, conjuncts, self.integers, self.splits, context)
                for what in allowed.reading.iter_actions_and_automatic_phases():
                    require_step_stays_within_bounds(allowed, what)
            case Property(name=name) if name == NO_DEAD_END:
                allowed = StepChecker(game, conjuncts, self.integers, self.splits, context)
                for phase in game.phases:
                    require_legal_action_in_phase(allowed, phase)
            case Property(name=name) if name == PHASES_END:
                require_automatic_phases_end(game, conjuncts, self.numbers, self.splits, context)
            case LengthLimit(most=most):
                require_every_step_lowers_number(game, conjuncts, self.numbers, most, context)
            case LawObeyed(law=law):
                require_every_step_obeys_laws(game, conjuncts, self.integers, law, context)
            case Secrecy(of=of):
                require_every_step_keeps_secret(game, conjuncts, self.integers, of, context)
            case _:
                raise NotShown("no invariant can show this")


def require_conditions_exclude_target(
    game: Game, assumed_conditions: Sequence[str], target: Target, integers: bool, context: Context
) -> None:
    """Check that no state that satisfies the conditions meets the target, at rest: no automatic phase is due there.
    Raises NotShown."""
    allowed = StepChecker(game, assumed_conditions, integers, (), context)
    reading, cells = allowed.reading, allowed.state
    here = [
        reading.build_somebody_acts_or_game_over_formula(cells),
        reading.build_term_is_true_formula(target.condition, cells, {}),
    ]
    ways: list[list[Truth]] = [here]
    if target.idents is not None:
        ways = [[*here, reading.build_action_is_legal_formula(cells, ident)] for ident in sorted(target.idents)]
    for way in ways:
        allowed.require_no_state_satisfies(cells, way, "the conditions leave room for it")


def require_step_stays_within_bounds(checker: StepChecker, action_or_phase: Action | Phase) -> None:
    """Check that a kind of step from an allowed state within bounds makes no value leave its
    bounds. Raises NotShown."""
    checker.require_step_makes_no_formula_true(
        "bounds",
        action_or_phase,
        (),
        f"`{action_or_phase.name}` may leave bounds",
        lambda side: build_fault_formula_per_kind(side, action_or_phase),
    )


def build_fault_formula_per_kind(checker: StepChecker, action_or_phase: Action | Phase) -> list[BadStepFormula]:
    """Return what may go wrong in a kind of step: one entry for each known kind of fault, then one
    for any other."""
    kinds = list(dict.fromkeys(map(_get_fault_message_and_place, checker.get_symbolic_step(action_or_phase).faults)))
    return checker.get_or_build_for_step(
        "faults",
        action_or_phase,
        (),
        lambda: [
            *(partial(_build_formula_of_fault_of_kinds, (kind,), True) for kind in kinds),
            partial(_build_formula_of_fault_of_kinds, tuple(kinds), False),
        ],
    )


def _build_formula_of_fault_of_kinds(
    kinds: Sequence[tuple[str, Place]], is_among: bool, step: SmallStep, _: Cells
) -> Truth:
    """Return the formula that a step has a fault among these kinds, or (if not `is_among`) of any
    other kind."""
    return disjoin_formulas(f.when for f in step.faults if (_get_fault_message_and_place(f) in kinds) == is_among)


def _get_fault_message_and_place(fault: Fault) -> tuple[str, Place]:
    return fault.message, fault.place


def require_legal_action_in_phase(checker: StepChecker, phase: Phase) -> None:
    """Check that whoever is to act in a phase, in an allowed state, has a legal action. Raises NotShown."""
    if phase.automatic:
        return
    cells = [phase.number, 0, *checker.state[2:]]
    legal = [
        checker.reading.build_action_is_legal_formula(cells, ident)
        for action in phase.actions
        for ident in action.idents
    ]
    checker.require_no_state_satisfies(
        cells, [negate_formula(disjoin_formulas(legal))], f"a dead end in phase `{phase.name}`"
    )


# -- rank ----------------------------------------------------------------------------------------------------


def require_every_step_lowers_number(
    game: Game, assumed_conditions: Sequence[str], numbers_as_text: Sequence[str], max_steps: int, context: Context
) -> None:
    """Check that each small step from a state that the conditions allow lowers the one number, which
    can fall by at most `max_steps` from its value at the start. Raises NotShown.

    The theorem: no game has more than `max_steps` small steps, and so no more decisions. The premises: the
    number is whole and never less than its term's least value; each small step without a fault lowers
    it by 1 or more.
    """
    numbers = [context.read_condition(game, text) for text in numbers_as_text]
    if len(numbers) != 1:
        raise NotShown(f"expected one number that every step lowers, found {len(numbers)}")
    span = Interpreter(game).value(numbers[0], game.get_state_before_automatic_phases()) - numbers[0].lo
    if span > max_steps:
        raise NotShown(f"the rank allows {span} steps")
    allowed = StepChecker(game, assumed_conditions, True, (), context)
    for what in allowed.reading.iter_actions_and_automatic_phases():
        _require_step_lowers_numbers(allowed, "lower", what, numbers, build_step_does_not_lower_formula)


def require_automatic_phases_end(
    game: Game,
    assumed_conditions: Sequence[str],
    numbers_as_text: Sequence[str],
    splits: Sequence[Split],
    context: Context,
) -> None:
    """Check that each automatic phase, from a state that the conditions allow, lowers the numbers if
    another automatic phase is due after it. Raises NotShown.

    The theorem: no chain of automatic phases goes on for ever, however long it is. The premises: each
    number is whole and has a least and a greatest value; the first one that a phase changes falls.
    """
    numbers = [context.read_condition(game, text) for text in numbers_as_text]
    allowed = StepChecker(game, assumed_conditions, True, splits, context)
    for phase in game.phases:
        if phase.automatic:
            require_automatic_phase_lowers_numbers(allowed, numbers, phase)


def require_automatic_phase_lowers_numbers(checker: StepChecker, numbers: Sequence[Term], phase: Phase) -> None:
    """Check that an automatic phase lowers the numbers, or that no other is due after it. Raises
    NotShown."""
    _require_step_lowers_numbers(checker, "lower or rest", phase, numbers, build_phase_follows_without_lowering_formula)


def _require_step_lowers_numbers(
    checker: StepChecker,
    purpose: str,
    action_or_phase: Action | Phase,
    numbers: Sequence[Term],
    build_bad_formula: Callable[..., Truth],
) -> None:
    def wrongs(side: StepChecker) -> list[BadStepFormula]:
        return [partial(build_bad_formula, side.reading, numbers)]

    due = checker.reading.automatic  # what `build_phase_follows_without_lowering_formula` means depends on them
    checker.require_step_makes_no_formula_true(
        f"{purpose} {due}", action_or_phase, (), f"`{action_or_phase.name}` may leave the rank", wrongs, numbers
    )


def build_phase_follows_without_lowering_formula(
    reading: Reading, numbers: Sequence[Term], step: SmallStep, cells_before: Cells
) -> Truth:
    """Return the formula that another automatic phase is due after a step that does not lower the
    numbers."""
    return conjoin_formulas(
        [
            negate_formula(reading.build_somebody_acts_or_game_over_formula(step.after)),
            build_step_does_not_lower_formula(reading, numbers, step, cells_before),
        ]
    )


def build_step_does_not_lower_formula(
    reading: Reading, numbers: Sequence[Term], step: SmallStep, cells_before: Cells
) -> Truth:
    """Return the formula that a step does not lower the first of the numbers that it changes. Each
    number has a least value, so none falls for ever."""
    falls: Truth = False
    for number in reversed(numbers):
        was, now = (reading.build_term_value(number, cells, {}) for cells in (cells_before, step.after))
        falls = conjoin_formulas([reading.build_comparison_formula("==", now, was), falls])
        falls = disjoin_formulas([reading.build_comparison_formula("<", now, was), falls])
    return conjoin_formulas([step.sound, negate_formula(falls)])


# -- step laws -----------------------------------------------------------------------------------------------


def require_every_step_obeys_laws(
    game: Game, assumed_conditions: Sequence[str], integers: bool, laws_spec: Json, context: Context
) -> None:
    """Check that no decision from a state that the conditions allow breaks the law, or any of a list of laws.
    Raises NotShown."""
    specs = laws_spec if isinstance(laws_spec, list) else [laws_spec]
    rules = [read_law_from_spec(game, each, context) for each in specs]
    if not rules:
        raise NotShown("a list of no laws says nothing")
    allowed = StepChecker(game, assumed_conditions, integers, (), context)
    for rule in rules:
        _require_law_obeyed(game, allowed, rule)


def _require_law_obeyed(game: Game, checker: StepChecker, law: Law) -> None:
    if law.possible is not None:
        _require_one_law_decision_legal(checker, law, law.possible)
    for action in game.actions:
        for params in _list_law_decisions_or_one_symbolic(checker.reading, action, law.idents):
            _require_step_obeys_law(checker, law, action, params)
            if law.legal is not None:
                _require_decision_legal_where_law_says(checker, law, law.legal, action, params)
    if law.phase is not None:
        _require_step_obeys_law(checker, law, game.phases[law.phase], ())


def _list_law_decisions_or_one_symbolic(
    reading: Reading, action: Action, law_action_ids: frozenset[int]
) -> list[tuple[Number, ...]]:
    """Return the parameters of the decisions that the law is about: open if it is about every
    decision of the action, else one tuple for each."""
    mine = [i for i in action.idents if i in law_action_ids]
    if len(mine) == action.count:
        return [reading.make_symbolic_parameters(action)]
    return [action.get_values_of_ground_action(i) for i in mine]


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
        step, env = _get_symbolic_or_concrete_step(under, action_or_phase, parameter_values), dict[int, Number]()
        if isinstance(action_or_phase, Action):
            env = action_or_phase.map_parameter_numbers_to_values(parameter_values)
        broken = _build_step_breaks_law_formulas(under.reading, law, env, under.state, step)
        under.require_no_state_satisfies(under.state, broken, f"`{step.name}` may break the law")

    _require_law_question_holds(checker, "obeyed", law, action_or_phase, parameter_values, ask)


def _build_step_breaks_law_formulas(
    reading: Reading, law: Law, local_values: Env, cells_before: Cells, step: SmallStep
) -> list[Truth]:
    """Return formulas that say together that a step breaks the law."""
    later = {
        **local_values,
        **{name.number: reading.build_term_value(term, cells_before, local_values) for name, term in law.before},
    }
    obeyed = [
        reading.build_term_is_true_formula(law.needs, cells_before, local_values),
        reading.build_term_is_true_formula(law.leads, step.after, later),
    ]
    for change in law.changes:
        was, now = (reading.build_term_value(change.number, cells, later) for cells in (cells_before, step.after))
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
            yield disjoin_formulas([same, *(reading.build_comparison_formula("==", place, cell) for place in places)])


def _require_decision_legal_where_law_says(
    checker: StepChecker, law: Law, legal_condition: Term, action: Action, parameter_values: tuple[Number, ...]
) -> None:
    """Check that a decision is legal wherever the law says so. Raises NotShown."""

    def ask(under: StepChecker) -> None:
        reading, cells, env = under.reading, under.state, action.map_parameter_numbers_to_values(parameter_values)
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

    _require_law_question_holds(checker, f"legal {checker.reading.automatic}", law, action, parameter_values, ask)


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
