"""A case: one game under one set of options, with its readings, walks and exploration made once and shared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

from playproof.rules.language import Game, Interpreter, RulesError
from playproof.rules.language.compiled import Compiled, generate
from playproof.rules.language.explorer import Exploration, begin, explore
from playproof.rules.language.machine.native import has_machine, waited
from playproof.rules.options import Options
from playproof.rules.registry import build, data_of
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.work import MACHINE, PLAIN, done, spend

Progress = Callable[[str], None]
WORK = 60.0
"""Units of work for a claim that says nothing else."""
SMALL = 20_000
"""As many states as are gone through before anything cleverer is tried."""
_SMALL_BY_MACHINE = 250_000
_SMALL_SHARE, _SMALL_WORK = 0.1, 3.0
_PATIENCE, _LEAST_SECONDS = 10, 600.0  # seconds a unit of work, and at least, before a budget is stopped by the clock
_ROOM = 3_000_000_000  # bytes of states held at most: about 24 a word with the parent, the order and the table


@dataclass(slots=True)
class Budget:
    """What an answer may cost: work (`work.py`: a unit is about a second of one idle core), states held in memory,
    games played at random. `progress` hears a line of text now and then. A keyboard interrupt sets `stopped`, after
    which every method returns what it has.

    `seconds` is an emergency stop for what is slow and not counted; on a machine that keeps up it decides nothing.
    Waiting for machine code moves it on.
    """

    work: float = WORK
    states: int = 12_000_000
    games: int = 200_000
    progress: Progress | None = None
    seconds: float = 0.0
    stopped: bool = False
    began: float = field(default_factory=done)
    end: float = 0.0

    def __post_init__(self) -> None:
        self.seconds = self.seconds or max(_LEAST_SECONDS, _PATIENCE * self.work)
        self.end = self.end or perf_counter() + self.seconds - waited()  # what was waited before does not count

    @property
    def left(self) -> float:
        """Work left; none where the clock has stopped it."""
        return 0.0 if self.stopped or self.late else max(0.0, self.work - (done() - self.began))

    @property
    def late(self) -> bool:
        """Whether the emergency stop was reached."""
        return perf_counter() > self.end + waited()

    def share(self, part: float, games: int | None = None) -> Budget:
        """A budget of a part of the work that is left, and of at most so many games."""
        return Budget(self.left * part, self.states, self.games if games is None else min(games, self.games),
                      self.progress, self.seconds, end=self.end)

    def say(self, line: str) -> None:
        """Report progress."""
        if self.progress is not None:
            self.progress(line)


class Case:
    """A game built under `options` (values) and `rulings`; `errata` as in `load_game`. `machine` False runs the
    compiled reading as plain Python: slow, but at once, which small games like."""

    def __init__(self, ref: str, values: Mapping[str, str] | None = None, rulings: Mapping[str, str] | None = None,
                 errata: bool | str = True, machine: bool | None = None) -> None:
        self.ref, self.errata = str(ref), errata
        self.values = {str(k): str(v) for k, v in (values or {}).items()}
        self.rulings = {str(k): str(v) for k, v in (rulings or {}).items()}
        options = Options(self.values, self.rulings)
        self._hold(build(self.ref, options, data_of(self.ref, self.errata)), machine)

    def _hold(self, game: Game, machine: bool | None) -> None:
        """Begin with a description, nothing of it seen yet."""
        self.game = game
        self.machine = has_machine() if machine is None else machine
        self.caches: dict[Cache[Any, Any], dict[Any, Any]] = {}  # what methods learn; each owns its own (caches.py)
        self.seen: Exploration | None = None
        self._breaks = ""  # why exploring was given up
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
        """The compiled reading as plain Python: at once, and quick enough for a few hundred games."""
        return Compiled(self.game, machine=False)

    @cached_property
    def first(self) -> tuple[int, ...]:
        """The first state in which somebody acts."""
        return tuple(self.play.start())

    @cached_property
    def digest(self) -> str:
        """Names the description: the same digest, the same rules and cards."""
        return hashlib.sha256(generate(self.game).encode()).hexdigest()

    def as_json(self) -> dict[str, Any]:
        """How to build this case again, and what it was."""
        return {"game": self.ref, "options": self.values, "rulings": self.rulings, "errata": self.errata,
                "rules": self.digest}

    # -- exploration ----------------------------------------------------------------------------------------

    def explored(self, budget: Budget, *, rounds: int | None = None, until: Callable[[Exploration], bool] | None = None,
                 work: float | None = None) -> Exploration:
        """The shared exploration, taken further within the budget (and within `work`) until it is complete, the round
        has been searched, or `until` holds of it."""
        seen = self.seen
        if self._breaks:
            return self._abandoned(self._breaks)
        if seen is not None and (seen.complete or (rounds is not None and max(seen.layers, default=-1) >= rounds)
                                 or (until is not None and until(seen))):
            return seen
        limit = budget.left if work is None else min(work, budget.left)
        most, step = min(budget.states, self._fitting), self.step

        def go_on(now: Exploration) -> bool:
            budget.say(f"explored {now.states:,} states, round {now.layer}")
            return budget.left > 0 and (until is None or not until(now))

        if self.seen is None:
            self.seen = begin(self.compiled)  # kept at once: an interrupt must not lose what was seen
        before = self.seen.steps
        try:
            return explore(self.compiled, states=most, steps=before + int(limit / step), rounds=rounds,
                           progress=go_on, go_on=self.seen)
        except RulesError as error:  # what was found in this chunk is lost, and so is the way on
            self.seen, self._breaks = None, str(error)
            return self._abandoned(str(error))
        finally:
            if self.seen is not None:
                spend((self.seen.steps - before) * step)

    def rest(self) -> None:
        """Forget an exploration that did not come to an end: it is large, and another case needs the room."""
        if self.seen is not None and not self.seen.complete:
            self.seen = None

    @property
    def step(self) -> float:
        """What one step of the compiled reading costs."""
        return MACHINE if self.machine else PLAIN

    def small(self, budget: Budget) -> Exploration | None:
        """All states, where they are few: looked at before anything cleverer is tried. None where they are many."""
        if not self._looked_at_small and not (self.seen is not None and self.seen.complete):
            self._looked_at_small = True  # once is enough: whoever explores goes on from there
            most = _SMALL_BY_MACHINE if self.machine else SMALL
            share = min(_SMALL_SHARE, _SMALL_WORK / max(budget.left, 0.1))
            self.explored(replace(budget.share(share), states=min(most, budget.states)))
        return self.seen if self.seen is not None and self.seen.complete else None

    def _abandoned(self, message: str) -> Exploration:
        """An exploration of the start alone, which is not complete."""
        seen = begin(self.plain)
        seen.reason = f"the rules break: {message}"
        return seen

    @property
    def _fitting(self) -> int:
        """How many states fit into memory."""
        return _ROOM // (24 + 8 * int(self.plain.module.WORDS))
