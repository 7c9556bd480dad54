"""Every check of lint fires on a game with its mistake, and is silent on a sound one."""

from __future__ import annotations

import pytest

from playproof.database.game import load_game
from playproof.database.lint import CHECKS, lint
from playproof.database.number_words import (
    count_numbers_except_word_one,
    format_number_in_letters_if_small,
    format_ordinal_in_letters_if_small,
    list_numbers_only_in_each_translation,
)


def findings(folder, icons=None) -> list[str]:
    return [
        f"{f.code} {f.where.line}:{f.where.column} {f.severity} {f.message}" for f in lint(load_game(folder), icons)
    ]


def test_the_tiny_game_is_clean(make_game) -> None:
    assert findings(make_game()) == []


RULING = """\
    default: late
    question: {en: When?, fr: Quand ?}
    options: {late: {en: After a while., fr: Plus tard.}, soon: {en: At once., fr: Tout de suite.}}
"""
FIRES = {
    "count": (("tokens", "count: 6", "count: 5"), "PP231 6:5 error the rulebook lists 6 pearls, the data has 5"),
    "counted twice": (
        ("game", "ids: [pearl], count: 6", "ids: [pearl, pearl], count: 12"),
        "PP231 6:5 error the list counts `pearl` twice",
    ),
    "skipped number": (("game", "[01-02]", "[01-03]"), "PP232 5:5 error the numbers have a gap: no shell"),
    "surplus number": (("game", "[01-02]", "[01]"), "PP232 11:5 error the rulebook's list has no number 02"),
    "wrong deck": (
        ("shells", "    deck: reef", "    part: 2\n    deck: reef"),
        "PP212 9:43 error 01 (part 1) calls 02, which belongs to part 2",
    ),
    "never paid: supply": (
        ("shells", "pay: {pearl: 1, salt: 2}", "pay: {salt: 5}"),
        "PP233 9:10 error 01 B costs 5 Salt, but a player can hold at most 4",
    ),
    "never paid: store": (
        ("shells", "pay: {pearl: 1, salt: 2}", "pay: {pearl: 6, salt: 4}"),
        "PP233 9:10 error 01 B costs 10 Bag, but a player can hold at most 8",
    ),
    "quantity of nothing": (("vocabulary", "[pearl.count]", "[peral.count]"), 'PP210 7:16 error "peral.count"'),
    "unknown icon field": (("tools", "icon: knife", "icon: knive"), 'PP234 4:47 error there is no icon called "knive"'),
    "unknown icon in a text": (
        ("tools", "{en: Knife,", "{en: 'Knife :shrap:',"),
        'PP234 4:15 error there is no icon called "shrap"',
    ),
    "text with another number": (
        ("shells", "], to: beach}", "], to: beach, text: '+2 :pearl:, :reef: **02**'}"),
        "PP235 8:68 error 01 A: the en text lacks 1 and has 2 too many",
    ),
    "text without an icon": (
        ("shells", "], to: beach}", "], to: beach, text: '+1 pearl, :reef: **02**'}"),
        "PP235 8:68 error 01 A: the en text lacks :pearl:",
    ),
    "ruling without options": (
        ("rulebook", RULING, "    question: {en: When?, fr: Quand ?}\n"),
        "PP236 6:5 error A1 has no",
    ),
    "generous rule settled silently": (
        ("rulebook", "text: {en: A game ends.,", "text: {en: A game may end.,"),
        "PP245 6:5 error A1 settles R2, which sets no limit, and does not say whether it limits that rule",
    ),
    "rule narrowed without a reason": (
        ("rulebook", "    default: late\n", "    default: late\n    full: soon\n"),
        "PP245 6:5 error A1 narrows a rule by its default and does not say why",
    ),
    "reason for narrowing nothing": (
        ("rulebook", "    default: late\n", "    default: late\n    full: late\n    narrowed: {en: So., fr: Ainsi.}\n"),
        "PP245 6:5 error A1 says why its default is narrower, and that its default is the full reading",
    ),
    "languages with different numbers": (
        ("rulebook", "text: {en: A game ends.,", "text: {en: A game ends after 3 days.,"),
        "PP247 3:66 error R2: the fr text tells no other number, the en text 3",
    ),
    "a language of unknown number words": (
        ("game", "[en, fr]", "[en, fr, ja, pl]"),
        "PP249 3:12 warning numbers in letters are read in de, en, es, fr only, not in ja, pl",
    ),
    "a name in braces": (
        ("tools", "{en: Knife,", "{en: 'Knife {conut}',"),
        "PP253 4:20 warning `title` is printed as it stands, with {conut}",
    ),
    "ruling without default": (("rulebook", "    default: late\n", ""), "PP236 6:5 error A1 does not say"),
    "a gap in the ids of rules": (("rulebook", "R2:", "R3:"), "PP237 3:7 error the ids have a gap: R2 is missing"),
    "a long gap in the ids": (
        ("rulebook", "R2:", "R99999999:"),
        "PP237 3:14 error the ids have a gap: R2 to R99999998 are missing",
    ),
    "a range that nobody fills": (
        ("game", "[01-02]", "[01-999999999]"),
        "PP232 5:5 error the numbers have a gap: no shell has the number 01-999999999",
    ),
    "no provenance": (("shells", "defaults: {source: playproof}\n", ""), "PP216 4:5 error 01 does not say"),
    "missing translation": (("shells", ", fr: Bulot", ""), 'PP238 5:12 warning 01: no fr text for "Whelk"'),
    "claim without translation": (
        ("claims", "says: It can be won.", "says: {en: It can be won.}"),
        "PP238 2:32 warning claim `winnable`: no fr text",
    ),
    "claim with another number": (
        ("claims", "It can be won.", "It can be won in twenty-three rounds."),
        "PP250 2:32 error claim `winnable` says 23 (en), which neither its question nor the data have",
    ),
    "rule without translation": (("rulebook", ", fr: Une partie finit.", ""), "PP238 3:30 warning R2: no fr text"),
    "missing template": (
        ("vocabulary", ', fr: "gagne {n} {term}"', ""),
        "PP238 21:12 warning effects.gain.words: no fr text",
    ),
    "no free option": (
        ("shells", "A: {do: [{gain: {pearl: 1}}", "A: {pay: {salt: 1}, do: [{gain: {pearl: 1}}"),
        "PP239 5:5 warning 01 has no option without cost or need",
    ),
    "never called": (("shells", ', {call: "02"}', ""), "PP240 11:5 warning nothing brings 02 into play"),
}


