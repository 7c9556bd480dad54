"""The verbs play, simulate, log judge, serve, workshop and log replay: games at the terminal and in
the browser."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from playproof.cli.arguments import (
    FALSE,
    ChosenSettings,
    OutputPath,
    add_claims_file_to_strategy_bot_name,
    bot_names_option,
    build_variant_and_warn_of_bad_claims,
    cluster_option,
    connect_to_dask_cluster_or_none,
    game_and_trust_options,
    game_argument_refusing_archives,
    game_argument_with_trust_option,
    games_argument_with_trust_option,
    is_parameter_given_on_command_line,
    jobs_option,
    json_option,
    output_folder_option,
    print_findings_and_choose_exit_status,
    saves_folder_option,
    seed_option,
    show_progress_of_counted_work,
    split_bot_names,
    variant_options_as_chosen_settings,
    whole_number_option,
)
from playproof.cli.output import INTERRUPTED, add_command_result_to_json_document

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.generator.build import BuiltFile
    from playproof.referee.simulate import SimulationResult
    from playproof.referee.variant import Variant


# -- playing -------------------------------------------------------------------------------------------------
# The verbs play, simulate and judge.


@click.command("play")
@game_argument_with_trust_option
@variant_options_as_chosen_settings
@click.option(
    "--seed",
    type=int,
    help="Decides all chance events. Whoever knows it can compute them.  [default: a new secret seed]",
)
@bot_names_option("greedy", "Who plays the other seats; or one name per seat, `person` for you.")
@click.option(
    "--load", "saved", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Continue a saved game."
)
@click.option(
    "--keep",
    type=OutputPath(folder=False),
    help="Save the game here after every move.  [default: .playproof/play/GAME.txt]",
)
@json_option
def play_at_terminal(
    game: str, chosen: ChosenSettings, seed: int | None, bots: str, saved: Path | None, keep: Path | None, as_json: bool
) -> None:
    """Play GAME at the terminal: numbered choices, undo, hints, and why a move is not legal.

    You take the first seat. Bots are random, greedy, mcts, mcts:ITERATIONS, exact, openspiel:NAME,
    and package.module:Class for your own. What does not fit on the terminal comes page by page:
    Enter shows the next one. With --json, the table is drawn on the error stream, and
    the game as you left it is printed as JSON.
    """
    from rich.console import Console

    from playproof.language.registry import get_name_recorded_for_game, is_game_recorded_under_name
    from playproof.referee.recorded_games import load
    from playproof.referee.terminal import match_summary_to_json as shape, play_in_terminal as sit_down
    from playproof.referee.transcript import read_transcript_file_or_raise

    if saved:
        recorded = read_transcript_file_or_raise(saved).game
        if not is_game_recorded_under_name(game, recorded):  # refused before any rules run
            raise click.UsageError(f"{saved} is a game of {recorded}, not of {get_name_recorded_for_game(game)}")
        variant = load(saved, game).variant
    else:
        variant = build_variant_and_warn_of_bad_claims(game, chosen)
    console = Console(highlight=False, stderr=as_json)
    seats = _list_players_by_seat_or_refuse(
        ",".join(add_claims_file_to_strategy_bot_name(game, name.strip()) for name in bots.split(",")),
        variant.game.players,
    )
    # A pipe is a script, which names the file itself.
    place = keep or (_claim_and_get_usual_autosave_file(game, variant.name) if sys.stdin.isatty() else None)
    match = sit_down(variant, seats, seed, console, transcript_to_continue=saved, autosave_file=place)
    if as_json:
        add_command_result_to_json_document(shape(match))


def _claim_and_get_usual_autosave_file(game: str, name: str) -> Path:
    """Return the file in which a game at the terminal is kept; one with more in its name if another game of the same
    name keeps its own there."""
    from hashlib import sha256

    from playproof.database.errors import InputError
    from playproof.language.registry import claim_name_of_game_here

    try:
        claim_name_of_game_here(game)
    except InputError:
        name += f"-{sha256(str(Path(game).resolve()).encode()).hexdigest()[:6]}"
    return Path(".playproof", "play", f"{name}.txt")


def _list_players_by_seat_or_refuse(comma_separated_bots: str, seat_count: int) -> list[str]:
    """Return who sits where. One name is for all other seats, several names are one per seat."""
    from playproof.referee.bots import load_builtin_or_user_bot
    from playproof.referee.terminal import HUMAN

    names = split_bot_names(comma_separated_bots)
    seats = names if len(names) > 1 else [HUMAN, *names * (seat_count - 1)]
    if len(seats) != seat_count:
        raise click.UsageError(f"the game has {seat_count} seats, --bot names {len(seats)}")
    for name in {*names, *seats}:  # a wrong name is told even where no seat is left for it
        if name != HUMAN:
            load_builtin_or_user_bot(name)
    return seats


@click.command("simulate")
@game_argument_with_trust_option
@variant_options_as_chosen_settings
@whole_number_option("--games", 1, 1000, "How many games.")
@bot_names_option("random", "Who plays: one name for all seats, or one name per seat.")
@seed_option
@jobs_option
@click.option(
    "--replay",
    type=click.IntRange(0),
    metavar="INDEX",
    help="Print the transcript of this one game of the run, played in the interpreter.",
)
@click.option(
    "--check",
    is_flag=True,
    help="After every step of every game, check each invariant, all bounds, and that somebody can act.",
)
@output_folder_option(
    "If you name it, write the log of the run there, for `query`. With --check, write the transcript that it "
    "finds below this folder."
)
@click.option("--resume", is_flag=True, help="Go on with the log in --out; play only the games that are not there.")
@click.option("--first", type=click.IntRange(0), default=0, help="With --out: the number of the first game.")
@click.option(
    "--record",
    type=click.IntRange(1),
    metavar="N",
    help="With --out: keep every step of each Nth game.  [default: of about 1,000 games]",
)
@click.option(
    "--quantity",
    "quantities",
    metavar="NAME",
    multiple=True,
    help="With --out: keep this quantity over time; may be repeated.  [default: those shown at the table]",
)
@click.option(
    "--longest",
    type=click.IntRange(1),
    metavar="STEPS",
    help="Stop a game after so many steps, if its rules declare no bound on its length.  [default: 10000, or 2000 for "
    "bots that think]",
)
@click.option("--plot", type=OutputPath(folder=False), help="Write a picture (SVG) of the run.")
@cluster_option("--dask")
@json_option
def simulate_games_between_bots(
    game: str,
    chosen: ChosenSettings,
    games: int,
    bots: str,
    seed: int,
    jobs: int | None,
    replay: int | None,
    check: bool,
    out: Path,
    resume: bool,
    first: int,
    record: int | None,
    quantities: tuple[str, ...],
    longest: int | None,
    plot: Path | None,
    cluster: str | None,
    as_json: bool,
) -> int:
    """Play many games of GAME between bots and report how they went.

    Rates have 95 % intervals. Every game has its own seed, so you can replay game 814203 of a million alone. With
    --check, the run stops at the first game in which something does not hold, and writes its transcript. The exit
    status is then 1. The same happens, without --check too, with a game that goes beyond the bound that its rules
    declare (`ends_within`). Ctrl-C ends the run: the report covers the games that are done, and the exit status is 130.
    It is 1 if no game comes to an end.

    Bots are random, greedy, mcts, mcts:ITERATIONS, exact, openspiel:NAME, strategy:CLAIM for a strategy of the
    game's claims, and package.module:Class for your own.
    """
    from playproof.referee import simulation_report
    from playproof.referee.simulate import replay as replay_one, simulate as run
    from playproof.referee.variant import Variant

    variant = Variant(game, *chosen)
    _ = variant.summary  # wrong options are refused now
    names = [add_claims_file_to_strategy_bot_name(game, name) for name in split_bot_names(bots)]
    if replay is not None:
        _refuse_replay_of_game_outside_run(replay, games)
        _refuse_options_left_unread("--replay", ("check", "out", "resume", "first", "record", "quantities", "plot"))
        from playproof.referee.transcript import write

        click.echo(write(replay_one(variant, names, seed, replay, longest=longest)), nl=False)
        return 0
    client = connect_to_dask_cluster_or_none(cluster)
    if _needs_log_or_refuse_log_options(check, resume=resume, log_options=(first, record, quantities)):
        _refuse_options_left_unread("a log (--out)", ("longest", "plot"))
        from playproof.cli.verbs.measure import LogRange, play_and_log_games_and_get_exit_status
        from playproof.lab.game_runner import GameRunner

        bench = GameRunner(variant, names, seed, jobs, client)
        wanted = LogRange(first, games, record, quantities, resume)
        return play_and_log_games_and_get_exit_status(bench, out, wanted, as_json=as_json)
    with show_progress_of_counted_work(f"playing {games:,} games") as step:
        result = run(variant, games, names, seed, jobs=jobs, progress=step, client=client, watch=check, longest=longest)
    if result.first_game_with_violation is not None:
        _write_violation_transcript_and_print_it(result, result.first_game_with_violation, out, as_json=as_json)
        return FALSE
    if as_json:
        add_command_result_to_json_document(simulation_report.as_json(result))
    else:
        from rich.console import Console

        Console(highlight=False).print(simulation_report.render_simulation_tables(result))
        _print_hint_if_solo_play_was_random(variant, names)
    if plot is not None:  # last: a full disk loses no report
        from playproof.referee.simulation_report import write_simulation_svg

        write_simulation_svg(result, plot)
    no_game_ended = result.tally.games > 0 and result.tally.stopped == result.tally.games
    return INTERRUPTED if result.interrupted else FALSE if no_game_ended else 0


def _print_hint_if_solo_play_was_random(variant: Variant, bot_names: Sequence[str]) -> None:
    """Say of games against nobody that were played by chance how better play is tried: what chance wins says little of
    how hard a game is."""
    game = variant.summary
    if {*bot_names} == {"random"} and len(game.sides) == 1:
        better = "greedy" if game.is_evaluated else "mcts:80"
        hint = f"this is play by chance: `--bot {better}` plays better; `playproof report {variant.ref}` asks all"
        click.echo(hint, err=True)


def _needs_log_or_refuse_log_options(check: bool, *, resume: bool, log_options: tuple[object, ...]) -> bool:
    """Return whether the run writes a log: --out is named, and it is no check. Raises UsageError for options that do
    nothing without one."""
    if is_parameter_given_on_command_line("out") and not check:
        return True
    if resume or any(log_options):
        raise click.UsageError("--resume, --first, --record and --quantity need the log's folder: --out FOLDER")
    return False


def _refuse_options_left_unread(what_does_not_read_them: str, parameter_names: Sequence[str]) -> None:
    """Raise UsageError if one of these parameters is given: what was asked for does not read them."""
    for parameter in click.get_current_context().command.params:
        if parameter.name in parameter_names and is_parameter_given_on_command_line(parameter.name):
            raise click.UsageError(
                f"{what_does_not_read_them} goes without {parameter.opts[0]}, which it would not read"
            )


def _refuse_replay_of_game_outside_run(game_number: int, game_count: int) -> None:
    """Raise UsageError if the run whose length is given has no game of this number. Every number is one of a game
    if no length is given, because a game does not depend on how many are played."""
    if game_number >= game_count and is_parameter_given_on_command_line("games"):
        raise click.UsageError(
            f"a run of {game_count:,} games has the games 0 to {game_count - 1:,}, --replay names {game_number:,}"
        )


def _write_violation_transcript_and_print_it(
    result: SimulationResult, game_number: int, output_folder: Path, *, as_json: bool
) -> None:
    """Write the transcript of the game in which a check failed, and print the failure."""
    from playproof.language.registry import get_own_output_folder_or_raise
    from playproof.referee import simulation_report
    from playproof.referee.recorded_games import format_judge_command
    from playproof.referee.watched_games import replay_game_to_its_violation_or_raise

    explained = replay_game_to_its_violation_or_raise(
        result.variant, result.bots, result.seed, game_number, result.longest
    )
    path = explained.save_transcript(
        get_own_output_folder_or_raise(output_folder, result.variant.ref, claim_ownership=True) / "checks"
    )
    if as_json:
        add_command_result_to_json_document(
            simulation_report.simulation_with_violation_to_json(
                result, {**explained.as_json(), "transcript": str(path)}
            )
        )
    else:
        click.echo(
            f"{explained}\n{path}: the game up to there; `{format_judge_command(result.variant)} --check` reads it"
        )


@click.command("judge")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Also check the game's invariants after every move.")
@click.option("--export", type=OutputPath(folder=False), help="Write all games, if accepted, as one JSON file.")
@game_and_trust_options
@json_option
def judge_recorded_games(
    files: tuple[Path, ...], check: bool, export: Path | None, game: str | None, as_json: bool
) -> int:
    """Accept recorded games, or name the first illegal move of each with its rule and its line.

    A file is a transcript, or a JSON file of many games.
    """
    from playproof.referee.recorded_games import get_next_actor_name_or_none, judge as judge_file

    findings: list[Finding] = []
    notes = []
    for file in files:
        findings += judge_file(file, check=check, game=game)
        to_act = None if as_json else get_next_actor_name_or_none(file, game)
        notes.append(f"{file} (unfinished: {to_act} to act)" if to_act else str(file))
    accepted = "accepted: " + ", ".join(notes)
    if export is not None and not any(finding.severity == "error" for finding in findings):
        from playproof.database.files import write_file_atomically
        from playproof.referee.recorded_games import format_games_as_json, read_games_from_transcripts_or_json

        games = [written for file in files for written in read_games_from_transcripts_or_json(file)]
        write_file_atomically(export, format_games_as_json(games).encode())
    return print_findings_and_choose_exit_status(findings, as_json=as_json, success_message=accepted)


# -- serving -------------------------------------------------------------------------------------------------
# The verbs serve, workshop and replay: play and edit in the browser.


@click.command("serve")
@games_argument_with_trust_option(required=False)
@whole_number_option("--port", 0, 8765, "The port; 0 takes any free port.", 65535)
@click.option("--lan", is_flag=True, help="Open the table to the local network, with QR codes for the seats.")
@click.option(
    "--public-url",
    metavar="URL",
    default="",
    help="The address that a proxy on this machine shows to the world: https://games.example. Needs --behind-proxy.",
)
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="A proxy on this machine brings people here; the lobby opens to whoever has its key.",
)
@click.option("--keep-days", type=click.IntRange(1), help="Delete tables that nobody has touched for so many days.")
@saves_folder_option("The folder of the games in progress; each is saved after every move.")
@click.option("--workers", type=click.IntRange(1, 64), help="How many processes bots use.  [default: by cores]")
@click.option(
    "--pace",
    type=click.FloatRange(0, 10),
    default=0.35,
    show_default=True,
    help="Seconds a bot waits before it acts, so that people can follow.",
)
def serve_tables_in_browser(
    games: tuple[str, ...],
    port: int,
    lan: bool,
    public_url: str,
    behind_proxy: bool,
    keep_days: int | None,
    saves: Path,
    workers: int | None,
    pace: float,
) -> int:
    """Put GAMES (default: that of this folder, else all) on a table in the browser: the printed boards and
    cards, people and bots at the seats.

    The table answers on this machine only; with --lan also in the local network. Ctrl-C stops it.
    When you start it again, the games continue where they were.
    """
    from playproof.language.registry import (
        list_bundled_game_names,
        list_example_game_names,
        require_rules_or_descriptions,
    )
    from playproof.table.server import PortUnavailable, serve_tables_until_interrupted

    public = public_url.rstrip("/")
    if bool(public) != behind_proxy:
        raise click.UsageError(
            "--public-url and --behind-proxy belong together: one names the address, the other the way"
        )
    if public and not re.fullmatch(r"https?://[\w.-]+(:\d+)?", public, re.ASCII):
        raise click.UsageError(f"--public-url: expected https://HOST or https://HOST:PORT, found {public_url}")
    chosen = games or (*list_bundled_game_names(), *list_example_game_names())
    for game in chosen:
        require_rules_or_descriptions(game)
    try:
        serve_tables_until_interrupted(
            chosen,
            port,
            saves,
            open_to_lan=lan,
            public_url=public,
            workers=workers,
            bot_delay_seconds=pace,
            keep_days=keep_days,
            print_line=click.echo,
        )
    except PortUnavailable as error:
        click.echo(str(error), err=True)
        return 2
    return 0


@click.command("workshop")
@game_argument_refusing_archives
@whole_number_option("--port", 0, 8765, "The port; 0 takes any free port.", 65535)
@output_folder_option("Make the print files below this folder, in the game's own folder.")
@click.option("--paper", default="A4", show_default=True, metavar="NAME", help="The paper of the print files.")
@click.option("--lan", is_flag=True, help="Open the tables to the local network, and the workshop to nobody there.")
@saves_folder_option("The folder of the games in progress.")
def serve_game_while_it_is_edited(game: str, port: int, out: Path, paper: str, lan: bool, saves: Path) -> int:
    """Show GAME in the browser while you edit it: every face, old beside new, lint, sheets and
    rulebook.

    The page follows each save. A click on a part of a face shows the file and the line that made
    it. A card's own page edits its lines. The claims that a save can touch are proved again, and
    each verdict shows as it is found. You can play the game at the same address, with --lan also
    with others, who see nothing of the workshop.
    """
    from playproof.cli.verifier_answers import make_function_answering_touched_claims
    from playproof.language.registry import UnknownGame, require_rules_or_descriptions
    from playproof.linting.whole_game import list_all_lint_findings_of_game
    from playproof.table.edited_game import EditedGame
    from playproof.table.server import PortUnavailable, serve_tables_until_interrupted

    playable: tuple[str, ...] = (game,)
    try:
        require_rules_or_descriptions(game)
    except UnknownGame:
        playable = ()  # cards without rules yet
    ask = make_function_answering_touched_claims(game, out) if playable else None
    edited = EditedGame(
        game,
        lambda: list_all_lint_findings_of_game(game),
        lambda: _update_and_list_all_print_files(game, out, paper),
        ask,
    )
    try:
        serve_tables_until_interrupted(
            playable, port, saves, open_to_lan=lan, workshop_game=edited, print_line=click.echo
        )
    except PortUnavailable as error:
        click.echo(str(error), err=True)
        return 2
    return 0


def _update_and_list_all_print_files(game_name: str, output_folder: Path, paper: str) -> list[BuiltFile]:
    """Build the print files that are out of date and return all of them."""
    from playproof.database.game import load_game
    from playproof.generator.build import build
    from playproof.generator.sheets import read_printer_offsets_or_empty
    from playproof.table.rulebook_games import RefereedGamePlayer

    game = load_game(game_name)
    return build(
        game,
        output_folder / game.name,
        papers=[paper],
        printer=read_printer_offsets_or_empty(),
        plays=RefereedGamePlayer(),
    )


@click.command("replay")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--out", type=OutputPath(folder=False), help="Write the page here.  [default: FILE with .html]")
@click.option("--seat", type=click.IntRange(1), help="Show the game as this seat saw it.  [default: all hands open]")
@game_and_trust_options
def write_replay_page_of_recorded_game(file: Path, out: Path | None, seat: int | None, game: str | None) -> int:
    """Make one HTML page of the transcript FILE: every moment of the table with the printed
    pictures, and the log.

    The page needs no server and nothing from the network, so you can send it to a friend.
    """
    from playproof.database.files import write_file_atomically
    from playproof.referee.recorded_games import load
    from playproof.table.replay_page import render_replay_page_html
    from playproof.table.table_layout import NoTable, TableLayout

    match = load(file, game)
    players = match.game.players
    if seat is not None and seat > players:
        raise click.UsageError(f"the game has {players} seats, --seat names {seat}")
    try:
        spread = TableLayout(match.variant)
    except NoTable as error:
        click.echo(str(error), err=True)
        return 2
    target = out or file.with_suffix(".html")
    write_file_atomically(target, render_replay_page_html(match, spread, None if seat is None else seat - 1).encode())
    click.echo(f"{target}  ({target.stat().st_size / 1000:.0f} kB, {len(match.steps)} steps)")
    return 0
