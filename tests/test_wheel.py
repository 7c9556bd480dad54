"""The wheel in an empty environment and an empty folder, without a checkout: what a designer installs.

The environment sees the packages that this one has installed, through a path file, but not this checkout.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import urllib.request
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from playproof.cli.schemas import build_json_schemas_by_yaml_file_kind
from tests.docs.typed import blocks, type_all

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
TYPED = [
    ROOT / "README.md",
    DOCS / "tutorial-rules.md",
    *sorted((DOCS / "howto").glob("*.md")),
    DOCS / "reference" / "build-file.md",
]
PACKAGE = ROOT / "src" / "playproof"
# Where Python keeps its bytecode, there is a folder of it too.
PACKAGES = sorted(path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy that was built before, with a module that is gone since. It is built as pip builds
    it: by a Python without packages, which sees those of the build by PYTHONPATH alone."""
    copy = tmp_path_factory.mktemp("copy") / "playproof"
    made_here = [".git", ".venv", ".*_cache", ".playproof", "__pycache__", "output", "*.egg-info"]
    shutil.copytree(ROOT, copy, symlinks=True, ignore=shutil.ignore_patterns(*made_here))
    before = copy / "build" / "lib" / "playproof"
    (before / "cli" / "schemas").mkdir(parents=True, exist_ok=True)
    (before / "gone.py").write_text("", encoding="utf-8")
    out = tmp_path_factory.mktemp("wheel")
    bare = tmp_path_factory.mktemp("bare")
    venv.create(bare, with_pip=False, symlinks=True)
    build = "import sys, build_backend; build_backend.build_wheel(sys.argv[1])"
    subprocess.run(
        [bare / "bin" / "python", "-c", build, out],
        cwd=copy,
        env={**os.environ, "PYTHONPATH": sysconfig.get_path("purelib")},
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an environment that has the wheel."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    there = Path(sysconfig.get_path("purelib", "venv", {"base": str(home), "platbase": str(home)}))
    (there / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    words = ["--python", str(home / "bin" / "python"), "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True, capture_output=True, env=_environment(home))
    return home / "bin"


def _environment(folder: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "PLAYPROOF_CACHE"}}
    return {**kept, "HOME": str(folder), "PLAYPROOF_CACHE": str(folder / "cache")}


def _run(bin_: Path, folder: Path, *words: str, given: str = "", status: int = 0) -> str:
    done = subprocess.run(
        [bin_ / words[0], *words[1:]],
        cwd=folder,
        env=_environment(folder),
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("package", PACKAGES)
def test_a_bare_package_is_nobodys(installed: Path, tmp_path: Path, package: str) -> None:
    """`import rules` belongs to the designer: the wheel has one top-level name."""
    code = f"import importlib.util; print(importlib.util.find_spec({package!r}))"
    assert _run(installed, tmp_path, "python", "-c", code).strip() == "None"


def test_a_designers_rules_py_hides_nothing(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("MINE = 1\n", encoding="utf-8")
    code = "import rules, playproof.language.registry as r; print(rules.MINE, 'eila' in r.list_bundled_game_names())"
    assert _run(installed, tmp_path, "python", "-c", code).split() == ["1", "True"]


def test_first_evening_without_a_checkout(installed: Path, tmp_path: Path) -> None:
    """new, lint, play, build, prove and check, in a folder that holds nothing else."""
    _run(installed, tmp_path, "playproof", "new", "lamp_walk")
    assert "no errors" in _run(installed, tmp_path, "playproof", "lint", "lamp_walk")
    assert "Lamp Walk" in _run(installed, tmp_path, "playproof", "play", "lamp_walk", given="walk on\n")
    built = json.loads(_run(installed, tmp_path, "playproof", "build", "lamp_walk", "--json"))
    assert built["files"]
    assert all((tmp_path / file["path"]).stat().st_size for file in built["files"])
    proved = json.loads(_run(installed, tmp_path, "playproof", "prove", "lamp_walk", "--json"))["claims"]
    assert {claim["verdict"] for claim in proved} == {"PROVEN"}
    for claim in proved:
        _run(installed, tmp_path, "playproof", "check", "--game", "lamp_walk", claim["evidence"])
    assert {path.name for path in tmp_path.iterdir()} == {"lamp_walk", "output", "cache"}  # nothing else was written


def test_the_demo_writes_into_the_working_folder(installed: Path, tmp_path: Path) -> None:
    """The verb, with a game that takes seconds in the place of Eila."""
    _run(installed, tmp_path, "playproof", "new", "lamp_walk")
    typed = (
        "from playproof.cli import demo, main; "
        "demo.read_demo_settings = lambda: demo.DemoSettings('lamp_walk', games=100)"
    )
    said = _run(installed, tmp_path, "python", "-c", f"{typed}; main.main(['demo'])")
    typed_words = [line.split()[2:4] for line in said.splitlines() if line.startswith("$ ")]
    assert [words[0] if words[0] != "log" else " ".join(words) for words in typed_words] == [
        "build",
        "prove",
        "log judge",
        "log replay",
        "report",
    ]
    assert "old spelling" not in said
    assert (tmp_path / "output" / "lamp_walk" / "winning-line.txt").is_file()
    assert {path.name for path in tmp_path.iterdir()} == {"lamp_walk", "output", "cache"}


def test_evidence_of_a_chosen_chapter_is_confirmed(installed: Path, tmp_path: Path) -> None:
    """The README's own commands: an option given on the command line is the claim's own setting."""
    words = ["prove", "eila", "--chapter", "0", "--claim", "c0-winnable", "--json"]
    [claim] = json.loads(_run(installed, tmp_path, "playproof", *words))["claims"]
    assert claim["verdict"] == "PROVEN"
    assert "can be won" in _run(installed, tmp_path, "playproof", "check", claim["evidence"])


def test_schemas_come_with_the_wheel(wheel: Path, installed: Path, tmp_path: Path) -> None:
    code = "import playproof.cli.schemas as s; print(s.__file__)"
    folder = Path(_run(installed, tmp_path, "python", "-c", code).strip()).with_suffix("")
    written = {path.name.removesuffix(".schema.json"): json.loads(path.read_text("utf-8")) for path in folder.iterdir()}
    assert written == build_json_schemas_by_yaml_file_kind()
    names = ZipFile(wheel).namelist()
    assert not [name for name in names if name.endswith(".pyc")]
    assert "playproof/gone.py" not in names  # what an earlier build left


def test_documentation_comes_with_the_wheel(installed: Path, tmp_path: Path) -> None:
    page = Path(_run(installed, tmp_path, "playproof", "docs", "--path").strip())
    assert (page.parent / "searchindex.js").is_file()
    assert "tutorial-rules.html" in page.read_text(encoding="utf-8")


def test_a_page_is_served(installed: Path, tmp_path: Path) -> None:
    seen_at_once = {**_environment(tmp_path), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [installed / "playproof", "serve", "nim", "--port", "0"],
        cwd=tmp_path,
        env=seen_at_once,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        address = next(word for word in process.stdout.readline().split() if word.startswith("http"))
        with urllib.request.urlopen(address, timeout=60) as page:
            assert b"<html" in page.read().lower()
    finally:
        process.terminate()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


@pytest.mark.parametrize("page", TYPED, ids=lambda page: page.stem)
def test_page_works_as_typed(installed: Path, tmp_path: Path, page: Path) -> None:
    """Every block of a tutorial or how-to page, in order, in an empty folder."""
    if page.stem == "python":
        pytest.importorskip("pyspiel", reason="open_spiel is optional; `make test` installs it")
    cache = {"PLAYPROOF_CACHE": str(installed.parent / "cache")}
    type_all(page, tmp_path, {**_environment(tmp_path), **cache, "PATH": f"{installed}:{os.environ['PATH']}"})


def test_what_is_not_typed_is_listed_with_its_reason() -> None:
    """A block that is not run is a claim that nothing checks: a new one has to be added here."""
    left_out = {
        page.stem: [block.told("not run") for block in blocks(page) if block.told("not run") is not None]
        for page in TYPED
    }
    assert all(reason for reasons in left_out.values() for reason in reasons)
    assert {stem: len(reasons) for stem, reasons in left_out.items() if reasons} == {
        "README": 3,  # ways to install, make, commands that take minutes
        "faq": 1,  # ways to install
        "new-game": 5,  # an edit by hand, lines of larger functions, a report of ten seconds
        "spreadsheets": 2,  # parts of a game.yaml
        "bots": 1,  # a package to install
        "table": 3,  # servers
        "ledger": 2,  # parts of a claims.yaml
        "build-file": 2,  # edits by hand
        "first-deck": 1,  # a line of a layout
        "playtest": 1,  # a computing centre
    }
