"""The command `playproof`: the verbs are in cli/verbs, the handling of errors is here.

Exit status: 0 done and true, 1 done and something is false, 2 the input or the call is wrong, 3 a
fault of Playproof itself, 130 interrupted by Ctrl-C.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import click

from playproof.cli.failures import INTERRUPTED, describe
from playproof.database.places import CLONE, find_broken_link, version


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
        "icons": Verb("documentation", "List the icons that every game may use."),
        "lint": Verb("linting", "Check the cards and the rulebook of games."),
        "workshop": Verb("serving", "Show a game in the browser while you edit it."),
        "migrate": Verb("migrating", "Say what files of older versions need, and change them."),
    },
    "Print": {
        "build": Verb("printing", "Make print files of games; only what changed is made again."),
        "preflight": Verb("printing", "Check print files before they are sent to a print shop."),
        "calibrate": Verb("calibrating", "Measure a printer's backs once and store the offset."),
    },
    "Play": {
        "play": Verb("playing", "Play a game at the terminal."),
        "serve": Verb("serving", "Play at a table in the browser."),
        "replay": Verb("serving", "Make one page of a recorded game, with its pictures."),
        "judge": Verb("playing", "Accept recorded games, or name the first illegal move."),
    },
    "Prove": {
        "prove": Verb("proving", "Answer the claims of games, with evidence."),
        "check": Verb("proving", "Check stored evidence from scratch."),
        "depends": Verb("proving", "Say what each option and ruling changes."),
        "whatif": Verb("proving", "Say which change of a number makes a no a yes."),
        "automaton": Verb("automaton", "Write a proven strategy as a card to play by."),
        "mutate": Verb("mutating", "Change rules and cards one at a time; say what no claim notices."),
        "ledger": Verb("ledger", "Count what the cards give and take, before anybody plays."),
    },
    "Measure": {
        "simulate": Verb("playing", "Play many games between bots and report how they went."),
        "report": Verb("lab", "Say what many games say about a design, on one page."),
        "compare": Verb("lab", "Play versions of a game with the same seeds, and say what differs."),
        "tune": Verb("tuning", "Find options and card values that meet a target."),
        "query": Verb("lab", "Ask a run's log in SQL."),
        "merge": Verb("lab", "Put the logs of several machines together."),
    },
    "Publish": {
        "errata": Verb("errata", "Show what a dated patch changes, and what the change does."),
        "card": Verb("errata", "Show one card: its texts, its source, and what errata changed on it."),
        "pack": Verb("packing", "Make one archive of a game, to be played and checked without its Python."),
        "unpack": Verb("packing", "Write the files of an archive into a new folder."),
        "pddl": Verb("proving", "Write a puzzle as a planning problem, for planners."),
        "jani": Verb("proving", "Write a game as a model, for model checkers."),
    },
    "Read": {
        "demo": Verb("demonstrating", "Print, prove, replay and simulate the demo game."),
        "docs": Verb("documentation", "Open the documentation."),
    },
}
VERBS = {name: verb for group in GROUPS.values() for name, verb in group.items()}


@cache
def load_verb(name: str) -> click.Command:
    """Load the command of a verb, with its line in the list of commands and its examples."""
    from playproof.cli.examples import add_examples

    verb = VERBS[name]
    command: click.Command = getattr(importlib.import_module(f"playproof.cli.verbs.{verb.module}"), name)
    add_examples(name, command)
    command.short_help = verb.help
    return command


def _say_version(ctx: click.Context) -> None:
    click.echo(f"playproof, version {version()}")
    ctx.exit()


class Verbs(click.Group):
    """A group that loads a verb's module when the verb is named, so that no verb pays for
    another's imports."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in VERBS:
            return None
        return load_verb(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, VERBS))
        for title, group in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(widest), verb.help) for name, verb in group.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command as click does, but name the nearest verb in the error message, and the working folder
        where a game is left out."""
        from playproof.cli.arguments import add_game_here
        from playproof.database.errors import did_you_mean

        if args and not args[0].startswith("-") and args[0] not in VERBS:
            raise click.UsageError(f"there is no command `{args[0]}`; {did_you_mean(args[0], VERBS)}", ctx)
        name, command, words = super().resolve_command(ctx, args)
        return name, command, add_game_here(ctx, command, words) if command else words


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

    `playproof help VERB` shows two examples of a verb and all its options. In a game's folder, the game need not be
    named.
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
    words = _words_of_help(arguments)
    try:
        if not {"--help", "-h", "--version", "-V"} & set(words):
            _check_links()
        result = cli.main(words, prog_name="playproof", standalone_mode=False)
    except BrokenPipeError:
        return 0
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        return INTERRUPTED
    except click.exceptions.Exit as left:
        return left.exit_code
    except Exception as error:  # the only handler: of bad input, and of our own faults
        return describe(error, as_json="--json" in arguments)
    return result if isinstance(result, int) else 0


if __name__ == "__main__":
    main()
