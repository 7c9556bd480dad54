"""Finds a measure that every decision raises, or at least that none lowers, so that the kernel can go through a game's
states layer by layer.

The measure is a sum of cells, sums of arrays and phases, with whole factors. Sampled decisions give the first
conditions on the factors; each decision that the kernel finds to break them gives another. Among the factors that fit,
those that most decisions raise are taken, and of those the ones with the smallest greatest jump, because the layers are
then few and wide. Where play can go in circles no measure rises at each decision; then decisions may keep it, and a
game without any such sum is one layer. Source: rank functions by counterexamples, as in Podelski and Rybalchenko, VMCAI
2004.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf, lcm
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import z3

from playproof.language import RulesError, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.context import Cut
from playproof.verifier.kernel.layers import (
    MOST_LAYERED,
    Listing,
    MeasureNotRaised,
    list_event_and_limit_terms,
    sweep_layers_by_compiled_code,
    sweep_layers_cached,
)
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.symmetry import Renaming, check_renamings_and_make_canonicalizer
from playproof.verifier.proof.linear_programs import run_highs_in_own_process_or_get_none
from playproof.verifier.search.case import (
    INTERPRETED,
    RLIMIT,
    Budget,
    Cache,
    GameCase,
    add_work_units_done,
    ask_z3_within_work,
)
from playproof.verifier.search.machine_layers import MOST_STATES, LastLayersCache
from playproof.verifier.search.renamings import propose_renamings_and_whether_final

_GAMES, _LONGEST, _ROWS = 30, 300, 3_000
_MANY_ROWS = 30_000  # where a sweep in vain costs more
_ROUNDS, _CUTS, _AT_ONCE = 40, 60, 25
_STATE = 6e-6  # work for one state of a sweep, both ways
_FEW = 500_000
_FEW_TO_RENAME = 1_000_000  # states that are gone through sooner than renamings are found
_STATE_BY_MACHINE = 6e-7  # the same by compiled code
_ACTION = 5.5e-5  # work for one action in one layer, however few states it has
_MOST_FEATURES = 80
_GREATEST = 1 << 40
_PLAIN = 0.1  # of the work, for few rounds before any renaming is tried
_WITH_ALIKE = 0.6  # of the work, while renamings are tried
_CERTIFYING = 0.2  # of the work that is left, for the kernel's questions about renamings
_FACTORING = 10.0  # of work, for one question about factors
_SECONDS = 600.0  # for HiGHS, beyond which no machine is that loaded: its steps are limited too
_SCALES = (1, 2, 6, 12, 60, 840, 10_000)
_MORE = 0.7  # a search in vain is repeated if it had a smaller part of the work that is left now
IntMatrix = npt.NDArray[np.int64]


NO_LIMIT: Cut = ("", 0)
_LISTINGS: Cache[tuple[bool, Listing], tuple[Listing | None, float]] = Cache()  # with the work that was left for it
_MEASURES: Cache[Cut, tuple[str, int]] = Cache()  # for compiled code, with the least rise
_ALIKE: Cache[str, tuple[list[Renaming], float]] = Cache()  # with the work that was left for it
_REFUSED: Cache[tuple[Renaming, str], float] = Cache()  # with the work that was left for it


@dataclass(frozen=True)
class StateFeatures:
    """Numbers of a state, as claims write them: `texts`, and the matrix that yields them from cells and phases."""

    texts: tuple[str, ...]
    of_cells: IntMatrix

    def compute_feature_values(self, state_rows: IntMatrix, phase_count: int) -> IntMatrix:
        """Return the numbers (rows x features) of states."""
        onehot = (state_rows[:, :1] == np.arange(phase_count)).astype(np.int64)
        return np.concatenate([state_rows, onehot], axis=1) @ self.of_cells


def find_layers_or_none(
    case: GameCase,
    budget: Budget,
    *,
    allow_cycles: bool = False,
    limit: Cut = NO_LIMIT,
    start_actions: tuple[int, ...] = (),
    renamings: tuple[Renaming, ...] = (),
) -> Listing | None:
    """Return how the states of a case are listed layer by layer; None if no measure is found, or if there are more
    states than the budget allows. With `allow_cycles`, decisions may keep the measure if not all can raise one.
    The states are those behind `start_actions`; of those that the renamings lead into each other, some."""
    cache, wanted = _LISTINGS.get_entries_of_case(case), Listing(0, "", *limit, start_actions, renamings)
    for strict in (True, False) if allow_cycles else (True,):
        listing, allowed = cache.get((strict, wanted), (None, 0.0))
        left = budget.left
        if listing is None and allowed < _MORE * left:
            listing = _search_layers_or_none(_LayersRequest(case, budget, strict, wanted))
            cache[strict, wanted] = listing, left
        if listing is not None:
            return listing
    return None


def make_budget_for_few_states(budget: Budget) -> Budget:
    """Return a part of a budget, for so few states that columns may go through them in vain."""
    return budget.make_budget_of_share(min(1.0, _FEW * _STATE / max(budget.left, _STATE)))


def find_compiled_layers_or_none(case: GameCase, budget: Budget, event: Event, limit: Cut) -> Listing | None:
    """Return how compiled code lists the states layer by layer; None if no measure is found that each decision raises,
    or if there are more states than the budget allows. The states do not go on behind the event."""
    if not case.machine or case.context.swept is None:
        return None
    wanted = _LayersRequest(case, budget, True, Listing(0, "", *limit), by_machine=event)
    measures = _MEASURES.get_entries_of_case(case)
    try:
        if limit in measures:
            return wanted.sweep_and_build_listing_by_measure(*measures[limit])
        return _search_layers_or_none(wanted)
    except MeasureNotRaised:
        return _search_layers_or_none(wanted)
    except NotShown:
        return None


def find_layers_with_renamings_or_none(
    case: GameCase,
    budget: Budget,
    *,
    event: Event | None = None,
    allow_cycles: bool = False,
    limit: Cut = NO_LIMIT,
) -> Listing | None:
    """Return how the states are listed layer by layer, with renamings by which some stand for others; without them if
    no measure rises with them."""
    if limit != NO_LIMIT:
        share = budget.make_budget_of_share(_PLAIN)
        listing = find_layers_or_none(case, share, allow_cycles=allow_cycles, limit=limit)
        if listing is not None:
            return listing
    few = case.seen is not None and case.seen.complete and case.seen.states <= _FEW_TO_RENAME
    alike = () if few else find_renamings_kernel_certifies(case, budget, event, limit)
    if alike:
        share = budget.make_budget_of_share(_WITH_ALIKE)
        listing = find_layers_or_none(case, share, allow_cycles=allow_cycles, limit=limit, renamings=alike)
        if listing is not None:
            return listing
    return find_layers_or_none(case, budget, allow_cycles=allow_cycles, limit=limit)


def find_renamings_kernel_certifies(
    case: GameCase, budget: Budget, event: Event | None = None, limit: Cut = NO_LIMIT
) -> tuple[Renaming, ...]:
    """Return renamings that neither the rules nor a claim, about an event if there is one, notice."""
    terms = list_event_and_limit_terms(case.game, event, limit[0], case.context)
    renamings, named = _get_or_propose_renamings(case, budget), f"{event} {limit}"
    share = budget.make_budget_of_share(_CERTIFYING)
    return tuple(each for each in renamings if _does_kernel_certify_renaming(case, each, terms, named, share))


def _get_or_propose_renamings(case: GameCase, budget: Budget) -> list[Renaming]:
    """Return renamings that may be certified. A search that a small budget cut off goes on under a larger one."""
    cache, left = _ALIKE.get_entries_of_case(case), budget.left
    renamings, allowed = cache.get("", ([], 0.0))
    if allowed < _MORE * left:
        try:
            renamings, complete = propose_renamings_and_whether_final(
                case.play, _sample_states_before_and_after_decisions(case)[0].tolist(), budget
            )
        except (NotShown, RulesError):
            renamings, complete = [], True
        cache[""] = renamings, inf if complete else left
    return renamings


def _does_kernel_certify_renaming(
    case: GameCase, renaming: Renaming, claim_terms: list[Term], terms_key: str, budget: Budget
) -> bool:
    """Return whether the kernel certifies within the budget that the rules and these terms, which `terms_key` stands
    for, do not notice a renaming. What it refused is asked again only if much more work is left."""
    refused, left = _REFUSED.get_entries_of_case(case), budget.left
    if left <= 0 or refused.get((renaming, terms_key), 0.0) >= _MORE * left:
        return False
    allowed = int(left * RLIMIT)
    with case.context.limit_z3_work_temporarily(allowed):
        try:
            check_renamings_and_make_canonicalizer(case.game, (renaming,), claim_terms, case.context)
        except NotShown:
            refused[renaming, terms_key] = left
            return False
        finally:
            add_work_units_done((allowed - case.context.work) / RLIMIT)
    return True


@contextmanager
def _end_sweeps_with_budget(sweeps: object, budget: Budget) -> Iterator[None]:
    """Let sweeps by compiled code tell how far they are, and end with the budget's clock."""
    if not isinstance(sweeps, LastLayersCache):
        yield
        return

    def can_go_on(states: int) -> bool:
        budget.report_progress_line(f"went through {states:,} states in layers")
        return not (budget.stopped or budget.late)

    sweeps.can_go_on = can_go_on
    try:
        yield
    finally:
        sweeps.can_go_on = None


