"""Takes certificates to the kernel. Those that ask Z3 are checked in a child process that can be
ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import z3

from playproof.language import Game
from playproof.verifier.kernel.certificate import CHECKED, Certificate, NotShown
from playproof.verifier.kernel.evidence import shows
from playproof.verifier.kernel.induction import SHOWN, Shown
from playproof.verifier.kernel.solving import ALLOWED, ANSWERED
from playproof.verifier.search.case import Budget
from playproof.verifier.search.child import aside
from playproof.verifier.search.work import RLIMIT, spend

T = TypeVar("T")
Answers = list[tuple[int | None, str]]


def accepted(game: Game, proposals: Sequence[Sequence[Certificate]], allowed: Budget) -> Answers:
    """Return, for each list, the place of the first certificate accepted, or None and the reason.
    Lists that ask Z3 are checked in a child process that can be ended; this process remembers what
    the child showed."""
    asks_z3 = any(c.rests == "Z3" for some in proposals for c in some)
    if not asks_z3:
        return [_first(game, some) for some in proposals]
    found = aside_learning(game, lambda _: [_first(game, some) for some in proposals], allowed)
    return found or [(None, f"stopped by the clock after {allowed.seconds:.0f} s") for _ in proposals]


def aside_learning(game: Game, work: Callable[[Budget], T | None], budget: Budget) -> T | None:
    """Return the result of `work`, run within the budget in a child process that can be ended. This
    process takes over the answers that the kernel got there, so it does not ask for them again."""
    def judge(own: Budget) -> tuple[T | None, set[Shown], dict[bytes, tuple[str, int]], set[bytes]]:
        z3.z3.Z3_DEBUG = False  # Z3 checks sorts itself; a second check in Python takes a third of the time
        ALLOWED.left = allowed = int(own.work * RLIMIT)
        found = work(own)
        spend((allowed - ALLOWED.left) / RLIMIT)
        return found, SHOWN.get(game, set()), ANSWERED, CHECKED.get(game, set())

    found = aside(judge, budget)
    if found is None:
        return None
    SHOWN.setdefault(game, set()).update(found[1])
    ANSWERED.update(found[2])
    CHECKED.setdefault(game, set()).update(found[3])
    return found[0]


def _first(game: Game, some: Sequence[Certificate]) -> tuple[int | None, str]:
    reason = ""
    for place, certificate in enumerate(some):
        try:
            shows(certificate, game)
            return place, ""
        except NotShown as error:
            reason = reason or str(error)
    return None, reason


__all__ = ["accepted", "aside_learning"]
