"""Conditions that every small step keeps: the core of every "never" and "always". Whether a condition that holds before
a step still holds after it is the question of induction (`kept_conditions`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import chain
from typing import Any, TypeVar, cast

from playproof.language import Action, Interpreter, Phase
from playproof.language.description import compute_digest_of_rules_part
from playproof.language.expr import Term
from playproof.language.game import Game
from playproof.language.statements import Invoke, find_numbers_of_written_fields, iter_statements_recursively
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.formula_reading import Reading, SmallStep, get_terms_directly_in_statement
from playproof.verifier.kernel.formulas import (
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    is_same_number_or_formula,
    negate_formula,
)
from playproof.verifier.kernel.kept_conditions import (
    BoundTerm,
    build_condition_still_holds_formula,
    iter_conjuncts_of_condition,
)
from playproof.verifier.kernel.term_reading import Cells
from playproof.verifier.kernel.z3_questions import WORK, ask_z3_sat_unsat_or_unknown, require_formulas_unsatisfiable

LITTLE = 4_000_000
"""The limit of Z3's work on a question that can still be split by a place."""
_PATIENCE = 4 * LITTLE
"""The limit of Z3's work on a question without far conditions."""
_OTHERS = 2, 5
"""So many fields besides those of a question may its conditions read, first and then, before all are taken."""
_MOST_VALUES = 100_000

T = TypeVar("T")
FixedPlaces = dict[str, int]
"""Places (`cell 4`, `param 0`) with fixed values."""
BadStepFormula = Callable[[SmallStep, Cells], Truth]
"""A formula that must not hold, made from a step and the cells before it."""


@dataclass(frozen=True)
class Split:
    """How Z3 answers the questions about one step, or with `step` "" about every other step: in
    which arithmetic, and split by the values of which places (`cell 4`, `param 0`)."""

    step: str
    integers: bool
    places: tuple[str, ...]


