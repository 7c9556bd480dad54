"""The errors of refused moves, which show the input and the position, and of games that last longer
than their rules declare.

MoveError
├── CannotRead     the words name no action of this game            PP601
├── NotLegal       an action, but the rules refuse it here          PP602
└── Ambiguous      the words fit several legal actions              PP603

How long a game may last: the bounds that its rules declare, and a limit where they declare none.

`ends_within` bounds the decisions of players, `steps_within` all steps. A game that goes beyond one breaks the rules'
own word (PP815). Without a bound, a run stops a game after so many steps (`LONGEST_GAME`) and counts it apart; a game
at the table, and a report, which needs whole games, refuse it (PP816)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from playproof.language import CHANCE, Broken, RulesError
from playproof.language.errors import Place
from playproof.language.game import Game

# The errors of refused moves: three small classes that show the input and the position.


class MoveError(ValueError):
    """A move that was refused. `text` is what was written, `position` the table in words."""

    code = "PP600"

    def __init__(self, text: str, position: str, message: str, hint: str = "") -> None:
        self.text, self.position, self.message, self.hint = text, position, message, hint
        super().__init__(f"{self.code} {message}" + (f" ({hint})" if hint else ""))


class CannotRead(MoveError):
    """The words name no action of this game. `near` holds the words of the closest actions."""

    code = "PP601"

    def __init__(self, text: str, position: str, near: Sequence[str] = ()) -> None:
        self.near = tuple(near)
        hint = "did you mean " + " or ".join(f'"{n}"' for n in near) + "?" if near else ""
        super().__init__(text, position, f'cannot read "{text}": no action of this game is called so', hint)


class NotLegal(MoveError):
    """The rules refuse the action here. `broken` holds every failed requirement with its rule
    and sentence."""

    code = "PP602"

    def __init__(self, text: str, position: str, broken: Sequence[Broken]) -> None:
        self.broken = tuple(broken)
        why = "; ".join(str(b) for b in broken)
        super().__init__(text, position, f"not legal: {text}; {why}")

    @property
    def rules(self) -> tuple[str, ...]:
        """Return the ids of the rules that refuse it."""
        return tuple(b.rule for b in self.broken if b.rule)


class Ambiguous(MoveError):
    """Several legal actions fit; `choices` holds their words."""

    code = "PP603"

    def __init__(self, text: str, position: str, choices: Sequence[str]) -> None:
        self.choices = tuple(choices)
        super().__init__(text, position, f'"{text}" may be ' + " or ".join(f'"{c}"' for c in choices))


# -- game length ---------------------------------------------------------------------------------------------
# How long a game may last: the bounds that its rules declare, and a limit where they declare none.

LENGTH = "ends within its bound"
_MOST_STEPS = 20_000  # of one match, which keeps every state


class LengthError(RulesError):
    """A game goes on beyond the bound that its rules declare, or without end."""


def has_declared_length(game: Game) -> bool:
    """Return whether the rules declare how long a game lasts."""
    return any(isinstance(game.facts.get(name), int) for name in ("ends_within", "steps_within"))


def describe_broken_or_missing_length_bound(game: Game, steps_played: int, decisions_played: int) -> str:
    """Return what a game that was stopped breaks: a declared bound, or the hope that it ends."""
    ends, steps_within = game.facts.get("ends_within"), game.facts.get("steps_within")
    if isinstance(ends, int) and decisions_played > ends:
        return f"the rules declare `ends_within={ends}`, and the game goes on after {ends:,} decisions"
    if isinstance(steps_within, int) and steps_played >= steps_within:
        return f"the rules declare `steps_within={steps_within}`, and the game goes on after {steps_played:,} steps"
    return f"the game has not ended after {steps_played:,} steps"


def make_too_long_game_error(game: Game, steps_played: int, decisions_played: int, game_name: str = "") -> LengthError:
    """Return the error about a game that was stopped; `game_name` names it, as "game 3 of seed 0"."""
    sentence = describe_broken_or_missing_length_bound(game, steps_played, decisions_played)
    message = f"{game_name}: {sentence}" if game_name else sentence
    if has_declared_length(game):
        hint = "mend the rule that lets it go on (a `goto`?), or the number in `g.fact`"
        return LengthError("PP815", message, hint, _get_source_place_of_facts(game))
    hint = "let a counter or something that gets less end it; g.fact(ends_within=N) declares a bound"
    return LengthError("PP816", message, hint, game.place)


def _get_source_place_of_facts(game: Game) -> Place:
    return game._facts_at


def raise_if_game_longer_than_allowed(
    game: Game, actor_of_each_step: Iterable[int], step_count: int, seed: int
) -> None:
    """Raise LengthError if a game of so many steps, the next one included, is longer than it may be.
    `actor_of_each_step` are those of all steps."""
    ends, within = game.facts.get("ends_within"), game.facts.get("steps_within")
    most_decisions = ends if isinstance(ends, int) else _MOST_STEPS
    most_steps = within if isinstance(within, int) else max(_MOST_STEPS, most_decisions)
    if step_count <= min(most_decisions, most_steps):
        return
    decisions = sum(actor != CHANCE for actor in actor_of_each_step)
    if decisions > most_decisions or step_count > most_steps:
        raise make_too_long_game_error(game, step_count - 1, decisions, f"seed {seed}, step {step_count}")
