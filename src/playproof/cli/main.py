"""The command `playproof`: the verbs are in cli/verbs, the handling of errors is here.

Exit status: 0 done and true, 1 done and something is false, 2 the input or the call is wrong, 3 a
fault of Playproof itself, 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import click

from playproof.cli.documents import add_interruption, begin_document, print_document
from playproof.cli.failures import INTERRUPTED, describe
from playproof.database.places import CLONE, find_broken_link, version

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    Completion: TypeAlias = Callable[[click.Context, str], list[CompletionItem]]


class Verb(NamedTuple):
    """A command: the module in cli/verbs that holds it, and its line in the list of commands."""

    module: str
    help: str


# The module of each verb, and what the list of verbs says of it, by what one wants to do. The list is here so that it
# loads no verb.
GROUPS = {
    "Write": {
        "new": Verb("making", "Write a small complete game to start from."),
        "sheet": Verb("sheet", "Take cards to and from spreadsheets."),
        "lint": Verb("linting", "Check the cards and the rulebook of games."),
        "workshop": Verb("serving", "Show a game in the browser while you edit it."),
    },
    "Print": {
        "build": Verb("printing", "Make print files of games; only what changed is made again."),
    },
    "Play": {
        "play": Verb("playing", "Play a game at the terminal."),
        "serve": Verb("serving", "Play at a table in the browser."),
        "log": Verb("", "Judge, show, ask and merge what was recorded."),
    },
    "Prove": {
        "prove": Verb("proving", "Answer the claims of games, with evidence."),
        "check": Verb("proving", "Check stored evidence from scratch."),
    },
    "Measure": {
        "simulate": Verb("playing", "Play many games between bots and report how they went."),
        "report": Verb("lab", "Say what many games say about a design, on one page."),
        "compare": Verb("lab", "Play versions of a game with the same seeds, and say what differs."),
    },
    "Publish": {
        "errata": Verb("errata", "Show what a dated patch changes, and what the change does."),
        "export": Verb("", "Write a game for other programs: an archive, planners, model checkers."),
    },
    "Read": {
        "demo": Verb("demonstrating", "Print, prove, replay and simulate the demo game."),
        "docs": Verb("documentation", "Open the documentation."),
    },
}
VERBS = {name: verb for group in GROUPS.values() for name, verb in group.items()}
COMPANIONS = {
    "lint": {
        "migrate": Verb("migrating", "Say what files of older versions need, and change them."),
    },
    "build": {
        "preflight": Verb("printing", "Check print files before they are sent to a print shop."),
        "calibrate": Verb("calibrating", "Measure a printer's backs once and store the offset."),
    },
    "log": {
        "judge": Verb("playing", "Accept recorded games, or name the first illegal move."),
        "replay": Verb("serving", "Make one page of a recorded game, with its pictures."),
        "query": Verb("lab", "Ask a run's log in SQL."),
        "merge": Verb("lab", "Put the logs of several machines together."),
    },
    "prove": {
        "depends": Verb("proving", "Say what each option and ruling changes."),
        "whatif": Verb("proving", "Say which change of a number makes a no a yes."),
        "ledger": Verb("ledger", "Count what the cards give and take, before anybody plays."),
        "automaton": Verb("automaton", "Write a proven strategy as a card to play by."),
        "mutate": Verb("mutating", "Change rules and cards one at a time; say what no claim notices."),
    },
    "compare": {
        "tune": Verb("tuning", "Find options and card values that meet a target."),
    },
    "errata": {
        "card": Verb("errata", "Show one card: its texts, its source, and what errata changed on it."),
    },
    "export": {
        "archive": Verb(
            "packing", "Make one archive of a game, to be played and checked without its Python."
        ),
        "unpack": Verb("packing", "Write the files of an archive into a new folder."),
        "pddl": Verb("proving", "Write a puzzle as a planning problem, for planners."),
        "jani": Verb("proving", "Write a game as a model, for model checkers."),
    },
    "docs": {
        "icons": Verb("documentation", "List the icons that every game may use."),
    },
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
def load_verb(name: str) -> click.Command:
    """Load a command by its words, as `prove depends`, with its line in the list of commands and its examples."""
    from playproof.cli.examples import add_examples

    first, _, second = name.partition(" ")
    verb = COMPANIONS[first][second] if second else VERBS[first]
    command: click.Command
    if verb.module:
        command = getattr(importlib.import_module(f"playproof.cli.verbs.{verb.module}"), second or first)
    else:
        command = click.Group(first, help=f"{verb.help}")
    add_examples(name, command)
    command.short_help = verb.help
    if not isinstance(command, click.Group):
        command.format_options = partial(_write_options, command)  # type: ignore[method-assign]
    if first in COMPANIONS and not second:
        command.format_epilog = partial(_write_companions, first)  # type: ignore[method-assign]
        asked: list[click.Command | click.Parameter] = [command]
        asked += [param for param in command.params if isinstance(param, click.Argument)][:1]
        for each in asked:  # a shell asks the argument, where a command has one
            each.shell_complete = partial(_complete, first, each.shell_complete)  # type: ignore[method-assign]
    return command


def all_names() -> Iterator[str]:
    """Yield the words of every command, of those behind a verb too, in the order of the help."""
    for verb in VERBS:
        yield verb
        yield from (f"{verb} {word}" for word in COMPANIONS.get(verb, ()))


def _write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
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


def _write_companions(verb: str, _: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the commands that are typed behind a verb, below its options."""
    inner = COMPANIONS[verb]
    width = max(len(f"{verb} {word}") for word in inner)
    with formatter.section("Commands" if not VERBS[verb].module else "See also"):
        formatter.write_dl([(f"{verb} {word}".ljust(width), each.help) for word, each in inner.items()])


