"""Options that are the same in every verb, --cluster among them, and the two forms of output: for
people and for scripts."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click
from click.core import ParameterSource

from playproof.cli.output import add_command_result_to_json_document, add_findings_to_json_document

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.referee.variant import Variant


# Options that are the same in every verb, and the two forms of output: for people and for scripts.

F = TypeVar("F", bound=Callable[..., Any])
ChosenSettings = tuple[dict[str, str], dict[str, str]]
"""The options and the rulings that a command line names."""
FALSE = 1
NEEDS_MORE = "PP811"
"""The code of a command that needs more than an archive brings."""
BETWEEN = 3.0
"""Seconds between two lines of progress where the error stream is no terminal, at least."""
SILENCE, _LONGEST_SILENCE = 2.0, 16.0
"""Seconds without a line after which one says that work goes on; so many at most, after several."""


class OutputPath(click.Path):
    """A file or folder that a verb writes, missing folders included. One that cannot be written is
    refused before the verb begins its work, by the path as it was given."""

    def __init__(self, *, folder: bool) -> None:
        super().__init__(file_okay=not folder, dir_okay=folder, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path. Fails for one that cannot be written, if it was given and is no default."""
        path = Path(str(super().convert(value, param, ctx)))
        source = ctx.get_parameter_source(param.name or "") if ctx and param else None
        wrong = self._describe_write_obstacle_or_empty(path) if source is not ParameterSource.DEFAULT else ""
        if wrong:
            self.fail(f"`{value}` cannot be written: {wrong}", param, ctx)
        return path

    def _describe_write_obstacle_or_empty(self, path: Path) -> str:
        """Return why nothing can be written there, or "". A folder is only looked at: a verb may have nothing
        to write."""
        if self.file_okay and not path.name:
            return "expected the name of a file"
        if self.file_okay and path.exists() and not path.is_file():  # a device would be replaced by a file
            return "it is no plain file"
        upward = (path, *path.absolute().parents) if self.dir_okay else path.absolute().parents
        above = next(folder for folder in upward if folder.exists())
        if not above.is_dir():
            return f"`{above}` is a file, expected a folder"
        return "" if os.access(above, os.W_OK | os.X_OK) else f"the folder `{above}` may not be written"


def game_argument_with_trust_option(function: F) -> F:
    """Add the argument GAME (a name, a folder with cards and rules, or an archive), and --trust."""
    return click.argument("game", callback=_extract_archives_and_warn_of_name_clash)(
        trust_option_read_before_games(function)
    )


def games_argument_with_trust_option(*, required: bool = True) -> Callable[[F], F]:
    """Add the argument GAMES (names, folders or archives), and --trust."""

    def add(function: F) -> F:
        argument = click.argument(
            "games", nargs=-1, required=required, callback=_extract_archives_and_warn_of_name_clash
        )
        return argument(trust_option_read_before_games(function))

    return add


def game_argument_refusing_archives(function: F) -> F:
    """Add the argument GAME of a verb that changes the game's files: a name or a folder, and no archive."""
    return click.argument("game", callback=_refuse_archive_else_return_game)(function)


def versions_argument_with_trust_option(function: F) -> F:
    """Add the argument VERSIONS (games with settings, as `pig.zip:players=3`), and --trust."""
    argument = click.argument("versions", nargs=-1, required=True, callback=_extract_archives_in_version_texts)
    return argument(trust_option_read_before_games(function))


