"""Things that are alike are counted once: renamings are found, certified, and change no answer."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest

from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.layered import (
    LayeredChance,
    Ordered,
    SymmetricChance,
    SymmetricStates,
    bounds_of_chance,
    gone_through,
    longest_of,
)
from playproof.verifier.kernel.statements import Event, Length
from playproof.verifier.kernel.strict import decode, encode
from playproof.verifier.kernel.symmetry import Renaming, certified
from playproof.verifier.proof.layering import alike_in, order_of
from playproof.verifier.search.case import Budget, Case

RULES = (Path(__file__).parent / "games_of_strangers" / "foundations" / "rules.py").read_text(
    encoding="utf-8"
)
SUITS, RANKS, PLACES = 3, 2, 2
SMALL = f"SUITS, RANKS, PLACES = {SUITS}, {RANKS}, {PLACES}"
WIN = Event({"outcome": "win"})


def small_patience() -> str:
    """The rules of a patience of six cards in three suits."""
    rules = RULES.replace("SUITS, RANKS, PLACES = 4, 5, 4", SMALL)
    assert SMALL in rules
    return rules


def written(folder: Path, rules: str) -> Case:
    folder.mkdir()
    (folder / "rules.py").write_text(rules, encoding="utf-8")
    return Case(str(folder), machine=False)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Case, tuple[Renaming, ...]]:
    """A patience of six cards in three suits, and its renamings."""
    case = written(tmp_path_factory.mktemp("alike") / "small", small_patience())
    return case, alike_in(case, Budget(), WIN)


def won() -> Fraction:
    """The chance to win the small patience, by plain Python that knows the rules as people read them."""

    @cache
    def with_stock(stock: frozenset[int], waiting: frozenset[int], built: tuple[int, ...]) -> Fraction:
        best = Fraction(0)
        if sum(built) == SUITS * RANKS:
            return Fraction(1)
        if stock:
            best = sum((place(stock - {c}, waiting, built, c) for c in stock), Fraction(0)) / len(stock)
        for c in waiting:
            if built[c // RANKS] == c % RANKS:
                best = max(best, with_stock(stock, waiting - {c}, up(built, c)))
        return best

    @cache
    def place(stock: frozenset[int], waiting: frozenset[int], built: tuple[int, ...], card: int) -> Fraction:
        best = Fraction(0)
        if len(waiting) < PLACES:
            best = with_stock(stock, waiting | {card}, built)
        if built[card // RANKS] == card % RANKS:
            best = max(best, with_stock(stock, waiting, up(built, card)))
        for c in waiting:
            if built[c // RANKS] == c % RANKS:
                best = max(best, place(stock, waiting - {c}, up(built, c), card))
        return best

    def up(built: tuple[int, ...], card: int) -> tuple[int, ...]:
        return tuple(n + (suit == card // RANKS) for suit, n in enumerate(built))

    return with_stock(frozenset(range(SUITS * RANKS)), frozenset(), (0,) * SUITS)


def chance(case: Case, order: Ordered, alike: tuple[Renaming, ...]) -> tuple[Fraction, Fraction]:
    """The bounds of the chance to win, with or without renamings."""
    claimed = LayeredChance(WIN, "mean", 0, order, Fraction(0), Fraction(1))
    if alike:
        claimed = SymmetricChance(WIN, "mean", 0, order, Fraction(0), Fraction(1), alike)
    return bounds_of_chance(case.game, claimed, Context())


def test_suits_are_found_alike_and_the_chance_stays(small: tuple[Case, tuple[Renaming, ...]]) -> None:
    case, alike = small
    whole, part = (order_of(case, Budget(), alike=each) for each in ((), alike))
    assert len(alike) == SUITS - 1
    assert whole is not None
    assert part is not None
    assert 4 * part.states < whole.states  # there are six orders of three suits
    bounds = chance(case, part, alike)
    assert bounds == chance(case, whole, ())
    assert bounds[0] <= won() <= bounds[1] < bounds[0] + Fraction(1, 10**9)


def test_the_longest_game_stays(small: tuple[Case, tuple[Renaming, ...]]) -> None:
    case, alike = small
    orders = [order_of(case, Budget(), alike=each) for each in ((), alike)]
    plain, part = [
        longest_of(gone_through(case.game, order, case.context, alike=each))
        for order, each in zip(orders, ((), alike), strict=True)
        if order is not None
    ]
    assert plain == part
    assert orders[1] is not None
    Theorem(SymmetricStates(Length(part), orders[1], alike), case.game, case.context)
    with pytest.raises(NotShown):
        Theorem(SymmetricStates(Length(part - 1), orders[1], alike), case.game, case.context)


def unequal(rules: str) -> list[tuple[str, str]]:
    """Changes of the rules, each of which makes one suit another than the others."""
    return [
        (
            "guard",
            rules.replace('require(s.turned > 0, "F2"', 'require((s.turned > 0) & (s.turned < 5), "F2"'),
        ),
        (
            "effect",
            rules.replace("s.built[card] += 1", "s.built[card] += 1").replace(
                "s.waiting[s.turned - 1] = 1\n",
                's.waiting[s.turned - 1] = 1\n        with when(s.built[0] == 1):\n            lose("odd")\n',
            ),
        ),
        (
            "fault",
            rules.replace(
                "s.waiting[card] = 0\n", "s.waiting[card] = 0\n        s.turned += s.built[1] * 3\n"
            ),
        ),
    ]


@pytest.mark.parametrize("number", range(3))
def test_rules_that_notice_a_suit_are_seen_by_the_kernel(
    small: tuple[Case, tuple[Renaming, ...]], tmp_path: Path, number: int
) -> None:
    """The renamings of the fair game are not those of the changed one, whichever way it treats one suit differently."""
    name, rules = unequal(RULES.replace("SUITS, RANKS, PLACES = 4, 5, 4", SMALL))[number]
    assert rules != RULES.replace("SUITS, RANKS, PLACES = 4, 5, 4", SMALL), name
    case = written(tmp_path / name, rules)
    with pytest.raises(NotShown, match="may notice a renaming"):
        certified(case.game, small[1], (), Context())


def test_a_claim_about_one_suit_has_no_renaming_of_it(small: tuple[Case, tuple[Renaming, ...]]) -> None:
    case, alike = small
    event = Event({"holds": "built[2] == 2"})
    assert alike_in(case, Budget(), event) == alike[:1]
    order = order_of(case, Budget(), alike=alike)
    assert order is not None
    claimed = SymmetricChance(event, "mean", 0, order, Fraction(0), Fraction(1), alike)
    with pytest.raises(NotShown, match="what the claim is about"):
        bounds_of_chance(case.game, claimed, Context())


def test_forged_renamings_are_refused(small: tuple[Case, tuple[Renaming, ...]]) -> None:
    case, (good, *_) = small
    forged = [
        replace(good, cells=good.cells[:-1]),
        replace(good, cells=(1, 0, *good.cells[2:])),
        replace(good, cells=(*good.cells[:-1], good.cells[-2])),
        replace(good, values=()),
        replace(good, values=((1, 0, 1, 2, 3), *good.values)),
        replace(good, values=(*good.values, *good.values)),
        replace(good, values=((good.values[0][0], *(0 for _ in good.values[0][1:])),)),
        replace(good, values=((999, 0, 1),)),
        replace(good, idents=(*range(case.game.ground),)),
        replace(good, idents=(0,) * case.game.ground),
        replace(good, phases=(0, 99)),
        replace(good, phases=(0,)),
    ]
    for each in forged:
        with pytest.raises(NotShown):
            certified(case.game, [each], (), Context())
    again = decode(Renaming, encode(good))
    assert again == good
    certified(case.game, [again], (), Context())


# -- ranks that pair off ----------------------------------------------------------------------------------------------

PYRAMID = (Path(__file__).parent / "games_of_strangers" / "pyramid" / "rules.py").read_text(encoding="utf-8")
FREE_OF = {0: (1, 2)}
"""A small pyramid: one place on two others, and ranks 1 to 4."""


@cache
def pyramid_won(row: tuple[int, ...], open_: int, pack: tuple[int, ...], turned: bool) -> Fraction:
    """The chance to win the small pyramid, by plain Python; `turned` says that the player is to act."""
    if not turned:
        falls = [(n, tuple(left - (n == k) for k, left in enumerate(pack))) for n in range(4) if pack[n]]
        ways = [
            pyramid_won((*row, n + 1), 0, left, False)
            if len(row) < 3
            else pyramid_won(row, n + 1, left, True)
            for n, left in falls
        ]
        return sum((pack[n] * way for (n, _), way in zip(falls, ways, strict=True)), Fraction(0)) / sum(pack)
    free = [p for p in range(3) if row[p] and not any(row[q] for q in FREE_OF.get(p, ()))]
    best = pyramid_won(row, open_, pack, False) if any(pack) else Fraction(0)
    for taken in [(p,) for p in free if row[p] + open_ == 5] + [(1, 2)] * (row[1] + row[2] == 5):
        left = tuple(0 if p in taken else rank for p, rank in enumerate(row))
        now = 0 if len(taken) == 1 else open_
        best = max(best, pyramid_won(left, now, pack, True) if left[0] else Fraction(1))
    return best


def test_ranks_that_pair_off_are_alike_and_what_never_happens_stays(tmp_path: Path) -> None:
    rules = PYRAMID.replace("RANKS, PLACES = 6, 6", "RANKS, PLACES = 4, 3").replace(
        "(1, 2), (3, 4), (4, 5)", "(1, 2)"
    )
    rules = rules.replace("for p in OVER), 0, 0, 0]", "for p in OVER), 0, 0]").replace(
        "RANKS, 2, 2", "RANKS, 1, 1"
    )
    case = written(tmp_path / "small", rules)
    alike = alike_in(case, Budget(), WIN)
    whole, part = (order_of(case, Budget(), alike=each) for each in ((), alike))
    assert whole is not None
    assert part is not None
    assert 3 * part.states < whole.states  # 1 with 4, 2 with 3, and the one pair with the other
    claimed = SymmetricChance(WIN, "mean", 0, part, Fraction(0), Fraction(1), alike)
    low, high = bounds_of_chance(case.game, claimed, case.context)
    assert low <= pyramid_won((), 0, (1,) * 4, False) <= high < low + Fraction(1, 10**9)
    never, taken = [], gone_through(case.game, whole, case.context).taken
    for ident in range(case.game.ground):
        event = Event({"action": case.game.action_of(ident).name, **named(case, ident)})
        try:
            Theorem(SymmetricStates(event, part, alike), case.game, case.context)
            never.append(ident)
        except NotShown:
            assert ident in taken
    assert never == [n for n in range(case.game.ground) if n not in taken]
    assert len(never) == 2  # the upper place never goes with one of those below it


def named(case: Case, ident: int) -> dict[str, int]:
    """The parameters of an action as a claim names them."""
    action = case.game.action_of(ident)
    return {p.local.name: v for p, v in zip(action.params, action.values(ident), strict=True)}
