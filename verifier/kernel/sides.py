"""Who plays with whom: what the description alone decides, and evidence has to name."""

from __future__ import annotations

from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown


def list_partners_of_seat(game: Game, seat: int) -> tuple[int, ...]:
    """Return the seats that play together with a seat, ascending. The description alone decides it: who wins with whom,
    and what each gets."""
    return tuple(each for each in game.get_team_of_seat(seat) if each != seat)


def require_partners_as_in_game(game: Game, seat: int, partners: tuple[int, ...]) -> None:
    """Check that exactly these seats play together with a seat. Raises NotShown."""
    true = list_partners_of_seat(game, seat)
    if partners != true:
        told = [f"with {', '.join(map(str, seats))}" if seats else "alone" for seats in (true, partners)]
        raise NotShown(f"seat {seat} plays {told[0]}, the evidence lets it play {told[1]}")
