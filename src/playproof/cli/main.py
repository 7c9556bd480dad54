"""The command `playproof`: the list of its commands with their examples, the start, and the handling
of errors. The verbs are in cli/verbs.

Exit status: 0 done and true, 1 done and something is false, 2 the input or the call is wrong, 3 a
fault of Playproof itself, 130 interrupted by Ctrl-C.

Two calls of each command, with which its help begins; `mygame` is the game that `playproof new mygame` writes.

tests/cli/test_help.py holds them to the options of their command, and to the claims of that game."""

from __future__ import annotations

import gc
import importlib
import importlib.util
import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from inspect import cleandoc
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import click

from playproof.cli.output import (
    INTERRUPTED,
    mark_json_document_interrupted,
    print_json_document_if_any,
    report_error_and_choose_exit_status,
    reset_json_document,
)
from playproof.database.installation import CLONE, find_link_checked_out_as_text_file, get_version_or_not_installed_text

# The command `playproof`: the verbs are in cli/verbs, the handling of errors is here.

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    WordCompleter: TypeAlias = Callable[[click.Context, str], list[CompletionItem]]


class CommandEntry(NamedTuple):
    """A command: its function as `module.name` in cli/verbs, empty if it only groups others, and its line in the list
    of commands."""

    function: str
    help: str


# The function of each verb, and what the list of verbs says of it, by what one wants to do. The list is here so that it
# loads no verb.
GROUPS = {
    "Write": {
        "new": CommandEntry("write.write_new_game", "Write a small complete game to start from."),
        "sheet": CommandEntry("write.group_sheet_commands", "Take cards to and from spreadsheets."),
        "lint": CommandEntry("write.lint_games", "Check the cards and the rulebook of games."),
        "workshop": CommandEntry("play.serve_game_while_it_is_edited", "Show a game in the browser while you edit it."),
    },
    "Print": {
        "build": CommandEntry("print.build_print_files", "Make print files of games; only what changed is made again.")
    },
    "Play": {
        "play": CommandEntry("play.play_at_terminal", "Play a game at the terminal."),
        "serve": CommandEntry("play.serve_tables_in_browser", "Play at a table in the browser."),
        "log": CommandEntry("", "Judge, show, ask and merge what was recorded."),
    },
    "Prove": {
        "prove": CommandEntry("prove.answer_claims_with_evidence", "Answer the claims of games, with evidence."),
        "check": CommandEntry("prove.check_evidence_files", "Check stored evidence from scratch."),
    },
    "Measure": {
        "simulate": CommandEntry(
            "play.simulate_games_between_bots", "Play many games between bots and report how they went."
        ),
        "report": CommandEntry(
            "measure.write_report_on_design", "Say what many games say about a design, on one page."
        ),
        "compare": CommandEntry(
            "measure.compare_versions_by_simulation",
            "Play versions of a game with the same seeds, and say what differs.",
        ),
    },
    "Publish": {
        "errata": CommandEntry(
            "publish.publish_erratum_with_dossier", "Show what a dated patch changes, and what the change does."
        ),
        "export": CommandEntry("", "Write a game for other programs: an archive, planners, model checkers."),
    },
    "Read": {
        "demo": CommandEntry("read.run_demo", "Print, prove, replay and simulate the demo game."),
        "docs": CommandEntry("read.open_documentation", "Open the documentation."),
    },
}
VERBS = {name: verb for group in GROUPS.values() for name, verb in group.items()}
COMPANIONS = {
    "build": {
        "preflight": CommandEntry(
            "print.check_print_files_for_shop", "Check print files before they are sent to a print shop."
        ),
        "calibrate": CommandEntry(
            "print.store_offset_of_printer_backs", "Measure a printer's backs once and store the offset."
        ),
    },
    "log": {
        "judge": CommandEntry("play.judge_recorded_games", "Accept recorded games, or name the first illegal move."),
        "replay": CommandEntry(
            "play.write_replay_page_of_recorded_game", "Make one page of a recorded game, with its pictures."
        ),
        "query": CommandEntry("measure.print_answer_of_run_log_to_sql", "Ask a run's log in SQL."),
        "merge": CommandEntry("measure.merge_run_logs", "Put the logs of several machines together."),
    },
    "prove": {
        "depends": CommandEntry("prove.print_claims_that_options_change", "Say what each option and ruling changes."),
        "whatif": CommandEntry(
            "prove.print_number_changes_that_turn_claims", "Say which change of a number makes a no a yes."
        ),
        "ledger": CommandEntry(
            "prove_companions.decide_card_ledger_and_print_gains_and_costs",
            "Count what the cards give and take, before anybody plays.",
        ),
        "automaton": CommandEntry(
            "prove_companions.write_proven_strategy_as_card", "Write a proven strategy as a card to play by."
        ),
        "mutate": CommandEntry(
            "prove_companions.report_mutants_that_no_claim_notices",
            "Change rules and cards one at a time; say what no claim notices.",
        ),
    },
    "compare": {
        "tune": CommandEntry("measure.tune_values_to_target", "Find options and card values that meet a target.")
    },
    "errata": {
        "card": CommandEntry(
            "publish.print_card_with_its_errata", "Show one card: its texts, its source, and what errata changed on it."
        )
    },
    "export": {
        "archive": CommandEntry(
            "publish.write_game_archive", "Make one archive of a game, to be played and checked without its Python."
        ),
        "unpack": CommandEntry("publish.unpack_game_archive", "Write the files of an archive into a new folder."),
        "pddl": CommandEntry("prove.write_pddl_problem", "Write a puzzle as a planning problem, for planners."),
        "jani": CommandEntry("prove.write_jani_model", "Write a game as a model, for model checkers."),
    },
    "docs": {"icons": CommandEntry("read.print_icon_names", "List the icons that every game may use.")},
}
"""Commands that are typed behind a verb, as `prove depends`: what one needs less often."""
RARE = (
    "trust", "options", "rulings", "cluster", "twice", "common", "all_answered", "work", "seconds",
    "within", "jobs", "workers", "dpi", "picture_dpi", "rule_ids", "sleeved", "stock", "url", "note",
    "force", "keep_going", "landscape", "flip", "resume", "first", "record", "quantities", "longest",
    "plot", "pairs", "ladder", "ladder_games", "page_size", "files", "no_pictures", "fresh",
    "public_url", "behind_proxy", "keep_days", "saves", "pace", "marks", "propose", "least", "export",
)  # fmt: skip
"""The options, by their parameters, that the help of a command lists last."""
OLD = {word: f"{verb} {word}" for verb, inner in COMPANIONS.items() for word in inner if word != "archive"}
OLD["pack"] = "export archive"
"""What a command was called before it stood behind a verb. These spellings work in this release only."""