def _complete(verb: str, of_command: Completion, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
    """Return what may be typed behind a verb: its companions too, as long as nothing else is there."""
    from click.shell_completion import CompletionItem

    is_first = not any(ctx.args) and not any(map(ctx.params.get, ("game", "games", "versions")))
    words = COMPANIONS[verb] if is_first and not incomplete.startswith("-") else {}
    named = [
        CompletionItem(word, help=COMPANIONS[verb][word].help)
        for word in words
        if word.startswith(incomplete)
    ]
    return [*named, *of_command(ctx, incomplete)]


def _say_version(ctx: click.Context) -> None:
    click.echo(f"playproof, version {version()}")
    ctx.exit()


class Verbs(click.Group):
    """A group that loads a verb's module when the verb is named, so that no verb pays for
    another's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_verb(cmd_name) if cmd_name in VERBS else None

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
        from playproof.cli.arguments import add_game_here

        if not args or args[0].startswith("-"):
            return super().resolve_command(ctx, args)
        words = _in_new_words(args, is_said=not ctx.resilient_parsing)
        verb, *others = words
        if verb not in VERBS:
            raise click.UsageError(_unknown(verb, [*VERBS, *OLD]), ctx)
        inner = COMPANIONS.get(verb, {})
        name = f"{verb} {others.pop(0)}" if others and others[0] in inner else verb
        if name == verb and not VERBS[verb].module and others and not others[0].startswith("-"):
            raise click.UsageError(_unknown(f"{verb} {others[0]}", [f"{verb} {word}" for word in inner]), ctx)
        command = load_verb(name)
        return name, command, others if ctx.resilient_parsing else add_game_here(ctx, command, others)


def _in_new_words(args: list[str], *, is_said: bool) -> list[str]:
    """Return the words of a call in today's spelling. An old one is answered, and told what it is now."""
    new = OLD.get(args[0])
    if new is None:
        return args
    if is_said:
        click.echo(
            f"playproof: `{args[0]}` is now `{new}`; the old spelling works in this release only", err=True
        )
    return [*new.split(), *args[1:]]


def _unknown(words: str, names: Iterable[str]) -> str:
    from playproof.database.errors import did_you_mean

    near = did_you_mean(words, names)
    for old, new in OLD.items():
        near = near.replace(f'"{old}"', f'"{new}"')
    return f"there is no command `{words}`; {near}"


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    help="Show the version and exit.",
    callback=lambda ctx, _, wanted: _say_version(ctx) if wanted else None,
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
    from playproof.cli.startup import lightly, listen, speak_any_letter
    from playproof.database.process_memory import keep_memory

    lightly()
    keep_memory()
    listen()
    speak_any_letter()
    # Plugins of pydantic are other programs' business; to look for them reads the metadata of every
    # installed package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    status = run(sys.argv[1:] if arguments is None else arguments)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        pass
    os._exit(status)


def _words_of_help(arguments: Sequence[str]) -> list[str]:
    """Return the words of a call, in which `help VERB` is `VERB --help`, and no word at all is `--help`."""
    if not arguments or arguments[0] == "help":
        return [*arguments[1:], "--help"]
    return list(arguments)


def _check_links() -> None:
    """Raise InputError (PP806) in a checkout without links: there, no game is found, and nothing prints or proves."""
    broken = find_broken_link()
    if broken is not None:
        from playproof.database.errors import InputError, Where

        message = f"this is a text file, and not the link to `{broken.read_text('utf-8').strip()}`"
        raise InputError.of("PP806", Where(str(broken)), message, CLONE)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit status. All exceptions become messages here and
    nowhere else."""
    begin_document()
    try:
        status = _run(arguments)
        print_document(status, is_asked="--json" in arguments)
    except BrokenPipeError:
        return 0
    return status


def _run(arguments: Sequence[str]) -> int:
    words = _words_of_help(arguments)
    try:
        if not {"--help", "-h", "--version", "-V"} & set(words):
            _check_links()
        result = cli.main(words, prog_name="playproof", standalone_mode=False)
    except BrokenPipeError:
        raise
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        add_interruption()
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as asked:
        click.echo(asked.message)
        return 0
    except click.exceptions.Exit as left:
        return left.exit_code
    except Exception as error:  # the only handler: of bad input, and of our own faults
        return describe(error)
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    main()
