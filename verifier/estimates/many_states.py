"""Steps of many states of a game at once, and two estimates made with them: how many states a game has, and
what one earns at most who knows all that chance will bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from time import process_time

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.column_reading import ColumnReading
from playproof.verifier.kernel.state_graphs import list_actor_of_each_row
from playproof.verifier.search.case import add_work_units_done

# Steps of many states of a game at once, for estimates: who acts, what follows, with which weight, what is
# earned.

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
_ROW, _CALL = 2e-6, 3e-5  # work for one successor, and for one action in one call


@dataclass(frozen=True)
class Goal:
    """What players want at the end: that `condition` holds in some state, or that `number` is great when the game is
    over (`condition` is then None). `low` and `high` are what it can be. `is_win` says that the condition is a win, as
    bots want it."""

    condition: Term | None
    number: Term | None = None
    low: int = 0
    high: int = 1
    is_win: bool = False

    @property
    def is_chance(self) -> bool:
        """Whether it is a chance, and no score."""
        return self.condition is not None


@dataclass(frozen=True)
class StepTable:
    """Steps from states, sorted by their `rows`: each action's number, its weight (1 for players) and the state
    behind it."""

    rows: IntArray
    idents: IntArray
    weights: FloatArray
    after: IntArray


class BatchedGame:
    """Plays a game for a goal, many states (rows x cells) at once. Raises NotShown where the rules break, TooWide for
    numbers of more than 62 bits."""

    def __init__(self, game: Game, goal: Goal) -> None:
        self.game, self.goal = game, goal
        self.reader = ColumnReading(game, [term for term in (goal.condition, goal.number) if term is not None])

    @cached_property
    def chance_actions(self) -> frozenset[int]:
        """The numbers of the actions of chance."""
        chance = [a for a in self.game.actions if all(self.game.phases[p].chance for p in a.phases)]
        return frozenset(ident for action in chance for ident in action.idents)

    def list_all_steps_from_states(self, state_rows: IntArray) -> StepTable:
        """Return all steps from states in which the game is not over."""
        rows, idents, after = [], [], []
        add_work_units_done(_CALL * self.game.ground)
        for here, ident, then in self.reader.iter_legal_actions_with_successors(state_rows):
            rows.append(here)
            idents.append(np.full(len(here), ident))
            after.append(then)
        if not rows:
            none = np.zeros(0, dtype=np.int64)
            return StepTable(none, none, none.astype(float), state_rows[:0])
        every = np.concatenate(rows)
        add_work_units_done(_ROW * len(every))
        order = np.argsort(every, kind="stable")
        taken, sources = np.concatenate(idents)[order], state_rows[every[order]]
        return StepTable(every[order], taken, self._weigh_steps_of_chance(taken, sources), np.concatenate(after)[order])

    def _weigh_steps_of_chance(self, action_numbers: IntArray, state_rows: IntArray) -> FloatArray:
        """Return the weight of each step, by its action and the state before it; 1 for those of players."""
        weights = np.ones(len(action_numbers))
        for ident in sorted(self.chance_actions & set(np.unique(action_numbers).tolist())):
            mine = np.flatnonzero(action_numbers == ident)
            weights[mine] = self.reader.evaluate_action_weight_in_each_state(
                self.game.get_action_of_ground_action_number(ident), ident, state_rows[mine]
            )
        return weights

    def mark_states_where_chance_acts(self, state_rows: IntArray) -> npt.NDArray[np.bool_]:
        """Return in which states chance acts."""
        return np.asarray(list_actor_of_each_row(self.game, self.reader, state_rows) == CHANCE)

    def mark_ended_states_and_compute_earnings(self, state_rows: IntArray) -> tuple[npt.NDArray[np.bool_], FloatArray]:
        """Return which states end the play for the goal, and what is earned in these."""
        over = state_rows[:, 1] != 0
        if self.goal.condition is not None:
            reached = self.reader.evaluate_term_in_each_state(self.goal.condition, state_rows) != 0
            return over | reached, reached.astype(float)
        assert self.goal.number is not None
        return over, np.where(over, self.reader.evaluate_term_in_each_state(self.goal.number, state_rows), 0).astype(
            float
        )


def list_indexes_where_equal_runs_start(sorted_numbers: IntArray) -> IntArray:
    """Return where each run of equal rows begins.

    >>> list_indexes_where_equal_runs_start(np.array([0, 0, 2, 2, 5])).tolist()
    [0, 2, 4]
    """
    return (
        np.flatnonzero(np.concatenate([[True], sorted_numbers[1:] != sorted_numbers[:-1]]))
        if len(sorted_numbers)
        else sorted_numbers
    )


def hash_each_state_to_64_bits(state_rows: IntArray) -> npt.NDArray[np.uint64]:
    """Return a number of 64 bits for each state. Two states of a few millions have the same with a chance of less than
    one in a million, which an estimate may bear."""
    factors = np.random.default_rng(7).integers(1, 1 << 62, state_rows.shape[1], dtype=np.uint64) * np.uint64(2)
    with np.errstate(over="ignore"):
        mixed = (state_rows.astype(np.uint64) + np.uint64(0x9E3779B97F4A7C15)) * (factors + np.uint64(1))
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        total: npt.NDArray[np.uint64] = mixed.sum(axis=1, dtype=np.uint64)
        total ^= total >> np.uint64(32)
    return total


__all__ = [
    "BatchedGame",
    "Goal",
    "NotShown",
    "StepTable",
    "hash_each_state_to_64_bits",
    "list_indexes_where_equal_runs_start",
]


# -- growth --------------------------------------------------------------------------------------------------
# How many states a game has, from sampled growth: some states of each distance from the start are followed,
# and how often these meet says how many there are.

_SAMPLE = 8_000  # states that are followed of each distance
_TIMED, _LEAST_SAMPLE, _SECONDS = 50, 100, 0.5  # the sample is smaller where one distance would take longer
_FEWER = 2_000  # the same where little work is allowed
_MOST_LAYERS = 600
_ENOUGH = 1e13  # states, more than any machine goes through
# units of work for an estimated state, so that three times as many are no harm
_STATE_WORK, _LEAST_WORK = (6e-6, 20.0)
_STATE_BYTES, _BASE_BYTES = 45, 2.5e8
MOST_STATES = 500_000_000
"""States that compiled code goes through at most (`search/machine_layers.py`)."""


@dataclass(frozen=True)
class StateCountEstimate:
    """About how many states there are, rather more. `exact` if all were met; `endless` if the walk was cut: then there
    are more."""

    states: float
    exact: bool
    endless: bool

    @property
    def work(self) -> int:
        """The units of work that an exact answer takes, rounded up to a number that one types."""
        return round_up_to_one_leading_digit(max(_LEAST_WORK, self.states * _STATE_WORK))

    def describe_cost_of_exact_answer(
        self, given_work: float = 0, *, is_spent: bool = False, states_met: float = 0
    ) -> str:
        """Return what an exact answer would take, as `prove` says it. Of work that is given and that should do, it says
        so; where it `is_spent` and did not do, it says more. No more is believed of an estimate below `states_met`."""
        too_few = f"the {given_work:g} units of work given were too few: --work "
        too_few += str(round_up_to_one_leading_digit(3 * given_work)) if given_work >= 1 else "1"
        if is_spent and states_met > self.states:
            return f"exact takes more than {format_state_count_rounded(states_met)} states; {too_few}"
        states = f"{'' if self.exact else 'about '}{format_state_count_rounded(self.states)} states"
        if self.states > MOST_STATES:
            more = "more than" if self.endless else "about"
            return f"exact: no; there are {more} {format_state_count_rounded(self.states)} states (estimated)"
        if self.endless:
            return f"exact: unknown; there are more than {format_state_count_rounded(self.states)} states (estimated)"
        memory = (_BASE_BYTES + self.states * _STATE_BYTES) / 1e9
        how = "" if self.exact else " (estimated)"
        cost = f"exact takes {states}{how}, about {memory:.1f} GB"
        if self.work > given_work:
            return f"{cost}: --work {self.work}"
        if not is_spent:
            return f"{cost}, within the work that is given"
        return f"{cost}; {too_few}"


def round_up_to_one_leading_digit(work: float) -> int:
    """Return a number of units, rounded up to one that one types.

    >>> round_up_to_one_leading_digit(37.2), round_up_to_one_leading_digit(140)
    (40, 200)
    """
    step = 10 ** (len(str(int(work))) - 1)
    return int(-(-work // step) * step)


def format_state_count_rounded(state_count: float) -> str:
    """Return a large number with the digits that an estimate has.

    >>> [format_state_count_rounded(n) for n in (812.0, 41_200_000.0, 7.3e10, 5e15)]
    ['812', '41 million', '73 thousand million', '5e+15']
    """
    if state_count < 1e4:
        return f"{state_count:.0f}"
    for size, word in ((1e9, "thousand million"), (1e6, "million"), (1e3, "thousand")):
        if size <= state_count < 1e12:
            return (
                f"{state_count / size:.2g} {word}" if state_count / size < 100 else f"{state_count / size:.0f} {word}"
            )
    return f"{state_count:.0e}"


def estimate_state_count_by_sampling(
    batched_game: BatchedGame,
    start_state: IntArray,
    can_go_on: Callable[[], bool] = lambda: True,
    *,
    quick: bool = False,
) -> StateCountEstimate:
    """Return about how many states there are behind a state (a row of cells). Raises NotShown where the rules break."""
    most = _FEWER if quick else _SAMPLE
    draw = np.random.default_rng(11)
    sample, count, total, whole = start_state.reshape(1, -1), 1.0, 1.0, True
    rate = 0.0  # seconds for a state
    for _ in range(_MOST_LAYERS):
        began = process_time()
        over, _earned = batched_game.mark_ended_states_and_compute_earnings(sample)
        open_ = sample[~over]
        if not len(open_):
            return StateCountEstimate(total, whole, endless=False)
        steps = batched_game.list_all_steps_from_states(open_)
        rate = max(rate, (process_time() - began) / len(open_)) if len(open_) > _TIMED else rate
        if not len(steps.rows):
            return StateCountEstimate(total, whole, endless=False)
        part = min(1.0, len(sample) / count)
        _, places, times = np.unique(hash_each_state_to_64_bits(steps.after), return_index=True, return_counts=True)
        unseen = _estimate_count_of_unseen_states(times, part)
        count = len(places) + unseen
        total += count
        if total > _ENOUGH or not can_go_on():
            return StateCountEstimate(total, exact=False, endless=True)
        whole &= part >= 1 and len(places) <= most
        most = max(_LEAST_SAMPLE, min(most, int(_SECONDS / rate))) if rate else most
        if len(places) > most:
            once = times == 1
            likely = np.where(once, 1 + unseen / max(1, once.sum()), 1.0)
            places = draw.choice(places, most, replace=False, p=likely / likely.sum())
        sample = steps.after[places]
    return StateCountEstimate(total, exact=False, endless=True)


def _estimate_count_of_unseen_states(ways_by_met_state: IntArray, followed_share: float) -> float:
    """Return how many states lie behind others than those that were followed, which are this part of all.
    `ways_by_met_state` says for each state that was met how many ways to it were."""
    if followed_share >= 1:
        return 0.0
    once, twice = float((ways_by_met_state == 1).sum()), float((ways_by_met_state == 2).sum())
    return once * once / max(1.0, 2 * twice + once * followed_share / (1 - followed_share))


# -- foresight -----------------------------------------------------------------------------------------------
# How much nobody can beat, as an estimate: what one earns who knows all that chance will bring.

LEAST = 16
"""Games that are drawn at least, however little work is left."""
_LONGEST = 400
_AT_ONCE = 16  # drawn games that are gone through at once
_WIDEST = 2_500  # states of one step of one of these
GoOn = Callable[[], bool]


@dataclass(frozen=True)
class _DrawnStep:
    """One step of some drawn games: from states (`rows`, ascending) to states of the next step (`to`), and what is
    earned where the play `ends`."""

    states: int
    rows: IntArray
    to: IntArray
    ends: IntArray
    earned: FloatArray


def _never_give_up() -> bool:
    return False


def sample_best_earnings_with_foresight(
    batched_game: BatchedGame, start_state: IntArray, max_games: int, can_go_on: GoOn, give_up: GoOn = _never_give_up
) -> FloatArray:
    """Return what is earned at best in drawn games by who knows what comes: one number per game, at most so many, and
    `LEAST` or more, unless it gives up; it then counts only what is whole."""
    made: list[FloatArray] = []
    draw = np.random.default_rng(23)
    while sum(map(len, made)) < max_games and (can_go_on() or sum(map(len, made)) < LEAST):
        games = _sample_batch_of_earnings_or_none(batched_game, start_state, draw, give_up)
        if games is None:
            break
        made.append(games)
    return np.concatenate(made) if made else np.zeros(0)


def _sample_batch_of_earnings_or_none(
    batched_game: BatchedGame, start_state: IntArray, rng: np.random.Generator, must_give_up: GoOn
) -> FloatArray | None:
    cells, games = np.repeat(start_state.reshape(1, -1), _AT_ONCE, axis=0), np.arange(_AT_ONCE)
    steps: list[_DrawnStep] = []
    for number in range(_LONGEST):
        if must_give_up():
            return None
        over, earned = batched_game.mark_ended_states_and_compute_earnings(cells)
        crowded = np.bincount(games, minlength=_AT_ONCE)[games] > _WIDEST
        given_up = ~over & (crowded | (number == _LONGEST - 1))
        earned, over = np.where(given_up, batched_game.goal.high, earned), over | given_up
        ends, open_ = np.flatnonzero(over), np.flatnonzero(~over)
        made = batched_game.list_all_steps_from_states(cells[open_])
        kept = _select_steps_possible_in_drawn_games(
            batched_game, cells[open_], games[open_], made, rng.random(_AT_ONCE)
        )
        rows, after = open_[made.rows[kept]], made.after[kept]
        keys = hash_each_state_to_64_bits(after) ^ (games[rows].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
        _, places, to = np.unique(keys, return_index=True, return_inverse=True)
        steps.append(_DrawnStep(len(cells), rows, to, ends, earned[ends]))
        cells, games = after[places], games[rows][places]
        if batched_game.goal.is_chance:  # who has won a game has no more to find in it
            won = (
                np.unique(games[batched_game.mark_ended_states_and_compute_earnings(cells)[1] > 0])
                if len(cells)
                else games
            )
            going = (
                ~np.isin(games, won) | (batched_game.mark_ended_states_and_compute_earnings(cells)[1] > 0)
                if len(cells)
                else over[:0]
            )
            steps[-1] = _DrawnStep(
                steps[-1].states, *_keep_and_renumber_followed_steps(rows, to, going), ends, earned[ends]
            )
            cells, games = cells[going], games[going]
        if not len(cells):
            break
    return _compute_best_earning_of_each_drawn_game(batched_game, steps)


def _keep_and_renumber_followed_steps(
    source_rows: IntArray, target_rows: IntArray, is_followed: np.typing.NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """Return the steps to states that are followed, with these numbered anew."""
    left = is_followed[target_rows]
    return source_rows[left], (np.cumsum(is_followed) - 1)[target_rows[left]]


def _select_steps_possible_in_drawn_games(
    batched_game: BatchedGame,
    state_rows: IntArray,
    game_by_state: IntArray,
    step_table: StepTable,
    drawn_numbers: FloatArray,
) -> IntArray:
    """Return which steps can be taken in the drawn games: all of players, and one of chance from each state."""
    if not len(step_table.rows):
        return step_table.rows
    chance = batched_game.mark_states_where_chance_acts(state_rows)[step_table.rows]
    begins = list_indexes_where_equal_runs_start(step_table.rows)
    sizes = np.diff(np.concatenate([begins, [len(step_table.rows)]]))
    totals = np.repeat(np.add.reduceat(step_table.weights, begins), sizes)
    above = np.cumsum(step_table.weights)
    above -= np.repeat((above - step_table.weights)[begins], sizes)
    wanted = drawn_numbers[game_by_state[step_table.rows]] * totals
    return np.flatnonzero(~chance | ((above - step_table.weights <= wanted) & (wanted < above)))


def _compute_best_earning_of_each_drawn_game(batched_game: BatchedGame, drawn_steps: list[_DrawnStep]) -> FloatArray:
    """Return what is earned at best from each game's start."""
    after = np.zeros(0)
    for step in reversed(drawn_steps):
        now = np.full(step.states, batched_game.goal.low if batched_game.goal.is_chance else -np.inf)
        if len(step.rows):
            begins = list_indexes_where_equal_runs_start(step.rows)
            now[step.rows[begins]] = np.maximum.reduceat(after[step.to], begins)
        now[step.ends] = step.earned
        now[np.isneginf(now)] = batched_game.goal.high  # nobody can act
        after = now
    return after
