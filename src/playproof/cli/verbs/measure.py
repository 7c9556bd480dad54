"""The verbs report, compare, compare tune, log query and log merge: what many games say about a
design, and designs that meet a target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    FALSE,
    ChosenSettings,
    bot_names_option,
    build_variant_and_warn_of_bad_claims,
    cluster_option,
    connect_to_dask_cluster_or_none,
    game_argument_with_trust_option,
    is_parameter_given_on_command_line,
    jobs_option,
    json_option,
    output_folder_option,
    parse_ladder_bots_or_refuse_unknown,
    require_rules_not_only_descriptions,
    seed_option,
    show_progress_of_counted_work,
    show_progress_of_work_in_words,
    split_bot_names,
    variant_options_as_chosen_settings,
    versions_argument_with_trust_option,
    whole_number_option,
)
from playproof.cli.output import INTERRUPTED, add_command_result_to_json_document

if TYPE_CHECKING:
    from playproof.lab.game_runner import GameRunner
    from playproof.lab.report import Report
    from playproof.lab.tuning import DesignSearch, TriedDesign


# -- lab -----------------------------------------------------------------------------------------------------
# The verbs query, merge, report and compare: what many games say about a design.

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


def play_and_log_games_and_get_exit_status(
    game_runner: GameRunner, log_folder: Path, log_range: LogRange, *, as_json: bool
) -> int:
    """Write the log of a run, and tell what it holds. Returns the exit status: 1 if Ctrl-C ended it."""
    _require_lab_packages()
    from playproof.lab.log import RunLog
    from playproof.lab.manifest import read_manifest_if_present

    games = log_range.games
    before = read_manifest_if_present(log_folder)
    every = log_range.every or (before.every if before else max(1, games // 1000))
    quantities = log_range.quantities or (before.quantities if before else None)
    log = RunLog.open_or_create_log_folder(
        game_runner, log_folder, record_every=every, quantities=quantities, resume=log_range.resume
    )
    with show_progress_of_counted_work(f"playing {games:,} games") as step:
        done = log.play_missing_games_and_count_present(log_range.first, games, step)
    if as_json:
        add_command_result_to_json_document(
            {"log": str(log_folder), "first": log_range.first, "games": done, "asked": games, "every": every}
        )
    else:
        steps = "each step of all" if every == 1 else f"each step of one in {every}"
        click.echo(f"{log_folder}: {done:,} of {games:,} games, {steps}; `playproof log query {log_folder}`")
    return INTERRUPTED if done < games else 0


def _require_lab_packages() -> None:
    """Raise UsageError if the packages of the lab's tables are not installed."""
    from importlib.util import find_spec

    lacking = [name for name in ("pyarrow", "duckdb") if find_spec(name) is None]
    if lacking:
        raise click.UsageError(f"this needs {' and '.join(lacking)}: pip install 'playproof[lab]'")