def prepend_working_folder_if_no_game_named(
    ctx: click.Context, command: click.Command, arguments_of_command: list[str]
) -> list[str]:
    """Return the words after a verb, with the working folder as the game if it is one and the words name none.

    `ctx` is that of the whole call: a command takes the names of its help option from the first that it sees.
    """
    if isinstance(command, click.Group):
        inner = command.commands.get(arguments_of_command[0]) if arguments_of_command else None
        return (
            [arguments_of_command[0], *prepend_working_folder_if_no_game_named(ctx, inner, arguments_of_command[1:])]
            if inner
            else arguments_of_command
        )
    arguments = [param for param in command.params if isinstance(param, click.Argument)]
    if not arguments or arguments[0].name not in ("game", "games", "versions"):
        return arguments_of_command
    try:
        given, _, _ = command.make_parser(click.Context(command, parent=ctx)).parse_args(list(arguments_of_command))
    except click.UsageError:  # said when the command reads its words
        return arguments_of_command
    values = [given.get(str(argument.name)) for argument in arguments]
    words_named = [word for value in values for word in (value if isinstance(value, tuple) else [value])]
    named = [word for word in words_named if isinstance(word, str)]
    takes_any_number = arguments[0].nargs == -1
    too_few = not named and not given.get("everything") if takes_any_number else len(named) < len(arguments)
    if (
        not too_few
        or given.get("help")
        or (named and _is_folder_archive_or_name_of_game(named[0]))
        or not _is_folder_archive_or_name_of_game(".")
    ):
        return arguments_of_command
    return [".", *arguments_of_command]


def _is_folder_archive_or_name_of_game(command_word: str) -> bool:
    """Return whether a word names a game: a folder, an archive, or an installed one."""
    from playproof.database.game import has_game_file_or_printable_sheets, has_rules_file
    from playproof.language.registry import is_name_of_bundled_game

    folder = Path(command_word)
    if folder.is_dir():
        return has_game_file_or_printable_sheets(folder) or has_rules_file(folder)
    return command_word.endswith(".zip") or is_name_of_bundled_game(command_word)


def _extract_archives_and_warn_of_name_clash(
    _: click.Context, __: click.Parameter, game_or_games: str | tuple[str, ...]
) -> str | tuple[str, ...]:
    """Warn if a name means one of Playproof's own games and a folder here has the same name, so
    that nobody changes one and prints the other."""
    for name in (game_or_games,) if isinstance(game_or_games, str) else game_or_games:
        here = Path(name)
        if "/" in name or not any((here / file).is_file() for file in ("game.yaml", "rules.py", "rules/__init__.py")):
            continue
        from playproof.database.installation import CARDS
        from playproof.language.registry import is_name_of_bundled_game

        if (CARDS / name).resolve() != here.resolve() and is_name_of_bundled_game(name):
            click.echo(f"{name}: this is Playproof's own game; for the folder here write ./{name}", err=True)
    return (
        extract_archive_or_return_reference(game_or_games)
        if isinstance(game_or_games, str)
        else tuple(map(extract_archive_or_return_reference, game_or_games))
    )


def game_and_trust_options(function: F) -> F:
    """Add the option --game of a verb that reads what somebody recorded, and --trust."""
    text = "The game's folder or archive, if it is not an installed game; or a folder of archives."
    option = click.option("--game", metavar="FOLDER", callback=_extract_archive_or_pass_reference, help=text)
    return option(trust_option_read_before_games(function))


def _extract_archive_or_pass_reference(_: click.Context, __: click.Parameter, reference: str | None) -> str | None:
    return reference and extract_archive_or_return_reference(reference)


def _extract_archives_in_version_texts(
    _: click.Context, __: click.Parameter, version_texts: tuple[str, ...]
) -> tuple[str, ...]:
    parts = (text.partition(":") for text in version_texts)
    return tuple(f"{extract_archive_or_return_reference(game)}{colon}{setting}" for game, colon, setting in parts)


_TRUST = "playproof.trust"


def trust_option_read_before_games(function: F) -> F:
    """Add --trust, which is read before the games are."""
    return click.option(
        "--trust",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=lambda ctx, _, trusted: ctx.meta.__setitem__(_TRUST, trusted),
        help="Run the rules of an archive, which are Python, as those of a folder. Do so if you trust who wrote them.",
    )(function)


def extract_archive_or_return_reference(game_reference: str) -> str:
    """Return a name or folder as it is, and for an archive the folder in which its files are."""
    if not game_reference.endswith(".zip"):  # a run of a game that has not changed loads nothing that reads files
        return game_reference
    from playproof.language.archive import extract_archive_to_cache_folder, is_existing_zip_file

    trusted = bool(click.get_current_context().meta.get(_TRUST))
    return (
        extract_archive_to_cache_folder(game_reference, include_python=trusted)
        if is_existing_zip_file(game_reference)
        else game_reference
    )


