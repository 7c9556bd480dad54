"""Claims about what the cards say: counted as a person would, refused where they cannot be understood, and shown by
evidence that counts again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.language.registry import build
from playproof.mutation.value_changes import list_changeable_yaml_values_of_game
from playproof.verifier.analysis.economy import build_balance_of_card_kinds_with_numbers, draw_balances_as_svg
from playproof.verifier.check import list_findings_on_evidence_file
from playproof.verifier.kernel.card_tally import (
    CardTally,
    CardTallyCertificate,
    RowReader,
    digest_game_cards_cached_or_empty,
)
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.claim_values import decide_question_from_theorems
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.statements import LawObeyed
from playproof.verifier.kernel.strict_json import Json, Unreadable
from playproof.verifier.prove import prove
from playproof.verifier.questions.card_rows import CardRow
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise, list_names_and_specs_of_laws
from playproof.verifier.questions.statement_words import format_meaning
from playproof.verifier.questions.verdicts import Verdict
from tests.mutation.copies import changed

CARDS = Path(__file__).resolve().parents[2] / "cards"


def of(game: str, **spec: Any) -> Any:
    return count_ledger_claim_on_cards_or_raise(tuple(load_game(game).components.values()), spec)


def plainly(effects: list[dict[str, Any]], effect: str, counts: Counter[str]) -> None:
    """Count an effect's amounts in plain YAML, those of a slash apart."""
    for step in effects:
        for way in step.get("either", []):
            plainly(way, effect, counts)
        counts.update(step.get(effect, {}) if isinstance(step.get(effect), dict) else {})


def test_effects_are_counted_as_in_the_file() -> None:
    gains, pays, places = Counter[str](), Counter[str](), Counter[str]()
    for card in yaml.safe_load((CARDS / "eila" / "events-1.yaml").read_text("utf-8"))["components"].values():
        for option in card["options"].values():
            plainly(option.get("do", []), "gain", gains)
            pays.update(option.get("pay", {}))
            places[f"{card['back']}, {option['to']}"] += 1
    here = "kind == event and chapter == 1"
    assert of("eila", each="effect", where=f"{here} and effect == gain", sum="amount", by="term").value == gains
    assert of("eila", each="effect", where=f"{here} and effect == pay", sum="amount", by="term").value == pays
    assert of("eila", each="option", where=here, by=["back", "to"]).value == places


def test_copies_are_counted_and_compared() -> None:
    cards = yaml.safe_load((CARDS / "opale" / "deck-red.yaml").read_text("utf-8"))["components"].values()
    points = sum(card["points"] * card["count"] for card in cards)
    assert of("opale", each="copy", where="kind == card", sum="points", by="side").value == {
        "blue": points,
        "red": points,
    }
    assert of("opale", each="copy", where="kind == card", by=["spot", "points"], alike="side").value is True
    uneven = of("opale", each="copy", where='kind == card and id != "R1-1"', by="spot", alike="side")
    assert (uneven.value, uneven.breakers) == (False, ("1: blue 6, red 3",))


def test_of_a_slash_the_best_alternative_counts() -> None:
    food = of("eila", each="option", where='id == "005" and option == A', sum="gain.food + gain.energy")
    assert food.value == 2  # one of each name: the player takes one of them
    table = {"gain.food": 1, "gain.energy": 2}
    assert of("eila", each="option", where='id == "005" and option == A', sum="worth", worth=table).value == 2


