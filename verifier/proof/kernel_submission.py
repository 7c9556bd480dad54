"""Takes certificates to the kernel. Those that ask Z3 are checked in a child process that can be
ended."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import chain
from typing import TypeVar

import z3

from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.evidence import check_certificate
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.child import run_in_child_process
from playproof.verifier.search.work import RLIMIT, spend_work

T = TypeVar("T")
KernelAnswers = list[tuple[int | None, str]]


def submit_certificates_to_kernel(
    case: GameCase, proposals: Sequence[Sequence[Certificate]], budget: Budget
) -> KernelAnswers:
    """Return, for each list, the place of the first certificate accepted, or None and the reason.
    Lists that ask Z3 are checked in a child process that can be ended; this process remembers what
    the child showed."""

    def judge(_: Budget | None = None) -> KernelAnswers:
        return [_find_first_accepted_certificate(case, certificates) for certificates in proposals]

    asks_z3 = any(certificate.rests == "Z3" for certificate in chain.from_iterable(proposals))
    if not asks_z3:
        return judge()
    answers = run_in_child_sharing_kernel_results(case, judge, budget)
    return answers or [(None, f"stopped by the clock after {budget.seconds:.0f} s") for _ in proposals]


def run_in_child_sharing_kernel_results(
    case: GameCase, work: Callable[[Budget], T | None], budget: Budget
) -> T | None:
    """Return the result of `work`, run within the budget in a child process that can be ended. This
    process takes over what the kernel settled there, so it does not ask for it again."""
    context = case.context

    def judge(
        own: Budget,
    ) -> tuple[T | None, set[tuple[Hashable, ...]], set[bytes], dict[bytes, tuple[str, int]]]:
        z3.z3.Z3_DEBUG = False  # Z3 checks sorts itself; a second check in Python takes a third of the time
        settled, steps, answers = set(context.settled), set(context.steps), dict(context.answers)
        allowed = int(own.work * RLIMIT)
        with context.limit_work(allowed):
            result = work(own)
            spend_work((allowed - context.work) / RLIMIT)
        fresh = {key: reply for key, reply in context.answers.items() if answers.get(key) != reply}
        return result, context.settled - settled, context.steps - steps, fresh

    learned = run_in_child_process(judge, budget)
    if learned is None:
        return None
    result, settled, steps, answers = learned
    context.settled.update(settled)
    context.steps.update(steps)
    context.answers.update(answers)
    return result


def _find_first_accepted_certificate(
    case: GameCase, certificates: Sequence[Certificate]
) -> tuple[int | None, str]:
    """Return the place of the first certificate that the kernel accepts, or None and the first
    reason for refusing one."""
    reason = ""
    for place, certificate in enumerate(certificates):
        try:
            check_certificate(certificate, case.game, case.context)
            return place, ""
        except NotShown as error:
            reason = reason or str(error)
    return None, reason
