"""The ground of every proof: no value ever leaves its bounds.

An invariant or a rank is about steps that the rules carry out. It says nothing about
play after a step that they cannot carry out (PP310, PP330). So the bounds are proved first. If a
game breaks them, such a proof shows nothing. If they are neither proved nor broken, the answer is
conditional.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from playproof.language.random import make_game_seed
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.statements import BOUNDS, NO_DEAD_END, PHASES_END, Property
from playproof.verifier.kernel.transcript import Transcript
from playproof.verifier.proof.evidence import build_transcript
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import breaches
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.curious_games import CuriousPlayer
from playproof.verifier.search.lines import GameInProgress
from playproof.verifier.search.random_games import RandomPlayer

_CONDITIONS = {
    BOUNDS: "no value leaves its bounds",
    PHASES_END: "automatic phases end",
    NO_DEAD_END: "whoever is to act can",
}
_GAMES = 60  # played at random and out of curiosity, for a first look
_LOOK, _LATER_LOOK = 2_000, 40_000  # states gone through from the start
_RUN = 20_260_106


def answer_bounds_claim(
    case: GameCase, question: Question, budget: Budget, prove: Callable[[], Conclusion]
) -> Conclusion:
    """Answer `always bounds` with a line that breaks them, or with a proof from `prove`. A line that
    only reaches the players' limit of automatic phases breaks nothing."""
    line = _play_until_rules_break(case, budget) or breaches.search_rule_breaking_line(
        case, budget.take_share(0.5), _LOOK
    )
    answer = Conclusion(None, "") if line and _is_rule_break_confirmed(case, line) else prove()
    if answer.value is None and not line:
        line = breaches.search_rule_breaking_line(case, budget, _LATER_LOOK)
    if line and answer.value is None:
        return Conclusion(
            False,
            "games that break the rules",
            ((build_breach_transcript(case, line),),),
            bound={"breaks": line.message},
        )
    return answer


def _is_rule_break_confirmed(case: GameCase, line: breaches.BrokenRules) -> bool:
    """Return whether a line that ends in an error breaks the rules, as the kernel sees it."""
    try:
        build_breach_transcript(case, line).check(case.game, case.context)
    except NotShown:
        return False
    return True


def build_breach_transcript(case: GameCase, broken: breaches.BrokenRules) -> Transcript:
    """Return the line as evidence."""
    about = Property(PHASES_END if broken.code == "PP330" else BOUNDS)
    return build_transcript(case, about, broken.idents)


def _play_until_rules_break(case: GameCase, budget: Budget) -> breaches.BrokenRules | None:
    """Play some games, and return a line that breaks the rules, or None."""
    curious = CuriousPlayer(make_game_seed(_RUN, 0))
    for game in range(_GAMES):
        if breaches.get_shortest_rule_breaking_line(case) is not None or budget.left <= 0:
            break
        GameInProgress(case).play_to_end(curious if game % 2 else RandomPlayer(make_game_seed(_RUN, game)))
    return breaches.get_shortest_rule_breaking_line(case)


def describe_assumed_properties(assumed: Sequence[str]) -> str:
    """Return what an answer takes for granted, in words."""
    return " and ".join(_CONDITIONS[a] for a in assumed) + ", which was not shown"


def find_rule_breaking_line(case: GameCase, budget: Budget) -> breaches.BrokenRules | None:
    """Return a line that breaks the rules if one is known or quickly found, else None."""
    return breaches.get_shortest_rule_breaking_line(case) or breaches.search_rule_breaking_line(
        case, budget.take_share(0.5), _LOOK
    )


__all__ = [
    "BOUNDS",
    "NO_DEAD_END",
    "PHASES_END",
    "answer_bounds_claim",
    "build_breach_transcript",
    "describe_assumed_properties",
    "find_rule_breaking_line",
]
