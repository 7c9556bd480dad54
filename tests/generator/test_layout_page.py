"""The reference page and the schema agree with the code, and every example on the page works."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from playproof.database.game import load_game
from playproof.generator.codes import LAYOUT_CODES, SHEET_CODES as sheet_codes
from playproof.generator.layout import expression
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.layout.model import ELEMENTS, SIZES, build_layout_json_schema
from playproof.generator.layout.views import ComponentViewer
from tests.generator.layout_tables import reference_tables
from tests.generator.makers import CARDS, make_game, make_layouts, texts

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "layouts.md"


def size_table() -> str:
    lines = ["| name | width | height |", "|---|---|---|"]
    lines += [f"| `{name}` | {width:g} | {height:g} |" for name, (width, height) in SIZES.items()]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("name", "text"), [("reference", reference_tables()), ("sizes", size_table())])
def test_the_tables_on_the_page_are_those_of_the_code(name: str, text: str, request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text("utf-8")
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    made = page[: page.index(start) + len(start)] + text + page[page.index(end) :]
    if request.config.getoption("--renew"):
        PAGE.write_text(made, "utf-8")
    assert PAGE.read_text("utf-8") == made


def test_the_functions_on_the_page_are_those_there_are(tmp_path: Path) -> None:
    listed = re.search(r"these functions: `([^`]*)`", PAGE.read_text("utf-8"))
    assert listed
    game = load_game(make_game(tmp_path / "game"))
    assert set(listed[1].split()) == set(ComponentViewer(game, "en").functions)


def test_the_example_on_the_page_draws(tmp_path: Path) -> None:
    example = re.search(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert example
    game = load_game(make_game(tmp_path / "game", CARDS))
    layout = example[1].replace("kind: event", "kind: card")
    face = LayoutRenderer(game, make_layouts(tmp_path / "looks", card=layout)).draw_face_or_raise(game.components["a1"])
    assert texts(face)[0] == "First"


def test_the_schema_names_every_element_and_is_plain_json() -> None:
    schema = build_layout_json_schema()
    assert json.loads(json.dumps(schema)) == schema
    for name in ELEMENTS:
        assert name in schema["$defs"][f"element-{name}"]["properties"]
    references = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema)))
    assert references <= set(schema["$defs"])


def test_every_code_in_use_is_in_the_table_and_the_other_way_round() -> None:
    package = Path(expression.__file__).resolve().parents[1]
    used = {
        code
        for file in package.rglob("*.py")
        if file.name != "codes.py"
        for code in re.findall(r'"(PP(?:5[0-3]|6[34])\d)"', file.read_text("utf-8"))
    }
    assert used == set(LAYOUT_CODES) | {code for code in sheet_codes if re.fullmatch(r"PP(?:5[0-3]|6[34])\d", code)}


def test_no_file_of_this_room_names_a_game() -> None:
    package = Path(expression.__file__).resolve().parents[1]
    games = {path.name for path in LAYOUTS.iterdir() if (path / "build.yaml").is_file()}
    assert games
    for file in package.rglob("*.py"):
        words = set(re.findall(r"[a-z]+", file.read_text("utf-8").lower()))
        assert not words & games, file