@cache
def load_command_with_help_and_completion(command_words: str) -> click.Command:
    """Load a command by its words, as `prove depends`, with its line in the list of commands and its examples."""

    first, _, second = command_words.partition(" ")
    verb = COMPANIONS[first][second] if second else VERBS[first]
    command: click.Command
    if verb.function:
        module, _, name = verb.function.partition(".")
        command = getattr(importlib.import_module(f"playproof.cli.verbs.{module}"), name)
    else:
        command = click.Group(first, help=f"{verb.help}")
    prepend_examples_to_command_help(command_words, command)
    command.short_help = verb.help
    if not isinstance(command, click.Group):
        command.format_options = partial(_write_common_then_rare_options_help, command)  # type: ignore[method-assign]
    if first in COMPANIONS and not second:
        command.format_epilog = partial(_write_help_section_of_subcommands, first)  # type: ignore[method-assign]
        asked: list[click.Command | click.Parameter] = [command]
        asked += [param for param in command.params if isinstance(param, click.Argument)][:1]
        for each in asked:  # a shell asks the argument, where a command has one
            each.shell_complete = partial(_list_completions_with_subcommands, first, each.shell_complete)  # type: ignore[method-assign]
    return command


def iter_full_names_of_all_commands() -> Iterator[str]:
    """Yield the words of every command, of those behind a verb too, in the order of the help."""
    for verb in VERBS:
        yield verb
        yield from (f"{verb} {word}" for word in COMPANIONS.get(verb, ()))


