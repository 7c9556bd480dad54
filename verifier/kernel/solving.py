"""Questions to Z3 whose answer and cost do not depend on who asks or on earlier questions.

Each question is written as SMT-LIB text and read into a context of its own. Its limit counts work
(Z3's `rlimit`), not seconds. If `SECOND` holds another solver, it is asked the same text and must
not say the opposite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

import z3

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.reading import Truth

WORK = 100_000_000
"""The limit of Z3's work on one question. A few million are too few for real games and give
"unknown" too often."""


class Disagreement(Exception):
    """Raised if two solvers contradict each other: one of them is wrong, so no answer of either can
    be relied on."""


@dataclass
class Allowance:
    """The work that this process may still spend. A search limits it; the check of a file does
    not."""

    left: int = 10**15


ALLOWED = Allowance()
SECOND: list[Callable[[str], str]] = []
"""Other solvers: functions from text to "sat", "unsat" or "unknown". They get the questions over
integers."""

ANSWERED: dict[bytes, tuple[str, int]] = {}
"""Answers and the work allowed for them, by the digests of the questions. A run asks a question
again only with more work. A run adds the answers of its child processes."""


def answer(parts: list[Truth], integers: bool, work: int = WORK) -> str:
    """Return whether all parts can hold together: "sat", "unsat" or "unknown". Raises
    Disagreement."""
    if any(p is False for p in parts):
        return "unsat"
    text = written([p for p in parts if p is not True])
    key = sha256(f"{integers} {SECOND} {text}".encode()).digest()
    found, allowed = ANSWERED.get(key, ("unknown", 0))
    if found == "unknown" and allowed < work:
        found = _asked(text, integers, work)
        if found != "unknown" or ALLOWED.left > 0:  # else the question was cut short
            ANSWERED[key] = found, work
    return found


def _asked(text: str, integers: bool, work: int) -> str:
    context = z3.Context()
    solver = z3.Solver(ctx=context) if integers else z3.SolverFor("QF_BV", ctx=context)
    solver.set("rlimit", min(work, ALLOWED.left))
    solver.from_string(text)
    found = str(solver.check()) if ALLOWED.left > 0 else "unknown"
    ALLOWED.left -= _cost(solver)
    for second in SECOND if integers and found != "unknown" else ():
        other = second(text)
        if {found, other} == {"sat", "unsat"}:
            raise Disagreement(f"the solvers disagree: Z3 says {found}, the second {other}")
    return found


def _cost(solver: z3.Solver) -> int:
    found = solver.statistics()
    return next((int(value) for name, value in found if name == "rlimit count"), 0)


def written(parts: list[Truth]) -> str:
    """Return the question as SMT-LIB text."""
    asked = z3.Solver()
    asked.add(*parts)
    text: str = asked.to_smt2()
    return text


def refuse(parts: list[Truth], integers: bool, what: str, work: int = WORK) -> None:
    """Check that nothing satisfies all parts together. Raises NotShown with a message that starts
    with `what`."""
    found = answer(parts, integers, work)
    if found != "unsat":
        raise NotShown(
            f"{what}: " + ("Z3 finds a counterexample" if found == "sat" else "Z3 gives no answer")
        )


__all__ = ["ALLOWED", "ANSWERED", "SECOND", "WORK", "Disagreement", "answer", "refuse", "written"]
