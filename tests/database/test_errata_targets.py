"""What an erratum may change beside the values of cards; what it may not is refused with the way that it is said."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from playproof.database.errors import Finding, InputError
from playproof.database.game import load_game
from playproof.database.lint import lint
from playproof.database.rulebook_text import join_text_of_spans, read_rulebook_document
from playproof.errata.versions import load_games_before_and_after_erratum

HEAD = 'version: "1.1"\ndate: "2026-01-02"\nnote: A change.\n'
NUMBERS = ("game", "languages: [en, fr]", "languages: [en, fr]\nnumbers: {hand: 5}")


def erratum(*changes: str, head: str = HEAD) -> str:
    return head + "changes:\n" + "".join(f"  - {change}\n" for change in changes)


def errors_of(folder: Path) -> list[Finding]:
    try:
        return lint(load_game(folder))
    except InputError as error:
        return list(error.findings)


def test_a_number_of_set_up_and_a_rule_change_in_their_files(make_game) -> None:
    text = erratum(
        "{file: game, path: numbers.hand, from: 5, to: 6}",
        "{file: rulebook.yaml, path: rules.R1.text.en, from: A game begins., to: A game is begun.}",
    )
    folder = make_game(NUMBERS, **{"errata/1.1": text})
    before, after = load_game(folder, errata=False), load_game(folder)
    assert (before.constant("hand"), after.constant("hand")) == (5, 6)
    assert (before.rules["R1"].text, after.rules["R1"].text) == ("A game begins.", "A game is begun.")
    undone = HEAD.replace("1.1", "1.2").replace("01-02", "01-03") + 'undoes: "1.1"\n'
    (folder / "errata" / "1.2.yaml").write_text(undone, "utf-8")
    assert load_game(folder).constant("hand") == 5


def test_a_new_card_comes_with_its_line_of_the_box(make_game) -> None:
    whole = "{title: Conch, deck: reef, options: {A: {do: [{gain: {salt: 1}}], to: sea}}, source: playproof}"
    text = erratum(
        f'{{component: "03", kind: shell, to: {whole}}}',
        "{file: game, path: components.0.count, from: 2, to: 3}",
        "{file: game, path: components.0.numbers.0, from: 01-02, to: 01-03}",
    )
    folder = make_game(**{"errata/1.1": text})
    before, after = load_game(folder, errata=False), load_game(folder)
    assert [ident for ident in after.components if ident not in before.components] == ["03"]
    assert after.components["03"].name == "Conch"
    assert not [finding for finding in lint(after) if finding.code in ("PP231", "PP232")]
    alone = make_game(**{"errata/1.1": "\n".join(text.splitlines()[:5]) + "\n"})
    [count] = [finding for finding in lint(load_game(alone)) if finding.code == "PP231"]
    assert "`file: game, path: components.0.count, from: 2, to: 3`" in count.hint
    (alone / "errata" / "1.2.yaml").write_text(HEAD.replace("1.1", "1.2") + 'undoes: "1.1"\n', "utf-8")
    assert "03" not in load_game(alone).components


def test_a_sentence_of_a_chapter_changes_wherever_its_lines_break(make_game) -> None:
    text = erratum("{file: rulebook/1-shells.md, from: Take two pearls., to: Take one pearl.}")
    folder = make_game(**{"errata/1.1": text})
    (folder / "rulebook").mkdir()
    chapter = folder / "rulebook" / "1-shells.md"
    chapter.write_text("# Shells\n\nBegin here. {rule}`R1` Take\ntwo pearls. {rule}`R2`\n", "utf-8")
    game = load_game(folder)
    document = read_rulebook_document(folder, "en", game.edits)
    assert document is not None
    assert [" ".join(join_text_of_spans(p.spans).split()) for p in document.iter_paragraphs_of_document()] == [
        "Begin here. Take one pearl."
    ]
    chapter.write_text("# Shells\n\nTake three pearls.\n", "utf-8")
    [finding] = [finding for finding in errors_of(folder) if finding.code == "PP843"]
    assert "errata/1.1.yaml:5:5" in str(finding.where)
    assert finding.hint == "the nearest line is: Take three pearls."


FULL = ("rulebook", "    default: late\n", "    default: late\n    full: late\n")


@pytest.mark.parametrize("why", ["", ", why: {en: Shells are shy., fr: Par pudeur.}"])
def test_a_ruling_that_narrows_a_rule_says_why(make_game, why: str) -> None:
    text = HEAD + f"rulings:\n  A1: {{becomes: changes, to: soon{why}}}\n"
    folder = make_game(FULL, **{"errata/1.1": text})
    findings = [str(finding) for finding in lint(load_game(folder)) if finding.code == "PP245"]
    narrowed = load_game(folder).rulings["A1"].narrowed
    if why:
        assert findings == []
        assert narrowed is not None
        assert narrowed.text("fr") == "Par pudeur."
    else:
        [finding] = findings
        assert (
            "errata/1.1.yaml:5:7: PP245 A1 narrows a rule by its default and does not say why (write `why:`" in finding
        )


def test_a_ruling_in_full_again_has_no_reason_to_be_narrower(make_game) -> None:
    narrow = (
        "rulebook",
        "    default: late\n",
        "    default: late\n    full: soon\n    narrowed: {en: So., fr: Ainsi.}\n",
    )
    folder = make_game(narrow, **{"errata/1.1": HEAD + "rulings:\n  A1: {becomes: changes, to: soon}\n"})
    assert load_game(folder, errata=False).rulings["A1"].narrowed is not None
    assert load_game(folder).rulings["A1"].narrowed is None
    assert not [finding for finding in lint(load_game(folder)) if finding.code == "PP245"]


def test_a_ruling_alone_is_an_erratum(make_game) -> None:
    folder = make_game(**{"errata/1.1": HEAD + "rulings:\n  A1: {becomes: stays, why: Asked often.}\n"})
    old, new, made = load_games_before_and_after_erratum(folder)
    assert old.components == new.components
    assert [(fate.id, fate.becomes) for fate in made.rulings] == [("A1", "stays")]


WRITTEN_ELSEWHERE = {
    "a rule": ("{component: R1, path: text.en, to: x}", "PP401", "`file: rulebook, path: rules.R1.text.en`"),
    "a ruling": ("{component: A1, path: default, to: soon}", "PP401", "A1 is a ruling"),
    "a number": ("{component: hand, path: hand, to: 6}", "PP401", "`file: game, path: numbers.hand`"),
    "a file as a component": ("{component: game, path: numbers.hand, to: 6}", "PP401", "`file: game`"),
    "an id": ('{component: "01", path: id, from: "01", to: "09"}', "PP844", "`path: count, to: 0`"),
    "a kind": ('{component: "01", path: kind, from: shell, to: tool}', "PP844", "is a new component"),
    "a printed number": ('{component: "01", path: number, from: "01", to: "09"}', "PP402", "its key in the file"),
    "a limit of an option": ('{component: "01", path: options.A.once, to: true}', "PP204", "an option has `needs`"),
    "a field of no kind": ('{component: "01", path: limit, to: 1}', "PP204", "kinds.shell.fields.limit"),
    "a text of no kind": ('{component: "01", path: text.en, to: Once.}', "PP401", "kinds.shell.fields.text"),
    "a part of a field that is not there": (
        '{component: "01", path: image.en, to: a.png}',
        "PP401",
        "add it whole, with `path: image`",
    ),
    "more than a list may have": (
        '{component: "01", path: part, to: 7}',
        "PP206",
        "vocabulary.yaml limits it (kinds.shell.fields.part",
    ),
    "claims": ("{file: claims, path: claims.winnable.expect, to: false}", "PP842", "`claims:` of the erratum"),
    "rules": ("{file: rules.py, path: x, to: 1}", "PP842", "change them in rules/"),
    "a chapter that is not there": ("{file: rulebook/9.md, from: a, to: b}", "PP401", ""),
    "a sentence without its words": ("{file: rulebook/1.md, path: x, to: b}", "PP841", "write the sentence as `from`"),
    "nothing": ("{path: x, to: 1}", "PP841", "`file: game`"),
    "both": ('{component: "01", file: game, path: x, to: 1}', "PP841", "`file: game`"),
    "a whole card without its kind": ('{component: "03", to: {title: X}}', "PP841", "write `kind: ...`"),
    "a new card of no kind": ('{component: "03", kind: shel, to: {title: X}}', "PP206", "shell"),
    "a new card that is there": ('{component: "01", kind: shell, to: {title: X}}', "PP209", "the other is at"),
}


@pytest.mark.parametrize("case", WRITTEN_ELSEWHERE)
def test_what_cannot_be_changed_there_is_refused_with_where_it_can(make_game, case: str) -> None:
    change, code, hint = WRITTEN_ELSEWHERE[case]
    folder = make_game(NUMBERS, **{"errata/1.1": erratum(change)})
    with pytest.raises(InputError) as caught:
        load_game(folder)
    findings = [finding for finding in caught.value.findings if finding.code == code]
    assert findings, [str(finding) for finding in caught.value.findings]
    assert any(hint in finding.hint and "errata/1.1.yaml" in str(finding.where) for finding in findings), findings


def test_an_unusable_erratum_stands_in_nobodys_way(make_game) -> None:
    sound = erratum('{component: "01", path: title.en, from: Whelk, to: Common whelk}')
    broken = "version: 1.2\nstatus: proposed\ndate: soon\nnote: x\n"
    folder = make_game(**{"errata/1.1": sound, "errata/1.2": broken})
    game = load_game(folder)
    assert game.components["01"].name == "Common whelk"
    assert {finding.code for finding in lint(game)} >= {"PP206"}  # and it is named
    with pytest.raises(InputError, match=r"errata/1\.2\.yaml"):
        load_game(folder, "1.2")
    with pytest.raises(InputError, match=r"errata/1\.2\.yaml"):
        load_games_before_and_after_erratum(folder, "1.2")
    (folder / "errata" / "1.2.yaml").write_text(broken.replace("status: proposed\n", ""), "utf-8")
    assert load_game(folder, "1.1").applied == ("1.1",)
    for attempt in (
        lambda: load_game(folder),
        lambda: load_games_before_and_after_erratum(folder),
    ):  # the newest is in use
        with pytest.raises(InputError, match=r"errata/1\.2\.yaml"):
            attempt()
    (folder / "errata" / "1.2.yaml").write_text("a: [", "utf-8")
    assert load_game(folder, "1.1").applied == ("1.1",)


def test_a_file_of_another_version_is_named_and_not_used(make_game) -> None:
    sound = erratum('{component: "01", path: title.en, from: Whelk, to: Common whelk}')
    folder = make_game(**{"errata/1.2": sound})
    [finding] = [finding for finding in errors_of(folder) if finding.code == "PP840"]
    assert "errata/1.2.yaml:1:10" in str(finding.where)
    folder = make_game(**{"errata/1.2": sound.replace('"1.1"', "1.2"), "errata/1.10": sound.replace('"1.1"', "1.10")})
    [finding] = [finding for finding in errors_of(folder) if finding.code == "PP840"]
    assert 'in quotes, `version: "1.10"` keeps a last zero' in finding.hint


def test_a_picture_that_changes_alone_is_named(make_game) -> None:
    folder = make_game(
        ("tools", "icon: knife}", "icon: knife}\n  K2: {title: {en: Line, fr: Fil}, icon: reef}"),
        **{"errata/1.1": erratum("{component: K2, path: icon, from: reef, to: knife}")},
    )
    [finding] = [finding for finding in lint(load_game(folder)) if finding.code == "PP845"]
    assert (finding.severity, finding.hint) == ("error", "K1 has the same icon: change that too, or what K2 does")
    alone = erratum("{component: K2, path: icon, from: reef, to: shore}")
    (folder / "errata" / "1.1.yaml").write_text(alone, "utf-8")
    [finding] = [finding for finding in lint(load_game(folder)) if finding.code == "PP845"]
    assert finding.severity == "warning"
    both = erratum(
        "{component: K2, path: icon, from: reef, to: shore}", "{component: K2, path: title.en, from: Line, to: Rope}"
    )
    (folder / "errata" / "1.1.yaml").write_text(both, "utf-8")
    assert not [finding for finding in lint(load_game(folder)) if finding.code == "PP845"]


def test_a_text_that_stays_beside_a_changed_value_is_named(make_game) -> None:
    folder = make_game(
        (
            "vocabulary",
            "part: {type: integer",
            "once: {type: flag, required: false}\n      text: {type: words, required: false}\n      "
            "part: {type: integer",
        ),
        ("shells", "    deck: shore", "    deck: shore\n    text: {en: Each day., fr: Chaque jour.}"),
        **{"errata/1.1": erratum('{component: "01", path: once, to: true}')},
    )
    [finding] = [finding for finding in lint(load_game(folder)) if finding.code == "PP846"]
    assert "its text stays: “Each day.”" in finding.message


def test_a_rules_text_that_changes_alone_is_named_in_each_language(make_game) -> None:
    changed = [
        "{component: '01', path: text.en, from: Each day., to: Each tide.}",
        "{component: '01', path: text.fr, from: Chaque jour., to: Chaque marée.}",
    ]
    folder = make_game(
        (
            "vocabulary",
            "part: {type: integer",
            "once: {type: flag, required: false}\n      text: {type: words, required: false}\n      "
            "part: {type: integer",
        ),
        ("shells", "    deck: shore", "    deck: shore\n    text: {en: Each day., fr: Chaque jour.}"),
        **{"errata/1.1": erratum(*changed)},
    )
    assert not [finding for finding in lint(load_game(folder)) if finding.code == "PP847"]  # nothing is played
    (folder / "rules.py").touch()
    [finding] = [finding for finding in lint(load_game(folder)) if finding.code == "PP847"]
    assert finding.severity == "warning"
    assert "en: “day.” → “tide.”; fr: “jour.” → “marée.”" in finding.hint
    played = erratum(*changed, "{component: '01', path: once, to: true}")
    slip = erratum("{component: '01', path: text.en, from: Each day., to: Each days.}")
    for other in (played, slip):
        (folder / "errata" / "1.1.yaml").write_text(other, "utf-8")
        assert not [finding for finding in lint(load_game(folder)) if finding.code == "PP847"]


def test_a_rules_text_that_follows_a_number_of_set_up_does_not_change_alone(make_game) -> None:
    number = "{file: game, path: numbers.hand, from: 5, to: 6}"
    words = "{component: '01', path: text.en, from: Hold 5 in hand., to: Hold 6 in hand.}"
    folder = make_game(
        NUMBERS,
        ("vocabulary", "part: {type: integer", "text: {type: words, required: false}\n      part: {type: integer"),
        ("shells", "    deck: shore", "    deck: shore\n    text: {en: Hold 5 in hand., fr: Cinq.}"),
        **{"errata/1.1": erratum(number, words)},
    )
    (folder / "rules.py").touch()
    assert findings_on_rules(folder, erratum(number, words)) == []
    assert len(findings_on_rules(folder, erratum(words))) == 1
    assert len(findings_on_rules(folder, erratum(number, words.replace("Hold 6", "Hold 7")))) == 1


def findings_on_rules(folder: Path, text: str) -> list[str]:
    (folder / "errata" / "1.1.yaml").write_text(text, "utf-8")
    return [finding.hint for finding in lint(load_game(folder)) if finding.code == "PP847"]


def test_a_rule_that_says_another_number_is_named_where_no_value_becomes_it(make_game) -> None:
    """Rules are written in Python, and no erratum changes these: "6 Coins or more" was announced, and 5 played."""
    rule = "{file: rulebook, path: rules.R1.text.en, from: Take a shell., to: %s}"
    folder = make_game(
        ("rulebook", "{en: A game begins.,", "{en: Take a shell.,"), **{"errata/1.1": erratum(rule % "Take 15 shells.")}
    )
    (folder / "rules.py").touch()
    [said] = findings_on_rules(folder, erratum(rule % "Take 15 shells."))
    assert "change the rules that cite R1, too: en: “a shell.” → “15 shells.”" in said
    hand = "{file: game, path: components.0.count, from: 2, to: 15}"
    other = "{file: game, path: components.0.count, from: 2, to: 16}"
    assert not findings_on_rules(folder, erratum(rule % "Take 15 shells.", hand))
    assert findings_on_rules(folder, erratum(rule % "Take 15 shells.", other))
    words = erratum(rule % "Leave all of the shells.")
    assert not findings_on_rules(folder, words)  # a clarification, as far as anybody can tell
    assert findings_on_rules(folder, words.replace("changes:", "class: function\nchanges:"))
    assert findings_on_rules(folder, erratum(rule % "Leave all of the shells.", other))


def test_a_text_that_names_an_old_title_is_named(make_game) -> None:
    rename = erratum("{component: K1, path: title.en, from: Knife, to: Blade}")
    folder = make_game(
        ("tools", "icon: knife}", "icon: knife}\n  K2: {title: {en: Sheath of the Knife, fr: Fil}, icon: reef}"),
        **{"errata/1.1": rename},
    )
    [finding] = [finding for finding in lint(load_game(folder)) if finding.code == "PP848"]
    assert "names “Knife”; K1 is called “Blade” now" in finding.message
    longer = erratum("{component: K1, path: title.en, from: Knife, to: Sheath of the Knife}")
    (folder / "errata" / "1.1.yaml").write_text(longer, "utf-8")
    assert not [finding for finding in lint(load_game(folder)) if finding.code == "PP848"]


def test_a_sentence_of_a_chapter_that_says_another_number_is_named(make_game) -> None:
    """Its number, in words too, is that of no value that it names: two were announced, and one was played."""
    change = "{file: rulebook/1-play.md, from: %s, to: %s}"
    folder = make_game(**{"errata/1.1": erratum(change % ("Take one shell.", "Take two shells."))})
    (folder / "rulebook").mkdir(exist_ok=True)
    (folder / "rulebook" / "1-play.md").write_text(
        "# Play\n\nTake one\nshell. {rule}`R1` Shells are {fact}`count(2)`.\n", "utf-8"
    )
    (folder / "rules.py").touch()
    [said] = findings_on_rules(folder, erratum(change % ("Take one shell.", "Take two shells.")))
    assert said.startswith("if this means something else, change what is played, too: en: “one shell.” → “two shells.”")
    typo = change % ("Take one shell.", "Take one shel.")
    assert not findings_on_rules(folder, erratum(typo))
    computed = change % ("'Shells are {fact}`count(2)`.'", "'Shells are {fact}`count(3)`.'")
    assert not findings_on_rules(folder, erratum(computed))


def test_an_equal_number_elsewhere_does_not_vouch_for_a_rule(make_game) -> None:
    rule = "{file: rulebook, path: rules.R1.text.en, from: Take 2 pearls., to: Take 5 pearls.}"
    folder = make_game(("rulebook", "{en: A game begins.,", "{en: Take 2 pearls.,"), **{"errata/1.1": erratum(rule)})
    (folder / "rules.py").touch()
    path = "options.A.do.0.either.0.0.gain.pearl"
    of_card = f"{{component: '02', path: {path}, from: 2, to: 5}}"
    assert findings_on_rules(folder, erratum(rule, of_card))
    title = load_game(folder, False).components["02"].name
    named = rule.replace("5 pearls", f"5 pearls with the {title}")
    assert not findings_on_rules(folder, erratum(named, of_card))


@pytest.mark.parametrize(
    ("written", "days"),
    [
        ("20.11.2026", "2026-11-20"),
        ("November 20, 2026", "2026-11-20"),
        ("2/3/2026", "2026-03-02 or 2026-02-03"),
        ("2026-1-2", "2026-01-02"),
    ],
)
def test_a_date_of_another_form_is_answered_with_the_day(make_game, written: str, days: str) -> None:
    text = erratum("{component: '01', path: title.en, from: Whelk, to: Snail}")
    dated = re.sub(r"date: .*", f'date: "{written}"', text)
    [finding] = errors_of(make_game(**{"errata/1.1": dated}))
    assert finding.message == f"erratum: `date`: write {days}, found {written}"


def test_an_erratum_that_is_older_than_the_version_before_is_named(make_game) -> None:
    """It is applied before that one, and its dossier compares it with the game before both."""
    text = erratum("{component: '01', path: title.en, from: Whelk, to: Snail}")
    first = re.sub(r"date: .*", 'date: "2026-05-01"', text)
    second = re.sub(r"version: .*", 'version: "1.10"', re.sub(r"date: .*", 'date: "2026-04-30"', text))
    other = second.replace("path: title.en, from: Whelk, to: Snail", "path: part, to: 2")
    [finding] = [f for f in errors_of(make_game(**{"errata/1.1": first, "errata/1.10": other})) if f.code == "PP409"]
    assert finding.severity == "warning"
    assert "1.10 is dated 2026-04-30, before version 1.1 (2026-05-01)" in finding.message
    same_day = other.replace("2026-04-30", "2026-05-01")
    assert load_game(make_game(**{"errata/1.1": first, "errata/1.10": same_day})).applied == ("1.1", "1.10")


def test_a_ruling_that_is_undone_is_not_in_force(make_game) -> None:
    head = "version: '%s'\ndate: 2026-05-0%s\nnote: A test.\n"
    rulings = "rulings:\n  A1: {becomes: changes, to: %s}\n"
    plain = load_game(make_game())
    ruling = plain.rulings["A1"]
    other = next(option for option in ruling.options if option != ruling.default)
    folder = make_game(
        **{"errata/1.1": head % ("1.1", 1) + rulings % other, "errata/1.2": head % ("1.2", 2) + "undoes: '1.1'\n"}
    )
    assert load_game(folder, "1.1").rulings["A1"].default == other
    assert load_game(folder, "1.2").rulings["A1"].default == ruling.default
