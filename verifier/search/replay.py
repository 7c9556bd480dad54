"""Replays a line of play in the interpreter, the one judge of every witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.language import IllegalAction, RulesError
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.work import INTERPRETED, spend_work


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """The result of a replay: `hit` is the number of actions after which the target held, or None;
    `error` gives the reason for None."""

    hit: int | None
    state: list[int]
    error: str = ""


def replay_line(case: GameCase, idents: Sequence[int], target: Target) -> ReplayResult:
    """Play the actions up to the first moment at which the target holds."""
    play, state = case.play, case.play.start()
    spend_work(INTERPRETED * len(idents))
    if _is_target_met(case, target, state, None):
        return ReplayResult(0, state)
    for number, ident in enumerate(idents, 1):
        met = target.idents is not None and _is_target_met(case, target, state, ident)
        try:
            state = play.apply(state, ident)
        except (IllegalAction, RulesError, IndexError) as error:
            return ReplayResult(None, state, f"action {number}: {error}")
        if met or (target.idents is None and _is_target_met(case, target, state, None)):
            return ReplayResult(number, state)
    return ReplayResult(None, state, f"{len(idents)} actions are legal and never reach: {target.name}")


def _is_target_met(case: GameCase, target: Target, state: Sequence[int], ident: int | None) -> bool:
    if target.idents is not None and ident not in target.idents:
        return False
    return bool(case.play.value(target.condition, state))