def _refuse_archive_else_return_game(ctx: click.Context, parameter: click.Parameter, game_reference: str) -> Any:
    if game_reference.endswith(".zip") and Path(game_reference).is_file():
        from playproof.database.errors import InputError, Where

        message = f"`{ctx.command.name}` takes the files of a game, and this is an archive"
        raise InputError.from_single_finding(
            NEEDS_MORE, Where(game_reference), message, f"type `playproof export unpack {game_reference}` first"
        )
    return _extract_archives_and_warn_of_name_clash(ctx, parameter, game_reference)


def require_rules_not_only_descriptions(game: str, reason: str) -> None:
    """Check that a game has rules, and not only descriptions of them as an archive does. Raises InputError."""
    from playproof.database.errors import InputError, Where
    from playproof.language.archive import load_descriptions_unless_rules_exist

    if load_descriptions_unless_rules_exist(game) is not None:
        message = f"{reason}; that needs the rules of `{Path(game).name}`, and an archive is read without them"
        hint = "add --trust to run them, if you trust who wrote them"
        raise InputError.from_single_finding(NEEDS_MORE, Where(Path(game).name), message, hint)


def variant_options_as_chosen_settings(function: F) -> F:
    """Add --chapter, --players, --option and --ruling, which the verb gets as `chosen`: options and rulings."""

    @wraps(function)
    def with_choices(
        *args: Any,
        chapter: str | None,
        players: str | None,
        options: tuple[str, ...],
        rulings: tuple[str, ...],
        **others: Any,
    ) -> Any:
        return function(*args, chosen=parse_options_and_rulings(chapter, players, options, rulings), **others)

    chapter = click.option("--chapter", metavar="N", help="Which chapter, if the game has several.")
    players = click.option("--players", metavar="N", help="How many play, if the game leaves it open.")
    other = click.option(
        "--option", "options", metavar="NAME=VALUE", multiple=True, help="Any other option of the game."
    )
    return cast(F, chapter(players(other(rulings_option(with_choices)))))


def rulings_option(function: F) -> F:
    """Add --ruling."""
    text = "Answer an open question of the rulebook in this way."
    return click.option("--ruling", "rulings", metavar="ID=OPTION", multiple=True, help=text)(function)


def work_limit_option(limited_work_name: str, default_work_units: float) -> Callable[[F], F]:
    """Add --work, which limits the search for each answer."""
    text = f"Work for {limited_work_name}. One unit is about one second of an idle core, and the same anywhere."
    above_zero = click.FloatRange(0, min_open=True)
    return click.option("--work", type=above_zero, default=default_work_units, show_default=True, help=text)


def work_and_seconds_options(function: F) -> F:
    """Add --work and --seconds."""
    work = work_limit_option("each claim that names no budget", 60.0)
    seconds = click.option(
        "--seconds",
        type=click.FloatRange(0, min_open=True),
        help="Stop each claim by the clock.  [default: 600, or ten times the work]",
    )
    return work(seconds(function))


def whole_number_option(
    flag: str, minimum: int, default: int, help_text: str, maximum: int | None = None
) -> Callable[[F], F]:
    """Add an option that takes a whole number from `least` to `most`."""
    between = click.IntRange(minimum, maximum)
    return click.option(flag, type=between, default=default, show_default=True, help=help_text)


def bot_names_option(default_bots: str, help_text: str) -> Callable[[F], F]:
    """Add --bot, which names one bot or one per seat."""
    return click.option(
        "--bot", "bots", metavar="NAME[,NAME...]", default=default_bots, show_default=True, help=help_text
    )


def split_bot_names(comma_separated_names: str) -> list[str]:
    """Return the names in a list of bots with commas."""
    return [name.strip() for name in comma_separated_names.split(",")]


