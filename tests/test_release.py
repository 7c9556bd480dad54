"""What a release says of itself: licences of files, and what its archive of sources holds."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from playproof.generator.art.credits import credits_of

ROOT = Path(__file__).resolve().parents[1]
LICENCES = {"CC BY 3.0": "CC-BY-3.0", "MIT": "MIT", "SIL Open Font License 1.1": "OFL-1.1"}
FOLDERS = sorted({path.parent for path in (ROOT / "layouts").rglob("credits.yaml")})


def licence_of(path: str) -> str:
    """The licence that REUSE.toml gives a file: that of the last entry that matches it."""
    entries = tomllib.loads((ROOT / "REUSE.toml").read_text("utf-8"))["annotations"]
    licence = ""
    for entry in entries:
        paths = [entry["path"]] if isinstance(entry["path"], str) else entry["path"]
        if any(fnmatch(path, pattern) for pattern in paths):
            licence = entry["SPDX-License-Identifier"]
    return licence


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.relative_to(ROOT).as_posix())
def test_licences_of_art_are_those_of_its_credits(folder: Path) -> None:
    key = "fonts" if folder.name == "fonts" else "icons"
    files = [path for path in folder.iterdir() if path.suffix in (".svg", ".ttf")]
    credits = {name: LICENCES[credit.licence] for credit in credits_of(files, key) for name in credit.files}
    assert {path.name: licence_of(path.relative_to(ROOT).as_posix()) for path in files} == credits


def test_every_licence_has_its_text() -> None:
    named = {
        licence_of(path) for path in ("README.md", "layouts/motifs/owl.svg", "layouts/fonts/Cinzel-Bold.ttf")
    }
    assert named == {path.stem for path in (ROOT / "LICENSES").glob("*.txt")} == set(LICENCES.values())


def test_whoever_forks_asks_first_whether_the_system_can() -> None:
    """Windows has no fork; an installed game folder has no symbolic links of ours."""
    rooms = [ROOT / "generator", ROOT / "verifier", *(ROOT / "src" / "playproof").iterdir()]
    files = [file for room in rooms if room.is_dir() and not room.is_symlink() for file in room.rglob("*.py")]
    texts = {file: file.read_text("utf-8") for file in files}
    forks = {file for file, text in texts.items() if '"fork")' in text and "get_context" in text}
    assert len(forks) == 4
    for file in forks:
        assert "get_all_start_methods()" in texts[file] or 'hasattr(os, "fork")' in texts[file]
    assert not [file for file, text in texts.items() if "symlink_to" in text or "os.symlink" in text]
