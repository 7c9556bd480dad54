"""Dated patches: applied, checked, compared."""

from __future__ import annotations

import pytest

from playproof.database.effect_text import option_text
from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.database.lint import lint
from playproof.errata.versions import (
    ComponentHistory,
    build_component_history,
    list_component_differences,
    load_game_in_two_versions,
    load_games_before_and_after_erratum,
)

ERRATUM = """\
version: 1.1
date: "2026-01-02"
note: The cowrie was too generous.
changes:
  - {component: "02", path: options.A.do.0.either.0.0.gain.pearl, from: 2, to: 1}
  - {component: "01", path: title.en, from: Whelk, to: Common whelk}
"""
SECOND = """\
version: "1.10"
date: "2026-02-02"
note: A shell gets a part, another loses its second option.
changes:
  - {component: "01", path: part, to: 3}
  - {component: "02", path: options.B, from: {needs: K1, do: [{gain: {salt: 1}}], to: sea}}
"""


def with_errata(make_game, first: str = ERRATUM, second: str = SECOND):
    return make_game(**{"errata/1.1": first, "errata/1.10": second})


def test_all_none_or_up_to_a_version(make_game) -> None:
    folder = with_errata(make_game)
    assert load_game(folder, errata=False).components["01"].name == "Whelk"
    assert load_game(folder, errata="1.1").components["01"].name == "Common whelk"
    assert load_game(folder, errata="1.1").components["01"].get("part") is None
    newest = load_game(folder)
    assert newest.applied == ("1.1", "1.10")
    assert newest.components["01"].get("part") == 3
    assert [option.letter for option in newest.components["02"].options] == ["A"]


def test_the_digest_tells_versions_apart(make_game) -> None:
    folder = with_errata(make_game)
    digests = {load_game(folder, errata=which).digest for which in (False, "1.1", True)}
    assert len(digests) == 3


def test_differences_card_by_card(make_game) -> None:
    old, new, erratum = load_games_before_and_after_erratum(with_errata(make_game), "1.1")
    assert (erratum.version, erratum.date) == ("1.1", "2026-01-02")
    by_id = {difference.id: difference for difference in list_component_differences(old, new)}
    assert list(by_id) == ["01", "02"]
    (text,) = by_id["02"].texts
    assert (text.path, text.old, text.new) == ("A", "gain 2 Pearls / :knife: Knife", "gain 1 Pearl / :knife: Knife")
    assert {change.path for change in by_id["01"].changes} == {"title.en"}


def test_the_newest_erratum_is_compared_when_none_is_named(make_game) -> None:
    old, new, erratum = load_games_before_and_after_erratum(with_errata(make_game))
    assert (old.applied, new.applied, erratum.version) == (("1.1",), ("1.1", "1.10"), "1.10")
    assert [difference.id for difference in list_component_differences(old, new)] == ["01", "02"]


