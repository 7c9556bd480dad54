"""A case, one game under one set of options, with its readings, walks and exploration made once and shared;
its budget, a clock that counts work, caches, and methods that may fail alone."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from time import perf_counter
from typing import Any, Generic, Protocol, TypeVar

import z3

from playproof.database.errors import InputError
from playproof.language import Interpreter, RulesError
from playproof.language.compiled import Compiled
from playproof.language.explorer import Exploration, create_exploration_from_start, explore
from playproof.language.game import Game
from playproof.language.machine.native import (
    NoMachineCodeError,
    can_make_machine_code,
    get_seconds_waited_for_machine_code,
)
from playproof.language.options import OptionError, Options
from playproof.language.registry import build, load_cards_if_rules_need_them
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.z3_questions import Disagreement
from playproof.verifier.questions.context import Context
from playproof.verifier.search.layer_bounds import propose_bounds_and_ranks_of_layer
from playproof.verifier.search.machine_layers import LastLayersCache

# -- caches --------------------------------------------------------------------------------------------------
# What methods learn about a case: each cache belongs to the module that makes it, has its own types, and
# lives as long as the case.

K = TypeVar("K")
V = TypeVar("V")


class CacheOwner(Protocol):
    """An object that holds caches, such as a case."""

    caches: dict[Cache[Any, Any], dict[Any, Any]]


class Cache(Generic[K, V]):
    """One module's entries for each case."""

    def get_entries_of_case(self, case: CacheOwner) -> dict[K, V]:
        """Return the entries for a case."""
        entries: dict[K, V] = case.caches.setdefault(self, {})
        return entries


class IdentityKey:
    """An object as a key, equal only to itself. The key keeps the object alive, so that no other
    object can take its place in memory."""

    def __init__(self, held: object) -> None:
        self.held = held

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and other.held is self.held

    def __hash__(self) -> int:
        return id(self.held)


# -- work ----------------------------------------------------------------------------------------------------
# A clock that counts work instead of seconds, and so reads the same on an idle and on a loaded machine.

RLIMIT = 2_500_000
"""Z3's measure in one unit. Measurements on four games gave 2 to 5 million in a second."""
PLAIN, INTERPRETED, MACHINE = 1 / 50_000, 1 / 1_200, 1 / 500_000
"""The cost of one step: in the generated source as plain Python, in the interpreter, in machine
code."""

_NEVER, _LONGEST = float("inf"), 1_000_000.0


class _WorkClock:
    """The work done so far in this process, the limit on it, and the time of the emergency stop."""

    def __init__(self) -> None:
        self.done = 0.0
        self.most = _NEVER
        self.end = _NEVER


_CLOCK = _WorkClock()


def get_work_units_done() -> float:
    """Return the work done by this process so far."""
    return _CLOCK.done


def add_work_units_done(work_units: float) -> None:
    """Count work that was done."""
    _CLOCK.done += work_units


@contextmanager
def limit_z3_to_time_or_work_within_context(end_time: float, max_work: float = _NEVER) -> Iterator[None]:
    """Ask Z3 nothing more, while the context lasts, once so much work is done from now on or
    `perf_counter` reaches `end_time`."""
    before = _CLOCK.end, _CLOCK.most
    _CLOCK.end, _CLOCK.most = end_time, _CLOCK.done + max_work
    try:
        yield
    finally:
        _CLOCK.end, _CLOCK.most = before


def ask_z3_within_work(solver: Any, run_check: Callable[[], z3.CheckSatResult], max_work: float) -> z3.CheckSatResult:
    """Return what a Z3 solver or optimizer answers within `max_work` units, which the clock counts.

    It is `unknown` if no work or time is left.
    """
    seconds, max_work = min(_CLOCK.end - perf_counter(), _LONGEST), min(max_work, _CLOCK.most - _CLOCK.done)
    if seconds <= 0 or max_work <= 0:
        return z3.unknown
    solver.set(rlimit=max(1, int(max_work * RLIMIT)), timeout=max(1, int(1000 * seconds)))
    before = _read_z3_rlimit_count(solver)
    answer = run_check()
    add_work_units_done((_read_z3_rlimit_count(solver) - before) / RLIMIT)
    return answer


def _read_z3_rlimit_count(solver: Any) -> int:
    """Return Z3's measure for everything asked in this process."""
    return next((int(value) for name, value in solver.statistics() if name == "rlimit count"), 0)


class WorkLimitedSolver(z3.Solver):  # type: ignore[misc]  # Z3 ships no types
    """A Z3 solver whose questions cost at most `most` units each, which the clock counts. It
    reasons over integers unless a `logic` is named."""

    def __init__(self, logic: str = "", max_work: float = 20.0) -> None:
        if logic:
            super().__init__(z3.SolverFor(logic).solver, z3.main_ctx())
        else:
            super().__init__()
        self.most = max_work

    def check(self, *assumptions: Any) -> z3.CheckSatResult:
        """Return Z3's answer within `most` units; `unknown` if no work or time is left."""
        return ask_z3_within_work(self, partial(super().check, *assumptions), self.most)