class _SweepSize(NamedTuple):
    """How many states were gone through, and in how many layers; compiled code does not count these."""

    states: int
    layers: int | None


@dataclass
class _LayersRequest:
    """What is wanted of a listing of a case's states: `like` it, but with a measure and the number of states."""

    case: GameCase
    budget: Budget
    strict: bool
    like: Listing
    by_machine: Event | None = None
    """The event behind which states are not followed, if compiled code goes through them."""

    def sweep_and_build_listing_by_measure(self, measure: str, least_rise: int = 1) -> Listing:
        """Return how the states lie in layers by a measure, which each decision raises by `least_rise` or more if
        compiled code goes through them. Raises NotShown, and MeasureNotRaised."""
        left = self.budget.left
        most = min(MOST_LAYERED, self.budget.states, int(left / _STATE))
        if self.by_machine is not None:
            most = min(MOST_STATES, int(left / _STATE_BY_MACHINE))
        rise = 0 if self.by_machine is None else least_rise
        listing = replace(self.like, states=most, measure=measure, rise=rise)
        try:
            size = self._sweep_and_count_states_and_layers(listing)
        except MeasureNotRaised as error:
            self._add_work_of_sweep(error.states / 2, error.layers)
            raise
        except NotShown:
            self._add_work_of_sweep(most / 2, 0)  # so many states were gone through in vain
            raise
        self._add_work_of_sweep(size.states, size.layers or 0)
        if self.by_machine is not None:
            _MEASURES.get_entries_of_case(self.case)[self.like.limit] = measure, least_rise
        return replace(listing, states=size.states)

    def _sweep_and_count_states_and_layers(self, listing: Listing) -> _SweepSize:
        """Return how many states and layers there are. Raises NotShown, and MeasureNotRaised."""
        game, context = self.case.game, self.case.context
        if self.by_machine is not None:
            with _end_sweeps_with_budget(context.swept, self.budget):
                made_by_code = sweep_layers_by_compiled_code(game, listing, self.by_machine, context)
            return _SweepSize(made_by_code.states, None)
        made = sweep_layers_cached(game, listing, context, must_measure_rise=self.strict)
        return _SweepSize(made.states, len(made.layers))

    def _add_work_of_sweep(self, state_count: float, layer_count: int) -> None:
        """Count the work of a sweep; half for a state if values are not worked out behind it."""
        if self.by_machine is not None:
            add_work_units_done(state_count * _STATE_BY_MACHINE)
        else:
            add_work_units_done(state_count * _STATE + layer_count * self.case.game.ground * _ACTION)


