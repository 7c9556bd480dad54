"""The card of Tabletop Simulator that asks for a newer version: its Lua runs here, against the program's documented
functions as a table of Python."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from lupa import lua52  # the program's MoonSharp reads Lua 5.2

from playproof.generator.exports import tabletop_simulator
from playproof.generator.exports.virtual_table import Deck, VirtualTable
from playproof.generator.sheets.pieces import Piece
from tests.sheets.makers import BLUE, GREEN, RED, face

BASE = "https://example.org/x"
OTHER = (404, '{"version": "1", "objects": []}')


def decoded(made: Any, text: str) -> Any:
    value = json.loads(text)
    return made(value) if isinstance(value, dict) else value


def published(folder: Path, colour: Any = RED) -> tuple[dict[str, Any], str]:
    """The saved card that asks, and what its address answers."""
    cards = tuple(Piece(f"Card {n}", face(f"{n}", colour), face("back", BLUE)) for n in range(3))
    path = tabletop_simulator.write_tabletop_simulator_files(
        VirtualTable("A g\u00e4me", (Deck("Events", cards),)), folder, BASE
    )
    return json.loads(path.read_text("utf-8"))["ObjectStates"][-1], (folder / "newest.json").read_text("utf-8")


@dataclass
class Thing:
    """An object on the table."""

    tags: tuple[str, ...] = ()
    cards: tuple[tuple[str, ...], ...] = ()
    gone: bool = False


@dataclass
class Table:
    """The program's functions that the script calls. `answer` is what the address gives: a status and a text."""

    answer: tuple[int, str]
    things: list[Thing] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    buttons: list[dict[str, Any]] = field(default_factory=list)
    spawned: list[dict[str, Any]] = field(default_factory=list)

    def load(self, card: dict[str, Any]) -> Any:
        """Load the card as the program does, and return the Lua world."""
        lua = lua52.LuaRuntime(unpack_returned_tuples=True)
        made = lambda value: lua.table_from(value, recursive=True)  # noqa: E731
        own = Thing()
        handles = [(own, self._handle(made, own)), *((t, self._handle(made, t)) for t in self.things)]
        self.things.append(own)
        status, text = self.answer

        def get(address: str, use: Any) -> None:
            self.asked.append(address)
            use(made({"is_error": status == 0, "response_code": status, "text": text}))

        world = lua.globals()
        world.self = handles[0][1]
        world.self.createButton = lambda button: self.buttons.append(dict(button))
        world.WebRequest = made({"get": get})
        plain = lambda table: dict(table)  # noqa: E731
        world.JSON = made({"decode": lambda t: decoded(made, t), "encode": lambda t: json.dumps(plain(t))})
        world.print = world.broadcastToAll = self.told.append
        world.getObjects = lambda: made([handle for thing, handle in handles if not thing.gone])
        world.spawnObjectJSON = lambda given: self.spawned.append(json.loads(given["json"]))
        lua.execute(card["LuaScript"])
        world.onLoad(card["LuaScriptState"])
        return world

    @staticmethod
    def _handle(made: Any, thing: Thing) -> Any:
        return made(
            {
                "type": "Deck" if thing.cards else "Card",
                "hasTag": lambda tag: tag in thing.tags,
                "getObjects": lambda: made([{"tags": list(tags)} for tags in thing.cards]),
                "destruct": lambda: setattr(thing, "gone", True),
            }
        )


def test_a_newer_version_is_laid_out_by_a_click_and_asks_again(tmp_path: Path) -> None:
    card, _ = published(tmp_path / "old")
    newer, answer = published(tmp_path / "new", GREEN)
    tag = tuple(card["Tags"])
    assert all(
        inner["Tags"] == card["Tags"] for inner in json.loads(json.loads(answer)["objects"][0])["ContainedObjects"]
    )
    own, theirs = [Thing(tag), Thing(cards=(tag, tag))], [Thing(), Thing(cards=(tag, ()))]
    table = Table((200, answer), [*own, *theirs])
    world = table.load(card)
    assert table.asked == [f"{BASE}/newest.json"]
    assert len(table.told) == len(table.buttons) == 1
    assert not table.spawned  # not before a player wants it
    world[table.buttons[0]["click_function"]]()
    assert [thing.gone for thing in table.things] == [True, True, False, False, True]
    assert table.spawned[-1] == newer
    assert table.spawned[0]["CustomDeck"]["1"]["FaceURL"].startswith(f"{BASE}/events-1-fronts.png?v=")
    again = Table((200, answer))
    again.load(table.spawned[-1])  # the new card knows that it is the newest
    assert not again.buttons + again.told


@pytest.mark.parametrize(
    "answer", [(200, None), (404, "Not Found"), (0, ""), (200, "<html>"), (200, "{}"), OTHER, (200, "7")]
)
def test_without_a_newer_version_nothing_happens(answer: tuple[int, str | None], tmp_path: Path) -> None:
    card, same = published(tmp_path)
    status, text = answer
    table = Table((status, same if text is None else text))
    world = table.load(card)
    assert not table.buttons
    assert len(table.told) == (text is not None)
    assert json.loads(world.onSave()) == json.loads(card["LuaScriptState"])


def test_a_changed_picture_has_another_address_and_an_unchanged_one_has_not(tmp_path: Path) -> None:
    """The program keeps what it got from an address, so the same address would show the old picture."""
    first, second = (
        json.loads(json.loads(published(tmp_path / name, colour)[1])["objects"][0])["CustomDeck"]["1"]
        for name, colour in (("old", RED), ("new", GREEN))
    )
    assert first["FaceURL"] != second["FaceURL"]
    assert first["BackURL"] == second["BackURL"]


def test_a_table_of_this_machine_asks_nobody(tmp_path: Path) -> None:
    deck = Deck("Events", (Piece("Card", face("1", RED), face("back", BLUE), 2),))
    path = tabletop_simulator.write_tabletop_simulator_files(VirtualTable("T", (deck,)), tmp_path)
    assert "Lua" not in path.read_text()
    assert not (tmp_path / "newest.json").exists()
