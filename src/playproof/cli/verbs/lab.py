"""The verbs query, merge, report and compare: what many games say about a design."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    Chosen,
    bot_option,
    count_option,
    game_argument,
    is_given,
    jobs_option,
    json_option,
    ladder_bots,
    names_of,
    out_option,
    progress,
    seed_option,
    status,
    variant_of,
    variant_options,
    versions_argument,
)
from playproof.cli.clusters import client_at, cluster_option
from playproof.cli.documents import add_document
from playproof.cli.failures import INTERRUPTED

if TYPE_CHECKING:
    from playproof.lab.playing import Bench
    from playproof.lab.report import Report

_COMPARED = 2_000  # games by which random and greedy players are compared
_DOTS = 110  # per inch of the picture of a page
_PICTURED = 8  # games that are replayed in pictures beside a report


@dataclass(frozen=True)
class LogRange:
    """Which games a log is to hold, from `first` on. Each game whose number is a multiple of `every` is recorded step
    by step (None: about 1,000 games), with these quantities (none: the usual ones). `resume` goes on with a log."""

    first: int
    games: int
    every: int | None
    quantities: tuple[str, ...]
    resume: bool


def write_log(bench: Bench, folder: Path, wanted: LogRange, *, as_json: bool) -> int:
    """Write the log of a run, and tell what it holds. Returns the exit status: 1 if Ctrl-C ended it."""
    _needs_tables()
    from playproof.lab.log import Log
    from playproof.lab.manifest import manifest_of

    games = wanted.games
    before = manifest_of(folder)
    every = wanted.every or (before.every if before else max(1, games // 1000))
    quantities = wanted.quantities or (before.quantities if before else None)
    log = Log.begin(bench, folder, every=every, quantities=quantities, resume=wanted.resume)
    with progress(f"playing {games:,} games") as step:
        done = log.play(wanted.first, games, step)
    if as_json:
        add_document(
            {"log": str(folder), "first": wanted.first, "games": done, "asked": games, "every": every}
        )
    else:
        steps = "each step of all" if every == 1 else f"each step of one in {every}"
        click.echo(f"{folder}: {done:,} of {games:,} games, {steps}; `playproof log query {folder}`")
    return INTERRUPTED if done < games else 0


def _needs_tables() -> None:
    """Raise UsageError if the packages of the lab's tables are not installed."""
    from importlib.util import find_spec

    lacking = [name for name in ("pyarrow", "duckdb") if find_spec(name) is None]
    if lacking:
        raise click.UsageError(f"this needs {' and '.join(lacking)}: pip install 'playproof[lab]'")


@click.command()
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("question", required=False)
@json_option
def query(run: Path, question: str | None, as_json: bool) -> None:
    """Answer a QUESTION in SQL (DuckDB) from the log of a RUN that `simulate --out` wrote.

    Without a question, list the views and what they hold. Polars, pandas and others read the same Parquet files.
    """
    _needs_tables()
    from playproof.lab.query import VIEWS, ask

    if question is None:
        if as_json:
            add_document({"views": dict(VIEWS)})
        else:
            for name, text in VIEWS.items():
                click.echo(f"{name}\n    {text}")
        return
    names, rows = ask(run, question)
    if as_json:
        add_document({"rows": [dict(zip(names, map(_plain, row), strict=True)) for row in rows]})
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*names, box=None)
    for row in rows:
        table.add_row(*(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row))
    Console(highlight=False).print(table)


def _plain(value: object) -> object:
    """Return a cell of an answer as JSON can write it."""
    return value if isinstance(value, int | float | str | list | None) else str(value)


