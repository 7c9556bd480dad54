"""A case: one game under one set of options, with its readings, walks and exploration made once and shared."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from time import perf_counter
from typing import Any

from playproof.rules.language import Interpreter, RulesError
from playproof.rules.language.compiled import Compiled, generate
from playproof.rules.language.explorer import Exploration, begin, explore
from playproof.rules.language.machine.native import has_machine
from playproof.rules.options import Options
from playproof.rules.registry import build, data_of

Progress = Callable[[str], None]
SMALL = 20_000
"""As many states as are gone through before anything cleverer is tried."""
_SMALL_SHARE, _SMALL_SECONDS = 0.1, 3.0
_ROOM = 3_000_000_000  # bytes of states held at most: about 24 a word with the parent, the order and the table


@dataclass(slots=True)
class Budget:
    """What an answer may cost: seconds, states held in memory, games played at random. `progress` hears a line of
    text now and then. A keyboard interrupt sets `stopped`, after which every method returns what it has."""

    seconds: float = 60.0
    states: int = 12_000_000
    games: int = 200_000
    progress: Progress | None = None
    stopped: bool = False
    began: float = field(default_factory=perf_counter)

    @property
    def left(self) -> float:
        """Seconds left."""
        return 0.0 if self.stopped else max(0.0, self.seconds - (perf_counter() - self.began))

    def share(self, part: float, games: int | None = None) -> Budget:
        """A budget of a part of the time that is left, and of at most so many games."""
        return Budget(self.left * part, self.states, self.games if games is None else min(games, self.games),
                      self.progress)

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
        self.game = build(self.ref, options, data_of(self.ref, self.errata))
        self.machine = has_machine() if machine is None else machine
        self.learnt: dict[object, object] = {}  # what methods learn about the game, by their own keys
        self.seen: Exploration | None = None

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
                 seconds: float | None = None) -> Exploration:
        """The shared exploration, taken further within the budget until it is complete, the round has been searched,
        or `until` holds of it."""
        seen = self.seen
        if "exploration breaks" in self.learnt:
            return self._abandoned(str(self.learnt["exploration breaks"]))
        if seen is not None and (seen.complete or (rounds is not None and max(seen.layers, default=-1) >= rounds)
                                 or (until is not None and until(seen))):
            return seen
        limit = budget.left if seconds is None else min(seconds, budget.left)
        end, most = perf_counter() + limit, min(budget.states, self._fitting)

        def go_on(now: Exploration) -> bool:
            budget.say(f"explored {now.states:,} states, round {now.layer}")
            return not budget.stopped and (until is None or not until(now))

        if self.seen is None:
            self.seen = begin(self.compiled)  # kept at once: an interrupt must not lose what was seen
        try:
            return explore(self.compiled, states=most, seconds=max(0.0, end - perf_counter()), rounds=rounds,
                           progress=go_on, go_on=self.seen)
        except RulesError as error:  # what was found in this chunk is lost, and so is the way on
            self.seen, self.learnt["exploration breaks"] = None, str(error)
            return self._abandoned(str(error))

    def small(self, budget: Budget) -> Exploration | None:
        """All states, where they are few: looked at before anything cleverer is tried. None where they are many."""
        if "small" not in self.learnt and not (self.seen is not None and self.seen.complete):
            self.learnt["small"] = SMALL  # once is enough: whoever explores goes on from there
            share = min(_SMALL_SHARE, _SMALL_SECONDS / max(budget.left, 0.1))
            self.explored(replace(budget.share(share), states=min(SMALL, budget.states)))
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
