"""Takes certificates to the kernel. Those that ask Z3 are checked in a child process that can be
ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
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

    def judge(_: Budget | None = None) -> Answers:
        return [_first(game, certificates) for certificates in proposals]

    asks_z3 = any(certificate.rests == "Z3" for certificate in chain.from_iterable(proposals))
    if not asks_z3:
        return judge()
    answers = aside_learning(game, judge, allowed)
    return answers or [(None, f"stopped by the clock after {allowed.seconds:.0f} s") for _ in proposals]


def aside_learning(game: Game, work: Callable[[Budget], T | None], budget: Budget) -> T | None:
    """Return the result of `work`, run within the budget in a child process that can be ended. This
    process takes over the answers that the kernel got there, so it does not ask for them again."""

    def judge(own: Budget) -> tuple[T | None, set[Shown], dict[bytes, tuple[str, int]], set[bytes]]:
        z3.z3.Z3_DEBUG = False  # Z3 checks sorts itself; a second check in Python takes a third of the time
        ALLOWED.left = allowed = int(own.work * RLIMIT)
        result = work(own)
        spend((allowed - ALLOWED.left) / RLIMIT)
        return result, SHOWN.get(game, set()), ANSWERED, CHECKED.get(game, set())

    learned = aside(judge, budget)
    if learned is None:
        return None
    result, shown, answered, checked = learned
    SHOWN.setdefault(game, set()).update(shown)
    ANSWERED.update(answered)
    CHECKED.setdefault(game, set()).update(checked)
    return result


def _first(game: Game, certificates: Sequence[Certificate]) -> tuple[int | None, str]:
    """Return the place of the first certificate that the kernel accepts, or None and the first
    reason for refusing one."""
    reason = ""
    for place, certificate in enumerate(certificates):
        try:
            shows(certificate, game)
            return place, ""
        except NotShown as error:
            reason = reason or str(error)
    return None, reason


__all__ = ["accepted", "aside_learning"]