CHAPTERS = {
    "a rule that no chapter states": ("Begin. {rule}`R1`\n", "PP244 3:7 error no chapter of the en rulebook states R2"),
    "a mark of no rule": ("All. {rule}`R1 R2 R22`\n", 'PP244 1:1 error there is no rule "R22"'),
    "rules of a directive": (":::{faces} 01\n:rules: R2 R1 R8\n:::\n", 'PP244 1:1 error there is no rule "R8"'),
}


@pytest.mark.parametrize("case", CHAPTERS)
def test_chapters_state_the_rules(make_game, case: str) -> None:
    text, expected = CHAPTERS[case]
    folder = make_game()
    (folder / "rulebook").mkdir()
    (folder / "rulebook" / "1.md").write_text(text, "utf-8")
    assert findings(folder) == [expected]


@pytest.mark.parametrize("case", FIRES)
def test_each_check_fires(make_game, case: str) -> None:
    edit, expected = FIRES[case]
    more = [("shells", "    deck: shore", "    part: 1\n    deck: shore")] if case == "wrong deck" else []
    found = findings(make_game(edit, *more))
    assert any(line.startswith(expected) for line in found), found


def test_a_backslash_keeps_braces(make_game) -> None:
    edit = ("tools", "{en: Knife, fr: Couteau}", r"{en: 'Knife \{T}', fr: 'Couteau \{T}'}")
    assert findings(make_game(edit)) == []


ELSEWHERE = {"PP251", "PP267", "PP407", "PP637", "PP835", "PP847"}
"""Checks of families, errata and sheets fire in `test_families.py`, `test_errata.py`, `test_any_sheet.py` and
`test_first_evening.py`."""


def test_every_check_has_a_case_that_makes_it_fire() -> None:
    fired = {expected.split()[0] for _, expected in (*FIRES.values(), *CHAPTERS.values())} | ELSEWHERE
    promised = {check.__doc__.split(":")[0] for check in CHECKS if check.__doc__}
    assert promised <= fired


