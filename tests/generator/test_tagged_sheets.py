"""Sheets of cards for screen readers: each card is a section of the file with its title and its words, and nothing is
read twice."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pikepdf
import pytest

from playproof.database.game import load_game
from playproof.generator.build.run import Builder
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Glyphs, Group, Node, Rect, Use
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.typesetter import TextStyle, Typesetter

PAINTS = {"f", "f*", "F", "B", "B*", "b", "b*", "S", "s", "sh", "Do", "Tj", "TJ"}


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sheets of three cards, one of them twice, and of a board that is split."""
    folder = tmp_path_factory.mktemp("tagged")
    (folder / "layouts").mkdir()
    elements = [
        {"icon": "bear", "box": [4, 4, 8, 8]},
        {"text": "{title}", "box": [12, 4, 40, 8]},
        {"text": "{text}", "box": [4, 20, 50, 30]},
    ]
    layout = {
        "kind": "card", "size": "poker", "styles": {"text": {"family": "alegreya", "size": 9}},
        "front": {"elements": elements}, "back": {"elements": [{"text": "Zoo", "box": [4, 4, 40, 8]}]},
    }  # fmt: skip
    board = {
        "kind": "board", "size": [300, 250], "styles": {"text": {"family": "alegreya", "size": 9}},
        "front": {"elements": [{"text": "{title} {text}", "box": [4, 4, 40, 8]}]},
    }  # fmt: skip
    (folder / "layouts" / "card.yaml").write_text(json.dumps(layout))
    (folder / "layouts" / "board.yaml").write_text(json.dumps(board))
    products = {"all": {"title": "All", "kinds": ["card"]}, "board": {"title": "B", "kinds": ["board"], "tiled": True}}
    (folder / "layouts" / "build.yaml").write_text(json.dumps({"products": products}))
    (folder / "card.csv").write_text(
        "id,title,text,count\na,Ant,Carries :bear: Bears.,1\nb,Bear,Sleeps.,2\nc,Cow,Eats.,1\n"
    )
    (folder / "board.csv").write_text("id,title,text\nw,World,is wide\n")
    builder = Builder(load_game(folder), folder / "out")
    builder.update_output_folder_and_report_files(builder.list_file_jobs_or_raise(papers=("A4",)), False, None)
    return folder / "out" / "print" / "A4"


def sections(file: Path) -> list[str]:
    with pikepdf.open(file) as pdf:
        tree = pdf.Root.StructTreeRoot
        assert bool(pdf.Root.MarkInfo.Marked)
        return [str(each.get("/T", "")) for each in tree.K.K if each.S == "/Sect"]


def test_each_card_on_a_sheet_is_a_section_in_the_order_of_the_sheet(sheets: Path) -> None:
    fronts = ["Ant", "Bear", "Bear", "Cow"]
    assert sections(sheets / "all-en.pdf") == [*fronts, *(f"{name} (back)" for name in fronts), ""]


def test_a_board_in_tiles_is_read_once(sheets: Path) -> None:
    assert sections(sheets / "board-en.pdf").count("World") == 1


@pytest.mark.parametrize("name", ["all", "board", "print-me"])
def test_everything_painted_is_a_section_or_decoration_and_leads_back_to_its_section(sheets: Path, name: str) -> None:
    with pikepdf.open(sheets / f"{name}-en.pdf") as pdf:
        numbers = pdf.Root.StructTreeRoot.ParentTree.Nums
        parents = {int(numbers[at]): numbers[at + 1] for at in range(0, len(numbers), 2)}
        for page in pdf.pages:
            marked, depth = [], 0
            for operands, operator in pikepdf.parse_content_stream(page):
                if str(operator) in ("BDC", "BMC"):
                    depth += 1
                    if str(operator) == "BDC":
                        marked.append(int(operands[1]["/MCID"]))
                elif str(operator) == "EMC":
                    depth -= 1
                elif str(operator) in PAINTS:
                    assert depth > 0, f"{operator} on {page.label} is neither words nor decoration"
            assert sorted(marked) == list(range(len(marked)))
            assert bool(marked) == ("/StructParents" in page)
            for number in marked:
                words = parents[int(page.StructParents)][number]
                assert (int(words.K), words.Pg.objgen) == (number, page.objgen)


@pytest.mark.needs("pdfinfo")
def test_a_reader_of_another_program_hears_title_and_words_once(sheets: Path) -> None:
    call = ["pdfinfo", "-struct-text", sheets / "all-en.pdf"]
    said = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    blocks = [block.split('"', 2)[2] for block in said.split("Sect ")[1:5]]
    ant, bear = blocks[0], blocks[1]
    assert "Carries Bears." in ant.replace("\n", " ")
    assert '"Ant' in ant
    assert '"BearSleeps.' in bear


def said_by(nodes: tuple[Node, ...]) -> list[str]:
    found = []
    for node in nodes:
        if isinstance(node, Glyphs):
            found.append(node.text)
        elif isinstance(node, Group):
            found += said_by(node.children)
        elif isinstance(node, Use) and node.says is not None:
            found.append(f"<{node.says.text}>")
    return found


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("Take all :bear: Brown Bears home", []),
        ("Take all :bear: **Brown Bear**: home", []),
        ("One Brown Bear (:bear:) sleeps", []),
        ("Take 2 :bear: home", ["<Brown Bear>"]),
        (":bear: :bear: Brown Bear", ["<Brown Bear>"]),
        ("A :bear: Brown Bearing", ["<Brown Bear>"]),
        ("Our Brown Bear sleeps :bear:", ["<Brown Bear>"]),
    ],
)
def test_no_icon_says_what_the_words_beside_it_say(words: str, names: list[str]) -> None:
    looks = LayoutRenderer(load_game("eila"))
    setter = Typesetter(get_fonts_of_game_in_export_or_project(), looks.icons, names={"bear": "Brown Bear"})
    block = setter.typeset_text_as_large_as_box_allows(words, Rect(0, 0, 80, 30), TextStyle(size=9))
    assert [each for each in said_by(block.nodes) if each.startswith("<")] == names
