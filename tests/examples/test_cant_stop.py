"""Can't Stop for one player on small boards, compared with a program written apart."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from tests.published_games import get_published_game

Places = tuple[int, ...]


def optimum(
    columns: list[int],
    sides: int,
    steps: list[int],
    needed: int,
    turns: int,
    *,
    climbed: int,
    each: int,
    choose: Callable[..., Fraction],
) -> Fraction:
    """Return what `choose` makes of a game that is worth `climbed` once the columns are climbed, and `each` for each
    turn, from all rolls of four dice one by one."""
    rolls = list(product(range(1, sides + 1), repeat=4))

    def moved(camp: Places, now: Places, total: int) -> Places | None:
        if total not in columns or now[columns.index(total)] == steps[columns.index(total)]:
            return None
        place = columns.index(total)
        if now[place] == camp[place] and sum(a > b for a, b in zip(now, camp, strict=True)) == 3:
            return None
        return tuple(n + (k == place) for k, n in enumerate(now))

    @cache
    def ended(camp: Places, left: int) -> Fraction:
        if sum(a == b for a, b in zip(camp, steps, strict=True)) >= needed:
            return Fraction(climbed)
        return each + decided(camp, camp, left - 1) if left > 1 else Fraction(0)

    @cache
    def decided(camp: Places, now: Places, left: int) -> Fraction:
        total = Fraction(0)
        for a, b, c, d in rolls:
            after = []
            for one, other in ((a + b, c + d), (a + c, b + d), (a + d, b + c)):
                for first, second in ((one, other), (other, one)):
                    if (there := moved(camp, now, first)) is not None:
                        after.append(moved(camp, there, second) or there)
            total += choose((decided(camp, t, left) for t in set(after)), default=ended(camp, left))
        ways = [total / len(rolls)]
        if now != camp:
            ways.append(ended(now, left))
        return choose(ways)

    start = (0,) * len(columns)
    return each + decided(start, start, turns)


@pytest.mark.parametrize(
    ("options", "steps"),
    [
        ({"sides": "2", "open": "2-3-4", "needed": "2", "turns": "2", "short": "1", "growth": "1"}, [1, 2, 1]),
        ({"sides": "3", "open": "2-3-4-5-6", "needed": "3"}, [1, 1, 1, 1, 1]),
    ],
)
def test_the_chance_on_a_small_board_is_that_of_a_program_written_apart(
    options: dict[str, str], steps: list[int]
) -> None:
    question = Question("climbed", "luck", {"outcome": "win"}, values=options)
    [answer] = prove(get_published_game("cant_stop"), claims=[question], machine=False)
    columns = [int(column) for column in options["open"].split("-")]
    exactly = optimum(
        columns,
        int(options["sides"]),
        steps,
        int(options["needed"]),
        int(options.get("turns", 1)),
        climbed=1,
        each=0,
        choose=max,
    )
    assert 0 < exactly < 1
    assert answer.value == pytest.approx(float(exactly), abs=1e-9)
    assert Fraction(answer.bound["exactly"]) == exactly


def test_the_fewest_turns_on_a_small_board_are_those_of_a_program_written_apart() -> None:
    options = {"sides": "2", "open": "2-3-4", "needed": "3", "turns": "4", "growth": "2"}
    question = Question("turns", "worth", {"number": "turns taken", "play": "worst"}, values=options)
    [answer] = prove(get_published_game("cant_stop"), claims=[question], machine=False)
    exactly = optimum([2, 3, 4], 2, [1, 3, 1], 3, 4, climbed=0, each=1, choose=min)
    assert 1 < exactly < 2
    assert answer.value == pytest.approx(float(exactly), abs=1e-9)
