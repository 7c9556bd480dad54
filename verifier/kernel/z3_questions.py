"""Questions whether formulas exclude each other. Answers and costs do not depend on who asks, or on earlier questions.

Ranges answer most of them (`ranges`). Each of the others is written as SMT-LIB text and read into a Z3 context of its
own. Its limit counts work (Z3's `rlimit`), not seconds. A second solver is asked the same text and must not say the
opposite."""

from __future__ import annotations

from hashlib import sha256

import z3

from playproof.verifier.kernel.certificate import Contradicted, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.formulas import Truth, formulas_to_smtlib_text
from playproof.verifier.kernel.ranges import do_ranges_exclude

WORK = 100_000_000
"""The limit of Z3's work on one question. A few million are too few for real games and give
"unknown" too often."""
_RANGE_WORK = 10_000
"""How often ranges are looked at before Z3 is asked. On what they leave they then spend no more time than they save."""

BY_RANGES = -1
"""In place of the work that was allowed for an answer."""


class Disagreement(Exception):
    """Raised if two solvers contradict each other: one of them is wrong, so no answer of either can
    be relied on."""


def ask_z3_sat_unsat_or_unknown(
    formulas: list[Truth], use_integers: bool, context: Context, max_work: int = WORK
) -> str:
    """Return whether all parts can hold together: "sat", "unsat" or "unknown". Raises
    Disagreement."""
    if any(p is False for p in formulas):
        return "unsat"
    text = formulas_to_smtlib_text([p for p in formulas if p is not True], use_integers)
    key = sha256(f"{use_integers} {text}".encode()).digest()
    if key not in context.answers and do_ranges_exclude(formulas, _RANGE_WORK):
        context.answers[key] = "unsat", BY_RANGES
    reply, allowed = context.answers.get(key, ("unknown", 0))
    if reply == "unknown" and allowed < max_work:
        reply, allowed = _ask_z3_and_compare_second_solver(text, use_integers, context, max_work), max_work
        if reply != "unknown" or context.work > 0:  # else the question was cut short
            context.answers[key] = reply, allowed
    context.has_relied_on_solver |= reply == "unsat" and allowed != BY_RANGES
    return reply


def _ask_z3_and_compare_second_solver(smtlib_text: str, use_integers: bool, context: Context, max_work: int) -> str:
    own = z3.Context()
    solver = z3.Solver(ctx=own) if use_integers else z3.SolverFor("QF_BV", ctx=own)
    solver.set("rlimit", min(max_work, context.work))
    solver.from_string(smtlib_text)
    reply = str(check_solver_unless_stopped(solver)) if context.work > 0 else "unknown"
    context.work -= _get_z3_rlimit_count(solver)
    if context.second is not None and use_integers and reply != "unknown":
        other = context.second(smtlib_text)
        if {reply, other} == {"sat", "unsat"}:
            raise Disagreement(f"the solvers disagree: Z3 says {reply}, the second {other}")
    return reply


def check_solver_unless_stopped(solver: z3.Solver) -> z3.CheckSatResult:
    """Return Z3's answer. Raises KeyboardInterrupt where Ctrl-C stopped Z3, which takes the signal for itself and tells
    Python nothing."""
    answer = solver.check()
    if answer == z3.unknown and solver.reason_unknown() == "interrupted from keyboard":
        raise KeyboardInterrupt
    return answer


def _get_z3_rlimit_count(solver: z3.Solver) -> int:
    statistics = solver.statistics()
    return next((int(value) for name, value in statistics if name == "rlimit count"), 0)


def require_formulas_unsatisfiable(
    formulas: list[Truth], use_integers: bool, message: str, context: Context, max_work: int = WORK
) -> None:
    """Check that nothing satisfies all parts together. Raises NotShown with a message that starts
    with `message`."""
    reply = ask_z3_sat_unsat_or_unknown(formulas, use_integers, context, max_work)
    if reply == "sat":
        raise Contradicted(f"{message}: Z3 finds a counterexample")
    if reply != "unsat":
        raise NotShown(f"{message}: Z3 gives no answer")
