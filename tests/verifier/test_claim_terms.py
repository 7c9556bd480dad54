"""Claim terms: what the kernel prints of a claim is read back as the terms that it checked, whoever read the words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from playproof.language import Game, win
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.verifier.check import RequestedSettings, _LoadedGame
from playproof.verifier.kernel import context as kernel_context
from playproof.verifier.kernel.claim_terms import ClaimTerm, ClaimTermBuilder
from playproof.verifier.kernel.statements import Event, LawObeyed, Subject
from playproof.verifier.kernel.strict_json import Unreadable, map_kinds_to_subclasses
from playproof.verifier.questions.claim_check import list_mistakes_in_questions
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.context import Context, read_claim_part
from playproof.verifier.questions.statement_words import (
    _SENTENCES,
    format_meaning,
    format_meaning_if_other_than_words,
)
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.term_words import format_claim_term, format_target
from tests.verifier.conftest import HARVEST

ONLY_KERNEL_WORDS = ("return", "evaluation", "winner", "quantity", "declared")
"""What the claims' grammar has no words for: a seat's return, a winner, a number where a parameter has its name."""


def gather_data_of_all_claims(ref: str, patch: pytest.MonkeyPatch) -> list[tuple[ConditionReader, bool, ClaimTerm]]:
    """Read every claim of a game under its own settings, with the common ones. Return each condition that was read, of
    targets too, with its reader, and whether that took places of cells from before a step."""
    read: list[tuple[ConditionReader, bool, ClaimTerm]] = []
    of_text, of_target = ConditionReader.condition_text_to_data, TargetReader._target_spec_to_data

    def read_text(self: ConditionReader, text: str) -> ClaimTerm:
        data = of_text(self, text)
        read.append((self, getattr(self, "chosen", False), data))
        return data

    def read_target(self: TargetReader, *args: Any) -> Any:
        data = of_target(self, *args)
        if data["condition"] is not None:
            read.append((self.formula, False, data["condition"]))
        return data

    patch.setattr(ConditionReader, "condition_text_to_data", read_text)
    patch.setattr(TargetReader, "_target_spec_to_data", read_target)
    loaded = _LoadedGame(ref, RequestedSettings(), None)
    claims = loaded.get_claims_with_common_if_needed(None)
    questions, build_game = list(claims.values()), loaded.build_game_for_question_cached
    assert list_mistakes_in_questions(ref, questions, claims, True, build_game) == []
    patch.undo()
    return read


def iter_parts(data: ClaimTerm) -> Iterator[ClaimTerm]:
    yield data
    for part in data if isinstance(data, list) else ():
        yield from iter_parts(part)


def as_read_by_name(data: ClaimTerm) -> ClaimTerm:
    """Write an ending as the condition on `outcome` that it is."""
    if not isinstance(data, list):
        return data
    if data[0] == "ended":
        return ["==", ["name", "outcome"], data[1]]
    return [as_read_by_name(part) for part in data]


@pytest.mark.parametrize("ref", [*list_bundled_game_names(), *list_example_game_names(), HARVEST])
def test_what_is_printed_of_a_claim_is_read_back(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = gather_data_of_all_claims(ref, monkeypatch)
    assert read
    printed = {
        (id(reader), is_chosen, format_claim_term(reader.game, data)): (reader, data)
        for reader, is_chosen, data in read
    }
    for (_, is_chosen, text), (reader, data) in printed.items():
        vars(reader).update({"chosen": is_chosen} if hasattr(reader, "chosen") else {})
        if not any(isinstance(part, list) and part[0] in ONLY_KERNEL_WORDS for part in iter_parts(data)):
            assert reader.condition_text_to_data(text) == as_read_by_name(data), text


def counting() -> Game:
    g = Game("counting")
    s = g.state
    g.integer("coins", 0, 5, 0)
    g.array("bag", 3, 0, 3)
    g.integer("mood", 0, 3, labels=["calm", "cross", "calm", 'a "fit"'])
    turn = g.phase("turn", 0)

    @g.action(turn, "take", by=range(1, 3))
    def take(by: Any) -> None:
        s.coins += by

    @g.action(turn, "stop")
    def stop() -> None:
        win("stopped")

    g.quantity("two words", s.coins + s.bag[0])
    g.fact(invariants={"few coins": s.coins < 4})
    return g.seal()


GAME = counting()


@pytest.mark.parametrize(
    "text",
    [
        "coins - (2 - coins) * -3 < 1 and not (coins == 0 or bag[coins - 1] > 1)",
        "(coins < 2) == (bag[0] < 1)",
        "not (coins and bag[1]) or not not coins",
        "- - coins <= -(coins + 1) * coins and `two words` != 3",
        "any(n in bag: bag[n] == sum(m in 2: bag[m] * n)) and `few coins`",
        'mood == "cross" and mood != 3 and phase == "turn" and outcome == playing',
        "1 < coins <= 3 == bag[2]",
        "mood == 1 and mood + 1 < 3",
    ],
)
def test_each_way_to_write_a_condition_is_printed_and_read_back(text: str) -> None:
    read = Context().read_claim_part(GAME, "condition", text)
    printed = format_claim_term(GAME, read)
    assert Context().read_claim_part(GAME, "condition", printed) == read, printed


def test_a_law_is_printed_with_what_was_before_the_step() -> None:
    law = {"action": "take", "when": "coins < 3", "leads": "coins == was(coins) + by", "only": ["coins", "bag[by]"]}
    obeyed = LawObeyed({**law, "changes": {"coins": "by", "bag[coins]": "0"}})
    assert format_meaning(obeyed, GAME, Context()) == (
        "actions any `take`; when coins < 3; leads coins == was(coins) + by; "
        "coins changes by by; bag[was(coins)] changes by 0; only coins, bag[by]"
    )


def test_every_kind_of_subject_has_a_sentence() -> None:
    kinds = set(map_kinds_to_subclasses(Subject))
    assert set(_SENTENCES) == kinds


def test_what_a_reader_made_of_other_words_is_seen() -> None:
    """The kernel does not know the words: it says what it checked, and for the same words the same."""
    answers = ["coins < 3", "coins < 4"]

    def misread(game: Game, kind: str, part: Any) -> Any:
        return read_claim_part(game, kind, [answers.pop(0), part[1]])

    context, event = kernel_context.Context(read=misread), Event("coins < 2")
    assert [format_meaning_if_other_than_words(event, GAME, context) for _ in range(2)] == ["coins < 3"] * 2
    assert event.build_condition_and_actions(GAME, context).condition.args[1].value == 3  # type: ignore[attr-defined]
    with pytest.raises(Unreadable, match="nothing says what"):
        event.build_condition_and_actions(GAME, kernel_context.Context())


@pytest.mark.parametrize(
    "data",
    [
        *(True, "coins", None, [], ["name"], ["name", "gold"], ["name", "bag"], ["cell", "coins", 0], ["was", 1]),
        *(["and"], ["or", 1], ["+", 1], ["/", 4, 2], ["not", 1, 1], ["sum", "coins", 2, 1], ["ended", 0], ["ended", 2]),
        *(["return", 0], ["winner", 2], ["evaluation", 0], ["quantity", "coins"], ["declared", "coins"], {"name": 1}),
    ],
)
def test_data_of_another_shape_is_no_term(data: ClaimTerm) -> None:
    with pytest.raises(Unreadable):
        ClaimTermBuilder(GAME).build_term(data)


def test_an_action_is_printed_by_its_words_and_its_number() -> None:
    """Words that several actions have say nothing, so the number stands beside them."""
    data = read_claim_part(GAME, "target", [{"action": "take", "by": 2}, {"coins": 3}])
    assert format_target(GAME, data) == "take [#1], within coins <= 3"
    assert format_target(GAME, {**data, "actions": [0, 1, 2]}) == "any `take` or stop, within coins <= 3"
