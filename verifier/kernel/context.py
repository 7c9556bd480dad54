"""What one run of the kernel has at hand: the work it may spend, the other solvers it may ask, and what it has
settled so far. Whoever runs the kernel makes a context and hands it in; nothing of it is kept anywhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from playproof.language.description import digest
from playproof.language.game import Game
from playproof.verifier.questions.claims import Target

T = TypeVar("T")
Cut: TypeAlias = tuple[str, int]
"""A quantity and the value beyond which states are not followed; ("", 0) follows all."""
CompiledSearch: TypeAlias = Callable[[Game, Target, Cut, int, Sequence[int] | None], str]
"""Goes through more states than the kernel reads, at most so many. Returns why the target is not absent, or "".
Behind a deal, the last argument, there must be exactly so many states, and chance may not act."""

SideBounds: TypeAlias = tuple[npt.NDArray[Any], npt.NDArray[Any]]
"""Bounds on one side: those of all states, and those of all ends."""
Proposal: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64] | None]
BoundsProposer: TypeAlias = Callable[[Sequence[Any], SideBounds, SideBounds | None], Proposal]
"""Proposes bounds from below, ranks, and bounds from above of states among which play may circle; from their steps."""


@dataclass(eq=False)
class Context:
    """What one run may spend and ask, and what it has settled.

    `work` is Z3's work that may still be spent; a search limits it, the check of a file does not. `second` is
    another solver, from SMT-LIB text to "sat", "unsat" or "unknown"; it gets the questions over integers.
    `compiled` is asked by certificates that say that they rest on compiled code, and by no others. What `propose`
    returns is only a proposal, which the kernel confirms. `swept` is asked as `compiled` is, for chances
    (`layer_certificates.sweep_layers_by_compiled_code`).

    `answers` are answers and the work allowed for them, by the digests of the questions; a question is asked
    again only with more work. `settled` is what was shown, each entry with the digest of its game, so that what
    one certificate or file showed serves the next. `steps` are the digests of questions about small steps that were
    answered as wanted (`induction`), in whatever game: `errata` and `depends` begin with those of earlier runs.
    """

    work: int = 10**15
    second: Callable[[str], str] | None = None
    compiled: CompiledSearch | None = None
    propose: BoundsProposer | None = None
    swept: Callable[..., Any] | None = None
    answers: dict[bytes, tuple[str, int]] = field(default_factory=dict)
    settled: set[tuple[Hashable, ...]] = field(default_factory=set)
    steps: set[bytes] = field(default_factory=set)
    _made: WeakKeyDictionary[Game, dict[Hashable, Any]] = field(default_factory=WeakKeyDictionary)

    def get_game_digest_cached(self, game: Game) -> str:
        """Return the game's digest, by which theorems know it."""
        return self.get_or_build_for_game(game, "digest", lambda: digest(game))

    def get_or_build_for_game(self, game: Game, cache_key: Hashable, build: Callable[[], T]) -> T:
        """Return what `build` builds for a game, which is built once and lives as long as the game."""
        made = self._made.setdefault(game, {})
        if cache_key not in made:
            made[cache_key] = build()
        return cast(T, made[cache_key])

    @contextmanager
    def limit_z3_work_temporarily(self, max_work: int) -> Iterator[None]:
        """Allow at most so much of Z3's work while this lasts."""
        spare = max(0, self.work - max_work)
        self.work -= spare
        try:
            yield
        finally:
            self.work += spare
