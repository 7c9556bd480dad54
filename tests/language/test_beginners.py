"""Beginners' mistakes in rules.py, planted one at a time: each is named once, at the designer's own line, with
the nearest fix. None is silent."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from playproof.database.installation import CARDS, EXAMPLES as EXAMPLE_FILES
from playproof.language import RulesError
from playproof.language.registry import build, list_example_game_names
from playproof.language.untraced_python import find_errors_of_ineffective_python
from playproof.linting.rules import collect_findings_on_rules_without_cards, iter_doubtful_rule_findings

HERE = Path(__file__).parent
MARKET = (HERE / "market_rules.txt").read_text(encoding="utf-8")


class Planted(NamedTuple):
    """A mistake: what stands in the market's rules, what a beginner writes, and the answer: its code, how the
    line begins at its column, and how the fix begins or what it has."""

    name: str
    old: str
    new: str
    code: str
    at: str
    fix: str


def listed(name: str) -> list[tuple[str, Planted]]:
    """The mistakes of a list, one a line, each with the rules that it is planted in; `⏎` ends a line of rules."""
    rows = []
    for line in (HERE / name).read_text(encoding="utf-8").splitlines():
        rules, code, title, *words = line.split(" ¦ ")
        old, new, at, fix = (word.replace("⏎", "\n") for word in words)
        rows.append((rules, Planted(title, old, new, code, at, fix)))
    return rows


# Those of many lines stand here; the others in the two lists.
LONG = [
    Planted(
        "require in another order",
        'require(stall.size > 0, "M1", "the stall is empty")',
        'require("M1", stall.size > 0, "the stall is empty")',
        "PP304",
        'require("M1",',
        'write require(condition, "R1", "the',
    ),
    Planted(
        "when without with",
        "        with when(stall.size < 4):\n            stall.put(good)\n",
        "        when(stall.size < 4)\n        stall.put(good)\n",
        "PP363",
        "when(stall.size < 4)",
        "write `with when(...):`",
    ),
    Planted(
        "requirement after effect",
        '        goto(night)\n\n    @g.action(trade, "pass"',
        '        require(s.open, "M1", "closed")\n        goto(night)\n\n    @g.action(trade, "pass"',
        "PP318",
        'require(s.open, "M1",',
        "state all requirements first",
    ),
    Planted(
        "requirement in an automatic phase",
        "        s.days += 1\n",
        '        require(s.days < 6, "M1", "over")\n        s.days += 1\n',
        "PP334",
        "require(s.days < 6,",
        "write it in the action; for a choice of",
    ),
    Planted(
        "old value",
        "        s.purse[seat] -= price[stall.top()]\n",
        "        had = s.purse[seat]\n        s.purse[seat] -= 1\n        s.purse[seat] = had\n",
        "PP313",
        "s.purse[seat] = had",
        "name it before with `old = keep(...)`, or",
    ),
    Planted(
        "match",
        "        with when(stall.size < 4):\n            stall.put(good)\n",
        "        match stall.size:\n            case 0:\n                stall.put(good)\n",
        "PP302",
        "0:",
        "write `with when(...):` for a choice,",
    ),
    Planted(
        "otherwise first",
        "        with when(s.open & (s.weather == 1)):\n            s.open = False\n",
        "        with otherwise():\n            s.open = False\n",
        "PP316",
        "with otherwise():",
        "nothing may stand between them, no `keep`",
    ),
    Planted(
        "statement between",
        "        with otherwise():\n            goto(fill)",
        "        s.open = True\n        with otherwise():\n            goto(fill)",
        "PP316",
        "with otherwise():",
        "nothing may stand between them, no `keep`",
    ),
]
LEADS_NOWHERE = Planted(
    "an automatic phase that leads nowhere",
    """        store.put(good)
        goto(night)

    @g.on(night)
    def sleep() -> None:
        s.turn = 1 - s.turn
        s.days += 1
        s.weather = pick(s.days > 3, 1, 0)
        with when((s.days == 6) | (store.size() == 0)):
            score("the market closes")
        with otherwise():
            goto(fill)
""",
    """        store.put(good)
        with when((s.days == 6) | (store.size() == 0)):
            score("the market closes")
        with otherwise():
            goto(night)

    @g.on(night)
    def sleep() -> None:
        s.turn = 1 - s.turn
        s.days += 1
        s.weather = pick(s.days > 3, 1, 0)
