"""The chance, or the score, of best play as the verifier knows it, for a report: proved, or two bounds, each proved or
called an estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

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
    return combine_best_play_bounds(answer.bound, is_chance=question.ask == "luck")


def combine_best_play_bounds(bound: Mapping[str, Any], *, is_chance: bool) -> BestPlay | None:
    """Return the closer of what is proved and what is estimated, from below and from above; None if nothing is known.
    That a chance is 0 at least and 1 at most says nothing."""
    from playproof.lab.report import BestPlay
    from playproof.verifier.questions.verdicts import ESTIMATED

    estimated = bound.get(ESTIMATED, {})
    low, high = bound.get("at least"), bound.get("at most")
    if is_chance:
        low, high = low or None, None if high == 1 else high
    least, most = estimated.get("at least"), estimated.get("at most")
    low_proved = low is not None and (least is None or low >= least)
    high_proved = high is not None and (most is None or high <= most)
    low, high = low if low_proved else least, high if high_proved else most
    if low is None and high is None:
        return None
    words = str(estimated.get("words", ""))
    return BestPlay(None, low, high, False, words, low_proved=low_proved, high_proved=high_proved)


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
