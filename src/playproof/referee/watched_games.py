"""Games with every invariant checked after every step: `simulate --check`.

It checks the game's invariants, the bounds of every field, and that the player who must act can
act. Whole games run in watched machine code (language/watched_source.py). With bots that
search, each step runs the watched source. A violation is played again in the interpreter and
becomes a transcript that ends at the failure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playproof.language import BoundsError, RulesError
from playproof.language.playouts import LONGEST_GAME
from playproof.language.random import Stream, make_game_seed
from playproof.language.watched_source import DEAD_END, NO_END, Flaw
from playproof.referee.batches import (
    ReadingsDiffer,
    has_reached_limit,
    make_declared_or_default_limits,
    play_game_to_states_actions_and_choices,
)
from playproof.referee.bots import load_builtin_or_user_bot
from playproof.referee.engine import WatchedEngine
from playproof.referee.errors import LENGTH, LengthError, describe_broken_or_missing_length_bound
from playproof.referee.match import Match, Step
from playproof.referee.recorded_games import format_judge_command, list_names_of_invariants_failing_now
from playproof.referee.simulate import list_full_bot_name_of_each_seat_or_raise
from playproof.referee.transcript import save
from playproof.referee.variant import Variant


@dataclass(frozen=True)
class Violation:
    """The first property that failed in a run: the game, the number of steps, and the match so
    far."""

    flaw: Flaw
    game: int
    seed: int
    steps: int
    match: Match
    last: str  # the action taken last, in words

    def __str__(self) -> str:
        after = f"after step {self.steps} ({self.last})" if self.steps else "at the start"
        return f"game {self.game} of seed {self.seed}, {after}: {self.flaw.text}"

    def as_json(self) -> dict[str, Any]:
        """Return the violation as JSON values for scripts."""
        return {
            "what": self.flaw.name,
            "message": self.flaw.text,
            "game": self.game,
            "seed": self.seed,
            "game_seed": self.match.seed,
            "step": self.steps,
            "action": self.last,
        }

    def save_transcript(self, transcripts_folder: Path) -> Path:
        """Write the transcript into a folder and return its path."""
        transcripts_folder.mkdir(parents=True, exist_ok=True)
        path = transcripts_folder / f"{self.flaw.name.replace(' ', '-')}-seed-{self.seed}-game-{self.game}.txt"
        save(
            self.match,
            path,
            comment_lines=f"{self}\n`{format_judge_command(self.match.variant)} --check` finds it again",
        )
        return path


def replay_game_to_its_violation_or_raise(
    variant: Variant, bots: Sequence[str], run_seed: int, game_index: int, longest: int = LONGEST_GAME
) -> Violation:
    """Play game `game_index` of a run again, alone, and return what fails in it. `longest` is that of the run. Raises
    ReadingsDiffer if nothing fails."""
    engine, names = WatchedEngine(variant.game), list_full_bot_name_of_each_seat_or_raise(bots, variant.game.players)
    game_seed, limits = make_game_seed(run_seed, game_index), make_declared_or_default_limits(variant.game, longest)
    minds = [load_builtin_or_user_bot(name) for name in names]
    states, actions, choices = play_game_to_states_actions_and_choices(engine, minds, Stream(game_seed), limits)
    match = Match(variant, game_seed, seats=names)
    flaw = engine.find_flaw_after_action_or_at_start(states[-2] if actions else None, actions[-1] if actions else -1)
    if flaw is None and has_reached_limit(states[-1], len(actions), len(choices), limits):
        flaw = Flaw(LENGTH, describe_broken_or_missing_length_bound(variant.game, len(actions), len(choices)))
    if flaw is None and not states[-1][1]:
        flaw = Flaw(DEAD_END, f"nobody can act in `{variant.game.phases[states[-1][0]].name}`")
    if flaw is None:
        raise ReadingsDiffer(f"game {game_index} of seed {run_seed}: nothing is wrong when it is played alone")
    _play_match_until_flaw_or_raise(match, actions, flaw)
    last_step = match.steps[-1].text if actions else ""
    return Violation(flaw, game_index, run_seed, len(actions), match, last_step)


def _play_match_until_flaw_or_raise(match: Match, actions: Sequence[int], expected_flaw: Flaw) -> None:
    """Play the game in the interpreter. Raises ReadingsDiffer if it does not find the same flaw."""
    match.apply_all(actions[:-1])
    if not actions:
        return
    try:
        match.apply(actions[-1])
    except RulesError as error:
        if expected_flaw.name != _get_flaw_name_of_error(error):
            raise
        match.steps.append(Step(match.actor, match.round, actions[-1], match.game.show(actions[-1])))
        match.waits.append(None)
        return
    if expected_flaw.name == LENGTH:
        return
    wrong = list_names_of_invariants_failing_now(match)
    if expected_flaw.name not in (*wrong, "bounds"):
        raise ReadingsDiffer(f"{expected_flaw.text} in compiled code, but it does in the interpreter")


def _get_flaw_name_of_error(error: RulesError) -> str:
    """Return the name of the flaw that the interpreter reports with this error."""
    if isinstance(error, LengthError):
        return LENGTH
    return "bounds" if isinstance(error, BoundsError) else NO_END
