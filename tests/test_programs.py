"""A newcomer without the programs outside Python: the suite passes, and one line says what it left out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SUITE = """
import pytest

@pytest.mark.needs("qpdf")
def test_print(): raise AssertionError

@pytest.mark.needs("pdffonts", "qpdf")
def test_fonts(): raise AssertionError

def test_other(): pytest.skip("another reason")

def test_rest(): pass
"""


def run_suite(folder: Path, ci: str) -> tuple[int, list[str]]:
    """Run four tests on a machine without programs. Returns the exit status and the lines that speak of skips."""
    hooks = "pytest_runtest_setup, pytest_sessionfinish, pytest_terminal_summary"
    (folder / "conftest.py").write_text(f"from tests.programs import {hooks}\n", encoding="utf-8")
    (folder / "test_it.py").write_text(SUITE, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = needs(program): a program\n", encoding="utf-8")
    environment = {**os.environ, "PATH": "", "PYTHONPATH": str(ROOT), "CI": ci}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("Skipped")]


def test_one_line_says_what_was_skipped_and_how_to_get_it(tmp_path: Path) -> None:
    status, said = run_suite(tmp_path, ci="")
    assert status == 0
    assert said == ["Skipped: 2 for want of pdffonts, qpdf (apt-get install poppler-utils qpdf); 1 x another reason"]


def test_in_ci_a_skip_is_a_failure(tmp_path: Path) -> None:
    status, said = run_suite(tmp_path, ci="true")
    assert (status, len(said)) == (1, 1)
