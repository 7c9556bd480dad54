"""Who plays with whom: what the description alone decides, and evidence has to name."""

from __future__ import annotations

from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown


def list_partners(game: Game, seat: int) -> tuple[int, ...]:
    """Return the seats that play together with a seat, ascending. The description alone decides it: who wins with whom,
    and what each gets."""
    return tuple(each for each in game.get_team_of_seat(seat) if each != seat)


def check_partners(game: Game, seat: int, partners: tuple[int, ...]) -> None:
    """Check that exactly these seats play together with a seat. Raises NotShown."""
    true = list_partners(game, seat)
    if partners != true:
        told = [f"with {', '.join(map(str, seats))}" if seats else "alone" for seats in (true, partners)]
        raise NotShown(f"seat {seat} plays {told[0]}, the evidence lets it play {told[1]}")