def test_a_fear_like_cost_leaves_an_option_free(make_game) -> None:
    edit = ("shells", "A: {do: [{gain: {pearl: 1}}", "A: {pay: {dread: 9}, do: [{gain: {pearl: 1}}")
    assert findings(make_game(edit)) == []


def test_icons_that_cannot_be_drawn(make_game) -> None:
    found = findings(make_game(), icons=["pearl", "salt", "arrow", "reef", "shore", "beach", "sea", "dread", "bag"])
    assert [line.split()[0] for line in found] == ["PP234"] * 4
    assert all("knife" in line for line in found)


TAUGHT = """\
kind: tool
defaults: {source: playproof}
components:
  K1:
    title: {en: Knife, fr: Couteau}
    icon: knife
    effects: [{gain: {pearl: 2}}]
    text: {en: Take 2 pearls., fr: Prends 2 perles.}
"""


def test_a_number_that_nobody_writes_is_no_fault_of_ours(make_game) -> None:
    long = "7" * 5000
    texts = f"text: {{en: A game ends {long}., fr: Une partie finit {long}.}}"
    folder = make_game(("rulebook", "text: {en: A game ends., fr: Une partie finit.}", texts))
    assert findings(folder) == []
    assert not count_numbers_except_word_one(f"{long} {long}", "en")


def test_a_text_beside_effects_has_their_numbers(make_game) -> None:
    fields = (
        "vocabulary",
        "fields: {title: words, icon: icon}",
        "fields: {title: words, icon: icon, effects: effects, text: words}",
    )
    assert findings(make_game(fields, tools=TAUGHT)) == []
    wrong = TAUGHT.replace("Take 2", "Take 3").replace("Prends 2", "Prends 3")
    found = findings(make_game(fields, tools=wrong))
    assert {line.split()[0] for line in found} == {"PP248"}
    assert "the en text says 3, its effects have 1, 2" in found[0]
    spelt = TAUGHT.replace("Take 2", "Take two").replace("Prends 2", "Prends deux")
    assert findings(make_game(fields, tools=spelt)) == []


def test_a_text_may_say_a_number_that_stands_in_a_list_of_the_card(make_game) -> None:
    fields = (
        "vocabulary",
        "fields: {title: words, icon: icon}",
        "fields: {title: words, icon: icon, effects: effects, text: words, dice: {type: list, of: {type: integer}, "
        "required: false}}",
    )
    listed = TAUGHT.replace("Take 2", "On 5 take 2").replace("Prends 2", "Sur 5 prends 2")
    assert len(findings(make_game(fields, tools=listed))) == 2
    assert findings(make_game(fields, tools=listed.replace("effects:", "dice: [5]\n    effects:"))) == []
    single = TAUGHT.replace("Take 2 pearls", "Take 1 pearl").replace("Prends 2", "Prends 1")
    found = findings(make_game(fields, tools=single))
    assert any("its effects have 2, the en text does not say so" in line for line in found)


ALIKE = [
    ("de", "zwölf am dritten Tag", "en", "twelve on the third day"),
    ("de", "Wirf zweimal, doppelt so weit", "en", "Roll twice, twice as far"),
    ("de", "beide nehmen 3", "en", "both take three"),
    ("de-AT", "im siebenten Feld", "en", "on space 7"),
    ("de", "siebenundzwanzig und einundzwanzig", "en", "27 and twenty-one"),
    ("es", "treinta y siete, veintiuno", "en", "thirty-seven, 21"),
    ("fr", "quatre-vingt-dix-neuf, 1\u00a0000, mille", "en", "99, 1,000, 1000"),
    ("de", "Achte auf den Wind", "en", "Mind the wind"),
    ("de", "Ein Elf zieht elf Felder", "en", "An elf goes eleven spaces"),
    ("de", "Elf Karten liegen da", "en", "Eleven cards lie there"),
    ("es", "ambos toman dieciséis en la séptima ronda", "en", "both take 16 in the seventh round"),
    ("ja", "12 枚から三枚", "en", "three of twelve cards"),
]
UNLIKE = [
    ("de", "fahre sieben Felder", "en", "go on", [7], []),
    ("de", "der Elf nimmt elf", "en", "the elf takes ten", [11], [10]),
    ("de", "am vierten Tag", "en", "on the third day", [4], [3]),
    ("es", "doce cartas", "en", "eleven cards", [12], [11]),
    ("ja", "13 枚", "en", "twelve cards", [13], []),
    ("ja", "三枚", "en", "3 cards", [], [3]),
]