REFUSED = {
    "from does not fit": ((", from: 2, to: 1}", ", from: 3, to: 1}"), "PP402", "found 2"),
    "nothing at the path": (("options.A.do.0.either", "options.Z.do.0.either"), "PP401", "options.Z"),
    "no such component": (('component: "02"', 'component: "22"'), "PP401", "one of: 01, 02"),
    "the result is wrong": (("to: 1}", "to: 99}"), "PP206", "expected at most 9"),
    "no version": (("version: 1.1\n", ""), "PP203", "version"),
    "bad date": (("2026-01-02", "2 January"), "PP206", "date"),
    "no day of the calendar": (("2026-01-02", "2026-13-45"), "PP206", "a day of the calendar, found 2026-13-45"),
    "beyond the list": (
        ("either.0.0.gain.pearl, from: 2, to: 1}", "either.5, to: {gain: {pearl: 1}}}"),
        "PP401",
        "expected an item of a list of 2, counted from 0, or 2 to add one",
    ),
    "a word in a list": (("A.do.0.either.0.0.gain.pearl, from: 2,", "A.do.x,"), "PP401", "or 1 to add one"),
    "another item of no list": (("A.do.0.either.0.0.gain.pearl, from: 2,", "A.do.01,"), "PP401", "or 1 to add one"),
    "a decimal number for a whole one": ((", from: 2,", ", from: 2.0,"), "PP402", "should be 2.0"),
    "neither from nor to": (("path: title.en, from: Whelk, to: Common whelk", "path: part"), "PP401", "neither `from`"),
    "a version that is not the file's": (("version: 1.1\n", 'version: "1.10"\n'), "PP840", "1.10"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_the_place_in_the_erratum(make_game, case: str) -> None:
    (old, new), code, contains = REFUSED[case]
    folder = with_errata(make_game, first=ERRATUM.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        load_game(folder)
    finding = next(f for f in caught.value.findings if f.code == code)
    assert "errata" in str(finding.where)
    assert contains in str(finding)


def test_what_is_changed_and_changed_back_is_no_erratum(make_game) -> None:
    back = ERRATUM + '  - {component: "01", path: title.en, from: Common whelk, to: Whelk}\n'
    with pytest.raises(
        InputError, match=r"1\.1\.yaml:7:5: PP405 01: `title\.en` is changed at .*:6:5 and changed back"
    ):
        load_game(with_errata(make_game, first=back))
    on = back.replace("Common whelk, to: Whelk", "Common whelk, to: Dog whelk")
    assert load_game(with_errata(make_game, first=on)).components["01"].name == "Dog whelk"


def test_a_change_below_what_the_erratum_took_away_says_so(make_game) -> None:
    below = SECOND + '  - {component: "02", path: options.B.needs, from: K1, to: K2}\n'
    with pytest.raises(
        InputError, match=r"PP401 02 has nothing at `options\.B` \(erratum 1\.10 has changed it at .*:6:5"
    ):
        load_game(with_errata(make_game, second=below))


def test_one_is_not_true(make_game) -> None:
    changed = {"errata/1.10": SECOND.replace("path: part, to: 3", "path: part, from: true, to: 3")}
    folder = make_game(("shells", "    deck: shore", "    part: 1\n    deck: shore"), **changed)
    with pytest.raises(InputError, match="PP402 01: `part` should be true before the change, found 1"):
        load_game(folder)


def test_an_item_may_be_added_to_a_list(make_game) -> None:
    added = ERRATUM.replace("either.0.0.gain.pearl, from: 2, to: 1}", "either.2, to: [{gain: {pearl: 1}}]}")
    (option, *_) = load_game(with_errata(make_game, first=added), errata="1.1").components["02"].options
    assert "gain 1 Pearl" in option_text(option, load_game(make_game()).vocabulary, "en", "words")


def test_an_unknown_version_is_refused(make_game) -> None:
    folder = with_errata(make_game)
    for attempt in (lambda: load_game(folder, errata="9"), lambda: load_games_before_and_after_erratum(folder, "9")):
        with pytest.raises(InputError, match="PP404"):
            attempt()
    with pytest.raises(InputError, match="no errata"):
        load_games_before_and_after_erratum(make_game_without(folder))


def make_game_without(folder):
    for path in (folder / "errata").glob("*.yaml"):
        path.unlink()
    return folder


PROPOSED = ERRATUM.replace("version: 1.1\n", 'version: "1.2"\nstatus: proposed\nclass: balance\n').replace(
    "01-02", "03-02"
)
UNDONE = """\
version: "1.3"
date: "2026-04-02"
note: Back again.
undoes: "1.2"
"""
FULL = """\
version: "1.1"
date: "2026-01-02"
class: function
note: {en: The cowrie was too generous., fr: La porcelaine donnait trop.}
reason: Two pearls at once ended games.
authority: {name: The publisher, source: {rulebook: page 4}}
languages: [en]
printings:
  - {name: first, mark: no shell in the corner, languages: [en]}
  - {name: second, affected: false, mark: a shell in the corner}
rulings:
  A1: {becomes: falls, why: The words say it now.}
changes:
  - {component: "02", path: options.A.do.0.either.0.0.gain.pearl, from: 2, to: 1}
"""


def test_a_proposed_erratum_is_in_use_only_where_it_is_named(make_game) -> None:
    folder = make_game(**{"errata/1.1": SECOND.replace("1.10", "1.1"), "errata/1.2": PROPOSED})
    assert load_game(folder).applied == ("1.1",)
    assert load_game(folder).components["01"].name == "Whelk"
    named = load_game(folder, errata="1.2")
    assert named.applied == ("1.1", "1.2")
    assert named.components["01"].name == "Common whelk"


def test_a_proposal_stands_alone_unless_it_follows_another(make_game) -> None:
    other = SECOND.replace("1.10", "1.3").replace("date", "status: proposed\ndate").replace("02-02", "05-02")
    folder = make_game(**{"errata/1.2": PROPOSED, "errata/1.3": other})
    assert load_game(folder, errata="1.3").applied == ("1.3",)
    folder = make_game(**{"errata/1.2": PROPOSED, "errata/1.3": f'follows: "1.2"\n{other}'})
    assert load_game(folder, errata="1.3").applied == ("1.2", "1.3")


def test_an_erratum_undoes_another(make_game) -> None:
    folder = make_game(**{"errata/1.2": PROPOSED, "errata/1.3": UNDONE})
    published, undone = load_game(folder, errata=False), load_game(folder, errata="1.3")
    assert undone.applied == ("1.2", "1.3")
    assert undone.components == published.components
    before, after, _ = load_games_before_and_after_erratum(folder, "1.3")
    assert {d.id for d in list_component_differences(before, after)} == {"01", "02"}
    assert list_component_differences(*load_game_in_two_versions(folder, "none", "1.3")) == ()


def test_the_history_of_a_card(make_game) -> None:
    folder = make_game(**{"errata/1.2": PROPOSED, "errata/1.3": UNDONE})
    past = [
        (e.version, [(c.path, c.old, c.new) for c in d.texts]) for e, d in build_component_history(folder, "02").changes
    ]
    two, one = "gain 2 Pearls / :knife: Knife", "gain 1 Pearl / :knife: Knife"
    assert past == [("1.2", [("A", two, one)]), ("1.3", [("A", one, two)])]
    assert build_component_history(folder, "K1") == ComponentHistory((), ())


def test_a_faulty_proposal_stops_no_history_and_all_faults_are_told(make_game) -> None:
    """1.3 changes a value that is not there, 1.4 a card that is not there and another value; 1.2 and 1.5 are sound."""
    wrong = PROPOSED.replace("1.2", "1.3").replace("03-02", "04-02").replace("Whelk", "Conch")
    worse = wrong.replace("1.3", "1.4").replace("04-02", "05-02").replace('"02"', '"99"')
    sound = PROPOSED.replace("1.2", "1.5").replace("03-02", "06-02").replace("Common whelk", "Dog whelk")
    named = {"errata/1.2": PROPOSED, "errata/1.3": wrong, "errata/1.4": worse, "errata/1.5": sound}
    folder = make_game(**named)
    past = build_component_history(folder, "01")
    assert [erratum.version for erratum, _ in past.changes] == ["1.2", "1.5"]
    told = [(finding.where.file, finding.code) for finding in past.findings]
    assert [(str(file)[-8:], code) for file, code in told] == [
        ("1.3.yaml", "PP402"),
        ("1.4.yaml", "PP401"),
        ("1.4.yaml", "PP402"),
    ]
    assert all(finding.where.line and finding.where.column for finding in past.findings)
    with pytest.raises(InputError) as both:
        load_game_in_two_versions(folder, "1.3", "1.4")
    assert both.value.findings == past.findings


def test_everything_that_an_erratum_says_of_itself(make_game) -> None:
    [erratum] = load_game(make_game(**{"errata/1.1": FULL})).errata
    assert (erratum.kind, erratum.languages, erratum.proposed) == ("function", ("en",), False)
    assert erratum.authority is not None
    assert (erratum.authority.name, str(erratum.authority.source)) == ("The publisher", "rulebook: page 4")
    assert [(p.name, p.affected, str(p.mark)) for p in erratum.printings] == [
        ("first", True, "no shell in the corner"),
        ("second", False, "a shell in the corner"),
    ]
    assert [(f.id, f.becomes, str(f.why)) for f in erratum.rulings] == [("A1", "falls", "The words say it now.")]


MISTAKEN = {
    "a language of no text": (FULL.replace("languages: [en]\n", "languages: [xx]\n"), "PP407", "7:12", '"xx"'),
    "a ruling that there is not": (FULL.replace("  A1:", "  A9:"), "PP407", "12:7", '"A9"'),
    "neither changes nor undoes nor rulings": (FULL[: FULL.index("rulings:")], "PP405", "1:1", "found none"),
    "both": (FULL + 'undoes: "1.0"\n', "PP405", "1:1", "found both"),
    "undoes what there is not": (
        UNDONE.replace("1.3", "1.1"),
        "PP404",
        "4:9",
        '`undoes`: no earlier erratum has the version "1.2"',
    ),
    "a class of its own": (FULL.replace("class: function", "class: buff"), "PP206", "3:8", "expected"),
}


@pytest.mark.parametrize("case", MISTAKEN)
def test_mistakes_in_the_model_name_their_line(make_game, case: str) -> None:
    text, code, place, contains = MISTAKEN[case]
    folder = make_game(**{"errata/1.1": text})
    try:
        findings = lint(load_game(folder))
    except InputError as error:
        findings = list(error.findings)
    [line] = [str(finding) for finding in findings if finding.code == code]
    assert f"errata/1.1.yaml:{place}: {code}" in line
    assert contains in line


def test_two_files_of_one_version_are_named(make_game) -> None:
    folder = make_game(**{"errata/first": ERRATUM, "errata/second": ERRATUM})
    with pytest.raises(InputError, match=r"second\.yaml:1:1: PP403 two errata have the version"):
        load_game(folder)


def test_two_proposals_that_contradict_each_other_are_named(make_game) -> None:
    other = PROPOSED.replace("1.2", "1.3").replace("03-02", "04-02").replace("Common whelk", "Dog whelk")
    folder = make_game(**{"errata/1.2": PROPOSED, "errata/1.3": other})
    [finding] = [f for f in lint(load_game(folder)) if f.code == "PP406"]
    assert "errata/1.3.yaml:8:5" in str(finding.where)
    assert "`Dog whelk`, erratum 1.2 makes it `Common whelk`" in finding.message
    folder = make_game(**{"errata/1.2": PROPOSED, "errata/1.3": f'follows: "1.2"\n{other}'})
    assert not [f for f in lint(load_game(folder)) if f.code == "PP406"]


def test_a_conflict_names_the_erratum_that_changed_the_value(make_game) -> None:
    second = SECOND.replace("path: part, to: 3", "path: title.en, from: Whelk, to: Dog whelk")
    with pytest.raises(InputError, match=r"PP402.*erratum 1\.1 has changed it at .*1\.1\.yaml:6:5"):
        load_game(with_errata(make_game, second=second))


FOLLOWED = (
    PROPOSED
    + """claims:
  winnable: {says: It cannot be won., expect: false}
"""
)


def test_claims_follow_an_erratum_where_it_is_in_use(make_game) -> None:
    """Its words stand for the claim's, until a later erratum undoes it; what it says of no claim is named."""
    undone = 'version: "1.3"\ndate: "2026-04-02"\nnote: Back.\nundoes: "1.2"\n'
    folder = make_game(**{"errata/1.2": FOLLOWED, "errata/1.3": undone})
    first, second, third = (load_game(folder, which).claims["winnable"] for which in (False, "1.2", "1.3"))
    assert (second.says, second.expect) == ("It cannot be won.", False)
    assert second.of == first.of
    assert (third.says, third.expect) == (first.says, first.expect) != (second.says, second.expect)
    folder = make_game(**{"errata/1.2": FOLLOWED.replace("winnable", "winable")})
    with pytest.raises(InputError, match=r'1\.2\.yaml:\d+:12: PP401 .*no claim "winable".*winnable'):
        _ = load_game(folder, "1.2").claims["winnable"]
