"""The whole way from a workbook to print, as a person who has only a spreadsheet goes it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
import xlsxwriter

from playproof.database.spreadsheets import read_visible_worksheets
from playproof.generator.build.run import Builder, call_on_built_now_and_after_changes
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.sheets import read_printer_offsets_or_empty

Call = Callable[..., Any]


def rewrite(book: Path, changes: dict[tuple[str, str], str]) -> None:
    """Change cells of a workbook's only sheet, by id and heading; an unknown id is a new row."""
    [table] = read_visible_worksheets(book)
    rows = [list(row) for row in table.rows]
    for (ident, heading), text in changes.items():
        if ident not in [row[0] for row in rows]:
            rows.append([ident, *[""] * (len(rows[0]) - 1)])
        [row] = [row for row in rows if row[0] == ident]
        row[rows[0].index(heading)] = text
    with xlsxwriter.Workbook(book) as file:
        page = file.add_worksheet(table.name)
        for number, row in enumerate(rows):
            page.write_row(number, 0, row)


def test_a_game_to_a_workbook_and_back_to_print(playproof: Call, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    cards, book = tmp_path / "lamp_walk" / "paths.yaml", tmp_path / "cards.xlsx"
    before = cards.read_text("utf-8")
    assert playproof("sheet", "export", "lamp_walk", "cards.xlsx").out == "made     cards.xlsx\n"
    assert playproof("sheet", "import", "lamp_walk", "cards.xlsx").out == "nothing differs\n"
    assert cards.read_text("utf-8") == before

    rewrite(book, {("03", "title"): "The New: Well", ("03", "effects"): "gain: {coin: 2}"})
    new = {"title": "A Pond", "flavour": "Deep.", "effects": "gain: {coin: 1}; lose: {light: 1}"}
    rewrite(book, {("07", heading): text for heading, text in new.items()})
    asked = json.loads(playproof("sheet", "import", "lamp_walk", "cards.xlsx", "--check", "--json").out)
    assert (asked, cards.read_text("utf-8")) == (
        {"ok": True, "findings": [], "changed": ["lamp_walk/paths.yaml"], "written": False},
        before,
    )
    assert playproof("sheet", "import", "lamp_walk", "cards.xlsx").status == 0
    lines, old = cards.read_text("utf-8").splitlines(), before.splitlines()
    assert [line for line in old if line not in lines] == [old[7]]
    assert [line for line in lines if line not in old] == [
        '  "03": {title: "The New: Well", flavour: "Wishes, mostly.", effects: [{gain: {coin: 2}}]}',
        '  "07": {title: A Pond, flavour: Deep., effects: [{gain: {coin: 1}}, {lose: {light: 1}}]}',
    ]
    built = playproof("build", "lamp_walk", "--paper", "A4", "--json")
    assert json.loads(built.out)["files"][0]["cards"] == 7

    after = cards.read_text("utf-8")
    rewrite(book, {("02", "effects"): "gian: {coin: 1}", ("04", "title"): "Changed Too"})
    refused = playproof("sheet", "import", "lamp_walk", "cards.xlsx")
    assert refused.status == 2
    assert "cards.xlsx, sheet paths, row 3, column D: PP207 path 02: there is no effect" in refused.err
    assert cards.read_text("utf-8") == after


def test_a_sheet_and_a_layout_make_a_pdf(playproof: Call, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    layout = tmp_path / "lamp_walk" / "layouts" / "path.yaml"
    folder = tmp_path / "deck"
    (folder / "layouts").mkdir(parents=True)
    text = layout.read_text("utf-8").replace("kind: path", "kind: card").replace("{join(effects, ', ')}", "{cost}")
    (folder / "layouts" / "card.yaml").write_text(text, "utf-8")
    (folder / "cards.csv").write_text("Title;Flavour;Cost\nA Pond;Deep.;3\nA Hill;High.;2\n", "utf-8")
    assert playproof("lint", "deck").out == "no errors in deck\n"
    [made] = json.loads(playproof("build", "deck", "--paper", "A4", "--json").out)["files"]
    assert (made["cards"], Path(made["path"]).stat().st_size > 1000) == (2, True)


def test_an_empty_sheet_is_a_finding(playproof: Call, tmp_path: Path) -> None:
    """A program that saves a sheet may empty it first, and whoever watches sees that."""
    (tmp_path / "deck" / "layouts").mkdir(parents=True)
    (tmp_path / "deck" / "layouts" / "card.yaml").write_text("kind: card\nsize: poker\n", "utf-8")
    (tmp_path / "deck" / "cards.csv").write_text("", "utf-8")
    answer = playproof("lint", tmp_path / "deck")
    assert (answer.status, "cards.csv, row 1, column A: PP261" in answer.out + answer.err) == (2, True)


def test_a_build_follows_the_sheet(tmp_path: Path) -> None:
    folder = tmp_path / "deck"
    (folder / "layouts").mkdir(parents=True)
    layout = "kind: card\nsize: poker\nbleed: 3\nfront:\n  elements:\n    - {shape: rect, box: trim, fill: '#123456'}\n"
    (folder / "layouts" / "card.yaml").write_text(layout, "utf-8")
    sheet = folder / "cards.csv"
    sheet.write_text("id,title\na,A\n", "utf-8")
    built, wrong, stop = list[tuple[str, ...]](), list[str](), threading.Event()

    def start() -> Builder:
        from playproof.database.game import load_game

        game = load_game(folder)
        return Builder(game, tmp_path / "out", looks=LayoutRenderer(game), printer=read_printer_offsets_or_empty())

    def note(builder: Builder) -> None:
        built.append(tuple(builder.press.game.components))

    thread = threading.Thread(
        target=call_on_built_now_and_after_changes,
        args=(start, note, lambda error: wrong.append(str(error)), stop),
        daemon=True,
    )
    thread.start()
    try:
        for text, happened in (
            ("id,title\na,A\nb,B\n", lambda: built[-1:] == [("a", "b")]),
            ("id,title\na,A\na,B\n", lambda: any("row 3, column A: PP209" in text for text in wrong)),
        ):
            begun, written = monotonic(), 0
            while not happened() and monotonic() - begun < 60:
                # Written again, if a busy machine began to watch after the first time.
                if monotonic() - begun >= 4 * written:
                    sheet.write_text(text, "utf-8")
                    written += 1
                sleep(0.1)
            assert happened()
    finally:
        stop.set()
        thread.join(10)


def test_a_wrong_target_is_refused(playproof: Call, tmp_path: Path) -> None:
    answer = playproof("sheet", "export", "eila", tmp_path / "cards.pdf")
    assert (answer.status, "ends in .xlsx, or a folder" in answer.err) == (2, True)
    assert playproof("sheet", "import", "eila", tmp_path / "none.xlsx").status == 2


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_a_folder_of_text_files(playproof: Call, tmp_path: Path, form: str) -> None:
    answer = playproof("sheet", "export", "opale", tmp_path / "out", "--format", form)
    assert len(answer.out.splitlines()) == 7
    assert playproof("sheet", "import", "opale", tmp_path / "out").out == "nothing differs\n"