@click.command("query")
@click.argument("run", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("question", required=False)
@json_option
def print_answer_of_run_log_to_sql(run: Path, question: str | None, as_json: bool) -> None:
    """Answer a QUESTION in SQL (DuckDB) from the log of a RUN that `simulate --out` wrote.

    Without a question, list the views and what they hold. Polars, pandas and others read the same Parquet files.
    """
    _require_lab_packages()
    from playproof.lab.log_query import VIEWS, run_sql_query_and_get_columns_and_rows

    if question is None:
        if as_json:
            add_command_result_to_json_document({"views": dict(VIEWS)})
        else:
            for name, text in VIEWS.items():
                click.echo(f"{name}\n    {text}")
        return
    names, rows = run_sql_query_and_get_columns_and_rows(run, question)
    if as_json:
        add_command_result_to_json_document(
            {"rows": [dict(zip(names, map(_sql_cell_to_json_value, row), strict=True)) for row in rows]}
        )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(*names, box=None)
    for row in rows:
        table.add_row(*(f"{value:.6g}" if isinstance(value, float) else str(value) for value in row))
    Console(highlight=False).print(table)


def _sql_cell_to_json_value(value: object) -> object:
    """Return a cell of an answer as JSON can write it."""
    return value if isinstance(value, int | float | str | list | None) else str(value)


@click.command("merge")
@click.argument("into", type=click.Path(path_type=Path))
@click.argument("runs", nargs=-1, required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
@json_option
def merge_run_logs(into: Path, runs: tuple[Path, ...], as_json: bool) -> None:
    """Copy the games of RUNS into the folder INTO, which may be new.

    All must be parts of one run (the same game, rules, program, bots and seed), and no game may be there twice. Play
    the parts with `simulate --out RUN --first N`.
    """
    _require_lab_packages()
    from playproof.lab.log import copy_logs_into_one_and_count_games as put_together

    games = put_together(into, runs)
    if as_json:
        add_command_result_to_json_document({"log": str(into), "games": games})
    else:
        click.echo(f"{into}: {games:,} games")


# -- report ---------------------------------------------------------------------------------------------------------


@click.command("report")
@game_argument_with_trust_option
@variant_options_as_chosen_settings
@whole_number_option("--games", 2, 100_000, "How many games.")
@bot_names_option("random", "random or greedy; one per seat, or one for all.")
@seed_option
@whole_number_option("--pairs", 2, 2000, "Pairs of games per card.")
@click.option(
    "--ladder",
    metavar="NAME,NAME...",
    help="Bots from weak to strong, or `none`.  [default: random, greedy where the game says how good a position "
    "is, mcts:20, mcts:80]",
)
@click.option(
    "--ladder-games", type=click.IntRange(2), help="Games per bot of the ladder.  [default: by their thinking]"
)
@jobs_option
@output_folder_option("Write the page, its PDF, Markdown and JSON, and games in pictures below this folder.")
@click.option("--paper", "page_size", metavar="NAME", default="A4", show_default=True, help="Paper of the PDF.")
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
    default=60.0,
    show_default=True,
    help="What the verifier may do to say what the best play of one player, or of all together, reaches; a unit is "
    "about a second. 0 asks nothing.",
)
@cluster_option()
@json_option
def write_report_on_design(
    game: str,
    chosen: ChosenSettings,
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
    from playproof.generator.sheets import parse_paper_name_or_size_or_raise
    from playproof.lab.game_runner import GameRunner
    from playproof.lab.ladder import (
        analyze_games_of_people,
        list_default_ladder_bots,
        read_and_replay_transcripts_or_raise,
    )
    from playproof.lab.report import ReportPlan, play_games_and_build_report, report_to_json_values as shape
    from playproof.language.registry import get_own_output_folder_or_raise

    parse_paper_name_or_size_or_raise(page_size)  # a wrong name is refused before the games are played
    variant = build_variant_and_warn_of_bad_claims(game, chosen)
    get_own_output_folder_or_raise(out, variant.ref)
    bench = GameRunner(variant, split_bot_names(bots), seed, jobs, connect_to_dask_cluster_or_none(cluster))
    if not is_parameter_given_on_command_line("bots"):
        bench = _choose_greedy_runner_if_it_earns_more(bench)
    _refuse_bots_that_are_not_compiled(bench, bots)
    named_bots = parse_ladder_bots_or_refuse_unknown(ladder)
    rungs = list_default_ladder_bots(variant) if named_bots is None else named_bots
    records = read_and_replay_transcripts_or_raise(files, variant)
    with show_progress_of_work_in_words(f"playing {games:,} games") as say:
        made = play_games_and_build_report(bench, ReportPlan(games, pairs, min(1000, games), rungs, ladder_games), say)
        _set_best_play_of_report_if_missing(made, work, say)
        if records:
            say("judging the games of people")
            made.people = analyze_games_of_people(bench, records, rungs or list_default_ladder_bots(variant))
        if as_json:
            add_command_result_to_json_document(shape(made))
            return
        say("writing the page")
        try:
            folder = get_own_output_folder_or_raise(out, variant.ref, claim_ownership=True) / "report"
            paths = _write_report_files_and_list_paths(made, folder, page_size, with_replay_pages=not no_pictures)
            paths += _write_publisher_sheet_pdf_png_and_md(made, folder, page_size, work, say) if one_page else []
        except OSError:  # a full disk loses no figures
            _print_summary_and_paths(made, (), work)
            raise
    _print_summary_and_paths(made, paths, work)


def _refuse_bots_that_are_not_compiled(game_runner: GameRunner, bots: str) -> None:
    """Raise UsageError if compiled code does not play these bots in this game."""
    if not game_runner.can_play_compiled:
        raise click.UsageError(
            f"--bot {bots}: expected bots that compiled code plays in this game: random, or greedy where "
            "the game says `evaluate` and, if it hides something, `exchangeable`; a ladder takes any bot"
        )


def _choose_greedy_runner_if_it_earns_more(random_runner: GameRunner) -> GameRunner:
    """Return the bench of greedy players where one side plays against the game and they win, or score, more: what
    random players show there is how to lose."""
    from playproof.lab.game_runner import GameRunner

    careful = GameRunner(
        random_runner.variant, ["greedy"], random_runner.seed, random_runner.jobs, random_runner.client
    )
    if len(random_runner.variant.game.sides) != 1 or not careful.can_play_compiled:
        return random_runner
    random_earns, careful_earns = (
        float(b.play_games_in_compiled_code_or_raise(0, _COMPARED).returns[:, 0].mean())
        for b in (random_runner, careful)
    )
    return careful if careful_earns > random_earns else random_runner


def _set_best_play_of_report_if_missing(
    design_report: Report, work: float, report_progress: Callable[[str], None]
) -> None:
    """Add what best play reaches, unless all positions told it already; and for a team whose seats see different
    things, what it would reach if all were shared."""
    from playproof.cli.verifier_answers import compute_best_play_if_single_side
    from playproof.verifier.kernel.claim_values import has_fields_hidden_from_some_player

    if design_report.best is None and work:
        report_progress("asking the verifier for the best play")
        design_report.best = compute_best_play_if_single_side(design_report.bench.variant, work, report_progress)
    game = design_report.bench.variant.game
    if work and game.players > 1 and design_report.is_solo and has_fields_hidden_from_some_player(game):
        report_progress("asking the verifier for the best play if all is shared")
        design_report.shared = compute_best_play_if_single_side(
            design_report.bench.variant, work, report_progress, seeing="all"
        )


def _print_summary_and_paths(design_report: Report, paths: Sequence[Path], work: float) -> None:
    """Print what the report says, how to ask for the best play if that is not known, and the files."""
    from playproof.lab.phrases import iter_summary_sentences_of_report

    for sentence in iter_summary_sentences_of_report(design_report):
        click.echo(sentence)
    for path in paths:
        click.echo(f"made     {path}")
    if design_report.is_solo and work and (design_report.best is None or design_report.best.value is None):
        click.echo(f"`--work {3 * work:g}` lets the verifier look longer for what is won at best", err=True)


def _write_publisher_sheet_pdf_png_and_md(
    design_report: Report, report_folder: Path, page_size: str, work: float, report_progress: Callable[[str], None]
) -> list[Path]:
    """Write the page for a publisher or a forum. Returns the paths."""
    from playproof.cli.verifier_answers import prove_basic_facts_as_english_sentences
    from playproof.database.files import write_file_atomically
    from playproof.generator.exports.raster import encode_reproducible_png, render_first_pdf_page
    from playproof.generator.type.fonts import use_fonts_as_default_within
    from playproof.lab.publisher_sheet import build_one_page_summary_for_publisher
    from playproof.lab.report_page import PrintedGameRenderer, render_report_to_markdown
    from playproof.lab.report_pdf import render_report_to_pdf

    report_progress("asking the verifier for facts")
    written, printed = (
        build_one_page_summary_for_publisher(
            design_report,
            prove_basic_facts_as_english_sentences(design_report.bench.variant, work, report_progress) if work else [],
        ),
        PrintedGameRenderer(design_report.bench),
    )
    faces = printed.map_words_of_document_to_printed_faces(written)
    with use_fonts_as_default_within(printed.fonts):
        document = render_report_to_pdf(written, faces, page_size, explain_game_numbers=False)
    picture = encode_reproducible_png(render_first_pdf_page(document, _DOTS), _DOTS)
    files = {"sheet.pdf": document, "sheet.png": picture, "sheet.md": render_report_to_markdown(written).encode()}
    for name, data in files.items():
        write_file_atomically(report_folder / name, data)
    return [report_folder / name for name in files]


def _write_report_files_and_list_paths(
    design_report: Report, report_folder: Path, page_size: str, *, with_replay_pages: bool
) -> list[Path]:
    """Write a report's files. Returns their paths."""

    from playproof.database.files import format_json_bytes, write_file_atomically
    from playproof.generator.type.fonts import use_fonts_as_default_within
    from playproof.lab.report import report_to_json_values as shape
    from playproof.lab.report_document import build_report_document
    from playproof.lab.report_page import PrintedGameRenderer, render_report_to_html_page, render_report_to_markdown
    from playproof.lab.report_pdf import render_report_to_pdf

    printed, written = PrintedGameRenderer(design_report.bench), build_report_document(design_report)
    numbers = design_report.list_sorted_example_game_numbers()
    faces = printed.map_words_of_document_to_printed_faces(written)
    pages = {}
    for number, text in (
        printed.render_replays_to_html_by_number(numbers[:_PICTURED]) if with_replay_pages else {}
    ).items():
        write_file_atomically(report_folder / f"game-{number}.html", text.encode())
        pages[number] = f"game-{number}.html"
    with use_fonts_as_default_within(printed.fonts):
        transcripts = printed.format_transcripts_and_forget_games(numbers)
        page = render_report_to_html_page(written, faces, transcripts, pages)
        document = render_report_to_pdf(written, faces, page_size)
    files = {
        "index.html": page.encode(),
        "report.pdf": document,
        "report.md": render_report_to_markdown(written).encode(),
        "report.json": format_json_bytes(shape(design_report)),
    }
    for name, data in files.items():
        write_file_atomically(report_folder / name, data)
    return [report_folder / name for name in files]


# -- compare --------------------------------------------------------------------------------------------------------


@click.command("compare")
@versions_argument_with_trust_option
@click.option("--sweep", metavar="NAME", help="Compare with every other value of this option or ruling.")
@whole_number_option("--games", 2, 100_000, "At most so many games each.")
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
def compare_versions_by_simulation(
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
    from playproof.lab.compare import (
        ERROR,
        build_versions_for_each_option_value,
        list_sentences_of_comparison,
        parse_reference_to_version_or_raise,
        play_versions_until_settled_or_limit as play_both,
    )
    from playproof.language.errors import RulesError

    if len(versions) + (sweep is not None) < 2:
        raise click.UsageError("compare takes two versions or more, or one with --sweep NAME")
    how = (seed, jobs, connect_to_dask_cluster_or_none(cluster))
    first, *others = (
        build_versions_for_each_option_value(versions[0], sweep, *how)
        if sweep
        else [parse_reference_to_version_or_raise(versions[0], *how)]
    )
    others += [parse_reference_to_version_or_raise(text, *how) for text in versions[1:]]
    if not others:
        raise click.UsageError(f"`{sweep}` has no other value in {versions[0]}")
    for version in (first, *others):
        try:
            version.bench.raise_if_compiled_games_break_rules(games)
        except RulesError as error:
            raise RulesError(error.code, f"{version.text}: {error.message}", error.hint, error.place) from None
    results = []
    with show_progress_of_counted_work(f"playing up to {games:,} games") as step:
        for other in others:
            results.append(play_both(first, other, games, margin=margin, error=ERROR / len(others), progress=step))
    if as_json:
        add_command_result_to_json_document(
            {"comparisons": [result.to_json_of_compare_command() for result in results]}
        )
        return
    for result in results:
        click.echo("\n".join(list_sentences_of_comparison(result)))


# -- tuning --------------------------------------------------------------------------------------------------
# The verb tune: find designs that meet a target.

_REASONS = 3  # designs of which it is told why they cannot be


@click.command("tune")
@game_argument_with_trust_option
@click.option(
    "--target",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What may change, and what is wanted (YAML).",
)
@whole_number_option("--games", 200, 20_000, "At most so many games per design.")
@whole_number_option("--tries", 1, 60, "At most so many designs.")
@whole_number_option("--wanted", 1, 3, "Stop when so many designs meet the target.")
@click.option(
    "--work",
    type=click.FloatRange(0),
    default=0.5,
    show_default=True,
    help="What the verifier may do per design to show that it is impossible; a unit is about a second. 0 asks nothing.",
)
@seed_option
@jobs_option
@output_folder_option("Write proposed errata below this folder.")
@json_option
def tune_values_to_target(
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
    erratum. The exit status is 1 if no design meets the target; the nearest is written all the same, and says so.
    """
    from playproof.lab.tuning import DesignSearch, read_design_target_file
    from playproof.language.registry import get_own_output_folder_or_raise
    from playproof.verifier.analysis.what_if import explain_first_unreachable_figure_or_empty

    require_rules_not_only_descriptions(game, "each design is a game of its own")
    folder = get_own_output_folder_or_raise(out, game) / "tune"
    target = read_design_target_file(file, game)
    with show_progress_of_work_in_words(f"looking at {target.design_count:,} designs") as say:
        tuning = DesignSearch(
            target,
            seed,
            games,
            tries,
            wanted,
            jobs=jobs,
            say=say,
            impossible=lambda variant, target: explain_first_unreachable_figure_or_empty(variant, target.want, work),
        )
        tuning.try_designs_until_enough_meet_target()
    told = tuning.designs_meeting_target or _list_at_most_one_nearest_design(tuning)
    get_own_output_folder_or_raise(out, game, claim_ownership=bool(told))
    paths = [path for design in told if (path := _write_erratum_if_design_changes_cards(tuning, design, folder))]
    if as_json:
        add_command_result_to_json_document({**tuning.to_json_of_tune_command(), "made": [str(path) for path in paths]})
    else:
        _print_tuning_results(tuning)
        for path in paths:
            click.echo(f"made     {path}")
    return 0 if tuning.designs_meeting_target else FALSE


def _print_tuning_results(design_search: DesignSearch) -> None:
    verdicts = [design.verdict for design in design_search.designs.values()]
    counts = ", ".join(f"{verdicts.count(word)} {word}" for word in dict.fromkeys(sorted(verdicts)))
    click.echo(f"{design_search.target.design_count:,} designs, {len(verdicts)} tried: {counts}")
    for design in [design for design in design_search.designs.values() if design.why][:_REASONS]:
        click.echo(f"{design.verdict}: {design.words}: {design.why}")
    for design in design_search.designs_meeting_target or _list_at_most_one_nearest_design(design_search):
        click.echo(f"{design.verdict}: {design.words}: {_format_measured_figures_of_design(design_search, design)}")


def _list_at_most_one_nearest_design(design_search: DesignSearch) -> list[TriedDesign]:
    """Return the design whose figures lie nearest to what is wanted, settled or not; none if none was played."""
    tried = sorted(
        (d for d in design_search.designs.values() if d.figures), key=design_search.compute_distance_outside_target
    )
    return tried[:1]


def _format_measured_figures_of_design(design_search: DesignSearch, design: TriedDesign) -> str:
    """Return what was measured of a design, in words."""
    from playproof.lab.phrases import (
        format_percent_with_interval_or_dash,
        format_points_with_interval_or_dash,
        format_value_with_interval_or_dash,
    )
    from playproof.lab.tuning import WORTH

    figures = []
    for name, figure in design.figures.items():
        if name.startswith(WORTH):
            words = format_points_with_interval_or_dash(figure)
        else:
            words = (
                format_percent_with_interval_or_dash(figure)
                if design_search.target.units[name] == "%"
                else format_value_with_interval_or_dash(figure, 1)
            )
        figures.append(f"{name} {words}")
    return f"{'; '.join(figures)}; {design.games:,} games of {', '.join(design_search.target.bots)}"


def _write_erratum_if_design_changes_cards(
    design_search: DesignSearch, design: TriedDesign, errata_folder: Path
) -> Path | None:
    """Write the erratum that makes a design, if it changes cards, and return its file."""
    from playproof.database.files import write_file_atomically

    settled = {"meets": "meets the target", "open": "may meet the target", "misses": "misses the target"}
    verdict = settled.get(design.verdict, design.verdict)
    measured = (
        f"It {verdict}. Measured by `playproof compare tune`, seed {design_search.seed}: "
        f"{_format_measured_figures_of_design(design_search, design)}."
    )
    text = design_search.target.format_erratum_yaml_or_empty(design.choice, f"Changed: {design.words}.", measured)
    if not text:
        return None
    path = errata_folder / ("-".join(map(str, design.choice)) + ".yaml")
    settings = design_search.target.get_options_and_rulings_of_design(design.choice)
    with_it = "".join(f"# with {name}: {value}\n" for name, value in settings.items())
    write_file_atomically(path, (with_it + text).encode())
    return path
