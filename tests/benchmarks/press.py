"""The press: CPU seconds and memory of whole processes, imports included, on one deck of poker
cards.

Playproof starts from YAML and ends with imposed sheets, shaped type and icons among the words.
Typst does the same from JSON. protograf and bare ReportLab get the words from memory. Each pair
runs in turns.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from tests.benchmarks.measure import Row
from tests.benchmarks.presswork.deck import write_game

CARDS, LARGE, MANY, TURNS = 540, 5_000, 10_000, 3


@dataclass(frozen=True)
class Cost:
    """The cost of a process: all its CPU seconds, and its peak memory in MB."""

    seconds: float
    memory: float


def process(module: str, *arguments: object) -> Cost:
    """Run a module in its own process and return its cost. Bytecode is cached as in any
    installed program."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment.setdefault("PYTHONPYCACHEPREFIX", str(Path(tempfile.gettempdir()) / "playproof-bytecode"))
    command = [sys.executable, "-m", module, *map(str, arguments)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{module} ended with {child.returncode}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def _ours(folder: Path) -> Cost:
    """Return the cost of Playproof's command line, from YAML to imposed sheets."""
    return process(
        "playproof.cli.main",
        "build",
        folder / "game",
        "--out",
        folder / "out",
        "--paper",
        "A4",
        "--sheet",
        "fronts",
        "--force",
    )


def run() -> list[Row]:
    """Measure every claim of the press that is a number."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_game(folder, CARDS)
        rows = [*_against_protograf(folder), *_against_typst(folder, CARDS), _against_the_floor(folder)]
        rows += _alone(folder)
        rows += [_one_card(folder), _demo(folder)]
        write_game(folder, LARGE)
        rows += _against_typst(folder, LARGE)
        write_game(folder, MANY)
        return [*rows, *_many(folder)]


def _pairs(other: str, folder: Path, cards: int = CARDS) -> tuple[list[Cost], list[Cost]]:
    ours, others = [], []
    for _ in range(TURNS):
        ours.append(_ours(folder))
        others.append(process(other, folder, cards))
    return ours, others


def _against_typst(folder: Path, cards: int) -> list[Row]:
    """Compare with Typst, which is compiled and as fast as typesetting is today."""
    what = f"{cards:,} cards, {{}}, times Typst"
    if importlib.util.find_spec("typst") is None:
        return [Row(what.format("CPU"), "-", "Typst is not installed", "-", "-")]
    ours, others = _pairs("tests.benchmarks.presswork.typeset", folder, cards)
    faster, smaller = (
        median(getattr(a, part) / getattr(b, part) for a, b in zip(ours, others, strict=True))
        for part in ("seconds", "memory")
    )
    mine, theirs = (median(cost.memory for cost in costs) for costs in (ours, others))
    few = cards == CARDS
    cpu = _row(what.format("CPU"), "Typst", ours, others, faster, f"at most {'1.5' if few else '1'}")
    memory = Row(
        what.format("memory"),
        f"{mine:.0f} MB",
        f"Typst {theirs:.0f} MB",
        f"{smaller:.2f}",
        f"at most {'1' if few else '0.33'}",
    )
    return [cpu, memory]


def _row(what: str, name: str, ours: list[Cost], others: list[Cost], ratio: float, wanted: str) -> Row:
    mine, theirs = (median(cost.seconds for cost in costs) for costs in (ours, others))
    return Row(what, f"{mine:.2f} s", f"{name} {theirs:.2f} s", f"{ratio:.1f}", wanted)


def _against_protograf(folder: Path) -> list[Row]:
    what = f"{CARDS} cards, CPU of the whole process"
    if importlib.util.find_spec("protograf") is None:
        return [Row(what, "-", "protograf is not installed", "-", "8 times less")]
    ours, others = _pairs("tests.benchmarks.presswork.other", folder)
    ratio = median(b.seconds / a.seconds for a, b in zip(ours, others, strict=True))
    return [_row(what, "protograf", ours, others, ratio, "8 times less")]


def _against_the_floor(folder: Path) -> Row:
    ours, others = _pairs("tests.benchmarks.presswork.floor", folder)
    ratio = median(a.seconds / b.seconds for a, b in zip(ours, others, strict=True))
    what = f"{CARDS} cards, times the floor"
    return _row(what, "bare ReportLab", ours, others, ratio, "at most 4")


def _alone(folder: Path) -> list[Row]:
    cost = _ours(folder)
    return [Row(f"{CARDS} cards, memory", f"{cost.memory:.0f} MB", "-", "-", "under 150 MB")]


def _demo(folder: Path) -> Row:
    """Build every sheet of the demo game from the command line: two papers, booklets, box."""
    words = ("build", "eila", "--force", "--out", folder / "demo")
    cost = median(process("playproof.cli.main", *words).seconds for _ in range(TURNS))
    return Row("all sheets of the demo game, CPU", f"{cost:.2f} s", "-", "-", "under 2 s")


def _many(folder: Path) -> list[Row]:
    cost = _ours(folder)
    what = f"{MANY:,} cards"
    return [
        Row(f"{what}, CPU", f"{cost.seconds:.1f} s", "-", "-", "under 15 s"),
        Row(f"{what}, memory", f"{cost.memory:.0f} MB", "-", "-", "under 300 MB"),
    ]


def _one_card(folder: Path) -> Row:
    """Keep a builder alive, as `--watch` does, change one card and read the game again."""
    from playproof.database.game import load_game
    from playproof.generator.build.run import Builder
    from playproof.generator.layout.layout_renderer import LayoutRenderer

    full = median(_ours(folder).seconds for _ in range(TURNS))
    game = load_game(folder / "game")
    builder = Builder(game, folder / "watch", looks=LayoutRenderer(game, folder / "game" / "layouts"))
    cards = folder / "game" / "cards.yaml"
    original = cards.read_text("utf-8")
    _sheets(builder)
    spent = []
    for turn in range(TURNS):
        cards.write_text(original.replace("The ", f"Turn {turn} ", 1), "utf-8")
        start = time.process_time()
        builder.reload_game_and_list_changed_ids()
        _sheets(builder)
        spent.append(time.process_time() - start)
    cards.write_text(original, "utf-8")
    one = median(spent)
    return Row(
        f"one card of {CARDS} changed", f"{one:.3f} s", f"from nothing {full:.2f} s", f"{one / full:.3f}", "under 0.1"
    )


def _sheets(builder: object) -> None:
    from playproof.generator.build.run import Builder

    assert isinstance(builder, Builder)
    jobs = [
        builder.sheets.create_sheets_job_with_fallback_plan(p, c, "A4", "en", "fronts", False)
        for p, c in builder.select_unboxed_products_with_components(None, None)
    ]
    (file,) = builder.update_output_folder_and_report_files(jobs, False, None)
    assert file.rebuilt
