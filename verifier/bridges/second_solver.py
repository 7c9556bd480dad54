"""A second solver: cvc5 (the wheel `cvc5`, an extra) is asked the questions over integers that the
kernel asks Z3.

    solver = second()
    examine("output/GAME/evidence/CLAIM.json", second=solver)
    print(solver)     # 85 questions, 85 answered alike

A contradiction raises an error (PP718), whichever solver is right. If cvc5 gives no answer within
its work, Z3's answer stands alone, and the question counts as unanswered; very long ones are not
asked. cvc5 gets no questions over bit-vectors, because it does not answer sums over them in useful
time."""

from __future__ import annotations

import importlib.util
from multiprocessing.sharedctypes import RawArray

from playproof.database.errors import Finding, InputError, Where

_WORK, _MILLISECONDS = 100_000, 60_000
"""The limits on one question: cvc5's own measure of work, and milliseconds by the clock. Of 102 questions about the
largest conditions of the games no answer took cvc5 more than two seconds, and 21 took up to ten without an answer."""
_LONGEST = 100_000
"""Characters of a question. Of 280 about such conditions 71 were longer and none of these was answered, which took half
of the time without an answer; the longest that was had 91,344. Of 1,319 others four longer ones had been."""


class SecondSolver:
    """cvc5 as a function from SMT-LIB text to its answer. It counts the questions that it was asked, those it
    answered, and those that were too long to be asked. A contradiction raises an error, so all counted answers agree.
    Questions from child processes count too."""

    def __init__(self) -> None:
        self._counts = RawArray("q", 3)  # shared; without a lock, which a child that is ended would keep

    def __call__(self, text: str) -> str:
        """Return the answer to a question: "sat", "unsat" or "unknown", which it is for one that is too long."""
        if len(text) > _LONGEST:
            self._counts[2] += 1
            return "unknown"
        reply = ask_cvc5_sat_unsat_or_unknown(text)
        self._counts[0] += 1
        self._counts[1] += reply in ("sat", "unsat")
        return reply

    @property
    def questions(self) -> int:
        """Return the number of questions asked."""
        return int(self._counts[0])

    @property
    def answers(self) -> int:
        """Return the number of questions that cvc5 answered."""
        return int(self._counts[1])

    @property
    def too_long(self) -> int:
        """Return the number of questions that were too long to be asked."""
        return int(self._counts[2])

    def __str__(self) -> str:
        asked = f"cvc5 was asked {self.questions:,} questions over integers and answered {self.answers:,}"
        rest = f"; too long for it: {self.too_long:,}" if self.too_long else ""
        return f"{asked}, all as Z3 did{rest}"


def load_cvc5_or_raise() -> SecondSolver:
    """Return cvc5, to which a run passes the kernel's questions over integers. Raises InputError (PP719) if it is
    not installed."""
    if importlib.util.find_spec("cvc5") is None:
        raise InputError(
            [
                Finding(
                    "PP719", Where("--second"), "the second solver is not installed", "pip install 'playproof[solvers]'"
                )
            ]
        )
    return SecondSolver()


def ask_cvc5_sat_unsat_or_unknown(smtlib_text: str) -> str:
    """Return cvc5's answer to a question in SMT-LIB: "sat", "unsat" or "unknown"."""
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(_WORK))
    solver.setOption("tlimit-per", str(_MILLISECONDS))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, f"(set-logic ALL)\n{smtlib_text}", "question")
    names, reply = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        reply = str(command.invoke(solver, names)).strip() or reply
    return reply if reply in ("sat", "unsat") else "unknown"
