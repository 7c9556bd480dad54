"""Findings: codes, places, near misses, all at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import playproof.database
from playproof.database.errors import (
    CODES,
    Finding,
    FindingCollector,
    InputError,
    Where,
    find_nearest_word_or_empty,
    make_nearest_or_possible_words_hint,
)

FOLDER = Path(str(playproof.database.__file__)).resolve().parent


def test_a_finding_reads_as_one_line() -> None:
    finding = Finding("PP205", Where("cards/x.yaml", 3, 7), "expected text, found 3", "use quotes")
    assert str(finding) == "cards/x.yaml:3:7: PP205 expected text, found 3 (use quotes)"


def test_a_warning_says_so() -> None:
    finding = Finding("PP238", Where("a.yaml"), "no fr text", severity="warning")
    assert str(finding) == "a.yaml:1:1: PP238 warning: no fr text"


def test_all_findings_come_at_once_sorted_and_once_each() -> None:
    collector = FindingCollector()
    collector.add_finding("PP205", Where("b.yaml", 9, 1), "second")
    collector.add_finding("PP203", Where("a.yaml", 2, 1), "first")
    collector.add_finding("PP203", Where("a.yaml", 2, 1), "first")
    with pytest.raises(InputError) as caught:
        collector.raise_if_errors()
    assert str(caught.value).splitlines() == ["a.yaml:2:1: PP203 first", "b.yaml:9:1: PP205 second"]


def test_warnings_alone_do_not_stop_anything() -> None:
    collector = FindingCollector()
    collector.add_finding("PP238", Where("a.yaml"), "no fr text", severity="warning")
    collector.raise_if_errors()


@pytest.mark.parametrize(
    ("word", "found"), [("enregy", "energy"), ("Food", "food"), ("zzz", ""), ("knowlege", "knowledge")]
)
def test_nearest(word: str, found: str) -> None:
    assert find_nearest_word_or_empty(word, ["energy", "food", "knowledge"]) == found


def test_a_hint_lists_the_words_when_none_is_near() -> None:
    assert make_nearest_or_possible_words_hint("zzz", ["a", "b"]) == "one of: a, b"
    assert make_nearest_or_possible_words_hint("zzz", []) == ""


def test_every_code_in_use_is_in_the_table_and_every_code_of_the_table_in_use() -> None:
    used: set[str] = set()
    for path in FOLDER.glob("*.py"):
        if path.name != "errors.py":
            used |= set(re.findall(r'"(PP\d{3})"', path.read_text(encoding="utf-8")))
    assert used == set(CODES)


def test_an_option_has_no_line() -> None:
    assert str(Where("--sheet")) == "--sheet"
    assert str(Where("sheet.yaml", 3, 5)) == "sheet.yaml:3:5"
