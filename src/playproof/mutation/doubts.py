"""Laws that a changed game leaves open: Z3 showed them of every step before, and now finds a step that breaks them.

The step may start from a state that no game reaches, so the law is not refuted. But its verdict is another: who
asks `prove` reads UNKNOWN where PROVEN stood, with the step's name.
"""

from __future__ import annotations

from collections.abc import Iterable

from playproof.language import Game, RulesError
from playproof.mutation.detection import Noticed, Watched
from playproof.verifier.kernel.certificate import Contradicted, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.step_laws import every_step_obeys
from playproof.verifier.kernel.strict import plain
from playproof.verifier.proof.always import conditions_of
from playproof.verifier.questions.laws import Law

_LAWS = 6
"""Laws that are asked of one changed game: those of a family are alike."""


def doubted(old: Game, new: Game, watched: Iterable[Watched], work: int) -> Noticed | None:
    """Return the first law of a changed step that Z3 shows of the old game and contradicts in the new one."""
    changed = _changed(old, new)
    asked = 0
    for claim in watched:
        if claim.law is None or not _speaks_of(new, claim.law, changed):
            continue
        if asked == _LAWS:
            return None
        if _contradicted(new, claim, work):
            if not _contradicted(old, claim, work):
                return Noticed(claim.question.id, "left open: Z3 finds a step that breaks it")
            continue
        asked += 1
    return None


def _contradicted(game: Game, claim: Watched, work: int) -> bool:
    context = Context()
    try:
        with context.limited(work):
            every_step_obeys(
                game, tuple(conditions_of(claim.question)), True, plain(claim.question.of), context
            )
    except Contradicted:
        return True
    except (NotShown, RulesError):
        return False
    return False


def _changed(old: Game, new: Game) -> frozenset[tuple[str, int]]:
    """Return the actions and automatic phases that a change touches, also through what they call."""
    actions = {("action", a.number) for a, b in zip(old.actions, new.actions, strict=True) if a is not b}
    phases = {
        ("phase", a.number) for a, b in zip(old.phases, new.phases, strict=True) if a.body is not b.body
    }
    return frozenset(actions | phases)


def _speaks_of(game: Game, law: Law, changed: frozenset[tuple[str, int]]) -> bool:
    if law.phase is not None:
        return ("phase", law.phase) in changed
    idents = law.possible or law.idents
    of_law = (a for a in game.actions if any(a.first <= i < a.first + a.count for i in idents))
    return any(("action", action.number) in changed for action in of_law)