@pytest.mark.parametrize(("language", "text", "other_language", "other"), ALIKE)
def test_translations_of_one_number(language: str, text: str, other_language: str, other: str) -> None:
    assert list_numbers_only_in_each_translation(text, language, other, other_language) == ([], [])


@pytest.mark.parametrize(("language", "text", "other_language", "other", "surplus", "missing"), UNLIKE)
def test_translations_of_other_numbers(
    language: str, text: str, other_language: str, other: str, surplus: list[int], missing: list[int]
) -> None:
    assert list_numbers_only_in_each_translation(text, language, other, other_language) == (surplus, missing)
    assert list_numbers_only_in_each_translation(other, other_language, text, language) == (missing, surplus)


def test_numbers_are_written_in_letters_where_the_words_are_known() -> None:
    assert [format_number_in_letters_if_small(6, language) for language in ("en", "de", "es", "ja")] == [
        "six",
        "sechs",
        "seis",
        "6",
    ]
    assert [format_ordinal_in_letters_if_small(3, language) for language in ("en", "de", "es", "ja")] == [
        "third",
        "dritte",
        "tercero",
        "3.",
    ]


FACES = {
    "five": 5,
    "cinq": None,
    "x5": 5,
    "**5**": 5,
    "5.": 5,
    "−1": -1,
    "+0": 0,
    ":level-2:": 2,
    "Six!": 6,
    "one": 1,
    "3-7": None,
    "One of us": None,
    ":pearl:": None,
    "first": None,
}


@pytest.mark.parametrize("said", FACES)
def test_a_face_that_says_one_number_says_its_value(make_game, said: str) -> None:
    fields = (
        "vocabulary",
        "fields: {title: words, icon: icon}",
        "fields: {title: words, icon: {type: icon, required: false}, "
        "faces: {type: list, of: {type: record, fields: {text: words, value: integer}}}}",
    )
    die = (
        "kind: tool\ndefaults: {source: playproof}\ncomponents:\n"
        "  K1: {title: {en: Die, fr: Dé}, faces: [{text: {en: '%s'}, value: %d}]}\n"
    )
    right = FACES[said]
    about = [line for line in findings(make_game(fields, tools=die % (said, right or 0))) if line.startswith("PP248")]
    assert about == []
    wrong = [line for line in findings(make_game(fields, tools=die % (said, 9))) if line.startswith("PP248")]
    assert wrong == ([] if right is None else [f"PP248 4:54 error K1: the en text says {said}, its value is 9"])


CLAIMED = {
    "{ask: maximum, says: %s Coins are the most., of: {number: coins}, expect: 6}": {
        "Six": None, "6": None, "Sixty-six": 66, "Seven": 7, "Two": None,  # the game has two shells
    },
    "{ask: step, says: %s Coins are enough., of: {action: go, needs: coins > 4}, rules: [R1], expect: true}": {
        "Five": None, "Three": None, "Nine": 9, "Two": 2,
    },
    "{ask: reach, says: {en: It is over., fr: '%s tours.'}, of: {outcome: win}, within: {rounds: 7}, expect: true}": {
        "Sept": None, "Dix-sept": 17,
    },
    "{ask: luck, says: %s., of: {outcome: win}, expect: 31/180}": {
        "Once in five times": None, "17 percent": None, "Once in 99 times": 99,
    },
}  # fmt: skip


@pytest.mark.parametrize("claim", CLAIMED)
def test_a_claim_says_the_numbers_that_it_asks_about(make_game, claim: str) -> None:
    old = "{ask: reach, says: It can be won., of: {outcome: win}, within: {rounds: 3}, expect: true}"
    for said, wrong in CLAIMED[claim].items():
        folder = make_game(("claims", old, claim % said), ("rulebook", "text: {en: ", "text: {en: Three. "))
        found = [line.split(" says ")[1].split()[0] for line in findings(folder) if line.startswith("PP250")]
        assert found == ([] if wrong is None else [str(wrong)]), said
