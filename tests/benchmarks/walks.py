"""Random games with every check after every step. A game that fails a check ends the run.

The checks are: every invariant the game declares, the bounds of every field, and that somebody can
act. The other rate is that of the same games without checks.
"""

from __future__ import annotations

import sys

from playproof.language.watched_source import list_names_of_checked_conditions
from playproof.referee import Variant
from playproof.referee.batches import compute_mean_of_counted_values_or_none
from playproof.referee.simulate import SimulationResult, simulate
from playproof.referee.watched_games import replay_game_to_its_violation_or_raise
from tests.benchmarks.measure import Row, cpu

GAMES, SEED = 10_000, 1
VARIANTS: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("eila", {"chapter": "0"}, {}),
    ("eila", {"chapter": "1"}, {}),
    ("opale", {}, {}),
    ("opale", {"foreshadowing": "yes", "seashells": "yes"}, {}),
    ("eurydice", {}, {}),
    ("olith", {"players": "2"}, {}),
    ("olith", {"players": "3"}, {}),
    ("olith", {"players": "4"}, {}),
]


def run() -> list[Row]:
    """Run 10,000 games of each variant. Exits with the failure if a check fails."""
    return [watched(*variant) for variant in VARIANTS]


def watched(name: str, options: dict[str, str], rulings: dict[str, str]) -> Row:
    """Measure one variant's games, with and without checks, on one core. Exits if the two runs
    differ."""
    variant = Variant(name, options, rulings)
    for watch in (True, False):  # compiles code that is not on disk
        simulate(variant, 1, jobs=1, watch=watch)
    asking, result = timed(variant, watch=True)
    if result.tally.flawed is not None:
        sys.exit(str(replay_game_to_its_violation_or_raise(variant, result.bots, SEED, result.tally.flawed)))
    free, plain = timed(variant, watch=False)
    if (result.tally.endings, result.tally.returns) != (plain.tally.endings, plain.tally.returns) or (
        result.tally.taken.tolist() != plain.tally.taken.tolist()
    ):
        sys.exit(f"{name}: games that are watched went another way")
    said = " ".join([name, *(f"{key} {value}" for key, value in options.items())])
    return Row(
        f"{said}: {GAMES:,} games, "
        f"{compute_mean_of_counted_values_or_none(result.tally.decisions) or 0:.0f} decisions each, "
        f"{len(list_names_of_checked_conditions(variant.game))} things asked",
        f"{GAMES / asking:,.0f}/s",
        f"not asked {GAMES / free:,.0f}/s",
        f"{free / asking:.2f}",
        "all hold",
    )


def timed(variant: Variant, *, watch: bool) -> tuple[float, SimulationResult]:
    """Return the CPU seconds of a run, and its result."""
    results: list[SimulationResult] = []
    seconds = cpu(lambda: results.append(simulate(variant, GAMES, seed=SEED, jobs=1, watch=watch)))
    return seconds, results[0]
