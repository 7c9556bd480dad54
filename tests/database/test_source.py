"""Reading YAML: the dialect, the places, and everything that is refused."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from playproof.database.errors import InputError
from playproof.database.source import LIMITS, parse_yaml, read_yaml_file


def codes(text: str) -> list[tuple[str, int, int]]:
    """(code, line, column) of every finding."""
    with pytest.raises(InputError) as caught:
        parse_yaml(text)
    return [(f.code, f.where.line, f.where.column) for f in caught.value.findings]


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("006", "006"), ("6", 6), ("-3", -3), ("1.5", 1.5), ("1e3", "1e3"), ("yes", "yes"), ("true", True),
        ("~", None), ("", None), ("2026-11-20", "2026-11-20"), ("'7'", "7"), ("[1, {a: b}]", [1, {"a": "b"}]),
        ("a: &x [1]\nb: *x", {"a": [1], "b": [1]}), ("1: one", {"1": "one"}), ("0o7", "0o7"),
    ],
)  # fmt: skip
def test_the_dialect(text: str, data: object) -> None:
    assert parse_yaml(text).data == data


def test_every_key_and_value_knows_its_place() -> None:
    node = parse_yaml("a: 1\nb:\n  - x\n  - {c: 3}\n", "f.yaml")
    assert str(node.get_node_or_nearest_ancestor(["b", 1, "c"]).where) == "f.yaml:4:9"
    assert str(node.get_place_of_last_key(["b", 1, "c"])) == "f.yaml:4:6"
    assert str(node.get_node_or_nearest_ancestor(["b", 7]).where) == "f.yaml:3:3"  # the nearest that exists


def test_every_tab_is_reported() -> None:
    assert codes("a: 1\n\tb: 2\nc:\t3\n") == [("PP103", 2, 1), ("PP103", 3, 3)]


def test_every_duplicate_key_is_reported() -> None:
    assert codes("a: 1\nb: {c: 1, c: 2}\na: 2\n") == [("PP105", 2, 11), ("PP105", 3, 1)]


def bomb(levels: int) -> str:
    lines = ["l0: &l0 [x]"]
    for level in range(1, levels):
        lines.append(f"l{level}: &l{level} [{', '.join([f'*l{level - 1}'] * 9)}]")
    return "\n".join(lines)


def test_an_alias_bomb_is_refused_where_it_goes_off() -> None:
    ((code, line, _),) = codes(bomb(12))
    assert (code, line) == ("PP106", 7)


def test_a_few_aliases_are_welcome() -> None:
    assert parse_yaml(bomb(4)).data is not None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a: &a [*a]", [("PP107", 1, 8)]),
        ("a: *nobody", [("PP107", 1, 4)]),
        ("--- 1\n--- 2\n", [("PP108", 2, 1)]),
        ("a: !!python/object:os.system x", [("PP109", 1, 4)]),
        ("b: &b {x: 1}\na:\n  <<: *b", [("PP109", 3, 3)]),
        ("? [1]\n: 2", [("PP109", 1, 3)]),
        ("n: 1234567890123456789012345", [("PP109", 1, 4)]),
        ("a: [1, 2", [("PP104", 2, 1)]),
        ("a: b: c", [("PP104", 1, 5)]),
        ("[" * 60 + "]" * 60, [("PP110", 1, LIMITS.depth + 1)]),
    ],
)
def test_refused(text: str, found: list[tuple[str, int, int]]) -> None:
    assert codes(text) == found


def test_control_characters_are_refused() -> None:
    assert [code for code, *_ in codes("a: \x01")] == ["PP104"]


@pytest.mark.parametrize("character", ["\0", "\x1b", "\ufffe"])
def test_a_character_that_yaml_forbids_is_told_at_its_place(character: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_yaml(f"a: 1\nb: é{character}c\n", "g.yaml")
    told = f"this is not YAML: expected readable text, found the character U+{ord(character):04X}"
    assert str(caught.value) == f"g.yaml:2:5: PP104 {told} (delete it)"


def test_too_many_values_are_refused() -> None:
    assert [code for code, *_ in codes("[" + "1," * (LIMITS.nodes + 1) + "]")] == ["PP111"]


def test_bytes_that_are_not_utf_8_are_refused_with_their_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(b"a: 1\nb: caf\xe9\n")
    with pytest.raises(InputError) as caught:
        read_yaml_file(path)
    (finding,) = caught.value.findings
    assert (finding.code, finding.where.line, finding.where.column) == ("PP102", 2, 7)
    assert "0xe9" in finding.message


def test_a_missing_file_and_a_huge_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="PP101"):
        read_yaml_file(tmp_path / "nowhere.yaml")
    huge = tmp_path / "huge.yaml"
    huge.write_bytes(b"a" * (LIMITS.bytes + 1))
    with pytest.raises(InputError, match="PP111"):
        read_yaml_file(huge)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused_but_never_crashes(text: str) -> None:
    with contextlib.suppress(InputError):
        assert parse_yaml(text).where.line >= 1
