"""What people get wrong in a game's data: each refused at its place with the nearest fix, all at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.database.game import load_game


def refused(folder: Path) -> list[str]:
    """The findings as lines, each as `file:line:column: code message`."""
    with pytest.raises(InputError) as caught:
        len(load_game(folder).claims)  # claims that cannot be read stop only who needs them
    return [str(finding).replace(str(folder) + os.sep, "") for finding in caught.value.findings]


def test_the_tiny_game_itself_is_sound(make_game) -> None:
    game = load_game(make_game())
    assert list(game.components) == ["01", "02", "pearl", "K1"]


@pytest.mark.parametrize("name", ["game", "vocabulary", "rulebook", "claims"])
def test_an_empty_file_is_told_without_a_name_that_is_not_there(make_game, name: str) -> None:
    assert f"{name}.yaml:1:1: PP205 expected a mapping, found nothing" in refused(make_game(**{name: ""}))


# (edit, expected beginning, words that must occur)
CASES = {
    "misspelt resource": (("shells", "gain: {pearl: 1}", "gain: {perl: 1}"), "shells.yaml:8:24: PP208", '"pearl"'),
    "a number for a title": (
        ("shells", "title: {en: Whelk, fr: Bulot}", "title: 1.10"),
        "shells.yaml:5:12: PP205",
        'write it in quotes: "1.1"',
    ),
    "misspelt effect": (("shells", "gain: {pearl: 1}", "gian: {pearl: 1}"), "shells.yaml:8:17: PP207", '"gain"'),
    "misspelt field": (("shells", "deck: shore", "dekc: shore"), "shells.yaml:6:5: PP204", '"deck"'),
    "misspelt field of an option": (
        ("shells", "B: {pay:", "B: {pya:"),
        "shells.yaml:9:11: PP204",
        'did you mean "pay"',
    ),
    "misspelt field of a term": (
        ("vocabulary", "plural:", "plurals:"),
        "vocabulary.yaml:5:7: PP204",
        'did you mean "plural"',
    ),
    "misspelt argument": (("shells", "{from: salt,", "{form: salt,"), "shells.yaml:9:50: PP204", '"from"'),
    "misspelt field of a rule": (("rulebook", "ruling: A1", "rulign: A1"), "rulebook.yaml:3:73: PP204", '"ruling"'),
    "missing card": (("shells", 'call: "02"', 'call: "03"'), "shells.yaml:8:43: PP210", "one of: 01, 02"),
    "missing tool": (("shells", "needs: K1", "needs: K2"), "shells.yaml:15:18: PP210", "one of: K1"),
    "no destination": (("shells", '{call: "02"}], to: beach}', '{call: "02"}]}'), "shells.yaml:8:7: PP211", "to: past"),
    "unknown zone": (("shells", "], to: beach}", "], to: baech}"), "shells.yaml:8:55: PP206", '"beach"'),
    "card in no deck": (("shells", "deck: reef", "deck: shore"), "shells.yaml:8:43: PP212", "no deck"),
    "calls a token": (("shells", 'call: "02"', "call: pearl"), "shells.yaml:8:43: PP212", "expected a shell"),
    "duplicate number": (("shells", '"02":', '"01":'), "shells.yaml:10:3: PP105", "first in line 4"),
    "duplicate in another file": (("tools", "K1: {", "pearl: {"), "tools.yaml:4:3: PP209", "tokens.yaml:4:10"),
    "bad number": (("shells", '"02":', '"2":'), "shells.yaml:10:3: PP214", 'found "2"'),
    "tab": (("shells", "    deck: shore", "\tdeck: shore"), "shells.yaml:6:1: PP103", "tab"),
    "amount too large": (
        ("shells", "gain: {pearl: 1}", "gain: {pearl: 10}"),
        "shells.yaml:8:31: PP206",
        "expected at most 9, found 10",
    ),
    "amount zero": (
        ("shells", "gain: {pearl: 1}", "gain: {pearl: 0}"),
        "shells.yaml:8:31: PP206",
        "expected at least 1, found 0",
    ),
    "amount in words": (
        ("shells", "gain: {pearl: 1}", "gain: {pearl: one}"),
        "shells.yaml:8:31: PP205",
        "whole number",
    ),
    "two effects in one": (
        ("shells", "{gain: {pearl: 1}}", '{gain: {pearl: 1}, call: "02"}'),
        "shells.yaml:8:16: PP215",
        "found 2",
    ),
    "an effect is a word": (("shells", "{gain: {pearl: 1}}", "gain"), "shells.yaml:8:16: PP205", "as in"),
    "misspelt name in a template": (
        ("vocabulary", 'text: "+{n} {term}"', 'text: "+{num} {term}"'),
        "vocabulary.yaml:20:11: PP220",
        "`effects.gain.text`: expected {n} or {term}, found {num} (one of: n, term)",
    ),
    "misspelt name in one language": (
        ("vocabulary", 'fr: "gagne {n}', 'fr: "gagne {nombre}'),
        "vocabulary.yaml:21:40: PP220",
        "found {nombre}",
    ),
    "misspelt field in a template": (
        ("vocabulary", "{one.title}", "{one.titel}"),
        "vocabulary.yaml:36:11: PP220",
        'did you mean "one.title"?',
    ),
    "a field of what has none": (
        ("vocabulary", "X {from} ", "X {from.icon} "),
        "vocabulary.yaml:32:11: PP220",
        '"from"',
    ),
    "misspelt name in the wording": (
        ("vocabulary", 'cost: "{cost}', 'cost: "{costs}'),
        "vocabulary.yaml:38:17: PP220",
        'did you mean "cost"?',
    ),
    "a name in a term": (
        ("vocabulary", "plural: {en: Pearls", 'plural: {en: "{n} Pearls"'),
        "vocabulary.yaml:5:20: PP220",
        "`terms.goods.pearl.plural`: expected no {name} here, found {n}",
    ),
    "a brace without its fellow": (
        ("vocabulary", "+{n} {term}", "+{n} {term"),
        "vocabulary.yaml:20:11: PP220",
        "found {",
    ),
    "an effect that repeats one word": (
        ("vocabulary", "swap:\n", "swap:\n    each: from\n"),
        "vocabulary.yaml:31:11: PP219",
        "`each` repeats amounts or a list, and `from` is of type term",
    ),
    "missing field": (("shells", "    deck: shore\n", ""), "shells.yaml:5:5: PP203", "`deck`"),
    "missing argument": (("shells", "{from: salt, to: pearl}", "{from: salt}"), "shells.yaml:9:43: PP203", "`to`"),
    "title a number": (("shells", "en: Whelk", "en: 12"), "shells.yaml:5:17: PP205", '"12"'),
    "unknown language": (("shells", "fr: Bulot", "fx: Bulot"), "shells.yaml:5:24: PP208", "one of: en, fr"),
    "names of languages": (
        ("game", "[en, fr]", "[English, fr, French]"),
        "game.yaml:3:13: PP206",
        'such as de or pt-BR, found "English", "French" (did you mean en, fr?)',
    ),
    "a language nobody knows": (("game", "[en, fr]", "[en, Elvish]"), "game.yaml:3:17: PP206", 'found "Elvish"'),
    "a misspelt region": (("game", "[en, fr]", "[en, pt_br]"), "game.yaml:3:17: PP206", "did you mean pt-BR?"),
    "unknown option letter": (
        ("shells", "      A: {do: [{gain", "      Z: {do: [{gain"),
        "shells.yaml:8:7: PP208",
        "one of: A",
    ),
    "cost as list": (("shells", "pay: {pearl: 1, salt: 2}", "pay: [pearl]"), "shells.yaml:9:16: PP205", "mapping"),
    "public source without address": (
        ("tools", '{public: "https://example.org/tools"}', "{public: ''}"),
        "tools.yaml:2:20: PP216",
        "address",
    ),
    "unknown source": (("shells", "source: playproof", "source: {hearsay: x}"), "shells.yaml:2:21: PP208", "hearsay"),
    "unknown kind": (("tools", "kind: tool", "kind: tol"), "tools.yaml:1:7: PP206", '"tool"'),
    "stray key in a file": (("tools", "kind: tool", "kind: tool\nextra: 1"), "tools.yaml:2:1: PP204", "extra"),
    "ruling without such an option": (
        ("rulebook", "default: late", "default: lat"),
        "rulebook.yaml:6:5: PP218",
        '"late"',
    ),
    "rule names no ruling": (("rulebook", "ruling: A1", "ruling: A9"), "rulebook.yaml:3:7: PP210", "A9"),
    "unknown question": (("claims", "ask: reach", "ask: raech"), "claims.yaml:2:19: PP206", '"reach"'),
    "no such group": (
        ("vocabulary", "group: goods, max", "group: godos, max"),
        "vocabulary.yaml:18:44: PP219",
        '"goods"',
    ),
    "no such kind to refer to": (
        ("vocabulary", "kinds: [tool]}}", "kinds: [tol]}}"),
        "vocabulary.yaml:34:70: PP219",
        '"tool"',
    ),
    "no such field to agree in": (
        ("vocabulary", "same: [part]", "same: [parts]"),
        "vocabulary.yaml:28:82: PP219",
        '"part"',
    ),
    "no such field to hold against": (
        ("vocabulary", "where: {deck:", "where: {dock:"),
        "vocabulary.yaml:28:66: PP219",
        '"deck"',
    ),
    "each names nothing": (("vocabulary", "each: items", "each: item"), "vocabulary.yaml:35:11: PP219", '"items"'),
    "no such zone group": (("vocabulary", "{to: zone", "{to: zoen"), "vocabulary.yaml:37:15: PP219", '"zone"'),
    "pay names no cost": (("vocabulary", "pay: pay", "pay: gain"), "vocabulary.yaml:37:26: PP219", "cost"),
    "id is no pattern": (("vocabulary", "id: '\\d\\d'", "id: '(\\d'"), "vocabulary.yaml:42:9: PP219", "regular"),
    "choice without choices": (
        ("vocabulary", "choices: [reef, shore]", "about: x"),
        "vocabulary.yaml:45:13: PP219",
        "choices",
    ),
    "no players": (("game", "players: {min: 1, max: 2}\n", ""), "game.yaml:1:1: PP203", "players"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_at_its_place_with_a_hint(make_game, case: str) -> None:
    edit, begins, contains = CASES[case]
    findings = refused(make_game(edit))
    hits = [line for line in findings if line.startswith(begins)]
    assert hits, findings
    assert contains in hits[0]


def test_everything_is_reported_at_once(make_game) -> None:
    edits = [CASES[name][0] for name in ("misspelt resource", "unknown zone", "unknown question")]
    more = [("tools", "icon: knife", "icon: 3"), ("rulebook", "default: late", "default: lat")]
    assert len(refused(make_game(*edits, *more))) == 5


def test_a_mistake_in_game_yaml_does_not_cost_its_languages(make_game) -> None:
    (finding,) = refused(make_game(("game", "max: 2", "max: two")))
    assert finding.startswith("game.yaml:2:24: PP205")


def test_what_defaults_get_wrong_is_said_once(make_game) -> None:
    (finding,) = refused(make_game(("shells", "{source: playproof}", "{source: playproof, count: many}")))
    assert finding.startswith("shells.yaml:2:38: PP205")


def test_a_file_that_cannot_be_read_does_not_hide_the_others(make_game) -> None:
    findings = refused(make_game(CASES["tab"][0], ("tools", "icon: knife", "icon: 3")))
    assert [line.split()[1] for line in findings] == ["PP103", "PP205"]


def test_an_alias_bomb_in_a_game(make_game) -> None:
    bomb = "kind: shell\ncomponents:\n  l0: &l0 [x]\n" + "".join(
        f"  l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 12)
    )
    (finding,) = refused(make_game(more=bomb))
    assert finding.startswith("more.yaml:9:")
    assert "PP106" in finding


@pytest.mark.parametrize("name", ["../secret.png", "/etc/passwd", "missing.png", "link.png"])
def test_an_image_outside_the_folder_or_missing(make_game, name: str) -> None:
    folder = make_game(("shells", "deck: shore", f"deck: shore\n    image: {name}"))
    (folder.parent / "secret.png").write_bytes(b"x")
    (folder / "link.png").symlink_to(folder.parent / "secret.png")
    (finding,) = refused(folder)
    assert finding.startswith("shells.yaml:7:12: PP213")


def test_an_image_inside_the_folder_is_welcome(make_game) -> None:
    folder = make_game(("shells", "deck: shore", "deck: shore\n    image: art/whelk.png"))
    (folder / "art").mkdir()
    (folder / "art" / "whelk.png").write_bytes(b"x")
    assert load_game(folder).components["01"].get("image") == "art/whelk.png"


def test_no_such_game_and_a_folder_without_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="PP201"):
        load_game("nogame")
    with pytest.raises(InputError, match="PP202"):
        load_game(tmp_path)


def test_a_missing_vocabulary(make_game) -> None:
    folder = make_game()
    (folder / "vocabulary.yaml").unlink()
    (finding,) = refused(folder)
    assert "PP202" in finding


PLAYED = {
    "no game beside the claim": ("{play: games/2.txt}", 'there is no recorded game "games/2.txt" beside it'),
    "a game of somebody else": ("{play: ../1.txt}", 'there is no recorded game "../1.txt" beside it'),
    "a game without actions": ("{play: games/1.txt}", '"games/1.txt" has no actions'),
    "another key": ("{play: games/1.txt, than: []}", "expected `of` as {play: file, then: [conditions]}"),
    "no mapping": ("games/1.txt", "expected `of` as {play: file, then: [conditions]}"),
}


@pytest.mark.parametrize("case", PLAYED)
def test_a_claim_names_a_recorded_game(make_game, case: str) -> None:
    of, expected = PLAYED[case]
    folder = make_game()
    (folder / "games").mkdir()
    (folder / "games" / "1.txt").write_text("playproof transcript 1\ngame: shells\n", "utf-8")
    claim = f"claims:\n  seen:\n    ask: example\n    says: It was played.\n    of: {of}\n"
    (folder / "claims.yaml").write_text(claim, "utf-8")
    [found] = refused(folder)
    assert found == f"claims.yaml:3:5: PP246 claim `seen`: {expected}"


def test_a_wrong_language_is_said_once(make_game) -> None:
    (finding,) = refused(make_game(("game", "[en, fr]", "[English, French]")))
    assert finding.endswith('found "English", "French" (did you mean en, fr?)')


@pytest.mark.parametrize("code", ["pt-BR", "zh-Hant", "zh-Hant-TW", "es-419", "gsw"])
def test_a_language_may_have_a_script_and_a_region(make_game, code: str) -> None:
    assert load_game(make_game(("game", "[en, fr]", f"[en, fr, {code}]"))).languages == ("en", "fr", code)
