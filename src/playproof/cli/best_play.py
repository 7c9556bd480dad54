"""The chance, or the score, of best play as the verifier knows it, for a report: proved, or bounds that are called
estimates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.lab.report import BestPlay
    from playproof.referee.variant import Variant


def find_best_play(variant: Variant, work: float, report_progress: Callable[[str], None]) -> BestPlay | None:
    """Return what the best player of a side against nobody reaches; None for games of several sides, and where nothing
    is known. `work` is what the verifier may do, in units of about a second."""
    from playproof.lab.report import BestPlay
    from playproof.referee.tally import is_played_for_score
    from playproof.verifier.prove import prove
    from playproof.verifier.questions.claims import Question
    from playproof.verifier.questions.verdicts import ESTIMATED

    if len(variant.game.sides) != 1 or not work:
        return None
    question = Question("chance", "luck", {"outcome": "win"})
    if is_played_for_score(variant.game):
        question = Question("score", "worth", {"score": 0, "play": "best"})
    made = prove(
        variant.ref,
        dict(variant.options),
        dict(variant.rulings),
        claims=[question],
        work=work,
        progress=report_progress,
    )
    if not made:
        return None
    answer = made[0]
    if isinstance(answer.value, int | float) and answer.verdict.value != "UNKNOWN":
        value = float(answer.value)
        return BestPlay(value, value, value, proved=True)
    low, high = answer.bound.get("at least"), answer.bound.get("at most")
    estimated = answer.bound.get(ESTIMATED, {})
    if high is not None and high < 1:
        return BestPlay(None, low, high, proved=True, words=str(estimated.get("words", "")))
    if "at most" in estimated or "at least" in estimated:
        least = max([end for end in (low, estimated.get("at least")) if end is not None], default=None)
        return BestPlay(
            None, least, estimated.get("at most"), proved=False, words=str(estimated.get("words", ""))
        )
    return None


def prove_game_facts(variant: Variant, work: float, report_progress: Callable[[str], None]) -> list[str]:
    """Return what the verifier shows of a game in little work, as sentences for readers who do not know it."""
    from playproof.verifier.prove import prove
    from playproof.verifier.questions.claims import Question

    won = {"outcome": "win"}
    asked = [
        Question("won", "reach", won),
        Question("nearest", "distance", {"nearest": won}),
        Question("no dead end", "always", "no dead end"),
        Question("dead", "dead", {"every": "action"}),
    ]
    settings = dict(variant.options), dict(variant.rulings)
    answers = {
        a.id: a for a in prove(variant.ref, *settings, claims=asked, work=work, progress=report_progress)
    }
    known = {name: a.value for name, a in answers.items() if a.verdict.value not in ("UNKNOWN", "VACUOUS")}
    facts = []
    if known.get("won") is True:
        facts.append("The game can be won.")
    if isinstance(known.get("nearest"), int):
        facts.append(f"The quickest win takes {known['nearest']} steps, draws and rolls included.")
    if known.get("no dead end") is True:
        facts.append("Whoever is to act can always do something.")
    if known.get("dead") == []:
        facts.append("There is no dead card or action: each can happen in some game.")
    return facts
