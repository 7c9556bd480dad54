"""Bots that others bring: by module and class, declared by a package, and OpenSpiel's."""

import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from playproof.referee import Variant
from playproof.referee.bots import BotError, base, load_builtin_or_user_bot, make_bot
from playproof.referee.simulate import replay, simulate

HOWTO = Path(__file__).resolve().parents[2] / "docs" / "howto" / "bots.md"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder to work in, and nothing kept of what is loaded from it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name in ("careful", "wrong"):
        sys.modules.pop(name, None)


def example() -> str:
    """The bot in the how-to."""
    return HOWTO.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]


def test_the_documented_bot_plays(here: Path) -> None:
    (here / "careful.py").write_text(example(), encoding="utf-8")
    assert len([line for line in example().splitlines() if line.strip()]) <= 20
    variant = Variant("kuhn_poker")
    result = simulate(variant, 40, ["careful:Careful", "random"], seed=1, jobs=1)
    assert result.bots == ("careful:Careful", "random")
    assert result.tally.games == 40
    match = replay(variant, result.bots, 1, 3)
    assert match.over


def test_it_plays_in_other_processes_too(here: Path) -> None:
    (here / "careful.py").write_text(example(), encoding="utf-8")
    one = simulate(Variant("kuhn_poker"), 12, ["careful:Careful", "random"], seed=1, jobs=1)
    two = simulate(Variant("kuhn_poker"), 12, ["careful:Careful", "random"], seed=1, jobs=2)
    assert one.tally.endings == two.tally.endings
    assert one.tally.returns == two.tally.returns


WRONG = """
class Illegal:
    def choose(self, sight, stream):
        return -7

class Mute:
    pass

class Broken:
    def __init__(self):
        raise ZeroDivisionError("oh")
"""


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("wrong:Nobody", "`wrong` has no `Nobody`"),
        ("wrong:Mute", "has no `choose"),
        ("wrong:Broken", "ZeroDivisionError: oh"),
        ("nowhere_at_all:Bot", "no module `nowhere_at_all`"),
    ],
)
def test_what_is_wrong_with_a_bot_is_said(here: Path, spec: str, message: str) -> None:
    (here / "wrong.py").write_text(WRONG, encoding="utf-8")
    with pytest.raises(BotError, match=message):
        load_builtin_or_user_bot(spec)


def test_an_illegal_choice_is_refused(here: Path) -> None:
    (here / "wrong.py").write_text(WRONG, encoding="utf-8")
    with pytest.raises(BotError, match="chose -7, which is not legal"):
        simulate(Variant("tic_tac_toe"), 1, ["wrong:Illegal"], jobs=1)


def test_a_name_from_outside_loads_no_code(here: Path) -> None:
    """A transcript or a web page may name a bot; that must not run a file that lies about."""
    (here / "wrong.py").write_text("raise SystemExit(9)", encoding="utf-8")
    with pytest.raises(BotError, match="there is no bot"):
        make_bot("wrong:Illegal")


def test_a_package_may_declare_bots(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "careful.py").write_text(example(), encoding="utf-8")
    monkeypatch.syspath_prepend(here)
    declared = EntryPoint("steady", "careful:Careful", base.GROUP)
    monkeypatch.setattr(
        base, "entry_points", lambda *, group, name: [declared] if (group, name) == (base.GROUP, "steady") else []
    )
    assert make_bot("steady").name == "steady"
    assert simulate(Variant("kuhn_poker"), 4, ["steady"], jobs=1).tally.games == 4


@pytest.mark.parametrize("bot", ["openspiel:uniform_random", "openspiel:mcts20"])
@pytest.mark.parametrize("game", ["tic_tac_toe", "kuhn_poker"])
def test_openspiels_bots_take_a_seat(bot: str, game: str) -> None:
    pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")
    runs = [simulate(Variant(game), 3, [bot, "random"], seed=2, jobs=1).tally for _ in range(2)]
    assert runs[0].games == 3
    assert runs[0].endings == runs[1].endings
    assert runs[0].returns == runs[1].returns


def test_an_openspiel_bot_that_is_not_there() -> None:
    pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")
    with pytest.raises(BotError, match="OpenSpiel has no bot `genius`"):
        make_bot("openspiel:genius")
