"""The common claims: what every designer wants to know of a game, asked without a claims.yaml.

    bounds, phases end, no dead end     the rules can always be followed
    comes to an end                     no game goes on for ever
    endings, actions, FAMILY            which of them can never happen; actions are left out where
                                        parameters alone exclude some, as at the edge of a board
    won, lost; seat N can win           by some line of play
    chance, chance of seat N            under best play against all others; of a team, under best play together

No claim says what its maker expects, but of what is a mistake in every game (a dead end, a card without use).
"""

from __future__ import annotations

from collections.abc import Iterator

from playproof.language.expr import Const
from playproof.language.game import Game
from playproof.language.statements import Require, substitute_locals
from playproof.verifier.kernel.claim_values import has_fields_hidden_from_some_player
from playproof.verifier.kernel.statements import BOUNDS, ENDS, NO_DEAD_END, PHASES_END
from playproof.verifier.questions.claims import Question


def build_common_claims_of_game(game: Game) -> list[Question]:
    """Return the common claims of a game, those that others rest on first."""
    return [
        *_iter_claims_on_rules_properties(game),
        *_iter_claims_that_all_can_happen(game),
        *_iter_claims_on_winning_and_losing(game),
    ]


def _iter_claims_on_rules_properties(game: Game) -> Iterator[Question]:
    yield Question("bounds", "always", BOUNDS, says="No value ever leaves its bounds.", expect=True)
    if any(phase.automatic for phase in game.phases):
        yield Question("phases end", "always", PHASES_END, says="What happens by itself comes to an end.", expect=True)
    yield Question("no dead end", "always", NO_DEAD_END, says="Whoever is to act has a legal action.", expect=True)
    yield Question("comes to an end", "always", ENDS, says="No game goes on for ever, however it is played.")


def _iter_claims_that_all_can_happen(game: Game) -> Iterator[Question]:
    families = game.facts.get("families") or {}
    # Where parameters reach over the edge of a board, that some actions never happen is no news.
    words = ("ending", *(() if _has_actions_impossible_by_parameters(game) else ("action",)), *families)
    for word in words:
        says = f"Every {word} can happen."
        yield Question(f"every {word}", "dead", {"every": word}, says=says, expect="none")


def _has_actions_impossible_by_parameters(game: Game) -> bool:
    """Return whether a requirement of some action fails by the values of its parameters alone, whatever the state."""
    for _, action, values in game.iter_ground_actions():
        env = action.map_parameter_numbers_to_values([Const(value) for value in values])
        for statement in action.body:
            if isinstance(statement, Require) and substitute_locals(statement.condition, env).hi == 0:
                return True
    return False


def _iter_claims_on_winning_and_losing(game: Game) -> Iterator[Question]:
    kinds = {ending.kind for ending in game.endings}
    seeing = "all" if has_fields_hidden_from_some_player(game) else ""
    if kinds & {"win", "scores"}:
        for side in sorted(tuple(sorted(side)) for side in game.sides):
            won = {"outcome": "win", "seat": side[0]}
            of, who, wins = _format_side_id_name_and_verb(side, game.players)
            yield Question(f"can be won{of}", "reach", won, says=f"{who} can win.", expect=True)
            yield Question(f"chance{of}", "luck", won, says=f"{who} {wins} so often, under best play.", seeing=seeing)
    if "loss" in kinds:
        yield Question("can be lost", "reach", {"outcome": "loss"}, says="The game can be lost.", expect=True)


def _format_side_id_name_and_verb(side: tuple[int, ...], player_count: int) -> tuple[str, str, str]:
    """Return how claims name a seat or a team in their ids, who it is in a sentence, and how it wins there."""
    if player_count == 1:
        return "", "The player", "wins"
    if len(side) == player_count:
        return "", "The players together", "win"
    if len(side) == 1:
        return f" of seat {side[0]}", f"Seat {side[0]}", "wins"
    *others, last = map(str, side)
    seats = f"{', '.join(others)} and {last}"
    return f" of seats {seats}", f"The team of seats {seats}", "wins"
