"""Shared by all tests: `--renew` rewrites golden texts, and generated code is cached per checkout."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, settings

from playproof.database.process_memory import make_c_library_keep_freed_memory
from playproof.database.source import enable_cache_of_parsed_files
from tests.programs import (
    leave_out_walks,
    pytest_runtest_setup as pytest_runtest_setup,  # a hook: skips what needs a missing program
    pytest_sessionfinish as pytest_sessionfinish,  # a hook: in CI a skip is a failure
    pytest_terminal_summary as pytest_terminal_summary,  # a hook: names what was skipped
)
from tests.shares import CostRecorder, describe_share, leave_out_other_shares

# Tests are never timed: a busy machine is no failure.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

make_c_library_keep_freed_memory()  # as the command does
enable_cache_of_parsed_files()  # the same few games are read again and again; a file with other bytes is parsed anew
gc.set_threshold(50_000)  # with Python's 700, a sixth of the tests' time went into looking for cycles
os.environ.setdefault("PLAYPROOF_FAULTS", "raise")  # a method that fails is left out; here it must be seen
os.environ.setdefault("PLAYPROOF_CACHE", str(Path(__file__).resolve().parent.parent / ".playproof" / "cache"))

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {path.name for path in (ROOT / "src" / "playproof").iterdir() if path.is_dir()}


class BareImportRefuser(MetaPathFinder):
    """Refuses `import rules`: the repository's root is on the path here, and a package must have one name only."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: object = None) -> None:
        if fullname.split(".")[0] in PACKAGES:
            raise ModuleNotFoundError(f"import playproof.{fullname}, not {fullname}", name=fullname)


sys.meta_path.insert(0, BareImportRefuser())


class SecondReader(MetaPathFinder):
    """Lets a second reader read every PDF that our writer finishes, from the moment it is imported."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: object = None) -> ModuleSpec | None:
        if fullname != "playproof.generator.pdf.objects":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        assert spec is not None
        assert isinstance(spec.loader, SourceFileLoader)
        execute = spec.loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            from tests.second_reader import read_back_from

            module.PdfFileBuilder.to_pdf_file_bytes = read_back_from(module.PdfFileBuilder.to_pdf_file_bytes)

        spec.loader.exec_module = executed  # type: ignore[method-assign]  # of this one loader
        return spec


sys.meta_path.insert(0, SecondReader())


@pytest.fixture
def own_answers(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of answers, for tests that replace parts of what answers, or look at what is stored."""
    folder = tmp_path_factory.mktemp("answers")
    monkeypatch.setattr("playproof.language.result_store.create_and_get_stored_results_folder", lambda: folder)
    return folder


def pytest_collection_finish() -> None:
    """Leave the modules and tests of the whole suite out of later garbage collections."""
    gc.freeze()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`pytest --renew` writes what the goldens should say; read the diff before committing."""
    parser.addoption("--renew", action="store_true", help="rewrite golden files instead of comparing")
    parser.addoption("--share", default="", help="ask a tenth of the dear tests: 0 to 9, or `commit`")
    parser.addoption("--costs", type=Path, help="write what each test function cost to this file")


def pytest_configure(config: pytest.Config) -> None:
    """Measure costs in the process that hears of all tests, not in its workers."""
    if config.getoption("--costs") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(CostRecorder(config.getoption("--costs")))


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say which tenth of the dear tests is asked."""
    return list(describe_share(config))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what `make walks` alone asks, and the dear tests of other shares."""
    leave_out_walks(config, items)
    leave_out_other_shares(config, items)


@pytest.fixture
def golden(request: pytest.FixtureRequest):  # type: ignore[no-untyped-def]  # returns a closure
    """`golden(path, text)` compares text with the file beside the test, or rewrites it under --renew."""

    def compare(name: str, text: str) -> None:
        path = Path(request.node.path).parent / "golden" / name
        if request.config.getoption("--renew"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden {path}; run `make renew` and read the diff"
        assert text == path.read_text(encoding="utf-8")

    return compare
