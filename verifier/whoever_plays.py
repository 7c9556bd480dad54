"""Which wanted figures of a design no play can reach: wins that cannot be, games that are too short or too long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playproof.referee.notation import seat_names
from playproof.referee.variant import Variant
from playproof.verifier.prove import VerifierRun
from playproof.verifier.questions.claims import Question
from playproof.verifier.search.case import Budget, GivenGameCase

_LENGTH = "decisions per game"


def explain_unreachable_figures(
    variant: Variant, wanted_ranges: Mapping[str, tuple[float, float]], work: float
) -> str:
    """Return why a design cannot meet what is wanted of its figures, whoever plays; "" if it may. `work` limits each
    question; 0 asks nothing."""
    if not work:
        return ""
    run, game = VerifierRun(variant.ref), variant.game
    case = GivenGameCase(variant.ref, game, dict(variant.options), dict(variant.rulings))

    def answer(ask: str, of: dict[str, object]) -> Any:
        question = Question(f"{ask} {of}", ask, of)
        run.set_case_for_question(question, case)
        return run.find_conclusion(question, {}, Budget(work, 200_000, 200)).value

    for seat, name in enumerate(seat_names(game)):
        least, _ = wanted_ranges.get(f"wins of {name}", (0.0, 1.0))
        if least > 0 and answer("reach", {"outcome": "win", "seat": seat}) is False:
            return f"wins of {name}: no line of play wins"
    if _LENGTH in wanted_ranges:
        least, most = wanted_ranges[_LENGTH]
        longest = answer("worth", {"length": "players", "play": "best"})
        if longest is not None and longest < least:
            return f"{_LENGTH}: at most {float(longest):g}, whoever plays"
        shortest = answer("worth", {"length": "players", "play": "worst"})
        if shortest is not None and shortest > most:
            return f"{_LENGTH}: at least {float(shortest):g}, whoever plays"
    return ""
