"""Laws that a changed game leaves open: Z3 showed them of every step before, and now finds a step that breaks them.

The step may start from a state that no game reaches, so the law is not refuted. But its verdict is another: who
asks `prove` reads UNKNOWN where PROVEN stood, with the step's name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from playproof.language import RulesError, Term
from playproof.language.game import Game
from playproof.language.traced_statements import Statement, find_written_fields, iter_statements
from playproof.language.walks import find_fields_read, iter_subterms
from playproof.mutation.detection import Detection, WatchedClaim
from playproof.mutation.rewriting import TermSwaps
from playproof.mutation.slips import field_numbers_read_by, terms_of_statement
from playproof.verifier.kernel.certificate import Contradicted, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.step_laws import check_every_step_obeys
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.proof.always import list_conditions_of_claim_and_given
from playproof.verifier.questions.laws import Law

_LAWS = 8
"""Laws that are asked of one changed game."""
_MEMBER = re.compile(r"\d+|'[^']*'")


def find_law_left_open(
    old: Game, new: Game, watched: Iterable[WatchedClaim], work: int, swaps: TermSwaps | None = None
) -> Detection | None:
    """Return the first law of a changed step that Z3 shows of the old game and contradicts in the new one. `swaps` is
    what was exchanged."""
    changed = _changed_actions_and_phases(old, new)
    speaking = [
        claim
        for claim in watched
        if claim.law is not None and _is_law_about_changed_steps(new, claim.law, changed)
    ]
    questions = 0
    for claim in _order_laws_by_relevance(speaking, fields_touched_by_swaps(old, swaps or {})):
        if questions == _LAWS:
            return None
        if _does_z3_contradict(new, claim, work):
            if not _does_z3_contradict(old, claim, work):
                return Detection(claim.question.id, "left open: Z3 finds a step that breaks it")
            continue
        questions += 1
    return None


def _order_laws_by_relevance(claims: Iterable[WatchedClaim], touched: frozenset[int]) -> list[WatchedClaim]:
    """Return laws in the order in which to ask them: one of each family first, those that speak of what was touched
    before others."""
    families = Counter[tuple[str, str]]()
    ranked = list[tuple[int, int, WatchedClaim]]()
    for claim in claims:
        family = claim.question.id, _MEMBER.sub("#", repr(claim.question.of))
        families[family] += 1
        terms = claim.law.terms if claim.law is not None else []
        spoken_of = {field.number for term in terms for field in find_fields_read(term)}
        ranked.append((families[family], -len(spoken_of & touched), claim))
    return [claim for _, _, claim in sorted(ranked, key=lambda each: each[:2])]


def fields_touched_by_swaps(game: Game, swaps: Mapping[int, Any]) -> frozenset[int]:
    """Return the numbers of the fields of which the exchanged parts speak, and the statements that hold them."""
    bodies = [a.body for a in game.actions] + [p.body or () for p in game.phases]
    bodies += [procedure.body for procedure in game.procedures]
    parts: list[Term | Statement] = [
        s for body in bodies for s in iter_statements(body) if _contains_swapped_part(s, swaps)
    ]
    apart = [f.body for f in game.functions] + [a.weight for a in game.actions if a.weight is not None]
    parts += [term for term in apart if any(id(node) in swaps for node in iter_subterms(term))]
    for part in swaps.values():
        parts += part if isinstance(part, tuple) else (part,)
    numbers = set[int]()
    for part in parts:
        if isinstance(part, Term):
            numbers |= {field.number for field in find_fields_read(part)}
        else:
            numbers |= find_written_fields((part,)) | field_numbers_read_by(part)
    return frozenset(numbers)


def _contains_swapped_part(statement: Statement, swaps: Mapping[int, Any]) -> bool:
    """Return whether a statement is exchanged, or a part of a term in it."""
    return id(statement) in swaps or any(
        id(node) in swaps for term in terms_of_statement(statement) for node in iter_subterms(term)
    )


def _does_z3_contradict(game: Game, claim: WatchedClaim, work: int) -> bool:
    context = Context()
    try:
        with context.limit_work(work):
            check_every_step_obeys(
                game,
                tuple(list_conditions_of_claim_and_given(claim.question)),
                True,
                to_json(claim.question.of),
                context,
            )
    except Contradicted:
        return True
    except (NotShown, RulesError):
        return False
    return False


def _changed_actions_and_phases(old: Game, new: Game) -> frozenset[tuple[str, int]]:
    """Return the actions and automatic phases that a change touches, also through what they call."""
    actions = {("action", a.number) for a, b in zip(old.actions, new.actions, strict=True) if a is not b}
    phases = {
        ("phase", a.number) for a, b in zip(old.phases, new.phases, strict=True) if a.body is not b.body
    }
    return frozenset(actions | phases)


def _is_law_about_changed_steps(game: Game, law: Law, changed: frozenset[tuple[str, int]]) -> bool:
    if law.phase is not None:
        return ("phase", law.phase) in changed
    idents = law.possible or law.idents
    of_law = (a for a in game.actions if any(a.first <= i < a.first + a.count for i in idents))
    return any(("action", action.number) in changed for action in of_law)
