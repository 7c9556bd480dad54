"""An erratum is played or refused: fields that nothing reads, cards that leave the box, rulings, classes, numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from shutil import copytree, rmtree

import pytest

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.language.description import digest
from playproof.language.options import Options
from playproof.language.registry import build

Call = Callable[..., "Answer"]  # type: ignore[name-defined]  # noqa: F821
HEAD = "version: '2'\ndate: 2026-11-29\nnote: A test.\n"


@pytest.fixture
def lamp(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp")
    (tmp_path / "lamp" / "errata").mkdir()
    return tmp_path / "lamp"


def edit(path: Path, *pairs: tuple[str, str]) -> None:
    text = path.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def with_height(lamp: Path, declared: str = "height: integer") -> None:
    """Every card has a height, which no rule reads."""
    edit(lamp / "vocabulary.yaml", ("      effects: effects", f"      effects: effects\n      {declared}"))
    edit(lamp / "paths.yaml", ("effects: [", "height: 2, effects: ["))


def patch(lamp: Path, changes: str, head: str = HEAD) -> None:
    (lamp / "errata" / "2.yaml").write_text(head + changes, "utf-8")


def errata(playproof: Call, *more: str) -> object:
    return playproof("errata", "lamp", "--no-proof", "--games", "0", *more)


UNREAD = 'changes:\n  - {component: "06", path: height, from: 2, to: 3}\n'


def test_a_number_that_no_rule_reads_is_refused_until_it_is_declared(playproof: Call, lamp: Path) -> None:
    with_height(lamp)
    linted = playproof("lint", "lamp")
    assert "PP831 warning: the rules never read `height` of path" in linted.out
    patch(lamp, UNREAD)
    told = errata(playproof)
    assert told.status == 2
    assert "errata/2.yaml:5:5: PP830 erratum 2 changes `height` of 06 from 2 to 3, and this is not" in told.err
    assert "the rules never read `height` of 06" in told.err
    assert "declare `read_by: print` at `height` of path" in told.err
    assert not Path("output").exists()
    assert "PP830" in playproof("lint", "lamp").out
    edit(lamp / "vocabulary.yaml", ("height: integer", "height: {type: integer, read_by: print}"))
    assert "PP83" not in playproof("lint", "lamp").out
    assert errata(playproof).status == 0


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('card.get("hieght")', "PP837 warning: the rules read `hieght` of path, and no component has it: they always "),
        (
            "card.hieght",
            "PP808 AttributeError: 'Component' object has no attribute 'hieght' (write `.get(\"height\")`)",
        ),
        ('card["height"]', "'Component' object is not subscriptable (a field of a card is read by `card.get("),
    ],
)
def test_a_field_that_rules_ask_for_in_vain_is_named(playproof: Call, lamp: Path, code: str, told: str) -> None:
    with_height(lamp)
    edit(lamp / "rules.py", ("    g = Game(", f'    _ = [{code} for card in data.of_kind("path")]\n    g = Game('))
    linted = playproof("lint", "lamp")
    assert told in linted.out + linted.err


def test_a_field_that_is_declared_to_be_printed_and_that_the_rules_read_is_named(playproof: Call, lamp: Path) -> None:
    edit(lamp / "vocabulary.yaml", ("effects: effects", "effects: {type: effects, read_by: print}"))
    linted = playproof("lint", "lamp")
    assert "PP832 warning: `effects` of path is declared to be printed only, and the rules read it" in linted.out


def test_each_value_of_an_erratum_is_played(playproof: Call, lamp: Path) -> None:
    """The effect is; the height beside it is read, and decides nothing."""
    with_height(lamp)
    edit(lamp / "rules.py", ("    copies = ", '    assert all(card.get("height") for card in cards)\n    copies = '))
    played = '  - {component: "06", path: effects.1.lose.light, from: 2, to: 1}\n'
    patch(lamp, UNREAD + played)
    told = errata(playproof)
    assert told.status == 2
    assert told.err.count("PP830") == 1
    assert "`height` of 06" in told.err
    assert "the rules read it, and nothing differs in play under any option or ruling" in told.err
    patch(lamp, "changes:\n" + played)
    assert errata(playproof).status == 0


def test_a_card_without_a_copy_is_out_of_the_game(playproof: Call, lamp: Path) -> None:
    patch(lamp, 'changes:\n  - {component: "04", path: count, to: 0}\n')
    game, before = load_game("lamp"), load_game("lamp", False)
    assert "04" in before.components
    assert "04" not in game.components
    assert [card.id for card in game.of_kind("path")] == ["01", "02", "03", "05", "06"]
    assert list(game.removed) == ["04"]
    assert digest(build("lamp", Options(), game)) != digest(build("lamp", Options(), before))
    assert "Fireflies" not in playproof("play", "lamp", stdin="\n").out


def test_what_names_a_card_that_left_is_refused(playproof: Call, lamp: Path) -> None:
    edit(
        lamp / "vocabulary.yaml",
        ("effects: effects", "effects: effects\n      to: {type: reference, kinds: [path], required: false}"),
    )
    edit(lamp / "paths.yaml", ('"01": {', '"01": {to: "04", '))
    patch(lamp, 'changes:\n  - {component: "04", path: count, to: 0}\n')
    told = errata(playproof)
    assert told.status == 2
    assert "PP833 01 names 04, which is no longer in the box" in told.err


def test_more_copies_are_played(playproof: Call, lamp: Path) -> None:
    patch(lamp, 'changes:\n  - {component: "04", path: count, to: 3}\n')
    bag = next(each for each in build("lamp").fields if each.name == "path_bag")
    assert list(bag.start) == [1, 1, 1, 3, 1, 1]


RULING = "rulings: {A1: {becomes: changes%s}}\n" + (
    'changes:\n  - {component: "06", path: effects.1.lose.light, from: 2, to: 1}\n'
)


def test_a_ruling_that_changes_is_in_force_or_refused(playproof: Call, lamp: Path) -> None:
    for given, found in ((RULING % "", "no `to`"), (RULING % ", to: dark", "`to: dark`")):
        patch(lamp, given)
        with pytest.raises(InputError, match=f"PP834 .* would stay `dark`: .* found {found}"):
            load_game("lamp")
    patch(lamp, RULING % ", to: glow")
    options = Options()
    game = build("lamp", options)
    assert options.read["A1"] == ("glow", "dark")
    assert game.setting == {"options": {}, "rulings": {}}
    published = load_game("lamp", False)
    assert published.rulings["A1"].default == "dark"
    assert load_game("lamp").rulings["A1"].default == "glow"
    assert "PP348" not in playproof("lint", "lamp").out


@pytest.mark.parametrize(
    "change",
    [
        "path: effects.0, from: {gain: {coin: 2}}, to: {gain: {coin: 3}}",
        'path: flavour, from: "He counts twice.", to: "He counts :gold: twice."',
    ],
)
def test_an_effect_or_icon_is_no_matter_of_words(playproof: Call, lamp: Path, change: str) -> None:
    changes = f'changes:\n  - {{component: "06", {change}}}\n'
    patch(lamp, changes, HEAD + "class: clarification\n")
    told = errata(playproof)
    assert told.status == 1
    assert "PP812 erratum 2 is called a clarification" in told.out
    assert "typo" not in told.out
    patch(lamp, changes)
    assert "2 (2026-11-29)" in errata(playproof).out
    assert '"class": "function"' in Path("output/lamp/errata/2/erratum.json").read_text("utf-8")


def test_a_mistake_in_the_rules_is_blamed_on_the_rules_once(playproof: Call, lamp: Path) -> None:
    patch(lamp, 'changes:\n  - {component: "04", path: count, to: 3}\n')
    edit(lamp / "rules.py", ("    copies = ", "    nonsense = coppies\n    copies = "))
    told = errata(playproof, "--jobs", "2")
    assert told.status == 2
    assert "fault of playproof" not in told.err
    assert told.err.count("coppies") == 1
    assert "lamp/rules.py" in told.err


def test_what_a_card_asks_for_is_in_the_box(playproof: Call, lamp: Path) -> None:
    edit(
        lamp / "vocabulary.yaml",
        ("coin: {", "coin: {supply: [5], "),
        (
            "effects: effects",
            "effects: effects\n      needs: {type: list, read_by: print, required: false,"
            " of: {type: term, group: goods}}",
        ),
    )
    edit(lamp / "paths.yaml", ('"06": {', '"06": {needs: [coin, coin], '))
    assert "PP835" not in playproof("lint", "lamp").out
    edit(lamp / "paths.yaml", ("He counts twice.", "He counts two coins."))
    six = ", ".join(["coin"] * 6)
    patch(lamp, f'changes:\n  - {{component: "06", path: needs, from: [coin, coin], to: [{six}]}}\n')
    told = errata(playproof)
    assert told.status == 1
    assert "PP835 `needs` of 06 asks for 6 Coins, and the box holds 5" in told.out
    assert "PP836 warning: `flavour` of 06 still says 2 Coins: `needs` is 6 now, and was 2" in told.out


def test_what_several_fields_ask_for_together_is_compared(playproof: Call, lamp: Path) -> None:
    asks = "{type: amounts, read_by: print, required: false, group: goods, max: 9}"
    edit(
        lamp / "vocabulary.yaml",
        ("coin: {", "coin: {supply: [5], "),
        ("effects: effects", f"effects: effects\n      first: {asks}\n      last: {asks}"),
    )
    edit(lamp / "paths.yaml", ('"06": {', '"06": {first: {coin: 3}, last: {coin: 3}, '))
    told = playproof("lint", "lamp")
    assert "PP835 warning: `first` and `last` of 06 ask for 6 Coins together, and the box holds 5" in told.out
    edit(lamp / "paths.yaml", ("first: {coin: 3}", "first: {coin: 2}"))
    assert "PP835" not in playproof("lint", "lamp").out
    edit(lamp / "vocabulary.yaml", ("group: goods, max: 3}", "group: goods, max: 3, gives: true}"))
    edit(lamp / "paths.yaml", ("gain: {coin: 3}", "gain: {light: 3}"))
    edit(lamp / "paths.yaml", ("last: {coin: 3}", "last: {coin: 5}"), ("first: {coin: 2}, ", ""))
    assert "PP835" not in playproof("lint", "lamp").out  # each of two others gives 2, and one 1


def test_how_much_there_is_of_a_term_is_played_or_refused(playproof: Call, lamp: Path) -> None:
    edit(lamp / "vocabulary.yaml", ("coin: {", "coin: {supply: [5], "))
    patch(lamp, "changes:\n  - {file: vocabulary, path: terms.goods.coin.supply, from: [5], to: [9]}\n")
    told = errata(playproof)
    assert told.status == 2
    assert "PP830" in told.err
    assert "`terms.goods.coin.supply.0` of vocabulary from 5 to 9, and this is not played" in told.err


@pytest.mark.parametrize(
    ("path", "was", "now"),
    [("supply", "[6]", "[5]"), ("limit", "[9]", "[9, 1]"), ("short", "true", "false"), ("store", "light", "coin")],
)
def test_an_amount_of_a_term_that_no_rule_reads_is_refused_beside_a_change_that_is_played(
    playproof: Call, lamp: Path, path: str, was: str, now: str
) -> None:
    """The other change of the erratum made play differ, and hid this one."""
    edit(lamp / "vocabulary.yaml", ("    coin: {", f"    coin: {{{path}: {was}, "))
    unread = f"{{file: vocabulary, path: terms.goods.coin.{path}, from: {was}, to: {now}}}"
    played = '{component: "06", path: effects.1, from: {lose: {light: 2}}, to: {lose: {light: 1}}}'
    patch(lamp, f"changes:\n  - {played}\n  - {unread}\n")
    told = errata(playproof)
    assert told.status == 2
    assert f"changes `terms.goods.coin.{path}" in told.err
    assert "this is not played: nothing differs in play" in told.err
    assert told.err.count("PP830") == 1


def test_an_option_of_a_ruling_that_the_rules_do_not_know_is_refused(playproof: Call, lamp: Path) -> None:
    """It would be printed as the answer, and the old one would be played."""
    option = 'changes:\n  - {file: rulebook, path: rulings.A1.options.dusk, to: "Maybe."}\n'
    patch(lamp, option + "rulings:\n  A1: {becomes: changes, to: dusk}\n")
    told = errata(playproof)
    assert told.status == 2
    assert "PP849 erratum 2 gives ruling A1 the option `dusk`" in told.err
    assert "the rules know only dark, glow" in told.err
    question = "changes:\n  - {file: rulebook, path: rulings.A2, to: {question: Is it dark?%s}}\n"
    patch(lamp, question % ", default: 'yes', options: {'yes': Yes., 'no': No.}")
    assert "`yes`, and this is not played: the rules never ask for A2" in errata(playproof).err
    patch(lamp, question % ", default: 'yes', options: {'yes': A little.}" + "rulings:\n  A2: {becomes: stays}\n")
    assert "stays: “A little”" in errata(playproof).out


def test_a_ruling_that_decides_nothing_is_refused(playproof: Call, lamp: Path) -> None:
    edit(lamp / "rules.py", ('["glow"]) == "glow"', '["glow"]) == "gloom"'))
    patch(lamp, RULING % ", to: glow")
    told = errata(playproof)
    assert told.status == 2
    assert "PP849 erratum 2 changes ruling A1 from `dark` to `glow`, and this is not played" in told.err


def test_a_value_that_leaves_its_bounds_in_play_is_said_without_a_proof_and_a_game(playproof: Call, lamp: Path) -> None:
    edit(lamp / "rules.py", ("min_of(s.coins + coins[card], MOST)", "s.coins + coins[card]"))
    edit(lamp / "vocabulary.yaml", ("group: goods, max: 3", "group: goods, max: 20"))
    patch(lamp, 'changes:\n  - {component: "06", path: effects.0.gain.coin, from: 2, to: 20}\n')
    told = errata(playproof)
    assert told.status == 1
    assert "PP310 `coins` holds 0..12, the rule gives 2" in told.out


def test_a_bound_that_few_games_leave_is_said_too(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some 150 steps of random play do not come there; one in 20 games does. Compiled games would play on."""
    for folder in ("cards", "layouts"):
        copytree(Path(__file__).parents[2] / folder / "eurydice", tmp_path / folder / "below", symlinks=False)
    rmtree(tmp_path / "cards" / "below" / "errata")
    (tmp_path / "cards" / "below" / "errata").mkdir()
    change = "changes:\n  - {file: game, path: numbers.spade_brings, from: 3, to: -1}\n"
    patch(tmp_path / "cards" / "below", change)
    monkeypatch.chdir(tmp_path)
    told = playproof("errata", "cards/below", "--no-proof", "--games", "0")
    assert told.status == 1
    assert "PP310 `bag` holds 0..13, the rule gives -1 (in a random game)" in told.out
    told = playproof("compare", "cards/below:erratum=none", "cards/below:erratum=2", "--games", "500")
    assert told.status == 2
    assert "PP310 cards/below:erratum=2: `bag` holds 0..13, the rule gives -1" in told.err


