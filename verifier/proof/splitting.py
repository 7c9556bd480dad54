"""Plans how to ask the kernel about a layer of conditions, by the places to split by; and moves the places
of a certificate to another version of the game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from itertools import product
from typing import Any, cast

import numpy as np

from playproof.language import Action, Phase
from playproof.language.expr import Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.formula_reading import Reading
from playproof.verifier.kernel.formulas import VARIABLE, Formula, Number, list_parts_before_wholes
from playproof.verifier.kernel.induction import LITTLE, BadStepFormula, FixedPlaces, Lemma, Split, StepChecker
from playproof.verifier.kernel.invariant import (
    build_fault_formula_per_kind,
    build_phase_follows_without_lowering_formula,
    require_automatic_phase_lowers_numbers,
    require_step_stays_within_bounds,
)
from playproof.verifier.kernel.term_reading import Env
from playproof.verifier.kernel.z3_questions import WORK
from playproof.verifier.search.case import RLIMIT, Budget, GameCase

# Plans how to ask the kernel about a layer of conditions: for each kind of step, the arithmetic and the
# places to split by.

StepKind = Action | Phase
Z3Answer = str
"""What Z3 says to whether something can go wrong: "sat", "unsat" or "unknown"."""
_MOST_VALUES, _MOST_PLACES, _DEEPEST = 80, 6, 4
_SAMPLES, _SCATTER = 3, 37
_FEW_PIECES = 8
"""What a step may break is asked piece by piece before the step is split by places, if it is so
little."""
_SAMPLE_AGAIN = 6 * LITTLE
"""Work on samples of the best place, before its values are split further."""
_MORE = ((True, 3), (True, 10), (False, 3), (True, WORK // LITTLE), (False, 10))
"""Tries of a whole question that little work did not answer, before it is split: over integers or
not, and how many times the little work. The same measure takes a third of the time over integers,
so three times the work over integers goes before bit-vectors."""
_GLANCE = LITTLE // 4
"""Work on a whole question over integers before all else. What they answer takes them a tenth of the time that
bit-vectors take."""
_MOST_MISSES = 2
"""Steps in a row that such a glance leaves open before no more is taken."""
_MOST_FIRST = 3
"""The most work, as times the little work, with which a try that answered one step goes first for the next."""
_SOON = 200.0  # units of work that a split may take in all without others being tried


def plan_lemma_with_splits_or_none(
    case: GameCase,
    assumed_conditions: Sequence[str],
    conditions: Sequence[str],
    budget: Budget,
    earlier_lemma: Lemma | None = None,
) -> Lemma | None:
    """Return a layer with the splits that it needs, as the kernel accepts it; or None. Each step is asked first as in
    `earlier_lemma`, a layer of these conditions, which another version of the game needed."""
    game = case.game
    judge = StepChecker(game, [*assumed_conditions, *conditions], True, (), case.context)
    if not all(
        case.play.value(term, game.get_state_before_automatic_phases())
        for text, term in judge.terms.items()
        if text in conditions
    ):
        return None

    def questions(side: StepChecker, what: StepKind) -> list[BadStepFormula]:
        return side.get_formulas_of_broken_conditions(what, conditions)

    def accept(what: StepKind) -> None:
        judge.require_step_keeps_conditions(what, conditions)

    about = [judge.terms[text] for text in conditions]
    splits = _find_splits_of_all_steps_or_none(_SplitPlan(judge, questions, accept, budget, about, old=earlier_lemma))
    return None if splits is None else Lemma(tuple(conditions), True, splits)


def plan_splits_proving_bounds_or_none(
    case: GameCase, assumed_conditions: Sequence[str], budget: Budget
) -> tuple[Split, ...] | None:
    """Return splits under which the kernel accepts that the conditions keep every value in its
    bounds, or None."""
    judge = StepChecker(case.game, assumed_conditions, True, (), case.context)
    return _find_splits_of_all_steps_or_none(
        _SplitPlan(
            judge,
            build_fault_formula_per_kind,
            lambda what: require_step_stays_within_bounds(judge, what),
            budget,
            (),
            (True, False),
        )
    )


def plan_splits_proving_lowering_or_none(
    case: GameCase, assumed_conditions: Sequence[str], numbers: Sequence[Term], budget: Budget
) -> tuple[Split, ...] | None:
    """Return splits under which the kernel accepts that automatic phases lower the numbers, or
    None."""
    judge = StepChecker(case.game, assumed_conditions, True, (), case.context)

    def questions(side: StepChecker, what: StepKind) -> list[BadStepFormula]:
        return (
            [partial(build_phase_follows_without_lowering_formula, side.reading, numbers)]
            if isinstance(what, Phase)
            else []
        )

    def accept(what: StepKind) -> None:
        if isinstance(what, Phase):
            require_automatic_phase_lowers_numbers(judge, numbers, what)

    return _find_splits_of_all_steps_or_none(_SplitPlan(judge, questions, accept, budget, numbers, (True, False)))


def list_distinct_conditions_of_lemmas(lemmas: Sequence[Lemma]) -> list[str]:
    """Return the conditions of layers, each once, in the order in which the kernel takes them."""
    return list(dict.fromkeys(text for layer in lemmas for text in layer.conjuncts))


@dataclass(frozen=True)
class _SplitPlan:
    """The questions about each kind of step, and `accept`, the kernel's check of a way of asking
    them."""

    judge: StepChecker
    questions: Callable[[StepChecker, StepKind], list[BadStepFormula]]
    accept: Callable[[StepKind], None]
    budget: Budget
    about: Sequence[Term]
    """What the questions are about, besides the step."""
    tries: tuple[bool, bool] = (False, True)
    """Over integers or not. Bit-vectors are quick at positions of pieces and at how a step changes
    a sum; integers are quick at how much of a sum is left for one summand, which bounds need."""
    old: Lemma | None = None
    helped: dict[tuple[bool, tuple[str, ...]], None] = field(default_factory=dict)
    """The arithmetic and the places of splits that were accepted for other steps."""

    def try_to_keep_split_if_kernel_accepts(self, split: Split) -> bool:
        """Return whether the kernel accepts a step if it is asked so; then the split is kept."""
        what = next(
            what
            for what in self.judge.reading.iter_actions_and_automatic_phases()
            if _get_step_name_in_split(what) == split.step
        )
        self.judge.splits[split.step] = split
        try:
            self.accept(what)
        except NotShown:
            del self.judge.splits[split.step]
            return False
        if split.places:
            self.helped[split.integers, split.places] = None
        return True

    def try_to_keep_earlier_split_by_kernel(self, step_name: str) -> bool:
        """Return whether the kernel accepts a step if it is asked as in the old layer."""
        if self.old is None:
            return False
        as_all = Split(step_name, self.old.integers, ())
        return self.try_to_keep_split_if_kernel_accepts(
            next((split for split in self.old.splits if split.step == step_name), as_all)
        )


def _find_splits_of_all_steps_or_none(split_plan: _SplitPlan) -> tuple[Split, ...] | None:
    judge, first, misses = split_plan.judge, list[tuple[bool, int]](), 0
    tried = {integers: judge.get_checker_over_integers_or_bits(integers) for integers in split_plan.tries}
    for what in judge.reading.iter_actions_and_automatic_phases():
        name = _get_step_name_in_split(what)
        split_plan.budget.report_progress_line(f"invariants: {name}")
        if not split_plan.questions(tried[split_plan.tries[0]], what) or split_plan.try_to_keep_earlier_split_by_kernel(
            name
        ):
            continue
        ways = _SplitCandidates(tried, what, name, split_plan, first)
        glanced = ways.ask_z3_all_questions_over_integers() if misses < _MOST_MISSES else "unknown"
        misses = misses + 1 if glanced == "unknown" else 0
        if glanced == "sat":
            return None
        if not any(
            map(
                split_plan.try_to_keep_split_if_kernel_accepts,
                [Split(name, True, ())] if glanced == "unsat" else ways.iter_candidate_splits_likeliest_first(),
            )
        ):
            return None
        first = ways.answered or first
    return tuple(s for s in judge.splits.values() if s != Split(s.step, True, ()))


def _get_step_name_in_split(step_kind: StepKind) -> str:
    """Return how a split names a kind of step."""
    return step_kind.name if isinstance(step_kind, Action) else f"automatic {step_kind.name}"


@dataclass(frozen=True)
class _SplitTrial:
    """The result of a split by a place: its order among those tried, the number of samples still
    open, the estimated work for all of its values, and one open sample."""

    place: str
    order: int
    open: int
    cost: float
    worst: FixedPlaces | None


class _SplitCandidates:
    """The ways of asking about one kind of step, likeliest first. `first` are tries that answered
    another step, `answered` those that answered this one."""

    def __init__(
        self,
        checkers: dict[bool, StepChecker],
        step_kind: StepKind,
        name: str,
        plan: _SplitPlan,
        first: Sequence[tuple[bool, int]] = (),
    ) -> None:
        self.sides, self.what, self.name, self.plan, self.first = checkers, step_kind, name, plan, first
        self.answered: list[tuple[bool, int]] = []
        self.wrong = False

    def ask_z3_all_questions_over_integers(self) -> Z3Answer:
        """Return Z3's answer to all questions together over integers, with very little work."""
        return self._ask_z3_all_questions(True, {}, _GLANCE)

    def iter_candidate_splits_likeliest_first(self) -> Iterator[Split]:
        """Yield the ways: as a whole, then split, then piece by piece; nothing more once Z3 has
        found that the step goes wrong.

        A whole question costs less than its parts if Z3 answers it at all.
        """
        yield from self._iter_splits_without_places_z3_answers(
            (*self.first, *((integers, 1) for integers in self.plan.tries))
        )
        for integers, known in [] if self.wrong else list(self.plan.helped):
            candidates = _list_names_of_places_worth_splitting(self.sides[integers], self.what, {})
            here = tuple(place for place in known if place in candidates)
            if here and self._do_places_answer_all_samples(integers, here):
                yield Split(self.name, integers, here)
        yield from self._iter_splits_without_places_z3_answers(_MORE)
        if self.wrong:
            return
        if len(self._list_bad_step_formulas(True)) <= _FEW_PIECES:
            yield Split(self.name, True, ())
        # What one place answers needs no more, and integers take the least time to try.
        for deepest, integers in ((1, True), (1, False), *((_DEEPEST, integers) for integers in self.plan.tries)):
            places = self._choose_places_to_split_by(integers, {}, deepest)
            if places:
                yield Split(self.name, integers, tuple(places))
        for integers in self.plan.tries if self.plan.budget.left > 0 else ():
            yield Split(self.name, integers, ())

    def _iter_splits_without_places_z3_answers(
        self, integers_and_work_multiples: Sequence[tuple[bool, int]]
    ) -> Iterator[Split]:
        """Yield the step as a whole where a try answers it; none behind one by which it goes wrong."""
        for integers, times in integers_and_work_multiples if not self.wrong else ():
            answer = self._ask_z3_all_questions(integers, {}, times * LITTLE)
            if answer == "sat":
                self.wrong = True
                return
            if answer == "unsat":
                self.answered = [(integers, min(times, _MOST_FIRST))]
                yield Split(self.name, integers, ())

    def _do_places_answer_all_samples(self, use_integers: bool, places: Sequence[str]) -> bool:
        """Return whether places by which another step was split help here: all samples of their values are answered."""
        side = self.sides[use_integers]
        samples = [
            _order_values_with_neighbours_apart(side.list_all_values_of_place(self.what, place))[:_SAMPLES]
            for place in places
        ]
        return all(
            self._ask_z3_all_questions(use_integers, dict(zip(places, values, strict=True)), _SAMPLE_AGAIN) == "unsat"
            for values in product(*samples)
        )

    def _list_bad_step_formulas(self, use_integers: bool) -> list[BadStepFormula]:
        """Return what may go wrong, in one of the two arithmetics."""
        return self.plan.questions(self.sides[use_integers], self.what)

    def _ask_z3_all_questions(self, use_integers: bool, fixed_places: FixedPlaces, max_work: int = LITTLE) -> Z3Answer:
        """Return Z3's answer to all questions together, with little work: without far conditions, then with all."""
        side, wrongs = self.sides[use_integers], self._list_bad_step_formulas(use_integers)
        *some, _ = side.list_relevant_condition_subsets(self.what, self.plan.about)
        if any(
            side.copy_with_only_conditions(texts).ask_z3_whether_step_can_go_wrong(
                self.what, wrongs, fixed_places, max_work
            )
            == "unsat"
            for texts in some
        ):
            return "unsat"
        return side.ask_z3_whether_step_can_go_wrong(self.what, wrongs, fixed_places, max_work)

    def _choose_places_to_split_by(self, use_integers: bool, fixed_places: FixedPlaces, max_depth: int) -> list[str]:
        """Return places to split by, one within the other, or [] if none helps: the place with the
        best samples, then the places that its worst sample needs."""
        some: list[_SplitTrial] = []
        for order, place in enumerate(
            _list_names_of_places_worth_splitting(self.sides[use_integers], self.what, fixed_places)
        ):
            if self.plan.budget.left <= 0:
                return []
            some.append(self._try_split_by_place_on_samples(use_integers, place, order, fixed_places))
            if not some[-1].open and some[-1].cost < _SOON:
                break
        if not some:
            return []
        best = min(some, key=lambda tried: (tried.open, tried.order if tried.open else tried.cost))
        if best.worst is None:
            return [best.place]
        again = self._try_split_by_place_on_samples(use_integers, best.place, best.order, fixed_places, _SAMPLE_AGAIN)
        if again.worst is None:  # more work answers every sample
            return [best.place]
        further = self._choose_places_to_split_by(use_integers, best.worst, max_depth - 1) if max_depth > 1 else []
        return [best.place, *further] if further else []

    def _try_split_by_place_on_samples(
        self, use_integers: bool, place: str, order: int, fixed_places: FixedPlaces, max_work: int = LITTLE
    ) -> _SplitTrial:
        """Try a split by a place on some of its values, each with so much work; return the result."""
        side, wrongs = self.sides[use_integers], self._list_bad_step_formulas(use_integers)
        values = side.list_all_values_of_place(self.what, place)
        began, left = side.context.work, list[FixedPlaces]()
        tried = samples = 0  # values tried; those among them that needed Z3
        for value in _order_values_with_neighbours_apart(values):
            here = {**fixed_places, place: value}
            tried += 1
            if side.get_formulas_of_bad_step(self.what, wrongs, here)[-1] is not False:
                samples += 1
                if self._ask_z3_all_questions(use_integers, here, max_work) != "unsat":
                    left.append(here)
            if samples == _SAMPLES or (left and max_work > LITTLE):
                break
        work_done = (began - side.context.work) / RLIMIT
        cost = work_done / max(1, tried) * len(values)
        return _SplitTrial(place, order, len(left), cost, left[0] if left else None)


