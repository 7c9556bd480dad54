"""The reference page says what the data and the rules say."""

from __future__ import annotations

from pathlib import Path

from playproof.generator.sheets import (
    list_sorted_names_of_sheet_plans,
    read_papers_by_name_or_raise,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.plan import Plan
from playproof.generator.vendor_profiles import (
    list_sorted_names_of_vendor_profiles,
    read_vendor_profile_by_name_or_raise,
)

TEXT = (Path(__file__).parents[2] / "docs" / "reference" / "printing.md").read_text(encoding="utf-8")
LINES = [line for line in TEXT.splitlines() if line.startswith("|")]
ROWS = [[cell.strip() for cell in line.strip("|").split("|")] for line in LINES]
APART = ("name", "paper", "description")  # no plain defaults


def test_every_plan_is_described_in_its_own_words() -> None:
    assert all(
        [name, read_sheet_plan_by_name_or_raise(name).description] in ROWS
        for name in list_sorted_names_of_sheet_plans()
    )


def test_every_field_of_a_plan_is_explained_with_its_default() -> None:
    shown = {row[0].strip("`"): row[1] for row in ROWS if row[0].startswith("`")}
    defaults = {name: field.default for name, field in Plan.model_fields.items() if name not in APART}
    assert {name: shown.get(name) for name in defaults} == {name: _default(value) for name, value in defaults.items()}
    assert shown["paper"] == "A4"


def _default(value: object) -> str:
    if value is None or value == ():
        return ""
    return str(value).lower() if isinstance(value, bool | str) else f"{value:g}"


def test_every_paper_is_listed() -> None:
    assert all(
        f"{sheet.name} {sheet.width:g} × {sheet.height:g}" in TEXT for sheet in read_papers_by_name_or_raise().values()
    )


def test_every_profile_has_its_row() -> None:
    for name in list_sorted_names_of_vendor_profiles():
        vendor = read_vendor_profile_by_name_or_raise(name)
        (row,) = [row for row in ROWS if row[0] == name and len(row) == 7]
        assert row[3:6] == [f"{vendor.bleed:g}", f"{vendor.safe:g}", vendor.order]
        assert row[6] == (", ".join(vendor.products) or "any") or row[6].startswith(
            f"{len(vendor.products)} products: "
        )
