"""Typical mistakes of somebody writing a first game: each is told with its place, a code and the nearest fix."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from playproof.language import Game, RulesError
from playproof.language.errors import RENAMED
from playproof.language.game_analysis import find_unreached_phases
from playproof.language.options import OptionError, Options
from playproof.language.registry import build

RULES = '''"""Draw lots: pay, draw, and win with three."""

from playproof.language import CHANCE, Game, goto, otherwise, require, sum_of, weight, when, win


def build(options):
    g = Game("lots", players=2)
    s = g.state
    g.integer("turn", 0, 1)
    g.array("gold", 2, 0, 5, 5)
    g.array("lots", 2, 0, 3)
    g.quantity("gold", s.gold[0])
    g.fact(ends_within=40, round="gold")
    pay = g.phase("pay", s.turn)
    lot = g.phase("lot", CHANCE)

    @g.action(pay, "pay {price}", price=range(1, 3))
    def paying(price):
        require(s.gold[s.turn] >= price, "L1", "it costs {}", price)
        s.gold[s.turn] -= price
        goto(lot)

    @g.action(pay)
    def rest():
        s.turn = 1 - s.turn

    @g.action(lot, "a lot of {worth}", worth=2)
    def drawn(worth):
        weight(1 + worth)
        s.lots[s.turn] += worth
        with when(s.lots[s.turn] == 3):
            win("three lots", winner=s.turn)
        with otherwise():
            s.turn = 1 - s.turn
        goto(pay)

    return g
'''
MISTAKES = {
    "a misspelt field": ("s.lots[s.turn] += worth", "s.lost[s.turn] += worth", "PP320", 'did you mean "lots"?'),
    "a misspelt phase": ("goto(lot)", "goto(lott)", "PP808", 'did you mean "lot"?'),
    "a phase as text": ("goto(lot)", 'goto("lot")', "PP304", "what `g.phase(...)`"),
    "a value that cannot fit": ("5, 5)", "5, 6)", "PP323", ""),
    "an assignment that cannot fit": ("s.turn = 1 - s.turn\n\n", "s.turn = 2\n\n", "PP315", "widen"),
    "a weight for a player": ('@g.action(lot, "a lot', '@g.action(pay, "a lot', "PP337", ""),
    "two actions of one name": ("def rest", "def paying", "PP322", "another name"),
    "two phases of one name": ('phase("lot"', 'phase("pay"', "PP322", "another name"),
    "an if on the state": ("with when(s.lots[s.turn] == 3):", "if s.lots[s.turn] == 3:", "PP302", "with when"),
    "and": ("s.lots[s.turn] == 3", "s.lots[s.turn] == 3 and s.turn == 0", "PP302", "parentheses"),
    "a chained comparison": ("s.lots[s.turn] == 3", "2 < s.lots[s.turn] < 4", "PP302", "parentheses"),
    "any": ("s.lots[s.turn] == 3", "any(s.lots[i] == 3 for i in range(2))", "PP302", "any_of"),
    "a forgotten keep": (
        "        s.lots[s.turn] += worth\n        with when(s.lots[s.turn] == 3)",
        "        had = s.lots[s.turn]\n        s.lots[s.turn] += worth\n        with when(had == 2)",
        "PP313",
        "keep",
    ),
    "a loop over the state": ("s.lots[s.turn] == 3", "sum_of(s.turn, lambda i: i) == 3", "PP308", "loop over all"),
    "a sum of one value": ("s.lots[s.turn] == 3", "sum_of(s.lots[s.turn]) == 3", "PP355", "lambda i"),
    "a word not imported": ("s.turn = 1 - s.turn\n\n", "s.turn = max_of(0, 1)\n\n", "PP808", "import max_of"),
    "an old word": ("s.turn = 1 - s.turn\n\n", "s.turn = largest(0, 1)\n\n", "PP808", "from playproof import max_of"),
    "an old way to make a phase": ('g.phase("pay"', 'g.stage("pay"', "PP808", "mistake in the Python"),
    "a fraction": ("1 - s.turn\n\n", "s.turn / 2\n\n", "PP307", "//"),
    "another parameter": ("def paying(price)", "def paying(cost)", "PP339", "same names"),
    "another name in the text": ("pay {price}", "pay {prise}", "PP339", 'did you mean "price"?'),
    "a sentence without its value": ('{}", price)', '{}")', "PP339", "{}"),
    "a misspelt fact": ("ends_within", "ends_witin", "PP338", 'did you mean "ends_within"?'),
    "a round that is no quantity": ('round="gold"', 'round="glod"', "PP338", 'did you mean "gold"?'),
    "a misspelt field in a fact": ('round="gold"', 'hidden=["turnn"]', "PP338", 'did you mean "turn"?'),
    "a win by nobody": (", winner=s.turn", "", "PP344", "winner=seat"),
    "a seat too many": ('g.integer("turn", 0, 1)', 'g.integer("turn", 0, 2)', "PP336", "players=N"),
    "a misspelt word": ("CHANCE, Game", "CHANC, Game", "PP808", ""),
    "a colon left out": ("def rest():", "def rest()", "PP808", ""),
    "a game not returned": ("    return g\n", "", "PP346", "return g"),
}


def written(folder: Path, old: str, new: str) -> Path:
    """A folder with the rules, and one mistake in them."""
    assert old in RULES
    (folder / "rules.py").write_text(RULES.replace(old, new, 1), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_told_with_place_and_fix(name: str, tmp_path: Path) -> None:
    old, new, code, hint = MISTAKES[name]
    folder = written(tmp_path, old, new)
    with pytest.raises(RulesError) as caught:
        build(str(folder))
    error = caught.value
    assert (error.code, error.place.file) == (code, str(folder / "rules.py"))
    assert hint in error.hint
    assert error.place.line > 0


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a misspelt field", "s.lost"),
        ("a misspelt phase", "lott"),
        ("an if on the state", "s.lots[s.turn] == 3"),
        ("a fraction", "s.turn / 2"),
        ("a sentence without its value", "require("),
        ("a colon left out", ""),
    ],
)
def test_the_place_is_the_column_of_the_mistake(name: str, shown: str, tmp_path: Path) -> None:
    old, new, *_ = MISTAKES[name]
    folder = written(tmp_path, old, new)
    with pytest.raises(RulesError) as caught:
        build(str(folder))
    place = caught.value.place
    line = (folder / "rules.py").read_text(encoding="utf-8").splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith(shown)
    assert str(place) == f"{place.file}:{place.line}:{place.column}"


def test_the_mistakes_of_all_bodies_are_told_at_once(tmp_path: Path) -> None:
    text = RULES.replace("goto(lot)", "goto(lott)").replace("+= worth", "+= wurth")
    text = text.replace("s.turn = 1 -", "s.tern = 1 -")
    (tmp_path / "rules.py").write_text(text, encoding="utf-8")
    with pytest.raises(RulesError) as caught:
        build(str(tmp_path))
    assert [(e.code, e.place.line) for e in caught.value.all] == [("PP808", 21), ("PP320", 25), ("PP808", 30)]


def test_without_a_mistake_the_game_is_built(tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text(RULES, encoding="utf-8")
    assert build(str(tmp_path)).ground == 5


def test_a_missing_goto_leaves_a_phase_that_is_never_reached(tmp_path: Path) -> None:
    game = build(str(written(tmp_path, "        goto(lot)\n", "")))
    assert [phase.name for phase in find_unreached_phases(game)] == ["lot"]


@pytest.mark.parametrize("module", ["playproof", "playproof.language"])
@pytest.mark.parametrize("old", RENAMED)
def test_an_old_word_names_the_new_one(module: str, old: str) -> None:
    with pytest.raises(ImportError, match=f"`{old}` is called `{RENAMED[old]}` now"):
        getattr(import_module(module), old)
    assert hasattr(import_module(module), RENAMED[old])


def test_the_old_way_to_make_a_phase_names_the_new_one() -> None:
    with pytest.raises(AttributeError, match="it is called `phase` now"):
        Game("lots").stage("pay")


@pytest.mark.parametrize("heaps", ["3-x", "3--4", "0-2", "03-4", "3-4-5-", "1000", "\u0663"])
def test_an_option_of_numbers_is_refused_with_one_that_fits(heaps: str) -> None:
    with pytest.raises(OptionError, match="expected numbers from 1 to 999, joined as in 3-4-5"):
        build("nim", Options({"heaps": heaps}))


def test_an_option_of_numbers_may_want_so_many() -> None:
    assert Options({"heaps": "7-9"}).numbers("heaps", range(1, 10), (1, 2), count=2) == (7, 9)
    with pytest.raises(OptionError, match="expected 2 numbers from 1 to 9, joined as in 1-2"):
        Options({"heaps": "7"}).numbers("heaps", range(1, 10), (1, 2), count=2)