# A case: one game under one set of options, with its readings, walks and exploration made once and shared.

Progress = Callable[[str], None]
WORK = 60.0
"""Units of work for a claim that sets no budget of its own."""
SMALL = 20_000
"""The number of states that are explored before cleverer methods are tried."""
_SMALL_BY_MACHINE = 250_000
_SMALL_SHARE, _SMALL_WORK = 0.1, 3.0
# seconds a unit of work, and at least, before a budget is stopped by the clock
_PATIENCE, _LEAST_SECONDS = (10, 600.0)
_ROOM = 3_000_000_000  # bytes of states held at most: about 24 a word with the parent, the order and the table


@dataclass(slots=True)
class Budget:
    """The limits on one answer: work (a unit, defined in `work.py`, is about a second of one idle
    core), states held in memory, and random games. `progress` receives a line of text now and then.
    A keyboard interrupt sets `stopped`; every method then returns what it has.

    `seconds` is an emergency stop for slow work that is not counted. On a machine that keeps up it
    decides nothing. Time spent waiting for machine code does not count.
    """

    work: float = WORK
    states: int = 12_000_000
    games: int = 200_000
    progress: Progress | None = None
    seconds: float = 0.0
    stopped: bool = False
    began: float = field(default_factory=get_work_units_done)
    end: float = 0.0

    def __post_init__(self) -> None:
        self.seconds = self.seconds or max(_LEAST_SECONDS, _PATIENCE * self.work)
        # earlier waiting does not count
        self.end = self.end or perf_counter() + self.seconds - get_seconds_waited_for_machine_code()

    @property
    def left(self) -> float:
        """Return the work left; 0 once the budget is stopped or late."""
        return 0.0 if self.stopped or self.late else max(0.0, self.work - (get_work_units_done() - self.began))

    @property
    def late(self) -> bool:
        """Return whether the emergency stop was reached."""
        return perf_counter() > self.end + get_seconds_waited_for_machine_code()

    def is_late_by_share(self, share: float) -> bool:
        """Return whether the emergency stop was reached, and this share of its seconds is over too."""
        return perf_counter() > self.end + share * self.seconds + get_seconds_waited_for_machine_code()

    def make_budget_of_share(self, share: float, max_games: int | None = None) -> Budget:
        """Return a budget with a part of the remaining work and at most `max_games` games."""
        return Budget(
            self.left * share,
            self.states,
            self.games if max_games is None else min(max_games, self.games),
            self.progress,
            self.seconds,
            end=self.end,
        )

    def report_progress_line(self, line: str) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(line)


