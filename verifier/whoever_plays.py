"""Which wanted figures of a design no play can reach: wins that cannot be, games that are too short or too long."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playproof.referee.notation import seat_names
from playproof.referee.variant import Variant
from playproof.verifier.prove import Run
from playproof.verifier.questions.claims import Question
from playproof.verifier.search.case import Budget, ChangedCase

_LENGTH = "decisions per game"


def why_impossible(variant: Variant, want: Mapping[str, tuple[float, float]], work: float) -> str:
    """Return why a design cannot meet what is wanted of its figures, whoever plays; "" if it may. `work` limits each
    question; 0 asks nothing."""
    if not work:
        return ""
    run, game = Run(variant.ref), variant.game
    case = ChangedCase(variant.ref, game, dict(variant.options), dict(variant.rulings))

    def answer(ask: str, of: dict[str, object]) -> Any:
        question = Question(f"{ask} {of}", ask, of)
        run.hold(question, case)
        return run.find(question, {}, Budget(work, 200_000, 200)).value

    for seat, name in enumerate(seat_names(game)):
        least, _ = want.get(f"wins of {name}", (0.0, 1.0))
        if least > 0 and answer("reach", {"outcome": "win", "seat": seat}) is False:
            return f"wins of {name}: no line of play wins"
    if _LENGTH in want:
        least, most = want[_LENGTH]
        longest = answer("worth", {"length": "players", "play": "best"})
        if longest is not None and longest < least:
            return f"{_LENGTH}: at most {float(longest):g}, whoever plays"
        shortest = answer("worth", {"length": "players", "play": "worst"})
        if shortest is not None and shortest > most:
            return f"{_LENGTH}: at least {float(shortest):g}, whoever plays"
    return ""
