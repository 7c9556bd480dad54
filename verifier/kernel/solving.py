"""Questions to Z3 that have the same answer and the same cost whoever asks, whatever was asked before.

Each question is written as SMT-LIB text and read into a context of its own. Its limit counts work (Z3's `rlimit`), not
seconds. `SECOND`, where it is set, is asked the same text and must not say the opposite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256

import z3

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.reading import Truth

WORK = 100_000_000
"""Z3's work on one question at most; a few million were too few for real games, and gave false "unknown"s."""
SECOND: list[Callable[[str], str]] = []
"""Other solvers: text to "sat", "unsat" or "unknown". They are asked what is asked over integers."""

_REFUTED: set[bytes] = set()
"""Digests of the questions that nothing satisfies, as far as they were asked: none is asked twice in a run."""


def refuted() -> frozenset[bytes]:
    """What was refuted in this process."""
    return frozenset(_REFUTED)


def take_over(known: Iterable[bytes]) -> None:
    """Take over what a child process of this run has refuted."""
    _REFUTED.update(known)


def answer(parts: list[Truth], integers: bool, work: int = WORK) -> str:
    """Whether all parts can hold together: "sat", "unsat" or "unknown". Raises NotShown where solvers disagree."""
    if any(p is False for p in parts):
        return "unsat"
    text = written([p for p in parts if p is not True])
    key = sha256(f"{integers} {text}".encode()).digest()
    if key in _REFUTED:
        return "unsat"
    context = z3.Context()
    solver = z3.Solver(ctx=context) if integers else z3.SolverFor("QF_BV", ctx=context)
    solver.set("rlimit", work)
    solver.from_string(text)
    found = str(solver.check())
    for second in SECOND if integers else ():
        other = second(text)
        if {found, other} == {"sat", "unsat"}:
            raise NotShown(f"the solvers disagree: Z3 says {found}, the second {other}")
    if found == "unsat":
        _REFUTED.add(key)
    return found


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


__all__ = ["SECOND", "WORK", "answer", "refuse", "refuted", "take_over", "written"]
