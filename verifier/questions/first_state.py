"""Questions that the first state answers, although they seem to ask how games end.

`{not: {outcome: win}}` holds before anybody acts, because the game is not over there. So it is reached at
once, its chance is 1, and `always: {outcome: win}` is false at once. A person who writes it means the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from playproof.language import Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.statements import ENDS, PROPERTIES
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.strategies import read_strategy_target
from playproof.verifier.questions.targets import Target, TargetReader

_OUTCOME = 1
"""The cell that says how the game ended, 0 while it goes on."""
_OF_CHANCES = ("luck", "strategy")


def is_answered_by_first_state(game: Game, question: Question) -> bool:
    """Return whether what a question about endings looks for holds before anybody acts, in a game that is not
    over there. A `luck` or `strategy` question is always about what becomes of a game."""
    targets = [t for t in _iter_question_targets(game, question) if t.idents is None]
    number = game.outcome.field.number
    if question.ask not in _OF_CHANCES:
        targets = [t for t in targets if number in t.condition.reads]
    if not targets:
        return False
    play = Interpreter(game)
    try:
        start = play.start()
        if play.terminal(start):
            return False
        return any(
            play.value(t.condition, start)
            and (question.ask in _OF_CHANCES or _is_about_endings(play, t, start))
            for t in targets
        )
    except Exception:  # rules that break at the start; the claim is answered, and says so
        return False


def _iter_question_targets(game: Game, question: Question) -> Iterator[Target]:
    """Yield the targets that a question looks for."""
    reader, of = TargetReader(game, question.where), question.of
    if question.ask in ("reach", "dead"):
        yield from reader.read_targets(of, question.within)
    elif question.ask in ("never", "luck"):
        yield reader.read_single_target(of, question.within)
    elif question.ask == "strategy":
        yield read_strategy_target(game, of, question.within, question.where)
    elif question.ask in ("minimum", "maximum") and "when" in of:
        yield reader.read_single_target(of["when"], question.within)
    elif question.ask == "always":
        name = of.get("invariant") if isinstance(of, Mapping) else of
        if name not in (*PROPERTIES, ENDS) and not (isinstance(of, Mapping) and "ends" in of):
            yield reader.read_single_target({"not": of}, question.within)


def _is_about_endings(play: Interpreter, target: Target, start: list[int]) -> bool:
    """Return whether a target that holds in the first state is about endings: the negation of one, or a
    condition that holds behind some endings and not behind others."""
    if _is_negated_ending(target.spec):
        return True
    after = {
        bool(play.value(target.condition, [*start[:_OUTCOME], end.number, *start[_OUTCOME + 1 :]]))
        for end in play.game.endings
    }
    return len(after) > 1


def _is_negated_ending(spec: Any) -> bool:
    negated = False
    while isinstance(spec, Mapping) and "not" in spec:
        spec, negated = spec["not"], not negated
    return negated and isinstance(spec, Mapping) and bool({"outcome", "reason"} & set(spec))