def _order_values_with_neighbours_apart(values: Sequence[int]) -> list[int]:
    """Return values in an order in which neighbours, which are often alike, are far from each other."""
    return sorted(values, key=lambda value: (value * _SCATTER % len(values), value))


def _list_names_of_places_worth_splitting(
    checker: StepChecker, step_kind: StepKind, fixed_places: FixedPlaces
) -> list[str]:
    """Return the parameters, the phase and the cells that a step uses as indices, those first that
    make an index alone."""
    reading = _IndexRecordingReading(checker.game)
    cells = [fixed_places.get(f"cell {n}", c) for n, c in enumerate(reading.make_symbolic_state())]
    params = [fixed_places.get(f"param {n}", p) for n, p in enumerate(reading.make_symbolic_parameters(step_kind))]
    reading.build_symbolic_step(step_kind, cells, params)
    beside: dict[str, int] = {}  # with how few others a place makes an index
    for index in reading.indices:
        some = _find_cells_and_parameters_in_formula(index)
        beside.update({p: min(len(some), beside.get(p, len(some))) for p in some})
    beside.update({f"param {n}": 0 for n, x in enumerate(params) if not isinstance(x, int)})
    if isinstance(step_kind, Action) and len(step_kind.phases) > 1 and "cell 0" not in fixed_places:
        beside["cell 0"] = 1
    sizes = {place: len(checker.list_all_values_of_place(step_kind, place)) for place in beside}
    few = [place for place, size in sizes.items() if size <= _MOST_VALUES]
    return sorted(few, key=lambda place: (beside[place], sizes[place], place))[:_MOST_PLACES]


