"""Questions to Z3 that have the same answer and the same cost whoever asks, whatever was asked before.

Each question is written as SMT-LIB text and read into a context of its own. Its limit counts work (Z3's `rlimit`), not
seconds. `SECOND`, where it is set, is asked the same text and must not say the opposite.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256

import z3

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.reading import Truth

WORK = 100_000_000
"""Z3's work on one question at most; a few million were too few for real games, and gave false "unknown"s."""
class Disagreement(Exception):
    """Two solvers contradict each other: one of them is wrong, and so may be any answer of it."""


@dataclass
class Allowance:
    """Work that may still be spent in this process: who searches sets it, who checks a file does not."""

    left: int = 10**15


ALLOWED = Allowance()
SECOND: list[Callable[[str], str]] = []
"""Other solvers: text to "sat", "unsat" or "unknown". They are asked what is asked over integers."""

_ANSWERED: dict[bytes, tuple[str, int]] = {}
"""Answers by the digests of the questions, and the work allowed: none is asked twice in a run, but for more work."""


def answered() -> dict[bytes, tuple[str, int]]:
    """What was answered in this process."""
    return dict(_ANSWERED)


def take_over(answers: Mapping[bytes, tuple[str, int]]) -> None:
    """Take over what a child process of this run was answered."""
    _ANSWERED.update(answers)


def answer(parts: list[Truth], integers: bool, work: int = WORK) -> str:
    """Whether all parts can hold together: "sat", "unsat" or "unknown". Raises Disagreement."""
    if any(p is False for p in parts):
        return "unsat"
    text = written([p for p in parts if p is not True])
    key = sha256(f"{integers} {SECOND} {text}".encode()).digest()
    found, allowed = _ANSWERED.get(key, ("unknown", 0))
    if found == "unknown" and allowed < work:
        found = _asked(text, integers, work)
        if found != "unknown" or ALLOWED.left > 0:  # else it was not asked in full
            _ANSWERED[key] = found, work
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
    """The question as SMT-LIB text."""
    asked = z3.Solver()
    asked.add(*parts)
    text: str = asked.to_smt2()
    return text


def refuse(parts: list[Truth], integers: bool, what: str, work: int = WORK) -> None:
    """Nothing satisfies all parts together. Raises NotShown, which `what` begins."""
    found = answer(parts, integers, work)
    if found != "unsat":
        raise NotShown(f"{what}: " + ("Z3 finds a counterexample" if found == "sat" else "Z3 gives no answer"))


__all__ = ["ALLOWED", "SECOND", "WORK", "Disagreement", "answer", "answered", "refuse", "take_over", "written"]