def _search_layers_or_none(request: _LayersRequest) -> Listing | None:
    game = request.case.game
    if request.like.number and request.by_machine is None:  # few and wide layers, and nothing to search
        try:
            return replace(request, strict=False).sweep_and_build_listing_by_measure(request.like.number)
        except MeasureNotRaised:
            pass
        except NotShown:
            return None
    try:
        before, after = _sample_states_before_and_after_decisions(
            request.case, _ROWS if request.by_machine is None else _MANY_ROWS
        )
    except (NotShown, RulesError):
        return None
    for features in (_build_features_of_state(game, sum_arrays=True), _build_features_of_state(game, sum_arrays=False)):
        if len(features.texts) > _MOST_FEATURES:
            continue
        try:
            listing = _MeasureSearch(request, features).learn_listing_from_counterexamples_or_none(before, after)
        except NotShown:  # too many states, which no other sum makes fewer
            return None
        if listing is not None:
            return listing
    return None


@dataclass
class _MeasureSearch:
    """The search for a measure that is a sum of given features."""

    wanted: _LayersRequest
    features: StateFeatures

    def learn_listing_from_counterexamples_or_none(
        self, states_before: IntMatrix, states_after: IntMatrix
    ) -> Listing | None:
        """Return a listing that all decisions keep, learned from those given and from those that broke others. Raises
        NotShown."""
        phases = len(self.wanted.case.game.phases)
        for _ in range(_ROUNDS):
            of = self.features.compute_feature_values
            changes = np.unique(of(states_after, phases) - of(states_before, phases), axis=0)
            factors = _find_factors_and_rise_by_highs_or_none(changes) if self.wanted.by_machine is not None else None
            factors = factors or _find_factors_and_rise_by_z3_or_none(changes, self.wanted.strict)
            if factors is None or self.wanted.budget.left <= 0:
                return None
            try:
                return self.wanted.sweep_and_build_listing_by_measure(
                    format_weighted_sum_of_texts(self.features.texts, factors[0]), factors[1]
                )
            except MeasureNotRaised as error:
                states_before, states_after = (
                    np.vstack([states_before, error.before]),
                    np.vstack([states_after, error.after]),
                )
        return None