class GameCase:
    """A game built under `options` (values) and `rulings`; `errata` as in `load_game`. With
    `machine` False, the compiled reading runs as plain Python. This is slow but starts at once,
    which suits small games."""

    def __init__(
        self,
        ref: str,
        values: Mapping[str, str] | None = None,
        rulings: Mapping[str, str] | None = None,
        errata: bool | str = True,
        machine: bool | None = None,
    ) -> None:
        self.ref, self.errata = str(ref), errata
        self.values = {str(k): str(v) for k, v in (values or {}).items()}
        self.rulings = {str(k): str(v) for k, v in (rulings or {}).items()}
        options = Options(self.values, self.rulings)
        self._set_game_with_nothing_explored(
            build(self.ref, options, load_cards_if_rules_need_them(self.ref, self.errata)), machine
        )

    def _set_game_with_nothing_explored(self, game: Game, machine: bool | None) -> None:
        """Set the description, with nothing explored yet."""
        self.game = game
        # of the kernel; a run lends its own to its cases
        self.context = Context(propose=propose_bounds_and_ranks_of_layer, swept=LastLayersCache())
        self.machine = can_make_machine_code() if machine is None else machine
        self.caches: dict[Cache[Any, Any], dict[Any, Any]] = {}  # what methods learn, by cache (caches.py)
        self.seen: Exploration | None = None
        self.breaks = ""  # why exploring was abandoned
        self._looked_at_small = False

    @cached_property
    def play(self) -> Interpreter:
        """The reference reading."""
        return Interpreter(self.game)

    @cached_property
    def compiled(self) -> Compiled:
        """The compiled reading."""
        return Compiled(self.game, machine=self.machine)

    @cached_property
    def plain(self) -> Compiled:
        """The compiled reading as plain Python: it starts at once, and is fast enough for a few
        hundred games."""
        return Compiled(self.game, machine=False)

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The first state in which a player or chance acts."""
        return tuple(self.play.start())

    @property
    def digest(self) -> str:
        """The digest of the description, by which evidence names the game."""
        return self.context.get_game_digest_cached(self.game)

    def as_json(self) -> dict[str, Any]:
        """Return how to build this case again, with the digest of its rules."""
        return {
            "game": self.ref,
            "options": self.values,
            "rulings": self.rulings,
            "errata": self.errata,
            "rules": self.digest,
        }

    # -- exploration ----------------------------------------------------------------------------------------

    def extend_shared_exploration(
        self,
        budget: Budget,
        *,
        until_round: int | None = None,
        is_enough: Callable[[Exploration], bool] | None = None,
        max_work: float | None = None,
    ) -> Exploration:
        """Return the shared exploration, extended within the budget (and within `max_work`) until it is
        complete, round `until_round` has been searched, or `is_enough` holds for it."""
        if self.breaks:
            return self._make_start_only_exploration(self.breaks)
        seen = self.seen
        if seen is not None:
            far_enough = until_round is not None and max(seen.layers, default=-1) >= until_round
            if seen.complete or far_enough or (is_enough is not None and is_enough(seen)):
                return seen
        limit = budget.left if max_work is None else min(max_work, budget.left)
        most, step = min(budget.states, self._max_states_in_memory), self.step_cost

        def go_on(now: Exploration) -> bool:
            states = f"{now.states:,} state{'' if now.states == 1 else 's'}"
            budget.report_progress_line(f"explored {states}, round {now.layer}")
            return budget.left > 0 and (is_enough is None or not is_enough(now))

        if self.seen is None:
            # kept at once: an interrupt must not lose what was seen
            self.seen = create_exploration_from_start(self.compiled)
        before = self.seen.steps
        try:
            return explore(
                self.compiled,
                states=most,
                steps=before + int(limit / step),
                rounds=until_round,
                progress=go_on,
                resumed=self.seen,
            )
        except RulesError as error:  # what was found in this chunk is lost, and so is the way on
            self.seen, self.breaks = None, f"the rules break: {error.format_in_one_line()}"
            return self._make_start_only_exploration(self.breaks)
        except OverflowError:
            self.seen, self.breaks = None, "a value needs more than the 64 bits in which states are packed"
            return self._make_start_only_exploration(self.breaks)
        finally:
            if self.seen is not None:
                add_work_units_done((self.seen.steps - before) * step)

    def forget_exploration_if_incomplete(self) -> None:
        """Drop an incomplete exploration: it is large, and another case needs the room."""
        if self.seen is not None and not self.seen.complete:
            self.seen = None

    @property
    def step_cost(self) -> float:
        """Return the cost of one step of the compiled reading."""
        return MACHINE if self.machine else PLAIN

    def explore_all_states_or_none_if_many(self, budget: Budget) -> Exploration | None:
        """Return the complete exploration if the states are few, else None. Cleverer methods come
        after this."""
        if not self._looked_at_small and not self._has_explored_all_states():
            self._looked_at_small = True  # once is enough: later explorations continue from there
            most = _SMALL_BY_MACHINE if self.machine else SMALL
            share = min(_SMALL_SHARE, _SMALL_WORK / max(budget.left, 0.1))
            self.extend_shared_exploration(replace(budget.make_budget_of_share(share), states=min(most, budget.states)))
        return self.seen if self._has_explored_all_states() else None

    def _has_explored_all_states(self) -> bool:
        """Return whether the shared exploration has every state."""
        return self.seen is not None and self.seen.complete

    def _make_start_only_exploration(self, reason: str) -> Exploration:
        """Return an exploration of the start alone, marked as incomplete."""
        seen = create_exploration_from_start(self.plain)
        seen.reason = reason
        return seen

    @property
    def _max_states_in_memory(self) -> int:
        """Return how many states fit into memory."""
        return _ROOM // (24 + 8 * int(self.plain.module.WORDS))


class GivenGameCase(GameCase):
    """A case with a given game, instead of one built from a folder."""

    def __init__(
        self, ref: str, game: Game, values: dict[str, str], rulings: dict[str, str], machine: bool = False
    ) -> None:
        self.ref, self.errata = ref, True
        self.values, self.rulings = values, rulings
        self._set_game_with_nothing_explored(game, machine)


# -- faults --------------------------------------------------------------------------------------------------
# A method that fails by a fault of its own is left out, and the next one goes on: a fault in one method
# leaves that method, not the claim. What failed is named with the claim if it stays open.

_NOT_FAULTS = (RulesError, InputError, OptionError, NoMachineCodeError, NotShown, Disagreement, OSError, MemoryError)
"""What says something about the rules, the machine or the kernel's answer: whoever asks decides about it."""

_FAILED: Cache[str, str] = Cache()


@contextmanager
def record_and_swallow_unexpected_exceptions(case: GameCase, method_name: str) -> Iterator[None]:
    """Run a method's code; note an exception that nobody planned for, and go on behind the block.

    With PLAYPROOF_FAULTS=raise, as in the tests, the exception is raised, so that no fault goes unseen.
    """
    try:
        yield
    except _NOT_FAULTS:
        raise
    except Exception as error:
        if os.environ.get("PLAYPROOF_TRACEBACK"):
            traceback.print_exception(error)
        if os.environ.get("PLAYPROOF_FAULTS") == "raise":
            raise
        _FAILED.get_entries_of_case(case)[method_name] = f"{type(error).__name__}: {error}".rstrip(": ")


def describe_failed_methods_or_empty(case: GameCase) -> str:
    """Return which methods failed on a case and how, "" if none did."""
    return "; ".join(f"{method}: {error}" for method, error in _FAILED.get_entries_of_case(case).items())