def test_who_breaks_a_claim_is_named() -> None:
    dear = of("olith", where="kind == mercenary", holds="cost <= 3")
    assert (dear.value, dear.breakers) == (False, ("m5", "m6"))
    decks = of("olith", where="kind == artifact", by="deck", band=[4, 6])
    assert decks.breakers == ("level-1: 12",)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"sum": "gain.fod", "each": "option"}, "gain.food"),
        ({"where": "kind == evnt"}, '"evnt" is no value of `kind`'),
        ({"each": "deck"}, "expected card, copy, option, effect"),
        ({"summ": "count"}, "unknown key `summ`"),
        ({"sum": "count", "most": "count"}, "expected one of"),
        ({"holds": "worth <= 2"}, "there is no worth table"),
        ({"holds": "count <= 2", "worth": {"gain.foot": 1}}, "printed nowhere"),
        ({"sum": "id"}, "is a text"),
        ({"where": "kind == event and slot == forest and mercenary == mercenary", "by": "cost"}, "no row has|no card"),
        ({"band": [3, 1]}, r"\[least, most\]"),
        ({"by": "chapter", "alike": "store", "where": "kind == event"}, "compares one value"),
    ],
)
def test_what_is_not_understood_is_refused(spec: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        of("eila", **spec)


def test_what_speaks_of_no_card_is_empty() -> None:
    empty = Question("empty", "ledger", {"where": "kind == event and chapter == 9", "sum": "count"}, expect=0)
    [answer] = prove("eila", claims=[empty])
    assert answer.verdict is Verdict.VACUOUS


def test_evidence_is_counted_again() -> None:
    game, context = build("opale"), Context()
    spec = {"where": "kind == spot", "sum": "copies"}
    result = of("opale", **spec)
    tally = CardTallyCertificate(spec, digest_game_cards_cached_or_empty(game, context), result.value, result.members)
    question = Question("spots", "ledger", spec, expect=50)
    assert decide_question_from_theorems(game, question, [Theorem(tally, game, context)], context).value == 50
    for other in (replace(tally, value=51), replace(tally, rows=tally.rows[1:]), replace(tally, cards="0" * 64)):
        with pytest.raises(NotShown):
            Theorem(other, game, context)


def test_a_theorem_about_other_cards_answers_nothing() -> None:
    """Two games may be described alike and have other cards, where a value is only printed."""
    value = next(
        v for v in list_changeable_yaml_values_of_game("opale") if v.component_id_or_empty == "1" and v.path[-1] == "x"
    )
    spec = {"where": "kind == spot", "sum": "x"}
    game, context = build("opale"), Context()
    result = of("opale", **spec)
    shown = Theorem(
        CardTallyCertificate(spec, digest_game_cards_cached_or_empty(game, context), result.value, result.members),
        game,
        context,
    )
    with changed("opale", value) as folder:
        other = build("opale", data=load_game(folder))
    assert context.get_game_digest_cached(other) == context.get_game_digest_cached(game)
    question = Question("places", "ledger", spec)
    assert decide_question_from_theorems(game, question, [shown], context).known
    assert not decide_question_from_theorems(other, question, [shown], context).known


def test_a_file_is_checked_and_a_changed_card_refuses_it(tmp_path: Path) -> None:
    [answer] = prove("opale", only=["decks-alike"], output=tmp_path)
    assert (answer.verdict, answer.whom) == (Verdict.PROVEN, "")
    assert list_findings_on_evidence_file(answer.evidence) == []
    text = Path(answer.evidence).read_text("utf-8")
    Path(answer.evidence).write_text(text.replace('"value": true', '"value": false'), "utf-8")
    assert [finding.code for finding in list_findings_on_evidence_file(answer.evidence)] == ["PP714"]


def family(**law: Any) -> Question:
    of = {"each": "card", "where": 'kind == spot and id != "9"', "action": "play {name}", **law}
    return Question("family", "step", of, expect=True)


def test_a_law_has_a_member_for_each_card() -> None:
    spots = {"when": "1 == 1", "leads": "phase == lay and spot == '{name}'"}
    [answer] = prove("opale", claims=[family(**spots)])
    assert (answer.verdict, answer.bound["members"]) == (Verdict.PROVEN, 8)
    game = build("opale")
    [(name, law), *others] = list_names_and_specs_of_laws(game, family(**spots).of)
    assert (name, law["action"], len(others)) == ("1", "play Octopus Hunter", 7)


def test_one_member_that_is_broken_refutes_the_family() -> None:
    [answer] = prove("opale", claims=[family(leads="phase == lay and spot == 'Octopus Hunter'")])
    assert answer.verdict is Verdict.REFUTED


def test_members_are_those_of_the_cards_and_no_others() -> None:
    """A certificate about fewer cards does not answer the claim."""
    game, context = build("opale"), Context()
    question = family(leads="phase == lay")
    laws = [spec for _, spec in list_names_and_specs_of_laws(game, question.of)]
    few = Theorem(InvariantCertificate(LawObeyed(laws[:3]), ()), game, context)
    assert not decide_question_from_theorems(game, question, [few], context).known
    whole = Theorem(InvariantCertificate(LawObeyed(laws), ()), game, context)
    assert decide_question_from_theorems(game, question, [whole], context).value is True


def test_a_law_without_such_a_name_is_refused() -> None:
    with pytest.raises(InputError, match="no row prints `pionts`"):
        list_names_and_specs_of_laws(build("opale"), family(needs="number < {pionts}").of)


def test_the_economy_names_what_is_far_from_the_others() -> None:
    [events, *others] = build_balance_of_card_kinds_with_numbers(load_game("eila"))
    assert [part.number for part in events.parts] == [11, 9, 7, 26, 27, 20]
    worths = [number for part in events.parts for _, number in part.worths]
    mean = sum(worths) / len(worths)
    spread = (sum((n - mean) ** 2 for n in worths) / len(worths)) ** 0.5
    assert {n for _, n in events.outliers} == {n for n in worths if abs(n - mean) > 2 * spread}
    assert len(others) == 3
    ElementTree.fromstring(draw_balances_as_svg("Eila & others", [events, *others]))


def test_what_is_counted_is_printed_from_the_terms_that_were_counted() -> None:
    game, context = build("olith"), Context()
    digest = digest_game_cards_cached_or_empty(game, context)
    spec = {"where": "kind == mercenary and 1 <= cost < 9", "sum": "2 * cost - 1"}
    data = context.read_claim_part(game, "ledger", [spec, digest])
    of_kind = ["==", ["printed", "kind"], ["text", "mercenary"]]
    assert data["where"] == ["and", of_kind, ["and", ["<=", 1, ["printed", "cost"]], ["<", ["printed", "cost"], 9]]]
    printed = 'where kind == "mercenary" and (1 <= cost and cost < 9); sum 2 * cost - 1'
    assert format_meaning(CardTally(spec, digest, 0), game, context) == printed


@pytest.mark.parametrize(
    ("term", "value"),
    [
        (["==", ["printed", "kind"], 3], False),
        (["!=", ["printed", "kind"], 3], True),
        (["<", ["printed", "kind"], 3], False),
        (["or", ["==", ["printed", "kind"], ["text", "card"]], ["text", ""]], True),
        (["-", ["printed", "count"], ["negative", 2]], 3),
    ],
)
def test_terms_about_a_row_have_one_meaning(term: Json, value: object) -> None:
    reader = RowReader([CardRow("a", {"count": 1}, {"kind": "card"}), CardRow("b", {"kind.x": 1}, {})], {})
    assert reader.evaluate_term(term, reader.rows[0]) == value


@pytest.mark.parametrize(
    "term",
    [
        ["+", ["printed", "kind"], 1],
        ["negative", ["text", "a"]],
        ["printed", "cost"],
        ["name", "count"],
        ["was", 1],
        None,
    ],
)
def test_data_that_is_no_term_about_a_row_is_refused(term: Json) -> None:
    reader = RowReader([CardRow("a", {"count": 1}, {"kind": "card"})], {})
    with pytest.raises(Unreadable):
        reader.evaluate_term(term, reader.rows[0])


def test_a_false_tally_is_refused() -> None:
    """Of a claim with groups, sides or bounds, and of a game without cards."""
    game, context = build("opale"), Context()
    digest = digest_game_cards_cached_or_empty(game, context)
    for spec in (
        {"each": "copy", "where": "kind == card", "sum": "points", "by": "side"},
        {"each": "copy", "where": "kind == card", "by": ["spot", "points"], "alike": "side"},
        {"where": "kind == card", "by": "spot", "band": [1, 9]},
        {"where": "kind == card", "holds": "points <= 9"},
    ):
        counted = of("opale", **spec)
        tally = CardTallyCertificate(spec, digest, counted.value, counted.members)
        Theorem(tally, game, context)
        for other in (
            replace(tally, value=None),
            replace(tally, value=1 if counted.value is True else True),
            replace(tally, rows=(*tally.rows, tally.rows[-1])),
            replace(tally, rows=tally.rows[::-1]),
            replace(tally, of={**spec, "where": 'kind == card and id != "R1-1"'}),
            replace(tally, cards=""),
        ):
            with pytest.raises(NotShown):
                Theorem(other, game, context)
    with pytest.raises(NotShown, match="the cards are others"):
        Theorem(CardTallyCertificate({"sum": "count"}, "", None, ()), build("nim"), context)


@pytest.mark.parametrize("words", ["not " * 3000 + "cost", "-" * 3000 + "cost", " + ".join(["cost"] * 3000)])
def test_words_too_deep_to_be_read_are_refused(words: str) -> None:
    """A file of evidence may hold any words; they end in no fault of the reader."""
    with pytest.raises(Unreadable, match="is no ledger"):
        Context().read_claim_part(build("olith"), "ledger", [{"sum": words}, ""])