def format_weighted_sum_of_texts(texts: Sequence[str], factors: Sequence[int]) -> str:
    """Return a sum as claims write it."""
    parts = [
        f"{'-' if factor < 0 else '+'} {text if abs(factor) == 1 else f'{abs(factor)} * {text}'}"
        for text, factor in zip(texts, factors, strict=True)
        if factor
    ]
    if not parts:
        return "0"
    return " ".join(parts).removeprefix("+ ").replace("- ", "0 - ", 1 if parts[0].startswith("-") else 0)


# -- decisions ------------------------------------------------------------------------------------------------------


def _sample_states_before_and_after_decisions(case: GameCase, max_states: int = _ROWS) -> tuple[IntMatrix, IntMatrix]:
    """Return decisions from states of random games and of (at most so many) explored ones, as rows of cells before and
    after, without those that end the game."""
    rows = _list_states_of_random_games(case)
    seen = case.seen
    if seen is not None and seen.states > 1:
        chosen = np.random.default_rng(1).integers(0, seen.states, min(max_states, seen.states))
        rows += [seen.unpack_state_of_row(int(row)) for row in np.unique(chosen)]
    cells = np.unique(np.array(rows, dtype=np.int64), axis=0)
    cells = cells[cells[:, 1] == 0]
    before, after = [cells[:0]], [cells[:0]]
    for here, _, states in ColumnReading(case.game).iter_legal_actions_with_successors(cells):
        on = states[:, 1] == 0
        before.append(cells[here[on]])
        after.append(states[on])
    return np.concatenate(before), np.concatenate(after)


def _list_states_of_random_games(case: GameCase) -> list[list[int]]:
    play, r, rows = case.play, random.Random(3), list[list[int]]()
    for _ in range(_GAMES):
        state = play.start()
        for _ in range(_LONGEST):
            add_work_units_done(INTERPRETED)
            rows.append(list(state))
            legal = [] if play.terminal(state) else play.legal(state)
            if not legal:
                break
            state = play.apply(state, r.choice(legal))
    return rows


# -- features -------------------------------------------------------------------------------------------------------


