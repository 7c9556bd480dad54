"""What the pages name exists: files, folders, modules and parts of the benchmarks.

A page is written once and the code moves on. These tests read every name in backquotes of the prose; code blocks are
typed by tests/test_wheel.py. Links are checked by tests/test_architecture.py.

A name in capitals stands for any one name: `cards/NAME/rules/` is a folder of some game. A decision is a record of its
day, so it may name a file that has moved, if it says "`old.py` is now `new.py`" or "`old.py` is gone".
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "playproof"
TOP_FOLDERS = ("cards", "docs", "generator", "layouts", "src", "tests", "verifier")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WRITTEN_BY_PROGRAMS = {  # none of these is in the repository
    "adapted.txt",
    "left-out.txt",
    "post.md",
    "upload.txt",
    "Scripts/prepared.js",
    ".playproof/printer.yaml",
    ".playproof/play/",
}
WRITTEN_BY_READERS = {  # what an example lets a reader write
    "careful.py",
    "mygame/claims.yaml",
    "mygame/paths.yaml",
    "mygame/rules.py",
    "game.txt",
    "errata/1.1.yaml",
    "gates/claims.yaml",
    "layouts/box.yaml",
    "layouts/build.yaml",
    "evidence/",
    "print/",
    "png/",
}
FILE = re.compile(r"[\w./-]+\.(py|pyi|yaml|md|toml|txt|js|css)(?=:\d|$)")
FOLDER = re.compile(r"[\w.-]+/([\w.-]+/)*")
AT_THE_TOP = re.compile(rf"({'|'.join(TOP_FOLDERS)})(/[\w-]+)+")  # `cards/eila`, a folder without its last slash
MODULE = re.compile(r"playproof((?:\.\w+)+)")
PLACEHOLDER = re.compile(r"[A-Z]{4,}")


def of_page(page: Path) -> str:
    """The name of a page in the report of a test."""
    return str(page.relative_to(ROOT))


def backquoted(text: str) -> list[str]:
    """All names in backquotes, code blocks left out."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"`([^`\n]+)`", prose)


def tails(path: Path) -> list[str]:
    """Every way to say a path: `language/machine/trees.py`, `machine/trees.py`, `trees.py`."""
    parts = path.relative_to(ROOT).parts
    return ["/".join(parts[start:]) for start in range(len(parts))]


def in_the_tree() -> set[str]:
    """Every way to say a file or a folder of the repository; a folder ends with a slash."""
    names: set[str] = set()
    files = [path for path in ROOT.iterdir() if path.is_file()]
    for top in TOP_FOLDERS:
        files += [path for path in (ROOT / top).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for file in files:
        names.update(tails(file))
        for folder in file.relative_to(ROOT).parents:
            names.update(f"{tail}/" for tail in tails(ROOT / folder))
    return names


TREE = in_the_tree()


def exists(name: str) -> bool:
    """Whether a file or folder of this name is in the repository, or is made by a reader or a program."""
    if name in WRITTEN_BY_PROGRAMS | WRITTEN_BY_READERS or name.startswith("output/"):
        return True
    if PLACEHOLDER.search(name):
        any_name = "[^/]+".join(map(re.escape, PLACEHOLDER.split(name)))
        return any(re.fullmatch(any_name, path) for path in TREE)
    return name in TREE


def paths_named(text: str) -> list[str]:
    """The files and folders that a text names, without line numbers."""
    paths = []
    for name in backquoted(text):
        if match := FILE.match(name):
            paths.append(match[0])
        elif FOLDER.fullmatch(name):
            paths.append(name)
        elif AT_THE_TOP.fullmatch(name):
            paths.append(f"{name}/")
    return paths


@pytest.mark.parametrize("page", PAGES, ids=of_page)
def test_files_and_folders_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    missing = {name for name in paths_named(text) if not exists(name)}
    if page.parent.name == "decisions":
        present_names = dict(re.findall(r"`([^`]+)` is now\s`([^`]+)`", text))
        missing -= present_names.keys() | set(re.findall(r"`([^`]+)` is gone", text))
    assert not missing


def is_public_name(dotted: str) -> bool:
    """Whether `.referee.view` is a module, or `.referee.view.View` something that a module defines or imports."""
    place = PACKAGE
    parts = dotted.strip(".").split(".")
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    if parts and (place / f"{parts[0]}.py").is_file():
        code = (place / f"{parts.pop(0)}.py").read_text(encoding="utf-8")
    else:
        code = (place / "__init__.py").read_text(encoding="utf-8")
    return not parts or re.search(rf"\b{parts[0]}\b", code) is not None


@pytest.mark.parametrize("page", PAGES, ids=of_page)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    names = [match[1] for name in backquoted(page.read_text(encoding="utf-8")) if (match := MODULE.match(name))]
    missing = [f"playproof{name}" for name in names if "NAME" not in name and not is_public_name(name)]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=of_page)
def test_benchmarks_that_a_page_names_exist(page: Path) -> None:
    commands = re.findall(r"python -m\s((?:tests\.)?benchmarks[\w.]*)((?: [a-z]+)*)", page.read_text(encoding="utf-8"))
    for module, words in commands:
        assert module.startswith("tests."), f"{module} is tests.benchmarks now"
        for part in [*module.split(".")[2:], *words.split()]:
            assert (ROOT / "tests" / "benchmarks" / f"{part}.py").is_file(), f"no benchmark {part}"


def test_a_name_of_nothing_is_found() -> None:
    assert not exists("table/remembered.py")
    assert not exists("cards/NAME/remembered.py")
    assert exists("cards/NAME/rules/")
    assert exists("language/expr.py")
    assert not is_public_name(".language.remembered")
    assert not is_public_name(".language.expr.remembered")
    assert is_public_name(".language.expr")
    assert paths_named("`day.py:129` and `b/c/`, `1/2`, `cards/eila`") == ["day.py", "b/c/", "cards/eila/"]
