"""The verb tune: find designs that meet a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    FALSE,
    count_option,
    game_argument,
    jobs_option,
    json_option,
    out_option,
    require_rules,
    seed_option,
    show_progress_text,
)
from playproof.cli.documents import add_to_json_document

if TYPE_CHECKING:
    from playproof.lab.tuning import DesignSearch, TriedDesign


_REASONS = 3  # designs of which it is told why they cannot be


@click.command()
@game_argument
@click.option(
    "--target",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What may change, and what is wanted (YAML).",
)
@count_option("--games", 200, 20_000, "At most so many games per design.")
@count_option("--tries", 1, 60, "At most so many designs.")
@count_option("--wanted", 1, 3, "Stop when so many designs meet the target.")
@click.option(
    "--work",
    type=click.FloatRange(0),
    default=0.5,
    show_default=True,
    help="What the verifier may do per design to show that it is impossible; a unit is about a second. 0 asks nothing.",
)
@seed_option
@jobs_option
@out_option("Write proposed errata below this folder.")
@json_option
def tune(
    game: str,
    file: Path,
    games: int,
    tries: int,
    wanted: int,
    work: float,
    seed: int,
    jobs: int | None,
    out: Path,
    as_json: bool,
) -> int:
    """Look for designs of GAME that meet a target, such as "the first player wins 45 to 55 %, in 60 to 90 decisions".

    The verifier first says which designs cannot meet it, whoever plays. The others are played until it is settled. The
    chance that anything said of any design is wrong is at most 5 %. Cards that change are written as a proposed
    erratum. The exit status is 1 if no design meets the target; the nearest is
    written all the same, and says so.
    """
    from playproof.lab.target import read_target
    from playproof.lab.tuning import DesignSearch
    from playproof.language.registry import get_output_folder
    from playproof.verifier.whoever_plays import explain_unreachable_figures

    require_rules(game, "each design is a game of its own")
    folder = get_output_folder(out, game) / "tune"
    target = read_target(file, game)
    with show_progress_text(f"looking at {target.design_count:,} designs") as say:
        tuning = DesignSearch(
            target,
            seed,
            games,
            tries,
            wanted,
            jobs=jobs,
            say=say,
            impossible=lambda variant, target: explain_unreachable_figures(variant, target.want, work),
        )
        tuning.search_designs()
    told = tuning.designs_meeting_target or _list_nearest_design(tuning)
    get_output_folder(out, game, claim=bool(told))
    paths = [path for design in told if (path := _write_proposed_erratum(tuning, design, folder))]
    if as_json:
        add_to_json_document({**tuning.as_json(), "made": [str(path) for path in paths]})
    else:
        _print_tuning_results(tuning)
        for path in paths:
            click.echo(f"made     {path}")
    return 0 if tuning.designs_meeting_target else FALSE


def _print_tuning_results(tuning: DesignSearch) -> None:
    verdicts = [design.verdict for design in tuning.designs.values()]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in dict.fromkeys(sorted(verdicts)))
    click.echo(f"{tuning.target.design_count:,} designs, {len(verdicts)} tried: {counts}")
    for design in [design for design in tuning.designs.values() if design.why][:_REASONS]:
        click.echo(f"{design.verdict}: {design.words}: {design.why}")
    for design in tuning.designs_meeting_target or _list_nearest_design(tuning):
        click.echo(f"{design.verdict}: {design.words}: {_format_measured_figures(tuning, design)}")


def _list_nearest_design(tuning: DesignSearch) -> list[TriedDesign]:
    """Return the design whose figures lie nearest to what is wanted, settled or not; none if none was played."""
    tried = sorted((d for d in tuning.designs.values() if d.figures), key=tuning.distance_from_target)
    return tried[:1]


def _format_measured_figures(tuning: DesignSearch, design: TriedDesign) -> str:
    """Return what was measured of a design, in words."""
    from playproof.lab.phrases import format_difference, format_number, format_share
    from playproof.lab.target import WORTH

    figures = []
    for name, figure in design.figures.items():
        if name.startswith(WORTH):
            words = format_difference(figure)
        else:
            words = format_share(figure) if tuning.target.units[name] == "%" else format_number(figure, 1)
        figures.append(f"{name} {words}")
    return f"{'; '.join(figures)}; {design.games:,} games of {', '.join(tuning.target.bots)}"


def _write_proposed_erratum(tuning: DesignSearch, design: TriedDesign, folder: Path) -> Path | None:
    """Write the erratum that makes a design, if it changes cards, and return its file."""
    from playproof.database.files import write_atomically

    settled = {"meets": "meets the target", "open": "may meet the target", "misses": "misses the target"}
    verdict = settled.get(design.verdict, design.verdict)
    measured = (
        f"It {verdict}. Measured by `playproof compare tune`, seed {tuning.seed}: "
        f"{_format_measured_figures(tuning, design)}."
    )
    text = tuning.target.make_erratum_yaml(design.choice, f"Changed: {design.words}.", measured)
    if not text:
        return None
    path = folder / ("-".join(map(str, design.choice)) + ".yaml")
    settings = tuning.target.settings_of_design(design.choice)
    with_it = "".join(f"# with {name}: {value}\n" for name, value in settings.items())
    write_atomically(path, (with_it + text).encode())
    return path
