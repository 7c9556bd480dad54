"""What people write: papers, plans, selections, printers. Wrong input is named, all of it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.generator.sheets.pieces import select_ids_named_in_text_or_raise
from playproof.generator.sheets.plan import (
    FOLDER,
    PAPERS,
    list_sorted_names_of_sheet_plans,
    parse_paper_name_or_size_or_raise,
    read_papers_by_name_or_raise,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.printer import Printer, read_printer_offsets_or_empty, write_printer_offsets_or_raise

CARDS = ("H01", "H02", *map(str, range(101, 129)), "GOAL")


def codes(error: pytest.ExceptionInfo[InputError]) -> list[str]:
    return [finding.code for finding in error.value.findings]


def test_papers_by_name_and_by_size() -> None:
    assert parse_paper_name_or_size_or_raise("a4") == read_papers_by_name_or_raise(PAPERS)["A4"]
    assert parse_paper_name_or_size_or_raise("8.5x11in").portrait == pytest.approx(
        parse_paper_name_or_size_or_raise("Letter").portrait
    )
    assert parse_paper_name_or_size_or_raise("297x210").portrait == parse_paper_name_or_size_or_raise("A4").portrait
    assert parse_paper_name_or_size_or_raise("21 x 29.7 cm").portrait == pytest.approx(
        parse_paper_name_or_size_or_raise("A4").portrait
    )


@pytest.mark.parametrize(
    ("word", "code"),
    [("A44", "PP540"), ("", "PP540"), ("0x200mm", "PP541"), ("-5x200", "PP541"), ("1.2.3x5", "PP541"),
     ("5001x10", "PP541")],
)  # fmt: skip
def test_papers_that_are_none(word: str, code: str) -> None:
    with pytest.raises(InputError) as error:
        parse_paper_name_or_size_or_raise(word)
    assert codes(error) == [code]


def test_the_nearest_paper_is_named() -> None:
    with pytest.raises(InputError, match='did you mean "Letter"'):
        parse_paper_name_or_size_or_raise("Leter")


def test_every_finding_of_a_paper_file_at_once(tmp_path: Path) -> None:
    file = tmp_path / "papers.yaml"
    file.write_text("A: {width: 0, height: -1, source: x}\nB: {width: wide, height: 10, sorce: y}\n")
    with pytest.raises(InputError) as error:
        read_papers_by_name_or_raise(file)
    assert sorted(codes(error)) == ["PP204", "PP205", "PP206", "PP206"]
    assert str(error.value.findings[0].where).endswith("papers.yaml:1:12")


@pytest.mark.parametrize("name", list_sorted_names_of_sheet_plans(FOLDER))
def test_every_plan_reads(name: str) -> None:
    assert read_sheet_plan_by_name_or_raise(name).description
    assert (
        read_sheet_plan_by_name_or_raise(name, target_paper=parse_paper_name_or_size_or_raise("Letter")).paper.name
        == "Letter"
    )


def test_a_plan_names_all_its_faults(tmp_path: Path) -> None:
    text = "paper: A9\nmargin: -1\nbacks: duplexx\nmarks: 3\ngutterr: 2\n"
    (tmp_path / "odd.yaml").write_text(text)
    with pytest.raises(InputError) as error:
        read_sheet_plan_by_name_or_raise("odd", tmp_path)
    assert sorted(codes(error)) == ["PP204", "PP205", "PP206", "PP206", "PP540"]
    assert 'did you mean "duplex"' in str(error.value)
    assert 'did you mean "gutter"' in str(error.value)


def test_an_unknown_plan() -> None:
    with pytest.raises(InputError, match='did you mean "home"'):
        read_sheet_plan_by_name_or_raise("hone")


@pytest.mark.parametrize(
    ("text", "expected"),
    [("101-103,H01", "H01 101 102 103"), ("H01-H02", "H01 H02"), ("GOAL", "GOAL"), (" 128 , 128", "128"),
     ("127-999", "127 128"), ("103-103", "103")],
)  # fmt: skip
def test_selection(text: str, expected: str) -> None:
    assert " ".join(select_ids_named_in_text_or_raise(text, CARDS)) == expected


MATCH_NOTHING = [("", 1), ("H03", 1), ("1-9", 1), ("110-101", 1), ("x,H01,,y", 3)]


@pytest.mark.parametrize(("text", "faults"), MATCH_NOTHING)
def test_selections_that_match_nothing(text: str, faults: int) -> None:
    with pytest.raises(InputError) as error:
        select_ids_named_in_text_or_raise(text, CARDS)
    assert codes(error) == ["PP544"] * faults


def test_offsets_come_back_as_stored(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "printer.yaml"
    printer = Printer({"portrait-long": (0.6, -0.45), "landscape-short": (0.0, 1.0)})
    write_printer_offsets_or_raise(printer, file)
    assert read_printer_offsets_or_empty(file) == printer
    assert read_printer_offsets_or_empty(tmp_path / "none.yaml").get_back_offset_in_mm_or_zero(
        parse_paper_name_or_size_or_raise("A4").portrait, "long"
    ) == (0.0, 0.0)
    assert read_printer_offsets_or_empty(file).get_back_offset_in_mm_or_zero(
        parse_paper_name_or_size_or_raise("A4").portrait, "long"
    ) == (
        0.6,
        -0.45,
    )
    assert read_printer_offsets_or_empty(file).get_back_offset_in_mm_or_zero(
        parse_paper_name_or_size_or_raise("A4").landscape, "long"
    ) == (
        0.0,
        0.0,
    )
    assert [path.name for path in file.parent.iterdir()] == ["printer.yaml"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("portrait-lng: {right: 1}", ["PP546"]), ("portrait-long: {right: 11}", ["PP546"]),
     ("portrait-long: {rigth: 1}", ["PP204"]), ("- 3", ["PP546"]),
     ("portrait-long: {right: far}", ["PP205"])],
)  # fmt: skip
def test_printer_files_that_are_wrong(text: str, expected: list[str], tmp_path: Path) -> None:
    file = tmp_path / "printer.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as error:
        read_printer_offsets_or_empty(file)
    assert codes(error) == expected


def test_an_absurd_offset_is_not_stored(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        write_printer_offsets_or_raise(Printer({"portrait-long": (50.0, 0.0)}), tmp_path / "printer.yaml")
    assert not list(tmp_path.iterdir())
