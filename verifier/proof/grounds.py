"""The ground of every proof: no value ever leaves its bounds.

An invariant or a rank is about steps that the rules carry out. It says nothing about
play after a step that they cannot carry out (PP310, PP330). So the bounds are proved first. If a
game breaks them, such a proof shows nothing. If they are neither proved nor broken, the answer is
conditional.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playproof.language.random import seed_of
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.statements import BOUNDS, NO_DEAD_END, PHASES_END, Property
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.proof.evidence import transcript
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import breaches
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.curious_games import Curious
from playproof.verifier.search.lines import Play
from playproof.verifier.search.random_games import AtRandom

_CONDITIONS = {
    BOUNDS: "no value leaves its bounds",
    PHASES_END: "automatic phases end",
    NO_DEAD_END: "whoever is to act can",
}
_GAMES = 60  # played at random and out of curiosity, for a first look
_LOOK, _LATER_LOOK = 2_000, 40_000  # states gone through from the start
_RUN = 20_260_106


def bounds(case: Case, question: Question, budget: Budget, prove: Callable[[], Conclusion]) -> Conclusion:
    """Answer `always bounds` with a line that breaks them, or with a proof from `prove`. A line that
    only reaches the players' limit of automatic phases breaks nothing."""
    line = _played(case, budget) or breaches.look(case, budget.share(0.5), _LOOK)
    answer = Conclusion(None, "") if line and _breaks(case, line) else prove()
    if answer.value is None and not line:
        line = breaches.look(case, budget, _LATER_LOOK)
    if line and answer.value is None:
        return Conclusion(
            False, "games that break the rules", ((breach(case, line),),), bound={"breaks": line.message}
        )
    return answer


def _breaks(case: Case, line: breaches.BrokenRules) -> bool:
    """Return whether a line that ends in an error breaks the rules, as the kernel sees it."""
    try:
        breach(case, line).check(case.game, case.context)
    except NotShown:
        return False
    return True


def breach(case: Case, broken: breaches.BrokenRules) -> Transcript:
    """Return the line as evidence."""
    about = Property(PHASES_END if broken.code == "PP330" else BOUNDS)
    return transcript(case, about, broken.idents)


def _played(case: Case, budget: Budget) -> breaches.BrokenRules | None:
    """Play some games, and return a line that breaks the rules, or None."""
    curious = Curious(seed_of(_RUN, 0))
    for game in range(_GAMES):
        if breaches.shortest(case) is not None or budget.left <= 0:
            break
        Play(case).to_the_end(curious if game % 2 else AtRandom(seed_of(_RUN, game)))
    return breaches.shortest(case)


def condition(assumed: Sequence[str]) -> str:
    """Return what an answer takes for granted, in words."""
    return " and ".join(_CONDITIONS[a] for a in assumed) + ", which was not shown"


def broken(case: Case, budget: Budget) -> breaches.BrokenRules | None:
    """Return a line that breaks the rules if one is known or quickly found, else None."""
    return breaches.shortest(case) or breaches.look(case, budget.share(0.5), _LOOK)


__all__ = ["BOUNDS", "NO_DEAD_END", "PHASES_END", "bounds", "breach", "broken", "condition"]