def parse_ladder_bots_or_refuse_unknown(ladder_text: str | None) -> tuple[str, ...] | None:
    """Return the bots of a ladder, None for the usual ones. Raises BotError for a bot that does not exist."""
    from playproof.referee.bots import load_builtin_or_user_bot

    if ladder_text is None:
        return None
    names = () if ladder_text == "none" else tuple(split_bot_names(ladder_text))
    for name in names:
        load_builtin_or_user_bot(name)
    return names


def jobs_option(function: F) -> F:
    """Add --jobs."""
    return click.option("--jobs", type=click.IntRange(1), help="Cores to use.  [default: all]")(function)


def output_folder_option(help_text: str | None) -> Callable[[F], F]:
    """Add --out, the folder `output` if it is not given."""
    return click.option("--out", type=OutputPath(folder=True), default="output", show_default=True, help=help_text)


def folder_of_new_game_option(function: F) -> F:
    """Add --in, the folder in which a game's folder is made."""
    text = "Make the game's folder in this folder."
    return click.option("--in", "parent", type=OutputPath(folder=True), default=".", show_default=True, help=text)(
        function
    )


def papers_option(function: F) -> F:
    """Add --paper, which may be repeated."""
    text = "May be repeated.  [default: A4 and Letter]"
    return click.option("--paper", "papers", multiple=True, metavar="NAME", help=text)(function)


def saves_folder_option(help_text: str) -> Callable[[F], F]:
    """Add --saves, the folder of games in progress."""
    place = ".playproof/tables"
    return click.option("--saves", type=OutputPath(folder=True), default=place, show_default=True, help=help_text)


def json_option(function: F) -> F:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for scripts.")(function)


def seed_option(function: F) -> F:
    """Add --seed."""
    return click.option("--seed", type=int, default=0, show_default=True, help="Decides all chance events.")(function)


def parse_options_and_rulings(
    chapter: str | None, players: str | None, options: Sequence[str], rulings: Sequence[str]
) -> ChosenSettings:
    """Return options and rulings in the form that the rules take. Raises UsageError if a word is
    not NAME=VALUE."""
    values = dict(_iter_name_value_pairs_or_refuse("--option", options))
    common = {"chapter": chapter, "players": players}
    values |= {name: value for name, value in common.items() if value is not None}
    return values, dict(_iter_name_value_pairs_or_refuse("--ruling", rulings))


def build_variant_and_warn_of_bad_claims(game: str, chosen: ChosenSettings) -> Variant:
    """Return the variant that a command line names. Builds its description, so that wrong
    options are refused at once."""
    from playproof.referee.variant import Variant

    variant = Variant(game, *chosen)
    print_warning_of_unreadable_claims(variant.game.cards)
    return variant


def print_warning_of_unreadable_claims(loaded_game: Any) -> None:
    """Say on the error stream that claims of a game cannot be read; its cards print and play without them."""
    findings = getattr(loaded_game, "unread_claim_findings", ())
    if findings:
        warning = replace(findings[0], severity="warning")
        add_findings_to_json_document([warning])
        click.echo(str(warning), err=True)
        click.echo(f"claims.yaml is left out; `playproof lint {loaded_game.folder}` lists what is wrong", err=True)


