"""The cache on disk: its content is run, so nobody else may put anything there."""

from __future__ import annotations

import os
import re
import stat
import sys
from pathlib import Path

import pytest

from playproof.language.cache import ensure_private_cache_folder
from playproof.language.compiled import Compiled, load_source_as_cached_python_module
from playproof.language.registry import build, load_rules_module

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights are kept otherwise there")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def rights(folder: Path) -> int:
    return stat.S_IMODE(folder.stat().st_mode)


def test_a_new_cache_is_the_users_alone(folder: Path) -> None:
    before = os.umask(0)
    try:
        assert rights(ensure_private_cache_folder()) == 0o700
    finally:
        os.umask(before)


def test_a_cache_that_others_may_write_is_closed(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    assert rights(ensure_private_cache_folder()) == 0o755


def test_somebody_elses_cache_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    monkeypatch.setattr("playproof.language.cache._ROOT", -1)
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(folder).st_uid + 1)
    with pytest.raises(PermissionError, match="the cache belongs to somebody else") as refused:
        ensure_private_cache_folder()
    assert refused.value.filename == str(folder)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, where $PLAYPROOF_CACHE names no cache."""
    monkeypatch.setenv("PLAYPROOF_CACHE", "")  # so that it is put back afterwards
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def check_replacement(temporary: Path, said: pytest.LogCaptureFixture) -> None:
    made = ensure_private_cache_folder()
    assert made == temporary / f"playproof-cache-{os.geteuid()}"
    assert rights(made) == 0o700
    assert ensure_private_cache_folder() == made == Path(os.environ["PLAYPROOF_CACHE"])
    (line,) = [record.getMessage() for record in said.records]
    assert re.search(rf"the cache cannot be written .*, so {re.escape(str(made))} .*PLAYPROOF_CACHE", line)


def test_where_the_home_cannot_be_written_a_temporary_folder_is_taken(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (temporary / "home").write_text("no folder")
    monkeypatch.setenv("HOME", str(temporary / "home"))
    check_replacement(temporary, caplog)


def test_where_there_is_no_home_a_temporary_folder_is_taken(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As for a user of a container whom the system does not know."""

    def find_no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", find_no_home)
    check_replacement(temporary, caplog)


def test_where_the_cache_is_only_read_a_temporary_folder_is_taken(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOME", str(temporary))
    monkeypatch.setattr(os, "access", lambda path, mode: temporary / ".cache" not in Path(path).parents)
    check_replacement(temporary, caplog)


def test_a_cache_that_was_named_and_cannot_be_made_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(OSError, match="the folder that PLAYPROOF_CACHE names cannot be used") as refused:
        ensure_private_cache_folder()
    assert refused.value.filename == str(tmp_path / "file" / "cache")


def test_a_changed_file_of_the_cache_is_not_run(folder: Path) -> None:
    source = '"""Made by a test of the cache."""\nCELLS = 1\nWIDTH = 1\n'
    load_source_as_cached_python_module(source, ())
    (file,) = folder.glob("playproof_plain_*.py")
    good = file.read_text()
    file.write_text("raise SystemExit('this was not generated')\n")
    import sys

    sys.modules.pop(file.stem, None)
    load_source_as_cached_python_module(source, ())
    assert file.read_text() == good


def test_rules_saved_twice_in_one_second_are_read_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one size and one time, Python would take its own bytecode of the first."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    rules = tmp_path / "rules.py"
    for title in ("one", "two"):
        rules.write_text(f'title = "{title}"\n\n\ndef build(options): ...\n', encoding="utf-8")
        os.utime(rules, (1_700_000_000, 1_700_000_000))
        assert load_rules_module(str(tmp_path)).title == title
    assert [path.name for path in tmp_path.iterdir()] == ["rules.py"]


def test_the_source_of_a_game_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many read it; what is watched is another source."""
    game = build("tic_tac_toe")
    first = [Compiled(game, machine=False, watched=watched).source for watched in (False, True)]
    assert first[0] != first[1]
    monkeypatch.setattr(
        "playproof.language.compiled._generate_source_and_facts", lambda *_, **__: pytest.fail("written again")
    )
    assert [Compiled(game, machine=False, watched=watched).source for watched in (False, True)] == first