def test_a_card_that_left_has_a_history_and_the_list_is_told_its_path(playproof: Call, lamp: Path) -> None:
    patch(lamp, 'changes:\n  - {component: "03", path: count, from: 1, to: 0}\n')
    told = playproof("errata", "card", "lamp", "03", "--history")
    assert told.status == 0
    assert "This card leaves the game." in told.out
    path = "file: game, path: components.0.numbers, from: [01-06], to: [01-02, 04-06]"
    assert path in errata(playproof).out


def test_what_cannot_be_drawn_is_said_before_anything_is_proved(
    playproof: Call, lamp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table of the layout has no row for a new card."""
    layout = lamp / "layouts" / "path.yaml"
    tables = "tables:\n  mark: {" + ", ".join(f'"0{n}": moon' for n in range(1, 10)) + "}\n\nstyles:"
    edit(layout, ("styles:", tables), ("- {icon: lantern,", '- {icon: "{tables.mark[id]}",'))
    edit(layout, ('- {text: "{id}",', '- {text: "{tables.mark[id]}",'))
    new = "to: {title: A Lamp, flavour: Bright., effects: [{gain: {light: 1}}], source: mine, rules: [R1]}"
    patch(lamp, f'changes:\n  - {{component: "99", kind: path, {new}}}\n')

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a claim was asked first")

    monkeypatch.setattr("playproof.errata.claims.compare_claim_answers_in_two_versions", refuse)
    told = playproof("errata", "lamp")
    assert told.status == 2
    assert "layouts/path.yaml" in told.err
    assert "`tables.mark` has no '99'" in told.err
