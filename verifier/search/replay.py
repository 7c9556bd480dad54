"""Replays a line of play in the interpreter, the one judge of every witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.language import IllegalAction, RulesError
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Case
from playproof.verifier.search.work import INTERPRETED, spend


@dataclass(frozen=True, slots=True)
class Replayed:
    """The result of a replay: `hit` is the number of actions after which the target held, or None;
    `error` gives the reason for None."""

    hit: int | None
    state: list[int]
    error: str = ""


def replay(case: Case, idents: Sequence[int], target: Target) -> Replayed:
    """Play the actions up to the first moment at which the target holds."""
    play, state = case.play, case.play.start()
    spend(INTERPRETED * len(idents))
    if _holds(case, target, state, None):
        return Replayed(0, state)
    for number, ident in enumerate(idents, 1):
        met = target.idents is not None and _holds(case, target, state, ident)
        try:
            state = play.apply(state, ident)
        except (IllegalAction, RulesError, IndexError) as error:
            return Replayed(None, state, f"action {number}: {error}")
        if met or (target.idents is None and _holds(case, target, state, None)):
            return Replayed(number, state)
    return Replayed(None, state, f"{len(idents)} actions are legal and never reach: {target.name}")


def _holds(case: Case, target: Target, state: Sequence[int], ident: int | None) -> bool:
    if target.idents is not None and ident not in target.idents:
        return False
    return bool(case.play.value(target.condition, state))
