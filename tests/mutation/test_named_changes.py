"""Changes that no claim noticed once, each made by hand: a belief notices it, and no recorded game is needed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from operator import eq
from pathlib import Path

import pytest

from playproof.database.components import Component, Effect, Option, Step
from playproof.database.errors import InputError
from playproof.database.game import load_game, require_game_folder
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.mutation.changed_steps import WORK
from playproof.verifier.kernel.certificate import Contradicted
from playproof.verifier.kernel.invariant import require_every_step_obeys_laws
from playproof.verifier.prove import load_claims_as_questions_or_raise
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise

PLACES = ("past", "future", "deck")


@pytest.mark.parametrize(
    ("file", "was", "other", "claim", "member", "players"),
    [
        ("turn.py", '"ties" else 1', '"ties" else 0', "victory-needs-dominance", None, "2"),
        ("victory.py", "tokens(q) * 4 + more", "tokens(q) * 3 + more", "the-tie-rule-of-three", 0, "3"),
    ],
)
def test_a_law_is_contradicted_by_the_changed_rule(
    tmp_path: Path, file: str, was: str, other: str, claim: str, member: int | None, players: str
) -> None:
    """As many units as another are no Dominance (R30); three crystals never outweigh a Victory Token (R79)."""
    folder = Path(shutil.copytree(require_game_folder("olith"), tmp_path / "olith"))
    rules = folder / "rules" / file
    assert rules.read_text("utf-8").count(was) == 1
    rules.write_text(rules.read_text("utf-8").replace(was, other), "utf-8")
    spec = load_claims_as_questions_or_raise("olith")[claim].of
    law = spec if member is None else spec[member]
    changed, context = build(str(folder), Options({"players": players}), load_game(folder)), Context()
    with context.limit_z3_work_temporarily(WORK), pytest.raises(Contradicted):
        require_every_step_obeys_laws(changed, (), True, law, context)


def test_no_option_leads_elsewhere_or_gives_more_unnoticed() -> None:
    """Each option of Eila's cards leads to each other place, and each of its gains, the second one too, is one more:
    a claim about the cards counts otherwise."""
    cards = load_game("eila").components.values()
    ledger = [claim for claim in load_claims_as_questions_or_raise("eila").values() if claim.ask == "ledger"]
    unnoticed, tried = [], 0
    for card in (card for card in cards if card.kind in ("event", "habit")):
        # Sums and counts over all cards differ just where they differ for the one card that changed.
        was = [answer(claim, card) for claim in ledger]
        for what, changed in neighbours(card):
            tried += 1
            now = (answer(claim, changed) for claim in ledger)
            if all(map(eq, was, now)):
                unnoticed.append(f"{card.id} {what}")
    assert (unnoticed, tried > 150) == ([], True)


def answer(claim: Question, card: Component) -> object:
    """Return what a claim counts on one card; None if it names what this card does not print."""
    try:
        return count_ledger_claim_on_cards_or_raise((card,), claim.of, claim.where).value
    except InputError:
        return None


def neighbours(card: Component) -> Iterator[tuple[str, Component]]:
    """Yield a card with one of its options changed, and what was changed."""
    options = card.options
    for n, option in enumerate(options):
        others = [(f"to {place}", replace(option, to=place)) for place in PLACES if place != option.to]
        for what, other in [*others, *more(option)]:
            fields = {**card.fields, "options": (*options[:n], other, *options[n + 1 :])}
            yield f"{option.letter} {what}", replace(card, fields=fields)


def more(option: Option) -> Iterator[tuple[str, Option]]:
    """Yield an option with one more of something that it gives."""
    for n, step in enumerate(option.effects):
        for what, other in more_of(step):
            effects = (*option.effects[:n], other, *option.effects[n + 1 :])
            yield f"{n}: {what}", replace(option, effects=effects)


def more_of(step: Step) -> Iterator[tuple[str, Step]]:
    if isinstance(step, Effect):
        for name, amounts in step.args.items():
            for term in step.amounts if step.op == "gain" else ():
                more = {**step.amounts, term: step.amounts[term] + 1}
                assert amounts == step.amounts
                yield f"one more {term}", replace(step, args={name: more})
        return
    for n, way in enumerate(step.alternatives):
        for m, effect in enumerate(way):
            for what, other in more_of(effect):
                changed = (*way[:m], other, *way[m + 1 :])
                ways = (*step.alternatives[:n], changed, *step.alternatives[n + 1 :])
                yield what, replace(step, alternatives=ways)