""",
    "PP372",
    "g.automatic(",
    "end it with goto(...)",
)
REFUSED = [*listed("beginners_refused.txt"), *(("market", mistake) for mistake in LONG)]
DOUBTFUL = [*listed("beginners_doubtful.txt"), ("market", LEADS_NOWHERE)]


def rules_in(folder: Path, text: str) -> Path:
    """A folder with these rules."""
    (folder / "rules.py").write_text(text, encoding="utf-8")
    return folder


def planted(rules: str, mistake: Planted) -> str:
    """The rules with the mistake in them."""
    text = MARKET if rules == "market" else (EXAMPLE_FILES / f"{rules}.py").read_text(encoding="utf-8")
    assert mistake.old in text
    return text.replace(mistake.old, mistake.new, 1)


def refused(folder: Path, mistake: Planted) -> None:
    """Check the answer to the rules in this folder."""
    with pytest.raises(RulesError) as caught:
        build(str(folder))
    error = caught.value
    assert [(each.code, each.place.file) for each in error.all] == [(mistake.code, str(folder / "rules.py"))]
    line = (folder / "rules.py").read_text(encoding="utf-8").splitlines()[error.place.line - 1]
    assert error.place.column > 0
    assert line[error.place.column - 1 :].startswith(mistake.at)
    assert mistake.fix in error.hint
    assert "object at 0x" not in str(error), "a name of Python's is no answer"


@pytest.mark.parametrize(("rules", "mistake"), REFUSED, ids=lambda value: getattr(value, "name", value))
def test_a_mistake_is_named_once_at_its_line(rules: str, mistake: Planted, tmp_path: Path) -> None:
    refused(rules_in(tmp_path, planted(rules, mistake)), mistake)


@pytest.mark.parametrize(("rules", "mistake"), DOUBTFUL, ids=lambda value: getattr(value, "name", value))
def test_lint_names_doubtful_rules_once(rules: str, mistake: Planted, tmp_path: Path) -> None:
    doubted(rules_in(tmp_path, planted(rules, mistake)), mistake)


def doubted(folder: Path, mistake: Planted) -> None:
    """Check what lint says of the rules in this folder."""
    (finding,) = collect_findings_on_rules_without_cards(str(folder))
    line = (folder / "rules.py").read_text(encoding="utf-8").splitlines()[finding.where.line - 1]
    assert finding.code == mistake.code
    assert line[finding.where.column - 1 :].startswith(mistake.at)
    assert mistake.fix in finding.hint


def test_a_name_that_hides_a_word_is_named_at_each_use(tmp_path: Path) -> None:
    text = MARKET.replace('    g.flag("open", True)', '    when = g.flag("open", True)')
    with pytest.raises(RulesError) as caught:
        build(str(rules_in(tmp_path, text)))
    assert [each.place.line for each in caught.value.all] == [
        number for number, line in enumerate(text.splitlines(), 1) if "with when(" in line
    ]
    assert all("hides the language's word" in each.hint for each in caught.value.all)


def test_what_the_trace_refuses_and_what_it_cannot_see_come_together(tmp_path: Path) -> None:
    text = MARKET.replace("s.days += 1", "s.dayz += 1").replace("        stall.take()\n", "        stall.take\n")
    with pytest.raises(RulesError) as caught:
        build(str(rules_in(tmp_path, text)))
    assert [each.code for each in caught.value.all] == ["PP363", "PP320"]


def test_rules_without_a_mistake_are_clean(tmp_path: Path) -> None:
    assert collect_findings_on_rules_without_cards(str(rules_in(tmp_path, MARKET))) == []
    assert {name: collect_findings_on_rules_without_cards(name) for name in list_example_game_names()} == {
        name: [] for name in list_example_game_names()
    }
    files = [*EXAMPLE_FILES.glob("*.py"), *CARDS.glob("*/rules/*.py")]
    assert len(files) > 60
    assert find_errors_of_ineffective_python(files) == []


@pytest.mark.parametrize("game", ["eila", "eurydice", "olith", "opale"])
def test_the_bundled_games_have_no_doubtful_rules(game: str) -> None:
    assert [*iter_doubtful_rule_findings(build(game))] == []


def test_a_handle_shows_itself_to_a_debugger(tmp_path: Path) -> None:
    game = build("tic_tac_toe")
    assert "Array object" in repr(game.handles["board"])
    with pytest.raises(RulesError, match="PP361"):
        str(game.state.turn)