@dataclass(frozen=True)
class Lemma:
    """Conditions that steps keep together, given the conditions of the earlier layers whose numbers
    are in `on`. `integers` selects Z3's arithmetic for steps without a split."""

    conjuncts: tuple[str, ...]
    integers: bool
    splits: tuple[Split, ...]
    on: tuple[int, ...] = ()

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the conditions."""
        return [("condition", text) for text in self.conjuncts]


def require_layers_inductive(game: Game, layers: Sequence[Lemma], context: Context) -> None:
    """Check that every layer is inductive, given the earlier layers that it names. Raises NotShown.

    The theorem: every state of every game, those between automatic phases included, satisfies all layers. The premises:
    a layer holds before anything happens; each small step without a fault keeps it, from any cells within bounds that
    satisfy it and the layers it names (`StepChecker.require_start_and_steps_keep_conditions`); these come before it, so
    that no layer supports itself; a split asks every value of its places (`list_all_values_of_place`).
    """
    for number, layer in enumerate(layers):
        if any(not 0 <= n < number for n in layer.on):
            raise NotShown("a layer builds on one that does not come before it")
        premises = [text for n in layer.on for text in layers[n].conjuncts]
        allowed = StepChecker(game, [*premises, *layer.conjuncts], layer.integers, layer.splits, context)
        allowed.require_start_and_steps_keep_conditions(layer.conjuncts)


def find_fields_read_or_written_by_step(action_or_phase: Action | Phase) -> frozenset[int]:
    """Return the numbers of the fields that a kind of step reads or writes, the phase and the ending included."""
    some = {0, 1}
    if isinstance(action_or_phase, Action) and action_or_phase.weight is not None:
        some.update(action_or_phase.weight.reads)
    bodies = [action_or_phase.body or ()]
    for body in bodies:  # it grows
        some |= find_numbers_of_written_fields(body)
        for statement in iter_statements_recursively(body):
            some.update(number for term in get_terms_directly_in_statement(statement) for number in term.reads)
            if isinstance(statement, Invoke):
                bodies.append(statement.procedure.body)
    return frozenset(some)


class StepChecker:
    """Conditions assumed before each small step of a game, and questions about the steps."""

    def __init__(
        self,
        game: Game,
        conjuncts: Sequence[str],
        integers: bool,
        splits: Sequence[Split],
        context: Context,
    ) -> None:
        self.game, self.integers, self.context = game, integers, context
        self.terms = {text: context.read_condition(game, text) for text in dict.fromkeys(conjuncts)}
        self.reading = context.get_or_build_for_game(game, "reading", lambda: Reading(game))
        self.state = context.get_or_build_for_game(game, "state", self.reading.make_symbolic_state)
        self.splits = {split.step: split for split in splits}
        if len(self.splits) < len(splits):
            raise NotShown("a step is split in two ways")
        self._made: dict[tuple[object, ...], Any] = {}
        self._truths: dict[str, Truth] = {}

    def require_start_and_steps_keep_conditions(self, conditions: Sequence[str]) -> None:
        """Check that the conditions hold at the start and that every kind of step keeps them.
        Raises NotShown."""
        play, start = Interpreter(self.game), self.game.get_state_before_automatic_phases()
        for text in conditions:
            if not play.value(self.terms[text], start):
                raise NotShown(f"`{text}` does not hold at the start")
        for what in self.reading.iter_actions_and_automatic_phases():
            self.require_step_keeps_conditions(what, conditions)

    def build_bounds_and_condition_formulas(self, cells: Cells) -> list[Truth]:
        """Return the formulas that the cells are within bounds and every condition holds."""
        if cells is self.state:  # asked of by every question about a step
            return [
                self._get_condition_or_bounds_formula_before(""),
                *map(self._get_condition_or_bounds_formula_before, self.terms),
            ]
        return [
            self.reading.build_cells_within_bounds_formula(cells),
            *(self.reading.build_term_is_true_formula(t, cells, {}) for t in self.terms.values()),
        ]

    def _get_condition_or_bounds_formula_before(self, condition_text: str) -> Truth:
        """Return the formula that a condition holds before a step, or with "" that all cells are within bounds."""
        if condition_text not in self._truths:
            if condition_text:
                whole = self.reading.build_term_is_true_formula(self.terms[condition_text], self.state, {})
            else:
                whole = self.reading.build_cells_within_bounds_formula(self.state)
            self._truths[condition_text] = whole
        return self._truths[condition_text]

    def copy_with_only_conditions(self, conditions: Sequence[str]) -> StepChecker:
        """Return the same questions under some of the conditions. What is shown under these holds under all."""
        return self._copy_with(terms={text: self.terms[text] for text in conditions})

    def list_relevant_condition_subsets(
        self, action_or_phase: Action | Phase, question_terms: Iterable[Term]
    ) -> list[tuple[str, ...]]:
        """Return the conditions to assume in questions about a kind of step and the terms `question_terms`: those that
        read hardly more than these do, then more, then all."""
        kind = "touched", isinstance(action_or_phase, Action), action_or_phase.number
        reads = self.context.get_or_build_for_game(
            self.game, kind, lambda: find_fields_read_or_written_by_step(action_or_phase)
        ).union(*(t.reads for t in question_terms))
        far = {text: len(term.reads.keys() - reads) for text, term in self.terms.items()}
        slices = [tuple(filter(lambda text: far[text] <= most, far)) for most in _OTHERS]
        return list(dict.fromkeys((*slices, tuple(far))))

    def require_question_holds_under_some_subset(
        self, question: object, condition_subsets: Sequence[Sequence[str]], ask_or_raise: Callable[[StepChecker], None]
    ) -> None:
        """Ask a question, unless it was settled before: under each of the `list_relevant_condition_subsets` of the
        conditions with little work, the last of which are all. The text of `get_formulas_of_bad_step` says all that is
        asked but for these. Raises NotShown."""
        names = [self._digest_question_with_conditions(question, texts) for texts in condition_subsets]
        if not self.context.steps.isdisjoint(names):
            known = self.context.steps.intersection(names)
            self.context.has_relied_on_solver |= all(map(self.context.needs_solver, known))
            return
        for name, texts in zip(names, condition_subsets, strict=True):
            last = texts is condition_subsets[-1]
            try:
                most = self.context.work if last else _PATIENCE
                with self.context.settle_and_note_solver(name), self.context.limit_z3_work_temporarily(most):
                    ask_or_raise(self if last else self.copy_with_only_conditions(texts))
            except NotShown:
                if last:
                    raise
            else:
                self.context.steps.add(name)
                return

    def _digest_question_with_conditions(self, question: object, conditions: Sequence[str]) -> bytes:
        """Return the digest of a question under some of the conditions, whose order does not count."""
        return sha256(f"{question} {sorted(map(self.digest_step_or_condition, conditions))}".encode()).digest()

    def require_no_state_satisfies(self, cells: Cells, formulas: Sequence[Truth], message: str) -> None:
        """Check that no state that the conditions allow satisfies all parts. Raises NotShown."""
        require_formulas_unsatisfiable(
            [*self.build_bounds_and_condition_formulas(cells), *formulas], self.integers, message, self.context
        )

    def get_split_of_step(self, action_or_phase: Action | Phase) -> Split:
        """Return how questions about a kind of step are split."""
        name = action_or_phase.name if isinstance(action_or_phase, Action) else f"automatic {action_or_phase.name}"
        return self.splits.get(name, self.splits.get("", Split("", self.integers, ())))

    def get_checker_over_integers_or_bits(self, integers: bool) -> StepChecker:
        """Return the same questions over integers or bit-vectors, which differ in how Z3 is asked alone."""
        return self if integers == self.integers else self._copy_with(integers=integers)

    def _copy_with(self, **changed: Any) -> StepChecker:
        other = object.__new__(StepChecker)
        other.__dict__.update(self.__dict__, **changed)
        return other

    def get_symbolic_step(self, action_or_phase: Action | Phase) -> SmallStep:
        """Return a kind of step from an open state; it is read once for a game."""
        kind = "step", isinstance(action_or_phase, Action), action_or_phase.number
        read = partial(
            self.reading.build_symbolic_step,
            action_or_phase,
            self.state,
            self.reading.make_symbolic_parameters(action_or_phase),
        )
        return self.context.get_or_build_for_game(self.game, kind, read)

    def get_or_build_for_step(
        self, purpose: str, action_or_phase: Action | Phase, key_parts: Sequence[object], build: Callable[[], T]
    ) -> T:
        """Return what `build` builds for a kind of step and a purpose. Each is built once, because
        formulas cost more than Z3's answers."""
        key = purpose, isinstance(action_or_phase, Action), action_or_phase.number, *key_parts
        if key not in self._made:
            self._made[key] = build()
        return cast(T, self._made[key])

    def require_step_keeps_conditions(self, action_or_phase: Action | Phase, conditions: Sequence[str]) -> None:
        """Check that a kind of step keeps the conditions. Raises NotShown."""
        message = f"`{action_or_phase.name}` may break {' or '.join(conditions)}"
        self.require_step_makes_no_formula_true(
            "kept",
            action_or_phase,
            conditions,
            message,
            lambda side: side.get_formulas_of_broken_conditions(action_or_phase, conditions),
        )

    def require_step_makes_no_formula_true(
        self,
        purpose: str,
        action_or_phase: Action | Phase,
        conditions: Sequence[str],
        message: str,
        make_bad_formulas: Callable[[StepChecker], list[BadStepFormula]],
        question_terms: Sequence[Term] = (),
    ) -> None:
        """Check that a kind of step makes none of the bad formulas true. These are made of nothing but the purpose, the
        step, the conditions and the `question_terms`. Raises NotShown."""
        split = self.get_split_of_step(action_or_phase)
        side = self.get_checker_over_integers_or_bits(split.integers)
        names = (
            sorted(map(self.digest_step_or_condition, conditions)),
            compute_digest_of_rules_part(self.game, question_terms),
        )
        question = (purpose, self.digest_step_or_condition(action_or_phase), *names, split.integers, split.places)
        slices = side.list_relevant_condition_subsets(
            action_or_phase, [*(self.terms[text] for text in conditions), *question_terms]
        )
        side.require_question_holds_under_some_subset(
            question,
            slices,
            lambda under: under.require_z3_excludes_bad_step(action_or_phase, make_bad_formulas(under), message),
        )

    def digest_step_or_condition(self, step_or_condition: Action | Phase | str) -> str:
        """Return a digest of the content of a kind of step or of a condition."""
        key = (
            step_or_condition
            if isinstance(step_or_condition, str)
            else (isinstance(step_or_condition, Action), step_or_condition.number)
        )
        content = self.terms[step_or_condition] if isinstance(step_or_condition, str) else step_or_condition
        return self.context.get_or_build_for_game(
            self.game, ("part", key), lambda: compute_digest_of_rules_part(self.game, content)
        )

    def get_formulas_of_broken_conditions(
        self, action_or_phase: Action | Phase, conditions: Sequence[str]
    ) -> list[BadStepFormula]:
        """Return what a kind of step may break: those pieces of the conditions that read a field
        that it writes."""

        def build() -> list[BadStepFormula]:
            both = zip(self.reading.fields, self.state, self.get_symbolic_step(action_or_phase).after, strict=True)
            written = {f.number for f, old, new in both if not is_same_number_or_formula(old, new)}
            terms = (self.terms[text] for text in conditions)
            pieces = (iter_conjuncts_of_condition(term, {}) for term in terms if written & set(term.reads))
            return [partial(self._build_formula_of_broken_conjunct, piece) for piece in chain.from_iterable(pieces)]

        return self.get_or_build_for_step("broken", action_or_phase, conditions, build)

    def _build_formula_of_broken_conjunct(self, conjunct: BoundTerm, step: SmallStep, cells_before: Cells) -> Truth:
        return conjoin_formulas(
            [
                step.sound,
                negate_formula(build_condition_still_holds_formula(self.reading, conjunct, cells_before, step.after)),
            ]
        )

    # -- questions ------------------------------------------------------------------------------------------

    def require_z3_excludes_bad_step(
        self, action_or_phase: Action | Phase, bad_formulas: Sequence[BadStepFormula], message: str
    ) -> None:
        """Check that no step of this kind, from a state that the conditions allow, makes one of
        `bad_formulas` true. Raises NotShown."""
        reply = self._ask_z3_splitting_by_places(
            action_or_phase, bad_formulas, self.get_split_of_step(action_or_phase).places, {}
        )
        if reply != "unsat":
            raise NotShown(message if reply == "sat" else f"{message}: Z3 gives no answer")

    def _ask_z3_splitting_by_places(
        self,
        action_or_phase: Action | Phase,
        bad_formulas: Sequence[BadStepFormula],
        split_places: Sequence[str],
        fixed_places: FixedPlaces,
    ) -> str:
        """Return Z3's answer, with splits.

        If places remain, the question is asked for each value of the first one; before a further
        split, it is asked as a whole with little work. Without places, all `bad_formulas` are asked
        together, and if Z3 gives no answer, each half separately.
        """
        if fixed_places or not split_places:
            reply = self.ask_z3_whether_step_can_go_wrong(
                action_or_phase, bad_formulas, fixed_places, LITTLE if split_places else WORK
            )
            if reply != "unknown" or not (split_places or len(bad_formulas) > 1):
                return reply
        if split_places:
            answers = (
                self._ask_z3_splitting_by_places(
                    action_or_phase, bad_formulas, split_places[1:], {**fixed_places, split_places[0]: value}
                )
                for value in self.list_all_values_of_place(action_or_phase, split_places[0])
            )
        else:
            half = len(bad_formulas) // 2
            answers = (
                self._ask_z3_splitting_by_places(action_or_phase, some, (), fixed_places)
                for some in (bad_formulas[:half], bad_formulas[half:])
            )
        return next((a for a in answers if a != "unsat"), "unsat")

    def ask_z3_whether_step_can_go_wrong(
        self,
        action_or_phase: Action | Phase,
        bad_formulas: Sequence[BadStepFormula],
        fixed_places: FixedPlaces,
        max_work: int,
    ) -> str:
        """Return Z3's answer to "may one of these go wrong?", with the places in `fixed_places` as they say."""
        parts = [
            *self.build_bounds_and_condition_formulas(self.state),
            *self.get_formulas_of_bad_step(action_or_phase, bad_formulas, fixed_places),
        ]
        return ask_z3_sat_unsat_or_unknown(parts, self.integers, self.context, max_work)

    def get_formulas_of_bad_step(
        self, action_or_phase: Action | Phase, bad_formulas: Sequence[BadStepFormula], fixed_places: FixedPlaces
    ) -> list[Truth]:
        """Return the formulas that one of `bad_formulas` holds and that the fixed places have their values."""

        def build() -> list[Truth]:
            cells = [fixed_places.get(f"cell {n}", c) for n, c in enumerate(self.state)]
            if fixed_places:
                parameters = enumerate(self.reading.make_symbolic_parameters(action_or_phase))
                values = [fixed_places.get(f"param {n}", p) for n, p in parameters]
                step = self.reading.build_symbolic_step(action_or_phase, cells, values)
            else:
                step = self.get_symbolic_step(action_or_phase)
            pairs = [(old, new) for old, new in zip(self.state, cells, strict=True) if old is not new]
            same = (self.reading.build_comparison_formula("==", old, new) for old, new in pairs)
            return [*same, disjoin_formulas(wrong(step, cells) for wrong in bad_formulas)]

        return self.get_or_build_for_step("question", action_or_phase, (*bad_formulas, *fixed_places.items()), build)

    def list_all_values_of_place(self, action_or_phase: Action | Phase, place: str) -> range:
        """Return every value that a place can have. Raises NotShown if there is no such place."""
        kind, _, digits = place.partition(" ")
        number = int(digits) if digits.isdecimal() and len(digits) < 9 else -1
        if kind == "cell" and 0 <= number < len(self.reading.fields):
            field = self.reading.fields[number]
            if field.hi - field.lo >= _MOST_VALUES:
                raise NotShown(f"{place} has too many values to split by")
            return range(field.lo, field.hi + 1)
        params = action_or_phase.params if isinstance(action_or_phase, Action) else ()
        if kind == "param" and 0 <= number < len(params):
            return params[number].values
        raise NotShown(f"there is no place {place[:40]!r} to split by")
