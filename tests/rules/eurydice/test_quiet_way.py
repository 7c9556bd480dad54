"""The chance of the quiet way by a plain program: it knows the boards, the special cards and the rules reference, and
finds the best play of one who looks at nothing.

Who looks at nothing knows how many cards lie in the Discard Area, and no more. Of the Deck's cards, each set of so many
is as likely to lie there at the end.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from math import comb
from typing import Any, NamedTuple

import pytest
import yaml

from playproof.database.installation import CARDS
from playproof.verifier.prove import load_claims_as_questions_or_raise

HEARTS, CLUBS, SPADES = 9, 8, 3
FEW = 10
"""More cards out of the Deck count as a loss, which saves time and can only lower the chance."""
Task = tuple[str, int]


class At(NamedTuple):
    """Where the player stands: before a move, or on a space with tasks that are left to do."""

    board: int
    row: int
    discards: int
    obols: int
    card: str
    removed: int = 0
    used: bool = False
    hearts: int = HEARTS
    spades: int = SPADES
    tasks: tuple[Task, ...] = ()


def told(name: str) -> dict[str, Any]:
    data: Any = yaml.safe_load((CARDS / "eurydice" / f"{name}.yaml").read_text(encoding="utf-8"))
    return data["components"]


BOARDS, SPECIALS = list(told("boards").values()), told("specials")
NOTHING: dict[str, Any] = {}


def tasks_of(symbols: list[dict[str, Any]]) -> tuple[Task, ...]:
    """The symbols of a space in a good order: the Release first, what returns cards last."""
    tasks = [(word, int(number)) for symbol in symbols for word, number in symbol.items()]
    return tuple(sorted(tasks, key=lambda task: (task[0] == "return", task[0] != "release")))


def always(at: At, word: str) -> int:
    """What the Current Card changes."""
    return sum(int(each.get(word, 0)) for each in SPECIALS.get(at.card, NOTHING).get("always", ()))


def won(discards: int, hearts: int, spades: int) -> float:
    """The chance that more hearts than clubs are left if so many cards of the Deck, any, are not there."""
    ways = sum(
        comb(hearts, h) * comb(CLUBS, c) * comb(spades, discards - h - c)
        for h in range(discards + 1)
        for c in range(discards - h + 1)
        if hearts - h > CLUBS - c
    )
    return ways / comb(hearts + CLUBS + spades, discards)


def board(at: At) -> float:
    """The chance from the start of a board: a special card is drawn."""
    cards = [name for name, card in SPECIALS.items() if card["board"] == at.board + 1]
    return sum(value(drawn(at._replace(row=0, card=name, used=False))) for name in cards) / len(cards)


def drawn(at: At) -> At:
    """What a special card does when it is drawn; one that adds a heart is used at once."""
    card = SPECIALS[at.card]
    for effect in (*card.get("drawn", ()), *(e for e in card.get("once", ()) if "add" in e)):
        if "obol" in effect:
            at = at._replace(obols=at.obols + 1, discards=at.discards + always(at, "obol_costs"))
        else:
            more = effect["add"]
            at = at._replace(hearts=at.hearts + more.get("heart", 0), spades=at.spades + more.get("spade", 0))
    return at


@cache
def value(at: At) -> float:
    """The chance to win from before a move on."""
    if at.discards + at.removed > FEW:
        return 0.0
    if at.row == len(BOARDS[at.board]["rows"]):
        if at.board + 1 < len(BOARDS):
            return board(at._replace(board=at.board + 1))
        return won(at.discards + at.removed, at.hearts, at.spades)
    return max(moved(at))


def moved(at: At) -> Iterator[float]:
    if SPECIALS.get(at.card, NOTHING).get("once") == [{"return": 2}] and not at.used:
        yield value(at._replace(discards=max(0, at.discards - 2), used=True))
    for symbols in BOARDS[at.board]["rows"][at.row].values():
        on = at._replace(row=at.row + 1)
        if at.obols and not always(at, "no_obol"):
            yield value(on._replace(obols=at.obols - 1))
        if not any(word == "glimpse" for word, _ in tasks_of(symbols)):
            yield done(on._replace(tasks=tasks_of(symbols)))


@cache
def done(at: At) -> float:
    """The chance to win where tasks of a space are left to do."""
    if not at.tasks or at.discards > FEW:
        return value(at)
    (word, number), on = at.tasks[0], at._replace(tasks=at.tasks[1:])
    match word:
        case "toll" | "shadow_toll":
            extra = (word == "shadow_toll") + always(at, "heavier")
            shift = always(at, "toll_harder") - always(at, "toll_easier")
            fails = min(6, max(0, number + shift)) / 6
            paid, failed = (done(on._replace(discards=at.discards + n + extra)) for n in (1, 2))
            return max(paid, fails * failed + (1 - fails) * done(on))
        case "return":
            most = min(at.discards, max(0, number - always(at, "return_fewer")))
            return max(done(on._replace(discards=at.discards - n)) for n in range(most + 1))
        case "obol":
            costs = always(at, "obol_costs")
            return done(on._replace(obols=at.obols + 1, discards=at.discards + costs))
        case "remove":  # from the Discard Area first
            left = max(0, at.discards - number)
            return done(on._replace(discards=left, removed=at.removed + number))
        case "release":
            return done(on._replace(card="", used=True))
    return done(on)  # nothing is offered, exchanged or looked at


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    value.cache_clear()
    done.cache_clear()


def test_a_plain_program_wins_as_often() -> None:
    assert board(At(0, 0, 0, 0, "")) == pytest.approx(
        load_claims_as_questions_or_raise("eurydice")["quiet-way"].expect, abs=1e-8
    )
