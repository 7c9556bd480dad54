"""`make demo`: one game from its YAML to print, play and proof, shown on one page.
`cards/demo.yaml` names the game."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from playproof.cli.failures import describe
from playproof.cli.recorded_moves import Played
from playproof.cli.showcase import Show, page, transcripts
from playproof.database.errors import InputError
from playproof.database.files import write_atomically
from playproof.database.game import load_game
from playproof.database.places import CARDS
from playproof.database.source import read
from playproof.generator.build import build
from playproof.generator.sheets import load_printer
from playproof.referee import Match, judge, save
from playproof.referee.simulate import simulate
from playproof.referee.variant import Variant
from playproof.verifier.prove import prove

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.generator.build import BuiltFile
    from playproof.referee.match import Match
    from playproof.referee.simulate import Result

CHOICE = CARDS / "demo.yaml"
OUTPUT = CARDS.parent / "output"
T = TypeVar("T")
_WORK = 40.0  # for each claim


@dataclass(frozen=True)
class Demo:
    """What the demo shows: a game, its options, the claims to prove (none: all), the number of
    simulated games, and their bots."""

    game: str
    options: dict[str, str] = field(default_factory=dict)
    games: int = 20_000
    bots: tuple[str, ...] = ("random",)
    claims: tuple[str, ...] = ()

    @property
    def flags(self) -> str:
        """The options as command-line flags, each after a space."""
        of_their_own = ("chapter", "players")
        return "".join(
            f" --{k} {v}" if k in of_their_own else f" --option {k}={v}" for k, v in self.options.items()
        )


def read_demo(path: Path = CHOICE) -> Demo:
    """Return the demo that a file describes. Raises InputError if the file cannot be read."""
    data: Any = read(path).data
    options = {str(k): str(v) for k, v in (data.get("options") or {}).items()}
    return Demo(
        str(data["game"]),
        options,
        int(data.get("games", 20_000)),
        tuple(data.get("bots", ("random",))),
        tuple(data.get("claims", ())),
    )


def main(out: Path = OUTPUT) -> int:
    """Make everything, print the place, and return the exit status."""
    try:
        return run(read_demo(), out)
    except Exception as error:  # the same messages as the command line
        return describe(error, as_json=False)


def run(demo: Demo, out: Path) -> int:
    """Run the five steps of the demo."""
    began = perf_counter()
    game = load_game(demo.game)
    folder = out / game.name
    files = _step("print", lambda: _build(game, folder), lambda f: f"{len(f)} files in {folder / 'print'}")
    answers = _step("prove", lambda: _prove(demo, out), _proved)
    line = _step("replay", lambda: _winning_line(demo, answers, folder), _replayed)
    runs = _step("play", lambda: _simulate(demo), _played)
    faces = [
        (c.id, path)
        for c in game.components.values()
        if (path := folder / "png" / "en" / f"{c.id}.front.png").is_file()
    ]
    show = Show(
        game,
        folder,
        demo.flags,
        faces,
        [f.path for f in files if f.path.suffix == ".pdf"],
        answers,
        line,
        runs,
    )
    index = folder / "index.html"
    _step("show", lambda: write_atomically(index, page(show).encode()), lambda _: str(index))
    print(f"\n{game.title}: all of it in {perf_counter() - began:.0f} s. Open {index}")
    print(f"Then try: playproof play {demo.game}{demo.flags}")
    return 0


def _step(name: str, work: Callable[[], T], told: Callable[[T], str]) -> T:
    """Carry out one step and print its result in one line."""
    began = perf_counter()
    made = work()
    print(f"{name:<6} {perf_counter() - began:5.1f} s  {told(made)}", flush=True)
    return made


def _build(game: Game, folder: Path) -> list[BuiltFile]:
    return build(game, folder, formats=("pdf", "png"), printer=load_printer(), plays=Played())


def _simulate(demo: Demo) -> list[Result]:
    variant = Variant(demo.game, demo.options)
    return [simulate(variant, demo.games, [bot]) for bot in demo.bots]


def _played(runs: Sequence[Result]) -> str:
    rates = [f"{bot.bots[0]} wins {100 * bot.tally.wins[0] / bot.tally.games:.1f} %" for bot in runs]
    return f"{runs[0].tally.games:,} games each: {', '.join(rates)}"


def _prove(demo: Demo, out: Path) -> list[dict[str, Any]]:
    answers = prove(demo.game, demo.options, only=demo.claims, work=_WORK, output=out)
    return [answer.as_json() for answer in answers]


def _proved(answers: Sequence[dict[str, Any]]) -> str:
    counts = Counter(answer["verdict"] for answer in answers)
    return ", ".join(f"{count} claims {verdict}" for verdict, count in counts.items())


def _winning_line(demo: Demo, answers: Sequence[dict[str, Any]], folder: Path) -> Match | None:
    """Return the shortest won game among the evidence, replayed in the interpreter, saved and
    judged; None if there is none."""
    variant = Variant(demo.game, demo.options)
    won = [m for m in (Match(variant).follow(idents) for idents in transcripts(answers)) if _is_won(m)]
    if not won:
        return None
    line = min(won, key=lambda match: (match.round or 0, len(match.steps)))
    path = folder / "winning-line.txt"
    save(line, path)
    findings = judge(path, game=demo.game)
    if findings:
        raise InputError(findings)
    return line


def _is_won(match: Match) -> bool:
    return match.ending is not None and match.ending.kind == "win"


def _replayed(line: Match | None) -> str:
    if line is None or line.ending is None:
        return "no won game among the evidence"
    when = "" if line.round is None else f", in round {line.round}"
    return f"{len(line.steps)} steps to “{line.ending.reason}”{when}; judged and accepted"


if __name__ == "__main__":
    sys.exit(main())
