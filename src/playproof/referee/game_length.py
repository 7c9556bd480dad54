"""How long a game may last: the bounds that its rules declare, and a limit where they declare none.

`ends_within` bounds the decisions of players, `steps_within` all steps. A game that goes beyond one breaks the rules'
own word (PP815). Without a bound, a run stops a game after so many steps (`LONGEST_GAME`) and counts it apart; a game
at the table, and a report, which needs whole games, refuse it (PP816).
"""

from __future__ import annotations

from collections.abc import Iterable

from playproof.language import CHANCE, RulesError
from playproof.language.errors import Place
from playproof.language.game import Game

LENGTH = "ends within its bound"
_MOST_STEPS = 20_000  # of one match, which keeps every state


class LengthError(RulesError):
    """A game goes on beyond the bound that its rules declare, or without end."""


def has_declared_length(game: Game) -> bool:
    """Return whether the rules declare how long a game lasts."""
    return any(isinstance(game.facts.get(name), int) for name in ("ends_within", "steps_within"))


def describe_exceeded_length(game: Game, steps: int, decisions: int) -> str:
    """Return what a game that was stopped breaks: a declared bound, or the hope that it ends."""
    ends, steps_within = game.facts.get("ends_within"), game.facts.get("steps_within")
    if isinstance(ends, int) and decisions > ends:
        return f"the rules declare `ends_within={ends}`, and the game goes on after {ends:,} decisions"
    if isinstance(steps_within, int) and steps >= steps_within:
        return f"the rules declare `steps_within={steps_within}`, and the game goes on after {steps:,} steps"
    return f"the game has not ended after {steps:,} steps"


def make_length_error(game: Game, steps: int, decisions: int, game_name: str = "") -> LengthError:
    """Return the error about a game that was stopped; `which` names it, as "game 3 of seed 0"."""
    sentence = describe_exceeded_length(game, steps, decisions)
    message = f"{game_name}: {sentence}" if game_name else sentence
    if has_declared_length(game):
        hint = "mend the rule that lets it go on (a `goto`?), or the number in `g.fact`"
        return LengthError("PP815", message, hint, _get_place_of_facts(game))
    hint = "let a counter or something that gets less end it; g.fact(ends_within=N) declares a bound"
    return LengthError("PP816", message, hint, game.place)


def _get_place_of_facts(game: Game) -> Place:
    return game._facts_at


def check_game_length(game: Game, actors: Iterable[int], steps: int, seed: int) -> None:
    """Raise LengthError if a game of so many steps, the next one included, is longer than it may be. `actors` are
    those of all steps."""
    ends, within = game.facts.get("ends_within"), game.facts.get("steps_within")
    most_decisions = ends if isinstance(ends, int) else _MOST_STEPS
    most_steps = within if isinstance(within, int) else max(_MOST_STEPS, most_decisions)
    if steps <= min(most_decisions, most_steps):
        return
    decisions = sum(actor != CHANCE for actor in actors)
    if decisions > most_decisions or steps > most_steps:
        raise make_length_error(game, steps - 1, decisions, f"seed {seed}, step {steps}")