def _iter_name_value_pairs_or_refuse(option_name: str, assignments: Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in assignments:
        key, equals, value = text.partition("=")
        if not equals or not key or not value:
            raise click.UsageError(f"{option_name} takes NAME=VALUE, found `{text}`")
        yield key.strip(), value.strip()


def is_parameter_given_on_command_line(parameter_name: str) -> bool:
    """Return whether the running command was given a parameter, rather than taking its default."""
    return click.get_current_context().get_parameter_source(parameter_name) is not ParameterSource.DEFAULT


def print_findings_and_choose_exit_status(findings: Sequence[Finding], *, as_json: bool, success_message: str) -> int:
    """Print findings as JSON or in lines, those of one cause together. Returns the exit status (1 if any is an
    error)."""
    wrong = [f for f in findings if f.severity == "error"]
    if as_json:
        add_command_result_to_json_document({}, findings)
    else:
        from playproof.database.errors import iter_report_lines_shortened_by_cause

        for line in iter_report_lines_shortened_by_cause(findings):
            click.echo(line)
        if not wrong:
            click.echo(success_message)
    return FALSE if wrong else 0


class _ProgressLines:
    """Progress in a pipe or a log: a line on the error stream each few seconds at most, so that nobody
    waits without a word and no log fills up."""

    def __init__(self) -> None:
        self._last, self._at = "", monotonic()
        self._latest, self._since, self._wait = "", self._at, SILENCE

    def print_progress_if_new_and_due(self, text: str) -> None:
        """Print a text that is new: at once if it names another kind of work, which may take long; a count only if
        nothing was printed a moment ago."""
        is_count = any(map(str.isdigit, text))
        if text != self._last and (not is_count or monotonic() - self._at >= BETWEEN):
            self.print_progress_at_once(text)
        self._remember_latest_text_and_time(text)

    def print_progress_at_once(self, text: str) -> None:
        """Print a text."""
        self._last, self._at = text, monotonic()
        self._wait = SILENCE
        self._remember_latest_text_and_time(text)
        click.echo(f"playproof: {text} ...", err=True)

    def print_progress_if_silent_for_long(self) -> None:
        """Print the latest text with how long it has been true, if nothing was printed for long; each time later, so
        that no log fills up."""
        now = monotonic()
        if now - self._at >= self._wait:
            self._at, self._wait = now, min(2 * self._wait, _LONGEST_SILENCE)
            with suppress(RuntimeError):  # the signal came while a line was written: then nobody waits
                click.echo(f"playproof: {self._latest}, {now - self._since:.0f} s ...", err=True)

    def _remember_latest_text_and_time(self, text: str) -> None:
        if text != self._latest:
            self._latest, self._since = text, monotonic()


@contextmanager
def _print_progress_by_timer_if_silent(lines: _ProgressLines) -> Iterator[None]:
    """Look each second whether something was printed lately: work in other processes says nothing here. Children do
    not inherit the timer. Without one, as on Windows and outside the main thread, nobody looks."""
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: lines.print_progress_if_silent_for_long())
    signal.setitimer(signal.ITIMER_REAL, SILENCE / 2, SILENCE / 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def show_progress_of_counted_work(work_description: str) -> Iterator[Callable[[int, int], None]]:
    """Yield a callback (done, of) that shows progress on the error stream: a bar on a terminal, else
    lines."""
    if not sys.stderr.isatty():
        lines = _ProgressLines()
        lines.print_progress_at_once(work_description)  # the first step may take long
        with _print_progress_by_timer_if_silent(lines):
            yield (
                lambda done, of: (
                    lines.print_progress_if_new_and_due(f"{work_description}: {done:,} of {of:,}")
                    if done < of
                    else None
                )
            )
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(work_description, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of)


@contextmanager
def show_progress_of_work_in_words(work_description: str) -> Iterator[Callable[[str], None]]:
    """Yield a callback that shows progress in words on the error stream: one line that changes on a
    terminal, else lines."""
    if not sys.stderr.isatty():
        lines = _ProgressLines()
        lines.print_progress_at_once(work_description)  # what follows may be silent for long
        with _print_progress_by_timer_if_silent(lines):
            yield lines.print_progress_if_new_and_due
        return
    from rich.console import Console

    with Console(stderr=True).status(work_description) as line:
        yield lambda text: line.update(text)


fresh_option = click.option("--fresh", is_flag=True, help="Ask again what earlier runs have answered.")


def print_count_of_reused_answers_if_any(answer_count: int) -> None:
    """Say on the error stream how many answers are of earlier runs, if any are."""
    if answer_count:
        click.echo(f"{answer_count} answers are of earlier runs; --fresh asks them again", err=True)


def add_claims_file_to_strategy_bot_name(game: str, bot_name: str) -> str:
    """Return a bot's name with the game's claims file in it, if it is a strategy that names a claim alone."""
    kind, colon, claim = bot_name.partition(":")
    if not colon:
        return bot_name
    from playproof.referee.bots import STRATEGY

    if kind != STRATEGY or "#" in claim:
        return bot_name
    from playproof.database.installation import CARDS

    folder = Path(game) if Path(game).is_dir() else CARDS / game
    return f"{STRATEGY}:{folder.resolve() / 'claims.yaml'}#{claim}"


# -- clusters ------------------------------------------------------------------------------------------------
# The option --cluster: which Dask cluster does the work.

ClusterCommand = TypeVar("ClusterCommand", bound=Callable[..., Any])
_PATIENCE = 3  # seconds for a scheduler to answer
_STARTING = 60  # seconds for one to start


def cluster_option(*older_option_names: str) -> Callable[[ClusterCommand], ClusterCommand]:
    """Add --cluster, with its older names."""
    text = "Work on a Dask cluster: its scheduler's address, or a file that says how to start one."
    return click.option("--cluster", *older_option_names, "cluster", metavar="ADDRESS", help=text)


def connect_to_dask_cluster_or_none(address_or_file: str | None) -> Any:
    """Return a client of the Dask scheduler at an address, or of the cluster that a file describes; None without an
    address. Raises UsageError if none answers in time."""
    if address_or_file is None:
        return None
    distributed = import_cluster_package_or_refuse("distributed", "pip install 'playproof[cluster]'")
    file = Path(address_or_file)
    if file.is_file():
        return _make_client_or_raise_after_timeout(
            lambda: _connect_to_cluster_described_in_file(distributed, file), address_or_file, _STARTING
        )
    return _make_client_or_raise_after_timeout(
        lambda: distributed.Client(address_or_file, timeout=_PATIENCE), address_or_file, _PATIENCE
    )


def import_cluster_package_or_refuse(name: str, install_command: str) -> Any:
    """Import a package that not everybody installs. Raises UsageError, which says the line that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise click.UsageError(f"--cluster needs the package `{name}`: {install_command}") from None


def _connect_to_cluster_described_in_file(distributed_module: Any, file: Path) -> Any:
    """Return a client of the cluster that a file describes: a scheduler's own file (JSON), or one class of
    `dask_jobqueue` with its settings (YAML), of which `jobs` is how many are started."""
    import yaml

    if file.suffix == ".json":
        return distributed_module.Client(scheduler_file=str(file), timeout=_PATIENCE)
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    if not isinstance(content, Mapping) or len(content) != 1:
        raise click.UsageError(f"{file}: expected one class of dask_jobqueue with its settings")
    [(name, settings)] = content.items()
    kind = getattr(import_cluster_package_or_refuse("dask_jobqueue", "pip install dask-jobqueue"), str(name), None)
    if kind is None:
        raise click.UsageError(f"{file}: dask_jobqueue has no `{name}`")
    settings = dict(settings or {})
    jobs = settings.pop("jobs", 1)
    cluster = kind(**settings)
    cluster.scale(jobs=jobs)
    return distributed_module.Client(cluster)


def _make_client_or_raise_after_timeout(make_client: Callable[[], Any], address: str, timeout_seconds: int) -> Any:
    answer: Queue[Any] = Queue()
    Thread(target=_put_client_or_error_in_queue, args=(make_client, answer), daemon=True).start()
    try:
        client = answer.get(timeout=timeout_seconds)
    except Empty:
        client = TimeoutError("nothing was heard")
    if isinstance(client, click.UsageError):
        raise client
    if isinstance(client, Exception):
        fault = str(client) or type(client).__name__
        raise click.UsageError(
            f"no Dask scheduler answers at `{address}` within {timeout_seconds} seconds ({fault}); "
            "expected an address such as tcp://HOST:8786"
        ) from None
    return client


def _put_client_or_error_in_queue(make_dask_client: Callable[[], Any], queue: Queue[Any]) -> None:
    """Put a client into the queue, or the exception raised instead. Catches all exceptions,
    because anything may answer at the address."""
    try:
        queue.put(make_dask_client())
    except Exception as error:
        queue.put(error)
