"""Loading: the values a game becomes."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from playproof.database.component_models import get_or_make_component_models
from playproof.database.components import Effect, Either, Option, iter_effects_nested_in_value
from playproof.database.errors import InputError, Where
from playproof.database.game import load_game
from playproof.database.rulebook_text import read_rulebook_document

NOWHERE = Where("")


def test_components_have_every_declared_field(make_game) -> None:
    whelk = load_game(make_game()).components["01"]
    assert (whelk.kind, whelk.name, whelk.count) == ("shell", "Whelk", 1)
    assert list(whelk.fields) == ["title", "deck", "part", "image", "options"]
    assert whelk.get("part") is None
    assert whelk.get("title").text("fr") == "Bulot"


def test_options_are_effects_costs_and_a_zone(make_game) -> None:
    game = load_game(make_game())
    whelk, cowrie = game.components["01"], game.components["02"]
    gain = Effect("gain", {"amounts": {"pearl": 1}}, NOWHERE)
    call = Effect("call", {"card": "02"}, NOWHERE)
    assert whelk.option("A") == Option("A", "", (), (gain, call), "beach", None, NOWHERE)
    assert whelk.option("B").cost == (Effect("pay", {"amounts": {"pearl": 1, "salt": 2}}, NOWHERE),)
    assert whelk.option("B").effects == (Effect("swap", {"from": "salt", "to": "pearl"}, NOWHERE),)
    assert cowrie.option("B").needs == "K1"
    (either,) = cowrie.option("A").effects
    assert isinstance(either, Either)
    assert [effect.op for effect in iter_effects_nested_in_value(either)] == ["gain", "tools"]


def test_free_options(make_game) -> None:
    whelk = load_game(make_game()).components["01"]
    assert [option.free for option in whelk.options] == [True, False]


def test_effects_know_their_place(make_game) -> None:
    effect = load_game(make_game()).components["01"].option("A").effects[0]
    assert (effect.where.line, effect.where.column) == (8, 17)


def test_provenance(make_game) -> None:
    components = load_game(make_game()).components
    assert str(components["01"].source) == "playproof"
    assert str(components["pearl"].source) == "rulebook: Components"
    assert str(components["K1"].source) == "public: https://example.org/tools"


def test_rules_rulings_and_claims(make_game) -> None:
    game = load_game(make_game())
    assert game.rules["R2"].ruling == "A1"
    assert game.rulings["A1"].options == {"late": "After a while.", "soon": "At once."}
    claim = game.claims["winnable"]
    assert (claim.ask, claim.of, claim.within, claim.expect) == ("reach", {"outcome": "win"}, {"rounds": 3}, True)
    assert claim.node.get_node_or_nearest_ancestor(["within", "rounds"]).where.line == 2


def test_the_digest_follows_the_content(make_game) -> None:
    before = load_game(make_game()).digest
    assert load_game(make_game()).digest == before
    assert load_game(make_game(("shells", "pearl: 1", "pearl: 2"))).digest != before


def test_a_changed_vocabulary_is_heard_by_the_next_load(make_game) -> None:
    """The models made from a vocabulary are kept while it says the same, also in the order of its words."""
    folder = make_game()
    first = load_game(folder)
    assert get_or_make_component_models(load_game(folder).vocabulary) is get_or_make_component_models(first.vocabulary)
    with pytest.raises(InputError, match="nobody declared the field `title`"):
        load_game(make_game(("vocabulary", "title: words", "heading: words")))
    assert load_game(make_game()).components == first.components
    turned = first.vocabulary.spec.model_copy(update={"kinds": dict(reversed(first.vocabulary.kinds.items()))})
    assert [*get_or_make_component_models(replace(first.vocabulary, spec=turned)).kinds] == [*turned.kinds]


def test_a_game_travels_between_processes(make_game) -> None:
    game = load_game(make_game())
    assert pickle.loads(pickle.dumps(game)).components == game.components


def test_of_kind_keeps_the_order_of_the_file(make_game) -> None:
    game = load_game(make_game())
    assert [c.id for c in game.of_kind("shell", "tool")] == ["01", "02", "K1"]


def test_of_kind_refuses_a_kind_that_the_vocabulary_does_not_have(make_game) -> None:
    with pytest.raises(InputError, match=r'PP210 expected a kind of component, found "shells" \(did you mean "shell"'):
        load_game(make_game()).of_kind("tool", "shells")


def chapter(make_game, written: bytes):
    folder = make_game()
    (folder / "rulebook").mkdir(exist_ok=True)
    (folder / "rulebook" / "1.md").write_bytes(written)
    return read_rulebook_document(folder)


def test_the_mark_that_editors_put_before_a_chapter_hides_no_heading(make_game) -> None:
    (heading,) = chapter(make_game, b"\xef\xbb\xbf# Gates\n").blocks
    assert (heading.slug, heading.level) == ("gates", 1)


def test_a_chapter_that_is_not_utf_8_is_told_at_its_place(make_game) -> None:
    with pytest.raises(InputError, match=r"1\.md:3:4: PP102 expected UTF-8 text, found the byte 0xe9"):
        chapter(make_game, b"\xef\xbb\xbf# Gates\n\ncaf\xe9\n")


def test_a_recorded_game_of_a_claim_that_is_not_utf_8_is_told(make_game) -> None:
    folder = make_game()
    (folder / "told.txt").write_bytes(b"mark \xff\n")
    claims = "claims:\n  told: {ask: example, says: It went so., of: {play: told.txt}}\n"
    (folder / "claims.yaml").write_text(claims, "utf-8")
    with pytest.raises(InputError, match=r"told\.txt:1:6: PP102"):
        len(load_game(folder).claims)
