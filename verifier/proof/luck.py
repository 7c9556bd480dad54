"""How much luck decides: the chance to reach a target under best play, by a complete exploration.

`chance: best` lets the shuffle help, `worst` lets it hinder, `mean` weighs it as it falls. The value lies between
two bounds found by interval iteration; the exact chance is between them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from playproof.rules.language.explorer import BEST, MEAN, WORST, Exploration, TooLarge, Value, graph, solve
from playproof.verifier.proof.evidence import Part
from playproof.verifier.proof.reach import bound_reached, digest, reach, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import Budget, Case

LUCK = {"best": BEST, "worst": WORST, "mean": MEAN}
_CLOSE = 1e-9


def luck(case: Case, question: Question, budget: Budget) -> Found:
    """The chance of the target: true or false for best and worst luck, a number for the mean."""
    target = Targets(case.game, question.where).one(question.of, question.within)
    if target.idents is not None:
        return Found(None, "exploration", (), "not supported: luck is asked of endings and conditions, not of actions")
    if question.chance == "best" and case.game.players == 1:
        return reach(case, question, budget)  # alone, and helped by chance, a player does whatever can be done
    seen = case.explored(budget)
    if not seen.complete:
        return Found(None, "exploration", (), why(case, budget), bound_reached(case))
    try:
        value = worth(seen, target, question.chance)
    except TooLarge as error:
        return Found(None, "exploration", (), f"memory: {error}", bound_reached(case))
    part: Part = {"kind": "value", "target": target.spec, "name": target.name, "chance": question.chance,
                  "states": seen.states, "digest": digest(seen, None), "low": value.low, "high": value.high}
    if value.gap > _CLOSE:
        return Found(None, "exploration", (part,), "play may go in circles: the bounds do not meet",
                     {"at least": value.low, "at most": value.high})
    if question.chance == "mean":
        return Found(round(value.low, 9), "exploration", (part,))
    return Found(value.low > 0.5, "exploration", (part,))


def worth(seen: Exploration, target: Target, chance: str) -> Value:
    """The value of the start when ends where the target holds are worth 1 and all others 0."""
    net = graph(seen)
    ends: npt.NDArray[np.float64] = np.zeros(seen.states)
    ends[seen.rows(target.condition)] = 1.0
    return solve(seen.compiled, net, ends, LUCK[chance])
