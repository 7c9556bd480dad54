"""What a release says of itself: licences, its page on an index, what keeps it back, and a checkout without links."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from build_backend import describe
from playproof.database.installation import LINKS
from playproof.generator.art.icons import iter_credits_of_folder_or_raise
from tests.release import EVENING, find_faults

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
    credits = {
        name: LICENCES[credit.licence]
        for credit in iter_credits_of_folder_or_raise(files, key)
        for name in credit.files
    }
    assert {path.name: licence_of(path.relative_to(ROOT).as_posix()) for path in files} == credits


def test_every_licence_has_its_text() -> None:
    named = {licence_of(path) for path in ("README.md", "layouts/motifs/owl.svg", "layouts/fonts/Cinzel-Bold.ttf")}
    assert named == {path.stem for path in (ROOT / "LICENSES").glob("*.txt")} == set(LICENCES.values())


def test_whoever_forks_asks_first_whether_the_system_can() -> None:
    """Windows has no fork; an installed game folder has no symbolic links of ours."""
    packages = [ROOT / "generator", ROOT / "verifier", *(ROOT / "src" / "playproof").iterdir()]
    files = [
        file for package in packages if package.is_dir() and not package.is_symlink() for file in package.rglob("*.py")
    ]
    texts = {file: file.read_text("utf-8") for file in files}
    forks = {file for file, text in texts.items() if '"fork")' in text and "get_context" in text}
    assert [file.name for file in forks] == ["worker_processes.py"]  # all others ask there
    for file in forks:
        assert "get_all_start_methods()" in texts[file] or 'hasattr(os, "fork")' in texts[file]
    assert not [file for file, text in texts.items() if "symlink_to" in text or "os.symlink" in text]


def test_the_page_on_an_index_has_no_link_that_leads_nowhere() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    links = re.compile(r"\]\(([^)]+)\)")
    assert len(links.findall(readme)) > 15
    assert not links.findall(describe(readme))
    assert "what it cannot do" in describe(readme)
    there = links.findall(describe(readme, "https://files.example/main/"))
    assert len(there) == len(links.findall(readme))
    assert all(address.startswith("https://files.example/main/") for address in there)
    assert (ROOT / "docs/limitations.md").is_file()
    assert "https://files.example/main/docs/limitations.md" in there


PROJECT = '[project]\nversion = "0.2.0"\n'
READY = "# Changelog\n\n## Unreleased\n\n## 0.2.0 (2026-12-01)\n\n* A line.\n"


@pytest.mark.parametrize(
    ("changelog", "changed", "tags", "fault"),
    [
        (READY, "", ["v0.1.0"], ""),
        (READY, " M README.md\n", [], "something is not committed: M README.md"),
        (READY, "", ["v0.1.0", "v0.2.0"], "v0.2.0 is released already"),
        (READY.replace("0.2.0 (2026-12-01)", "0.2.0 (unreleased)"), "", [], "CHANGELOG.md has no heading `## 0.2.0 ("),
        (READY.replace("## Unreleased\n", "## Unreleased\n\n* New.\n"), "", [], "lines under `## Unreleased`"),
    ],
)
def test_what_keeps_a_release_back_is_named(changelog: str, changed: str, tags: list[str], fault: str) -> None:
    faults = list(find_faults(PROJECT, changelog, changed, tags))
    assert len(faults) == bool(fault)
    assert not fault or fault in faults[0]


def test_what_a_release_types_exists() -> None:
    from playproof.cli.main import VERBS

    assert {words[0] for words in EVENING} <= set(VERBS)


def test_hooks_run_what_the_tests_run() -> None:
    """pre-commit's file: each hook is a line of `make test`."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))["repos"][0]["hooks"]
    assert [hook["id"] for hook in hooks] == ["ruff", "ruff-format", "mypy"]
    assert all(hook["language"] == "system" for hook in hooks)
    recipe = (ROOT / "Makefile").read_text("utf-8").partition("\ntest:")[2].partition("\n\n")[0]
    for hook in hooks:
        program = hook["entry"].removeprefix(".venv/bin/").removesuffix(" --force-exclude")
        assert f"$(BIN)/{program}" in recipe


def test_templates_of_issues_say_what_they_are_for() -> None:
    templates = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md"))
    assert [path.stem for path in templates] == ["mistake", "wish"]
    for path in templates:
        _, head, body = path.read_text("utf-8").split("---\n", 2)
        assert {"name", "about", "labels"} == set(yaml.safe_load(head))
        assert body.strip()


def test_a_checkout_without_links_says_so(tmp_path: Path) -> None:
    """git on Windows writes a text file for a link, where people may make none."""
    package = tmp_path / "src" / "playproof"
    shutil.copytree(ROOT / "src" / "playproof", package, ignore=shutil.ignore_patterns(*LINKS, "__pycache__"))
    for name in LINKS:
        (package / name).write_text(f"../../{name}", "utf-8")
    for file in ("setup.py", "build_backend.py", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        there = {**os.environ, "PYTHONPATH": str(package.parent)}
        return subprocess.run(
            [sys.executable, *words], cwd=tmp_path, env=there, capture_output=True, text=True, check=False
        )

    linted = run("-m", "playproof.cli.main", "lint", "eila")
    assert (linted.returncode, linted.stderr.count("\n")) == (2, 1)
    assert "src/playproof/cards:1:1: PP806 this is a text file, and not the link to `../../cards`" in linted.stderr
    assert "core.symlinks=true" in linted.stderr
    assert run("-m", "playproof.cli.main", "--help").returncode == 0
    assert "core.symlinks=true" in run("-c", "from playproof import build").stderr.splitlines()[-1]
    assert "core.symlinks=true" in run("setup.py", "--version").stderr