class _IndexRecordingReading(Reading):
    """A reading that records the terms by which it looks things up and writes them."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.indices: list[Formula] = []

    def _list_places_index_may_mean(
        self, where: Number, index: Term, size: int, cells: Sequence[Number], local_values: Env
    ) -> list[int]:
        """Return the places as `Reading` does, and record the index, which is not constant."""
        self.indices.append(where)
        return super()._list_places_index_may_mean(where, index, size, cells, local_values)


def _find_cells_and_parameters_in_formula(formula: Formula) -> set[str]:
    """Return the cells and parameters in a formula."""
    names = [part.args[0] for part in list_parts_before_wholes([formula]) if part.op == VARIABLE]
    kinds = {"s": "cell", "p": "param"}  # as `Reading` names its variables
    return {f"{kinds[name[0]]} {name[1:]}" for name in names if name[0] in kinds and name[1:].isdecimal()}


# -- moved splits --------------------------------------------------------------------------------------------
# Certificates of one version of a game, with the places of their splits as another version numbers its
# cells.

_CELL = "cell "


def renumber_split_cells_dropping_missing(
    certificate: Certificate, source_game: Game, target_game: Game
) -> Certificate:
    """Return a certificate that was made for the game `source_game` with the places of its splits as `target_game`
    numbers them. A cell that `target_game` does not have is no place there."""
    if _list_field_names_and_shapes(source_game) == _list_field_names_and_shapes(target_game):
        return certificate
    return cast(
        Certificate,
        _copy_part_with_renumbered_splits(
            certificate, partial(_get_place_in_other_version_or_empty, source_game, target_game)
        ),
    )


def _list_field_names_and_shapes(game: Game) -> list[tuple[str, tuple[int, ...]]]:
    return [(field.name, field.shape) for field in game.fields]


def _copy_part_with_renumbered_splits(certificate_part: Any, renumber_place: Callable[[str], str]) -> Any:
    """Return a certificate, or a part of one, with its splits by other places."""
    if isinstance(certificate_part, Split):
        return replace(certificate_part, places=tuple(filter(None, map(renumber_place, certificate_part.places))))
    if isinstance(certificate_part, tuple):
        return tuple(_copy_part_with_renumbered_splits(each, renumber_place) for each in certificate_part)
    if is_dataclass(certificate_part) and not isinstance(certificate_part, type):
        return replace(
            certificate_part,
            **{
                each.name: _copy_part_with_renumbered_splits(getattr(certificate_part, each.name), renumber_place)
                for each in fields(certificate_part)
            },
        )
    return certificate_part


def _get_place_in_other_version_or_empty(source_game: Game, target_game: Game, place: str) -> str:
    """Return where a place of a split is in another version of the game; "" if it is not there."""
    if not place.startswith(_CELL):
        return place
    cell = int(place.removeprefix(_CELL))
    held = next(field for field in source_game.fields if field.offset <= cell < field.offset + field.size)
    there = next((field for field in target_game.fields if field.name == held.name), None)
    if there is None or len(there.shape) != len(held.shape):
        return ""
    at = np.unravel_index(cell - held.offset, held.shape) if held.shape else ()
    if any(index >= size for index, size in zip(at, there.shape, strict=True)):
        return ""
    return f"{_CELL}{there.offset + (int(np.ravel_multi_index(at, there.shape)) if at else 0)}"