def _build_features_of_state(game: Game, *, sum_arrays: bool) -> StateFeatures:
    """Return the sum of each array, or each of its cells; each single field; and for each phase whether it is due."""
    cells = sum(f.size for f in game.fields)
    texts: list[str] = []
    rows: list[IntMatrix] = []

    def add(text: str, places: Sequence[int]) -> None:
        texts.append(text)
        row = np.zeros(cells + len(game.phases), dtype=np.int64)
        row[list(places)] = 1
        rows.append(row)

    for held in game.fields:
        if held.lo == held.hi or held.offset < 2:  # the phase and the outcome come last
            continue
        names = [
            (_format_cell_of_field(held.name, held.shape, place), held.offset + place) for place in range(held.size)
        ]
        if sum_arrays and held.size > 1:
            add("(" + " + ".join(name for name, _ in names) + ")", [place for _, place in names])
            continue
        for name, place in names:
            add(name, [place])
    for phase in game.phases:
        if not phase.automatic:
            add(f"(phase == {phase.number})", [cells + phase.number])
    return StateFeatures(tuple(texts), np.array(rows, dtype=np.int64).T)


def _format_cell_of_field(name: str, shape: Sequence[int], cell_in_field: int) -> str:
    quoted = name if name.isidentifier() else f"`{name}`"
    if not shape:
        return quoted
    return f"{quoted}[{', '.join(str(int(n)) for n in np.unravel_index(cell_in_field, tuple(shape)))}]"


# -- factors --------------------------------------------------------------------------------------------------------


def _find_factors_and_rise_by_highs_or_none(feature_changes: IntMatrix) -> tuple[list[int], int] | None:
    """Return the same for decisions that each have to raise the measure, as HiGHS finds it in a moment; None if it is
    not installed, or finds none."""
    solution = (
        run_highs_in_own_process_or_get_none("rises", {"changes": feature_changes.tolist()}, _SECONDS)
        if len(feature_changes)
        else None
    )
    for scale in _SCALES if solution else ():
        factors = np.rint(np.array(solution) * scale).astype(np.int64)
        rise = int((feature_changes @ factors).min())
        if 2 * rise >= scale:
            return factors.tolist(), rise
    return None


def _find_factors_and_rise_by_z3_or_none(
    feature_changes: IntMatrix, must_all_rise: bool
) -> tuple[list[int], int] | None:
    """Return whole factors w and a least rise r, with w . change >= r > 0 for all changes (if `must_all_rise`;
    else >= 0), and a small greatest one; None if there are none. Only the changes that matter are asked of Z3."""
    if not len(feature_changes):
        return None
    chosen = feature_changes[np.random.default_rng(2).permutation(len(feature_changes))[:_AT_ONCE]]
    for _ in range(_CUTS):
        solution = _solve_factors_and_least_rise_or_none(chosen, must_all_rise)
        if solution is None:
            return None
        raised = feature_changes @ np.array(solution[0], dtype=np.int64)
        bad = np.flatnonzero(raised < solution[1] * must_all_rise)
        if not len(bad):
            return solution
        chosen = np.vstack([chosen, feature_changes[bad[np.argsort(raised[bad])[:_AT_ONCE]]]])
    return None


def _solve_factors_and_least_rise_or_none(
    feature_changes: IntMatrix, must_all_rise: bool
) -> tuple[list[int], int] | None:
    model = z3.Optimize()
    weights = [z3.Real(f"w{n}") for n in range(feature_changes.shape[1])]
    jump = z3.Real("jump")
    rises = [z3.RealVal(1) if must_all_rise else z3.Real(f"r{n}") for n in range(len(feature_changes))]
    for change, rise in zip(feature_changes.tolist(), rises, strict=True):
        total = z3.Sum([factor * weights[n] for n, factor in enumerate(change) if factor] or [z3.RealVal(0)])
        model.add(total >= rise, total <= jump)
        if not must_all_rise:
            model.add(rise >= 0, rise <= 1)
    if not must_all_rise:
        model.maximize(z3.Sum(rises))
    model.minimize(jump)
    if ask_z3_within_work(model, model.check, _FACTORING) != z3.sat:
        return None
    solution = model.model()
    values = [solution.eval(w, model_completion=True).as_fraction() for w in weights]
    common = lcm(*(value.denominator for value in values))
    whole = [int(value * common) for value in values]
    return (whole, common) if max(map(abs, whole)) < _GREATEST else None
