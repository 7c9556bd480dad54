"""Pictures for vendors that take one a side."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from playproof.generator.preflight import list_vendor_problems_in_file_or_folder, shop_rules
from playproof.generator.vendor_profiles import read_vendor_profile_by_name_or_raise

CRAFTER = read_vendor_profile_by_name_or_raise("thegamecrafter")
# code: picture that breaks the rule, picture that comes near
CASES = {"PP589": (("RGB", (824, 1125)), ("RGB", (1125, 825))), "PP590": (("RGBA", (825, 1125)), ("L", (825, 1125)))}


def codes(mode: str, size: tuple[int, int], folder: Path) -> list[str]:
    file = folder / "card.png"
    Image.new(mode, size).save(file)
    return [finding.code for finding in list_vendor_problems_in_file_or_folder(file, CRAFTER)]


@pytest.mark.parametrize("code", CASES)
def test_each_rule_fires_and_spares_its_neighbour(code: str, tmp_path: Path) -> None:
    breaks, spares = CASES[code]
    assert codes(*breaks, tmp_path) == [code]
    assert codes(*spares, tmp_path) == []


def test_every_rule_has_both() -> None:
    assert set(shop_rules.PICTURE_TABLE.rules) == set(CASES)


def test_cmyk_pictures_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "card.jpg"
    Image.new("CMYK", (825, 1125)).save(file)
    assert [finding.code for finding in list_vendor_problems_in_file_or_folder(file, CRAFTER)] == ["PP590"]


def test_a_folder_is_looked_through_and_an_empty_one_named(tmp_path: Path) -> None:
    assert [finding.code for finding in list_vendor_problems_in_file_or_folder(tmp_path, CRAFTER)] == ["PP560"]
    (tmp_path / "fronts").mkdir()
    Image.new("RGB", (10, 10)).save(tmp_path / "fronts" / "a.png")
    (tmp_path / "fronts" / "b.png").write_bytes(b"no picture")
    assert sorted(finding.code for finding in list_vendor_problems_in_file_or_folder(tmp_path, CRAFTER)) == [
        "PP560",
        "PP589",
    ]
