"""What must hold of every game in cards/; a new game is covered the moment its folder is there."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from playproof.database.components import iter_effects_nested_in_value
from playproof.database.effect_text import list_icon_names_in_text, made_text
from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.database.game_schema import export
from playproof.database.installation import CARDS
from playproof.database.lint import iter_unexplained_rule_narrowing_findings, lint
from playproof.database.rulebook_text import Directive, read_rulebook_document
from playproof.verifier.questions.ledger import count_ledger_claim_on_cards_or_raise
from playproof.verifier.questions.verdicts import Conclusion, Verdict, decide_verdict_from_value_and_expectation

GAMES = list_names_of_game_folders()


@cache
def game(name: str) -> Game:
    return load_game(name)


@pytest.fixture(params=GAMES)
def any_game(request: pytest.FixtureRequest) -> Game:
    return game(request.param)


def test_there_are_games() -> None:
    assert GAMES
    assert set(GAMES) == {path.name for path in CARDS.iterdir() if path.is_dir()}


def test_lint_finds_no_error(any_game: Game) -> None:
    assert [str(finding) for finding in lint(any_game) if finding.severity == "error"] == []


def test_it_loads_without_errata_too(any_game: Game) -> None:
    published = load_game(any_game.folder, errata=False)
    assert published.applied == ()
    assert (published.digest == any_game.digest) == (not any_game.applied)


def test_every_option_has_a_text_in_every_language_and_style(any_game: Game) -> None:
    for component in any_game.components.values():
        for option in component.options:
            for language in any_game.languages:
                printed = made_text(option, any_game.vocabulary, language)
                said = made_text(option, any_game.vocabulary, language, "words")
                assert printed
                assert said
                assert "{" not in printed + said, f"{component.id} {option.letter}: an unfilled hole"
                assert not list_icon_names_in_text(said), f"{component.id} {option.letter}: icons in the spoken text"


def test_every_fact_has_a_source_and_every_public_one_an_address(any_game: Game) -> None:
    for component in any_game.components.values():
        for source in component.source.sources:
            assert source.kind != "public" or re.match(r"https?://", source.place), component.id
            assert source.kind != "rulebook" or source.place, component.id


def test_every_effect_and_kind_of_the_vocabulary_is_used(any_game: Game) -> None:
    used = {
        effect.op
        for component in any_game.components.values()
        for value in component.fields.values()
        for effect in iter_effects_nested_in_value(value)
    }
    assert used == set(any_game.vocabulary.effects)
    assert {component.kind for component in any_game.components.values()} == set(any_game.vocabulary.kinds)


def test_rulings_have_reasons_and_sources(any_game: Game) -> None:
    for ruling in any_game.rulings.values():
        assert ruling.why, ruling.id
        assert ruling.source, ruling.id
        assert all(re.fullmatch(r"[a-z0-9-]+", option) for option in ruling.options), ruling.id


def test_a_rule_that_is_left_out_says_why(any_game: Game) -> None:
    for rule in any_game.rules.values():
        assert rule.text.endswith("."), rule.id
        assert rule.source, rule.id


def test_claims_say_a_sentence(any_game: Game) -> None:
    assert any_game.claims
    assert all(claim.says.endswith(".") for claim in any_game.claims.values())


def test_schemas_can_be_exported(any_game: Game) -> None:
    assert set(any_game.vocabulary.kinds) < set(export(any_game))


NARROWED = {
    "eila": {"A6": "", "A12": "strict-any-time", "A17": ""},
    "eurydice": {"A5": "", "A6b": "anywhere", "A9": "end-too", "A11": "literal", "A13": ""},
    "olith": {
        "A8": "always",
        "A11b": "anyone",
        "A14": "unlimited",
        "A16": "",
        "A28": "",
        "A31": "",
        "A32": "any-time",
        "A33": "",
        "A35": "lost",
    },
    "opale": {"A4": "", "A5": "decline", "A11": "", "A12": "", "A14": ""},
}
"""Each ruling whose default allows less than the printed rule, and the option that reads the rule in full, if any does.

Found by hand: every ruling was read against the sentence it settles.
"""


def test_rulings_that_narrow_a_rule_are_these(any_game: Game) -> None:
    found = {r.id: r.full for r in any_game.rulings.values() if r.narrowed}
    assert found == NARROWED[any_game.name]


def test_a_ruling_that_narrows_prints_why(any_game: Game) -> None:
    for ident in NARROWED[any_game.name]:
        why = any_game.rulings[ident].narrowed
        assert why is not None
        assert all(why.has(language) for language in any_game.languages), ident
    for language in any_game.languages:
        document = read_rulebook_document(any_game.folder, language)
        if document is not None:  # a game whose rulebook has no chapters prints its rulings as a list
            assert any(isinstance(b, Directive) and b.name == "rulings" for b in document.blocks), language


def test_a_ruling_that_narrows_silently_is_found() -> None:
    olith = game("olith")
    changes = (({"full": "", "narrowed": None}, "does not say whether"), ({"narrowed": None}, "does not say why"))
    for change, words in changes:
        rulings = {**olith.rulings, "A32": replace(olith.rulings["A32"], **change)}
        changed = replace(olith, rulebook=replace(olith.rulebook, rulings=rulings))
        assert [f.code for f in iter_unexplained_rule_narrowing_findings(changed) if words in f.message] == ["PP245"]


@pytest.mark.parametrize("name", GAMES)
def test_each_erratum_brings_the_counts_that_follow_it(name: str) -> None:
    """What claims say of the cards is true with each erratum, as it is without."""
    for erratum in game(name).errata:
        changed = load_game(name, erratum.version)
        for claim in changed.claims.values():
            if claim.ask == "ledger":
                found = Conclusion(
                    count_ledger_claim_on_cards_or_raise(tuple(changed.components.values()), claim.of).value, "cards"
                )
                assert decide_verdict_from_value_and_expectation(found, claim.expect) is Verdict.PROVEN, (
                    f"{erratum.version}: {claim.id}"
                )