@click.command()
@click.argument("into", type=click.Path(path_type=Path))
@click.argument(
    "runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@json_option
def merge(into: Path, runs: tuple[Path, ...], as_json: bool) -> None:
    """Copy the games of RUNS into the folder INTO, which may be new.

    All must be parts of one run (the same game, rules, program, bots and seed), and no game may be there twice. Play
    the parts with `simulate --out RUN --first N`.
    """
    _needs_tables()
    from playproof.lab.log import merge as put_together

    games = put_together(into, runs)
    if as_json:
        add_document({"log": str(into), "games": games})
    else:
        click.echo(f"{into}: {games:,} games")


# -- report ---------------------------------------------------------------------------------------------------------


@click.command()
@game_argument
@variant_options
@count_option("--games", 2, 100_000, "How many games.")
@bot_option("random", "random or greedy; one per seat, or one for all.")
@seed_option
@count_option("--pairs", 2, 2000, "Pairs of games per card.")
@click.option(
    "--ladder",
    metavar="NAME,NAME...",
    help="Bots from weak to strong, or `none`.  [default: random, greedy where the game says how good a position "
    "is, mcts:20, mcts:80]",
)
@click.option(
    "--ladder-games",
    type=click.IntRange(2),
    help="Games per bot of the ladder.  [default: by their thinking]",
)
@jobs_option
@out_option("Write the page, its PDF, Markdown and JSON, and games in pictures below this folder.")
@click.option(
    "--paper", "page_size", metavar="NAME", default="A4", show_default=True, help="Paper of the PDF."
)
@click.option(
    "--people",
    "files",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    multiple=True,
    help="Recorded games of people (transcripts or JSON); may be repeated.",
)
@click.option("--no-pictures", is_flag=True, help="Do not replay games in pictures.")
@click.option(
    "--sheet",
    "one_page",
    is_flag=True,
    help="Also write one page for a publisher or a forum: sheet.pdf, sheet.png and sheet.md.",
)
@click.option(
    "--work",
    type=click.FloatRange(0),
    default=10.0,
    show_default=True,
    help="What the verifier may do to say what the best play of one player, or of all together, reaches; a unit is "
    "about a second. 0 asks nothing.",
)
@cluster_option()
@json_option
def report(
    game: str,
    chosen: Chosen,
    games: int,
    bots: str,
    seed: int,
    pairs: int,
    ladder: str | None,
    ladder_games: int | None,
    jobs: int | None,
    out: Path,
    page_size: str,
    files: tuple[Path, ...],
    no_pictures: bool,
    one_page: bool,
    work: float,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play many games of GAME and report on the design: seats, endings, length, tension, luck and choice, what each
    card is worth by cause, dead options, and a ladder of bots.

    For one player, or a team against the game, it begins with how hard the game is: how often it is won by chance, with
    care, by search, and at best. Without --bot these games are played greedily if that wins more.

    The page output/GAME/report/index.html needs nothing else. Its numbers lead to games that show them. With --json,
    the figures are printed, and nothing is written.
    """
    from playproof.generator.sheets import paper
    from playproof.lab.ladder import usual_rungs
    from playproof.lab.people import people_of, read_records
    from playproof.lab.playing import Bench
    from playproof.lab.report import Plan, as_json as shape, make_report
    from playproof.language.registry import output_folder

    paper(page_size)  # a wrong name is refused before the games are played
    variant = variant_of(game, chosen)
    output_folder(out, variant.ref)
    bench = Bench(variant, names_of(bots), seed, jobs, client_at(cluster))
    if not is_given("bots"):
        bench = _more_careful(bench)
    if not bench.compiles:
        raise click.UsageError(
            f"--bot {bots}: expected bots that compiled code plays in this game: random, or greedy where "
            "the game says `evaluate` and, if it hides something, `exchangeable`; a ladder takes any bot"
        )
    rungs = ladder_bots(ladder)
    if rungs is None:
        rungs = usual_rungs(variant)
    records = read_records(files, variant)
    with status(f"playing {games:,} games") as say:
        made = make_report(bench, Plan(games, pairs, min(1000, games), rungs, ladder_games), say)
        _find_best(made, work, say)
        if records:
            say("judging the games of people")
            made.people = people_of(bench, records, rungs or usual_rungs(variant))
        if as_json:
            add_document(shape(made))
            return
        say("writing the page")
        folder = output_folder(out, variant.ref, claim=True) / "report"
        paths = _write(made, folder, page_size, pictures=not no_pictures)
        if one_page:
            paths += _write_sheet(made, folder, page_size, work, say)
    from playproof.lab.phrases import summary

    for sentence in summary(made):
        click.echo(sentence)
    for path in paths:
        click.echo(f"made     {path}")


def _more_careful(bench: Bench) -> Bench:
    """Return the bench of greedy players where one side plays against the game and they win, or score, more: what
    random players show there is how to lose."""
    from playproof.lab.playing import Bench

    careful = Bench(bench.variant, ["greedy"], bench.seed, bench.jobs, bench.client)
    if len(bench.variant.game.sides) != 1 or not careful.compiles:
        return bench
    random_earns, careful_earns = (
        float(b.games(0, _COMPARED).returns[:, 0].mean()) for b in (bench, careful)
    )
    return careful if careful_earns > random_earns else bench


def _find_best(made: Report, work: float, say: Callable[[str], None]) -> None:
    """Add what best play reaches, unless all positions told it already."""
    from playproof.cli.best_play import best_play_of

    if made.best is None and work:
        say("asking the verifier for the best play")
        made.best = best_play_of(made.bench.variant, work, say)


def _write_sheet(
    made: Report, folder: Path, page_size: str, work: float, say: Callable[[str], None]
) -> list[Path]:
    """Write the page for a publisher or a forum. Returns the paths."""
    from playproof.cli.best_play import proved_facts
    from playproof.database.files import write_atomically
    from playproof.generator.exports.raster import first_page, png
    from playproof.lab.markdown import markdown
    from playproof.lab.printed import Printed
    from playproof.lab.printout import pdf
    from playproof.lab.sheet import sheet_of

    say("asking the verifier for facts")
    written, printed = (
        sheet_of(made, proved_facts(made.bench.variant, work, say) if work else []),
        Printed(made.bench),
    )
    fronts = {card.word: printed.face(card.word, card.component) for card in written.cards}
    faces = {word: face for word, face in fronts.items() if face is not None}
    document = pdf(written, faces, page_size, with_games=False)
    picture = png(first_page(document, _DOTS), _DOTS)
    files = {"sheet.pdf": document, "sheet.png": picture, "sheet.md": markdown(written).encode()}
    for name, data in files.items():
        write_atomically(folder / name, data)
    return [folder / name for name in files]


def _write(made: Report, folder: Path, page_size: str, *, pictures: bool) -> list[Path]:
    """Write a report's files. Returns their paths."""

    from playproof.database.files import json_bytes, write_atomically
    from playproof.lab.document import document
    from playproof.lab.markdown import markdown
    from playproof.lab.page import html
    from playproof.lab.printed import Printed
    from playproof.lab.printout import pdf
    from playproof.lab.report import as_json as shape

    printed, written = Printed(made.bench), document(made)
    numbers = made.shown_games()
    fronts = {card.word: printed.face(card.word, card.component) for card in written.cards}
    faces = {word: face for word, face in fronts.items() if face is not None}
    pages = {}
    for number, text in (printed.pages(numbers[:_PICTURED]) if pictures else {}).items():
        write_atomically(folder / f"game-{number}.html", text.encode())
        pages[number] = f"game-{number}.html"
    files = {
        "index.html": html(written, faces, printed.transcripts(numbers), pages).encode(),
        "report.pdf": pdf(written, faces, page_size),
        "report.md": markdown(written).encode(),
        "report.json": json_bytes(shape(made)),
    }
    for name, data in files.items():
        write_atomically(folder / name, data)
    return [folder / name for name in files]


# -- compare --------------------------------------------------------------------------------------------------------


@click.command()
@versions_argument
@click.option("--sweep", metavar="NAME", help="Compare with every other value of this option or ruling.")
@count_option("--games", 2, 100_000, "At most so many games each.")
@click.option(
    "--margin",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="How near two shares are called alike; a part of the mean for lengths.",
)
@seed_option
@jobs_option
@cluster_option()
@json_option
def compare(
    versions: tuple[str, ...],
    sweep: str | None,
    games: int,
    margin: float,
    seed: int,
    jobs: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Play VERSIONS of a game with the same seeds until every figure differs or is alike. All are compared with the
    first.

    A version is GAME or GAME:NAME=VALUE,... with options, rulings (A11=heart), erratum=VERSION or erratum=none, and
    bot=NAME (bot=NAME+NAME for one per seat). The games are looked at while they are played; the intervals hold at
    all looks together.
    """
    from playproof.lab.compare import ERROR, compare as play_both, sentences, swept, version_of

    if len(versions) + (sweep is not None) < 2:
        raise click.UsageError("compare takes two versions or more, or one with --sweep NAME")
    how = (seed, jobs, client_at(cluster))
    first, *others = swept(versions[0], sweep, *how) if sweep else [version_of(versions[0], *how)]
    others += [version_of(text, *how) for text in versions[1:]]
    if not others:
        raise click.UsageError(f"`{sweep}` has no other value in {versions[0]}")
    results = []
    with progress(f"playing up to {games:,} games") as step:
        for other in others:
            results.append(
                play_both(first, other, games, margin=margin, error=ERROR / len(others), progress=step)
            )
    if as_json:
        add_document({"comparisons": [result.as_json() for result in results]})
        return
    for result in results:
        click.echo("\n".join(sentences(result)))
