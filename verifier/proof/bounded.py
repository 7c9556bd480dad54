"""Bounded model checking: Z3 looks for a line of play of 0, 1, 2 ... steps, one more action at a
time.

One step is one action with the automatic phases after it, over bit-vectors sized by the fields.
When no game has another step, the search is complete, and finding no line is a proof.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import z3

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.reading import Cells, Number, conj
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.open_steps import Steps, TooDeep, formula
from playproof.verifier.search.replay import replay
from playproof.verifier.search.work import Solver


@dataclass(frozen=True, slots=True)
class Bounded:
    """The result of a search: a line of play, or the number of steps searched without one.
    `complete` says that no game is longer."""

    line: list[int] | None
    steps: int
    complete: bool
    reason: str = ""


class Unrolling:
    """The unrolled game: symbolic states 0..k joined by steps, in one incremental solver."""

    def __init__(self, case: Case, target: Target) -> None:
        self.reading = Steps(case.game, extra=[target.condition])
        self.states: list[Cells] = [list(case.play.start())]
        self.choices: list[Number] = []
        self.solver = Solver("QF_BV")
        self._template = self._make()

    def _make(self) -> tuple[Cells, Number, z3.BoolRef, Cells]:
        state, choice = self.reading.state("t"), self.reading.choice("t")
        outcome = self.reading.whole_by_choice(state, choice)
        return state, choice, formula(outcome.sound), outcome.after

    def longer(self) -> None:
        """Add one step."""
        k, (state, choice, sound, after) = len(self.choices), self._template
        here, mine, following = self.states[-1], self.reading.choice(f"c{k}"), self.reading.state(f"s{k + 1}")
        pairs = self.reading.open_cells([*state, choice], [*here, mine])
        one_step = conj([sound, self.reading.equal(after, following), self.reading.chosen(choice)])
        self.solver.add(z3.substitute(formula(one_step), *pairs), self.reading.typed(following))
        self.states.append(following)
        self.choices.append(mine)

    def met(self, target: Target) -> z3.BoolRef:
        """Return the condition that the last state, or the last action, meets the target."""
        if target.idents is None:
            return self.reading.holds(target.condition, self.states[-1])
        if not self.choices:
            return z3.BoolVal(False)
        taken = self.reading.among(self.choices[-1], target.idents)
        return formula(conj([taken, self.reading.holds(target.condition, self.states[-2])]))

    def line(self) -> list[int]:
        """Return the actions of the model just found."""
        model = self.solver.model()
        return [self.reading.plain(c, model) for c in self.choices]


def bounded(case: Case, target: Target, steps: int, budget: Budget) -> Bounded:
    """Search for a line of at most so many steps."""
    try:
        game = Unrolling(case, target)
    except (TooDeep, NotShown) as error:
        return Bounded(None, 0, False, f"not supported: {error}")
    for depth in range(steps + 1):
        if depth:
            game.longer()
            if _ask(game, budget) == z3.unsat:
                return Bounded(None, depth, True)
        answer = _ask(game, budget, game.met(target))
        if answer == z3.sat:
            return Bounded(game.line(), depth, False)
        if answer == z3.unknown:
            return Bounded(None, depth, False, f"time: Z3 gave no answer at {depth} steps")
        budget.say(f"no line of {depth} steps")
    return Bounded(None, steps, False, f"{steps} steps were searched, the limit")


def _ask(game: Unrolling, budget: Budget, *assumptions: z3.BoolRef) -> z3.CheckSatResult:
    game.solver.most = budget.left
    return game.solver.check(*assumptions)


def searched(case: Case, target: Target, budget: Budget, steps: int = 200) -> Bounded | None:
    """Return a search that settles whether a line reaches the target: its line, cut where the interpreter meets
    the target, or that no game has more steps than were searched. None without time or answer."""
    if budget.left <= 0:
        return None
    result = bounded(case, target, steps, budget)
    if result.line is None:
        return result if result.complete else None
    replayed = replay(case, result.line, target)
    if replayed.hit is None:
        raise AssertionError(f"bounded search: the interpreter does not follow: {replayed.error}")
    return replace(result, line=result.line[: replayed.hit])
