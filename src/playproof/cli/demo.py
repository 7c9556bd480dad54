"""What `playproof demo` does: one game from its YAML to print, proof and play, by the commands that a person types.
`cards/demo.yaml` names the game."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from playproof.cli.main import run_command_line_and_get_exit_status as command
from playproof.database.game import load_game
from playproof.database.installation import CARDS
from playproof.database.source import read_yaml_file
from playproof.language.registry import is_name_of_bundled_game
from playproof.referee import Match, save
from playproof.referee.variant import Variant
from playproof.verifier.prove import prove
from playproof.verifier.questions.verdicts import Answer, format_answer_as_lines

CHOICE = CARDS / "demo.yaml"
_WORK = 40.0  # for each claim
_PAIRS = 100  # of games for each card of the report


@dataclass(frozen=True)
class DemoSettings:
    """What the demo shows: a game, its options, the claims to prove (none: all), and the number of games of
    its report."""

    game: str
    options: dict[str, str] = field(default_factory=dict)
    games: int = 20_000
    claims: tuple[str, ...] = ()

    @property
    def options_as_command_words(self) -> list[str]:
        """The options as words of a command line."""
        of_their_own = ("chapter", "players")
        words = [[f"--{k}", v] if k in of_their_own else ["--option", f"{k}={v}"] for k, v in self.options.items()]
        return [word for pair in words for word in pair]


def read_demo_settings(path: Path = CHOICE) -> DemoSettings:
    """Return the demo that a file describes. Raises InputError if the file cannot be read."""
    data: Any = read_yaml_file(path).data
    options = {str(k): str(v) for k, v in (data.get("options") or {}).items()}
    return DemoSettings(str(data["game"]), options, int(data.get("games", 20_000)), tuple(data.get("claims", ())))


def run_demo_and_get_exit_status(demo_settings: DemoSettings, output_folder: Path) -> int:
    """Run the commands of the demo. Returns the exit status of the first one that fails, or 0."""
    began = perf_counter()
    game = load_game(demo_settings.game)
    folder, below = output_folder / game.name, ["--out", str(output_folder)]
    status = _print_and_run_playproof_command("build", demo_settings.game, *below)
    answers = [] if status else _prove_demo_claims_printing_answers(demo_settings, output_folder)
    won = _find_shortest_won_match_in_evidence(demo_settings, answers)
    if won is not None and not status:
        path = folder / "winning-line.txt"
        save(won, path)
        of_its_own = [] if is_name_of_bundled_game(demo_settings.game) else ["--game", demo_settings.game]
        status = _print_and_run_playproof_command("log", "judge", str(path), *of_its_own)
        # says so if the game has no printed table
        _print_and_run_playproof_command("log", "replay", str(path), *of_its_own)
    numbers = ["--games", str(demo_settings.games), "--pairs", str(_PAIRS), "--ladder", "none", "--work", "0"]
    status = status or _print_and_run_playproof_command(
        "report", demo_settings.game, *demo_settings.options_as_command_words, *numbers, *below
    )
    if status:
        return status
    click.echo(f"\n{game.title}: all of it in {perf_counter() - began:.0f} s. Look at")
    replay = folder / "winning-line.html"
    places = {
        "the sheets to print": folder / "print",
        "a won game, step by step": replay if won is not None and replay.is_file() else None,
        "what many games say": folder / "report" / "index.html",
        "the evidence of each claim": folder / "evidence",
    }
    for what, place in places.items():
        if place is not None:
            click.echo(f"  {what:27} {place}")
    click.echo(
        f"Then play it: {' '.join(['playproof', 'play', demo_settings.game, *demo_settings.options_as_command_words])}"
    )
    return 0


def _print_and_run_playproof_command(*command_words: str) -> int:
    """Print a command, run it, and return its exit status."""
    click.echo(f"\n$ playproof {' '.join(command_words)}")
    return command(command_words)


def _prove_demo_claims_printing_answers(demo_settings: DemoSettings, output_folder: Path) -> list[Answer]:
    """Answer the claims as `prove` does, and print each answer."""
    only = [word for claim in demo_settings.claims for word in ("--claim", claim)]
    click.echo(
        f"\n$ playproof prove "
        f"{' '.join([demo_settings.game, *only, *demo_settings.options_as_command_words, '--out', str(output_folder)])}"
    )
    return prove(
        demo_settings.game,
        demo_settings.options,
        only=demo_settings.claims,
        work=_WORK,
        output=output_folder,
        answered=lambda reply: click.echo(format_answer_as_lines(reply)),
    )


def _find_shortest_won_match_in_evidence(demo_settings: DemoSettings, answers: Sequence[Answer]) -> Match | None:
    """Return the shortest won game among the evidence, replayed in the interpreter; None if there is none."""
    variant = Variant(demo_settings.game, demo_settings.options)
    lines = [Match(variant).apply_all(idents) for idents in read_action_ids_of_event_transcripts(answers)]
    won = [match for match in lines if match.ending is not None and match.ending.kind == "win"]
    return min(won, key=lambda match: (match.round or 0, len(match.steps)), default=None)


def read_action_ids_of_event_transcripts(answers: Iterable[Answer]) -> list[list[int]]:
    """Return the ground actions of every line that comes to an event in the answers' evidence files."""
    files = [Path(answer.evidence) for answer in answers if answer.evidence]
    settings = [s for file in files for s in json.loads(file.read_text(encoding="utf-8"))["settings"]]
    lines = [c for s in settings for c in s["certificates"] if c["kind"] == "transcript"]
    return [c["idents"] for c in lines if c["about"]["kind"] == "event"]
