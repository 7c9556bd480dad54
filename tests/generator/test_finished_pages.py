"""What a reader finds on the finished pages of every game: text that copies, fonts inside, checks that pass."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import pikepdf
import pytest

from playproof.database.game import list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from playproof.generator.build import BuiltFile, build
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.preflight import list_vendor_problems_in_file_or_folder, pdf_file
from playproof.generator.vendor_profiles import read_vendor_profile_by_name_or_raise
from playproof.table.rulebook_games import RefereedGamePlayer
from tests.generator.makers import words_of

BUILT = [name for name in list_names_of_game_folders(CARDS) if (LAYOUTS / name / "build.yaml").is_file()]


@lru_cache(maxsize=4)
def files_of(name: str, folder: Path) -> tuple[BuiltFile, ...]:
    return tuple(build(load_game(name), folder / name, papers=("A4",), plays=RefereedGamePlayer()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.mark.parametrize("name", BUILT)
class TestEveryGame:
    def test_the_first_page_of_each_file_reads_as_in_its_golden(
        self, name: str, folder: Path, golden: Callable[[str, str], None]
    ) -> None:
        pages = []
        for file in files_of(name, folder):
            text = words_of(file.path.read_bytes()).replace("\r\n", "\n").replace("\u00a0", " ")
            pages.append(f"== {file.path.name}, {file.pages} pages\n{text.strip()}\n")
        golden(f"{name}-pages.txt", "\n".join(pages))

    def test_every_file_passes_the_check_for_home_printers(self, name: str, folder: Path) -> None:
        for file in files_of(name, folder):
            findings = list_vendor_problems_in_file_or_folder(file.path, read_vendor_profile_by_name_or_raise("home"))
            assert [str(finding) for finding in findings if finding.severity == "error"] == [], file.path.name

    def test_no_type_is_smaller_than_5_pt_on_small_pictures_either(
        self, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # preflight passes over small pictures of pieces
        monkeypatch.setattr(pdf_file, "PICTURE", "/None")
        for file in files_of(name, folder):
            cache: dict[tuple[int, int], pdf_file.Operations] = {}
            with pikepdf.open(file.path) as document:
                for number, page in enumerate(document.pages, 1):
                    small = {
                        text for text in pdf_file.collect_facts_of_drawn_page(page.obj, cache).texts if text[1] < 5
                    }
                    assert not small, f"{file.path.name}, page {number}"

    def test_every_font_is_inside_the_file(self, name: str, folder: Path) -> None:
        for file in files_of(name, folder):
            with pikepdf.open(BytesIO(file.path.read_bytes())) as document:
                for each in document.objects:
                    if isinstance(each, pikepdf.Dictionary) and each.get("/Type") == "/FontDescriptor":
                        assert "/FontFile2" in each