def _write_common_then_rare_options_help(
    command: click.Command, ctx: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the options of a command, those that few people need in a section of their own at the end."""
    options = [
        (param.name in RARE, param.get_help_record(ctx))
        for param in command.get_params(ctx)
        if isinstance(param, click.Option)
    ]
    for is_rare, title in ((False, "Options"), (True, "Rare options")):
        records = [record for rare, record in options if record is not None and rare is is_rare]
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _write_help_section_of_subcommands(verb: str, _: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the commands that are typed behind a verb, below its options."""
    inner = COMPANIONS[verb]
    width = max(len(f"{verb} {word}") for word in inner)
    with formatter.section("Commands" if not VERBS[verb].function else "See also"):
        formatter.write_dl([(f"{verb} {word}".ljust(width), each.help) for word, each in inner.items()])


def _list_completions_with_subcommands(
    verb: str, complete_words_of_command: WordCompleter, ctx: click.Context, word_beginning: str
) -> list[CompletionItem]:
    """Return what may be typed behind a verb: its companions too, as long as nothing else is there."""
    from click.shell_completion import CompletionItem

    is_first = not any(ctx.args) and not any(map(ctx.params.get, ("game", "games", "versions")))
    words = COMPANIONS[verb] if is_first and not word_beginning.startswith("-") else {}
    named = [
        CompletionItem(word, help=COMPANIONS[verb][word].help) for word in words if word.startswith(word_beginning)
    ]
    return [*named, *complete_words_of_command(ctx, word_beginning)]


def _print_version_and_exit(ctx: click.Context) -> None:
    click.echo(f"playproof, version {get_version_or_not_installed_text()}")
    ctx.exit()


class LazyCommandGroup(click.Group):
    """A group that loads a verb's module when the verb is named, so that no verb pays for
    another's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command_with_help_and_completion(cmd_name) if cmd_name in VERBS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, VERBS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), verb.help) for name, verb in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does, but take the words behind a verb with it, name the nearest word in the
        error message, and add the working folder where a game is left out."""
        from playproof.cli.arguments import prepend_working_folder_if_no_game_named

        if not args or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        words = _replace_old_command_name(args, print_notice=not ctx.resilient_parsing)
        verb, *others = words
        if verb not in VERBS:
            raise click.UsageError(_describe_unknown_command_and_nearest(verb, [*VERBS, *OLD]), ctx)
        inner = COMPANIONS.get(verb, {})
        name = f"{verb} {others.pop(0)}" if others and others[0] in inner else verb
        if name == verb and not VERBS[verb].function and others and not others[0].startswith("-"):
            raise click.UsageError(
                _describe_unknown_command_and_nearest(f"{verb} {others[0]}", [f"{verb} {word}" for word in inner]), ctx
            )
        command = load_command_with_help_and_completion(name)
        return (
            name,
            command,
            others if ctx.resilient_parsing else prepend_working_folder_if_no_game_named(ctx, command, others),
        )


def _replace_old_command_name(args: list[str], *, print_notice: bool) -> list[str]:
    """Return the words of a call in today's spelling. An old one is answered, and told what it is now."""
    new = OLD.get(args[0])
    if new is None:
        return args
    if print_notice:
        click.echo(f"playproof: `{args[0]}` is now `{new}`; the old spelling works in this release only", err=True)
    return [*new.split(), *args[1:]]


def _describe_unknown_command_and_nearest(typed_words: str, known_names: Iterable[str]) -> str:
    from playproof.database.errors import make_nearest_or_possible_words_hint

    inside = [f"{group} {typed_words}" for group, words in COMPANIONS.items() if typed_words in words]
    if inside:
        meant = " or ".join(f"`{words}`" for words in inside)
        return f"there is no command `{typed_words}`; did you mean {meant}?"
    near = make_nearest_or_possible_words_hint(typed_words, known_names)
    for old, new in OLD.items():
        near = near.replace(f'"{old}"', f'"{new}"')
    return f"there is no command `{typed_words}`; {near}"


@click.group(cls=LazyCommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    help="Show the version and exit.",
    callback=lambda ctx, _, wanted: _print_version_and_exit(ctx) if wanted else None,
)
def cli() -> None:
    """Write a tabletop game down once, then print it, play it and prove it.

    `playproof help VERB` shows two examples of a verb, all its options, and what else is typed behind it. In a game's
    folder, the game need not be named.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave the process with its exit status.

    It skips the interpreter's cleanup, because freeing a large game's objects takes a tenth of a
    build.
    """
    from playproof.database.process_memory import make_c_library_keep_freed_memory

    tune_garbage_collector_and_defer_imports()
    make_c_library_keep_freed_memory()
    show_log_messages_if_stderr_is_terminal()
    make_output_replace_unprintable_letters()
    # Plugins of pydantic are other programs' business; to look for them reads the metadata of every
    # installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    status = run_command_line_and_get_exit_status(sys.argv[1:] if arguments is None else arguments)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    os._exit(status)


def _turn_help_word_into_help_option(arguments: Sequence[str]) -> list[str]:
    """Return the words of a call, in which `help VERB` is `VERB --help`, and no word at all is `--help`."""
    if not arguments or arguments[0] == "help":
        return [*arguments[1:], "--help"]
    return list(arguments)


def _refuse_checkout_with_broken_links() -> None:
    """Raise InputError (PP806) in a checkout without links: there, no game is found, and nothing prints or proves."""
    broken = find_link_checked_out_as_text_file()
    if broken is not None:
        from playproof.database.errors import InputError, Where

        message = f"this is a text file, and not the link to `{broken.read_text('utf-8').strip()}`"
        raise InputError.from_single_finding("PP806", Where(str(broken)), message, CLONE)


def run_command_line_and_get_exit_status(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status. All exceptions become messages here and
    nowhere else."""
    reset_json_document()
    try:
        status = _run_command_turning_errors_into_status(arguments)
        print_json_document_if_any(status, json_requested="--json" in arguments)
    except BrokenPipeError:
        return 0
    return status


def _run_command_turning_errors_into_status(arguments: Sequence[str]) -> int:
    words = _turn_help_word_into_help_option(arguments)
    try:
        if not {"--help", "-h", "--version", "-V"} & set(words):
            _refuse_checkout_with_broken_links()
        result = cli.main(words, prog_name="playproof", standalone_mode=False)
    except BrokenPipeError:
        raise
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        mark_json_document_interrupted()
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.message)
        return 0
    except click.exceptions.Exit as left:
        return left.exit_code
    except Exception as error:  # the only handler: of bad input, and of our own faults
        return report_error_and_choose_exit_status(error)
    return result if isinstance(result, int) else 0


# -- examples ------------------------------------------------------------------------------------------------
# Two calls of each command, with which its help begins; `mygame` is the game that `playproof new mygame`
# writes.

EXAMPLES = {
    "new": ("new mygame", "new mygame --sheet cards.xlsx"),
    "sheet": ("sheet export mygame cards.xlsx", "sheet import mygame cards.xlsx --check"),
    "sheet export": ("sheet export mygame cards.xlsx", "sheet export mygame sheets --format tsv"),
    "sheet import": ("sheet import mygame cards.xlsx --check", "sheet import mygame cards.xlsx --watch"),
    "sheet fetch": ("sheet fetch mygame", "sheet fetch mygame --json"),
    "sheet ids": ("sheet ids mygame", "sheet ids mygame --json"),
    "docs icons": ("docs icons", "docs icons attack"),
    "lint": ("lint mygame", "lint mygame --json"),
    "workshop": ("workshop mygame", "workshop mygame --lan"),
    "build": ("build mygame --paper A4", "build mygame --only 01-03 --watch"),
    "build preflight": (
        "build preflight output/mygame/print/A4/path-en.pdf",
        "build preflight deck.pdf --profile thegamecrafter",
    ),
    "build calibrate": ("build calibrate --paper A4", "build calibrate --right 0.6 --down -0.4"),
    "play": ("play mygame", "play mygame --seed 7 --bot greedy"),
    "serve": ("serve mygame", "serve mygame --lan"),
    "log replay": ("log replay game.txt", "log replay game.txt --game mygame --out game.html"),
    "log judge": ("log judge game.txt", "log judge game.txt --game mygame --check"),
    "prove": ("prove mygame", "prove mygame --claim winnable --claim richest"),
    "check": ("check --game mygame output/mygame/evidence/winnable.json", "check mygame.zip"),
    "prove depends": ("prove depends mygame --claim richest", "prove depends mygame --choice A1"),
    "prove whatif": (
        "prove whatif mygame --option start.light=1 --claim winnable",
        "prove whatif mygame --option start.light=1 --claim winnable --cards",
    ),
    "prove automaton": ("prove automaton mygame", "prove automaton mygame --out card.md"),
    "prove mutate": ("prove mutate mygame", "prove mutate mygame --number 200"),
    "prove ledger": ("prove ledger mygame", "prove ledger mygame --picture ledger.svg"),
    "simulate": ("simulate mygame --games 100000 --bot greedy", "simulate mygame --games 10000 --check"),
    "report": ("report mygame", "report mygame --games 20000"),
    "compare": ("compare mygame mygame:A1=glow", "compare mygame --sweep A1"),
    "compare tune": ("compare tune mygame --target target.yaml", "compare tune mygame --target target.yaml --tries 20"),
    "log query": ("log query run", 'log query run "SELECT count(*) FROM games"'),
    "log merge": ("log merge whole part1 part2", "log merge whole part1 part2 part3 --json"),
    "errata": ("errata mygame", "errata mygame --no-proof"),
    "errata card": ("errata card mygame 03", 'errata card mygame "The Old Well" --history'),
    "export archive": ("export archive mygame", "export archive mygame --sheets --paper A4"),
    "export unpack": ("export unpack mygame.zip", "export unpack mygame.zip --in games"),
    "export pddl": ("export pddl mypuzzle", "export pddl mypuzzle --claim solvable --out problem"),
    "export jani": ("export jani mygame --claim chance", "export jani mygame --claim chance --out model"),
    "demo": ("demo", "demo --out shown"),
    "log": ("log judge game.txt", 'log query run "SELECT count(*) FROM games"'),
    "export": ("export archive mygame", "export jani mygame --claim chance"),
    "docs": ("docs", "docs --path"),
}


def prepend_examples_to_command_help(command_words: str, command: click.Command) -> None:
    """Let the help of a command, and of each command below it, begin with its two examples."""
    lines = "\n".join(f"  $ playproof {words}" for words in EXAMPLES[command_words])
    command.help = f"\b\n{lines}\n\n{cleandoc(command.help or '')}"
    for word, inner in command.commands.items() if isinstance(command, click.Group) else ():
        inner.short_help = inner.get_short_help_str(100)
        prepend_examples_to_command_help(f"{command_words} {word}", inner)


# -- startup -------------------------------------------------------------------------------------------------
# Faster start of short commands: fewer garbage collections, and lazy loading of modules that libraries
# import and rarely use.

YOUNG = 100_000  # objects; with Python's 700 the collector would scan all modules many times while they load


def tune_garbage_collector_and_defer_imports() -> None:
    """Prepare a command: collect garbage less often, and load rarely used modules on demand."""
    gc.set_threshold(YOUNG, 50, 50)
    # ReportLab imports it for pictures, and most games have none
    _defer_import_until_first_attribute("PIL.Image")
    # pydantic imports it for plugins, and we use none
    _defer_import_until_first_call("importlib.metadata", "entry_points")


def show_log_messages_if_stderr_is_terminal() -> None:
    """Show the engines' log messages to a person at a terminal. A script gets only the results."""
    if sys.stderr.isatty():
        import logging

        heard = logging.StreamHandler()
        heard.setFormatter(logging.Formatter("playproof: %(message)s ..."))
        logger = logging.getLogger("playproof")
        logger.setLevel(logging.INFO)
        logger.addHandler(heard)


def make_output_replace_unprintable_letters() -> None:
    """Print a mark in place of a letter that the terminal's own alphabet lacks, such as a heart on Windows."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _defer_import_until_first_attribute(module_name: str) -> None:
    """Load a module when one of its attributes is first used."""
    spec = None if module_name in sys.modules else importlib.util.find_spec(module_name)
    if spec is None or spec.loader is None:
        return
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    _register_module_in_sys_and_package(module_name, module)
    spec.loader.exec_module(module)


def _register_module_in_sys_and_package(module_name: str, module: ModuleType) -> None:
    """Put a module where importing it would: `from package import last` asks the package."""
    package, _, last = module_name.rpartition(".")
    sys.modules[module_name] = module
    setattr(sys.modules[package], last, module)


def _defer_import_until_first_call(module_name: str, function_name: str) -> None:
    """Load a module when this function is called, or when any other attribute of it is used.

    `_defer_import_until_first_attribute` does not help if a library begins with `from name import function`, which
    uses the attribute at once.
    """
    spec = None if module_name in sys.modules else importlib.util.find_spec(module_name)
    if spec is None:
        return
    stand_in = importlib.util.module_from_spec(spec)

    def real() -> Any:
        if sys.modules.get(module_name) is stand_in:
            del sys.modules[module_name]
        return importlib.import_module(module_name)

    def call(*arguments: object, **named: object) -> Any:
        return getattr(real(), function_name)(*arguments, **named)

    vars(stand_in).update({function_name: call, "__getattr__": lambda word: getattr(real(), word)})
    _register_module_in_sys_and_package(module_name, stand_in)


if __name__ == "__main__":
    main()
