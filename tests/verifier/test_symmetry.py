"""Things that are alike are counted once: renamings are found, certified, and change no answer."""

from __future__ import annotations

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from playproof.language import CHANCE, Game, Term, clamp, goto, lose, otherwise, require, weight, when, win
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.closed_sets import compute_longest_game_length
from playproof.verifier.kernel.layers import Listing, sweep_layers_cached, sweep_layers_requiring_state_count
from playproof.verifier.kernel.statements import NO_DEAD_END, Event, LengthLimit, Property
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.symmetry import Renaming, check_renamings_and_make_canonicalizer
from playproof.verifier.proof.layering import find_layers_or_none, find_renamings_kernel_certifies
from playproof.verifier.questions.context import Context
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.closed_sets import chance_bounds, chance_in_layers, in_layers

RULES = (Path(__file__).parent / "games_of_strangers" / "foundations" / "rules.py").read_text(encoding="utf-8")
SUITS, RANKS, PLACES = 3, 2, 2
SMALL = f"SUITS, RANKS, PLACES = {SUITS}, {RANKS}, {PLACES}"
WIN = Event({"outcome": "win"})


def small_patience() -> str:
    """The rules of a patience of six cards in three suits."""
    rules = RULES.replace("SUITS, RANKS, PLACES = 4, 5, 4", SMALL)
    assert SMALL in rules
    return rules


def written(folder: Path, rules: str) -> GameCase:
    folder.mkdir()
    (folder / "rules.py").write_text(rules, encoding="utf-8")
    return GameCase(str(folder), machine=False)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[GameCase, tuple[Renaming, ...]]:
    """A patience of six cards in three suits, and its renamings."""
    case = written(tmp_path_factory.mktemp("alike") / "small", small_patience())
    return case, find_renamings_kernel_certifies(case, Budget(), WIN)


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


def chance(case: GameCase, order: Listing, alike: tuple[Renaming, ...]) -> tuple[Fraction, Fraction]:
    """The bounds of the chance to win, with or without renamings."""
    claimed = chance_in_layers(WIN, "mean", 0, order, Fraction(0), Fraction(1))
    if alike:
        claimed = chance_in_layers(WIN, "mean", 0, order, Fraction(0), Fraction(1), alike)
    return chance_bounds(case.game, claimed, Context())


def test_suits_are_found_alike_and_the_chance_stays(small: tuple[GameCase, tuple[Renaming, ...]]) -> None:
    case, alike = small
    whole, part = (find_layers_or_none(case, Budget(), renamings=each) for each in ((), alike))
    assert len(alike) == SUITS - 1
    assert whole is not None
    assert part is not None
    assert 4 * part.states < whole.states  # there are six orders of three suits
    bounds = chance(case, part, alike)
    assert bounds == chance(case, whole, ())
    assert bounds[0] <= won() <= bounds[1] < bounds[0] + Fraction(1, 10**9)


def test_a_search_that_a_small_budget_cut_off_goes_on(tmp_path: Path) -> None:
    case = written(tmp_path / "two", RULES.replace("SUITS, RANKS, PLACES = 4, 5, 4", "SUITS, RANKS, PLACES = 2, 1, 1"))
    assert not find_renamings_kernel_certifies(case, Budget(work=0.01), WIN)
    assert len(find_renamings_kernel_certifies(case, Budget(), WIN)) == 1


def test_the_longest_game_stays(small: tuple[GameCase, tuple[Renaming, ...]]) -> None:
    case, alike = small
    orders = [find_layers_or_none(case, Budget(), renamings=each) for each in ((), alike)]
    plain, part = [
        compute_longest_game_length(sweep_layers_requiring_state_count(case.game, order, case.context))
        for order, each in zip(orders, ((), alike), strict=True)
        if order is not None
    ]
    assert plain == part
    assert orders[1] is not None
    Theorem(in_layers(LengthLimit(part), orders[1], alike), case.game, case.context)
    with pytest.raises(NotShown):
        Theorem(in_layers(LengthLimit(part - 1), orders[1], alike), case.game, case.context)


def unequal(rules: str) -> list[tuple[str, str]]:
    """Changes of the rules, each of which makes one suit another than the others."""
    return [
        ("guard", rules.replace('require(s.turned > 0, "F2"', 'require((s.turned > 0) & (s.turned < 5), "F2"')),
        (
            "effect",
            rules.replace("s.built[card] += 1", "s.built[card] += 1").replace(
                "s.waiting[s.turned - 1] = 1\n",
                's.waiting[s.turned - 1] = 1\n        with when(s.built[0] == 1):\n            lose("odd")\n',
            ),
        ),
        ("fault", rules.replace("s.waiting[card] = 0\n", "s.waiting[card] = 0\n        s.turned += s.built[1] * 3\n")),
    ]


@pytest.mark.parametrize("number", range(3))
def test_rules_that_notice_a_suit_are_seen_by_the_kernel(
    small: tuple[GameCase, tuple[Renaming, ...]], tmp_path: Path, number: int
) -> None:
    """The renamings of the fair game are not those of the changed one, whichever way it treats one suit differently."""
    name, rules = unequal(RULES.replace("SUITS, RANKS, PLACES = 4, 5, 4", SMALL))[number]
    assert rules != RULES.replace("SUITS, RANKS, PLACES = 4, 5, 4", SMALL), name
    case = written(tmp_path / name, rules)
    with pytest.raises(NotShown, match="may notice a renaming"):
        check_renamings_and_make_canonicalizer(case.game, small[1], (), Context())


def test_a_claim_about_one_suit_has_no_renaming_of_it(small: tuple[GameCase, tuple[Renaming, ...]]) -> None:
    case, alike = small
    event = Event({"holds": "built[2] == 2"})
    assert find_renamings_kernel_certifies(case, Budget(), event) == alike[:1]
    order = find_layers_or_none(case, Budget(), renamings=alike)
    assert order is not None
    claimed = chance_in_layers(event, "mean", 0, order, Fraction(0), Fraction(1), alike)
    with pytest.raises(NotShown, match="what the claim is about"):
        chance_bounds(case.game, claimed, Context())


def test_forged_renamings_are_refused(small: tuple[GameCase, tuple[Renaming, ...]]) -> None:
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
        replace(good, values=((), *good.values)),
        replace(good, cells=(*range(len(good.cells)),), values=()),
        replace(good, idents=(*range(case.game.ground),)),
        replace(good, idents=(0,) * case.game.ground),
        replace(good, phases=(0, 99)),
        replace(good, phases=(0,)),
    ]
    for each in forged:
        with pytest.raises(NotShown):
            check_renamings_and_make_canonicalizer(case.game, [each], (), Context())
    again = decode_json_as_type_or_raise(Renaming, encode_typed_value_as_json(good))
    assert again == good
    check_renamings_and_make_canonicalizer(case.game, [again], (), Context())


# -- games drawn at random --------------------------------------------------------------------------------------------


def drawn(rng: random.Random) -> Game:
    """A game of two rounds with two pairs of cells, whose rules mostly treat the cells of a pair alike."""
    g, slip = Game("drawn", players=rng.choice([1, 2])), rng.choice([0, 0, 0, 0.2])
    s = g.state
    g.array("a", 2, 0, 1)
    g.array("b", 2, 0, 1)
    g.integer("c", 0, 1, 0)
    g.integer("round", 0, 2)
    move, fall, tidy = g.phase("move", 0), g.phase("fall", CHANCE), g.automatic("tidy")

    def some(n: Any) -> Any:
        m = rng.randrange(2) if rng.random() < slip else n
        both = [s.a[0] + s.a[1], s.b[0] + s.b[1], s.a[0] * s.b[0] + s.a[1] * s.b[1]]
        return rng.choice([s.a[m], s.b[m], s.a[1 - m], s.b[1 - m], s.c + 0, *both])

    def effect(n: Any) -> None:
        for _ in range(2):
            with when(some(n) == rng.choice([0, 1])):
                to = rng.randrange(2) if rng.random() < slip else rng.choice([n, 1 - n])
                rng.choice([s.a, s.b])[to] = rng.choice([0, 1, 1, 1 - clamp(some(n), 0, 1)])
            if rng.random() < 0.3:
                s.c = clamp(some(n), 0, 1)

    @g.action(move, "move {n}", n=2)
    def moving(n: Term) -> None:
        if rng.random() < 0.5:
            require(some(n) < 1, "M1", "")
        effect(n)
        goto(fall)

    @g.action(move, "wait")
    def waiting() -> None:
        goto(fall)

    @g.action(fall, "fall {n}", n=2)
    def falling(n: Term) -> None:
        weight(1 + 2 * some(n))
        effect(n)
        goto(tidy)

    @g.on(tidy)
    def tidying() -> None:
        s.round += 1
        with when(s.round == 2):
            lose("late")
        with otherwise(s.a[0] + s.a[1] == 2 if rng.random() > slip else s.a[0] == 1):
            win("early", winner=0)
        with otherwise():
            goto(move)

    return g.seal()


ENDS = ["outcome == early", "c == 1", "b[0] + b[1] == 1", "a[0] + b[0] == 1", "a[0] * b[0] + a[1] * b[1] == 1"]


def some_renaming(game: Game, rng: random.Random) -> Renaming:
    """Exchanges of the cells of a pair, of the two values of cells, and of decisions; mostly one that makes sense."""
    cells, values, idents = [*range(7 + 1)], list[tuple[int, ...]](), [*range(game.ground)]
    for pair in (2, 4):
        if rng.random() < 0.8:
            cells[pair], cells[pair + 1] = pair + 1, pair
        if rng.random() < 0.08:
            values += [(pair, 1, 0), (pair + 1, 1, 0)][: rng.choice([1, 2, 2])]
    for first in (0, 3):
        if rng.random() < 0.95:
            idents[first], idents[first + 1] = first + 1, first
    return Renaming(tuple(cells), tuple(values), tuple(idents), (0, 1, 2)[: rng.choice([2, 3, 3, 3, 3, 3])])


def test_no_renaming_of_a_drawn_game_changes_what_is_shown() -> None:
    """Of whatever renamings the kernel accepts, chances and properties are those without them."""
    accepted = 0
    zero, one = Fraction(0), Fraction(1)
    for seed in range(40):
        rng = random.Random(seed)
        game, order = drawn(rng), Listing(5_000, "2 * round + (phase == fall)")
        event = Event({"holds": f"outcome > 0 and {rng.choice(ENDS)}"})
        whole = replace(order, states=sweep_layers_cached(game, order, Context(), event).states)
        truth = chance_bounds(game, chance_in_layers(event, "mean", 0, whole, zero, one), Context())
        if truth in ((0, 0), (1, 1)):
            continue
        for alike in ((some_renaming(game, rng),) for _ in range(5)):
            with suppress(NotShown):
                check_renamings_and_make_canonicalizer(game, alike, (), Context())
                part = replace(order, alike=alike)
                part = replace(part, states=sweep_layers_cached(game, part, Context(), event).states)
                claimed = chance_in_layers(event, "mean", 0, part, zero, one, alike)
                assert chance_bounds(game, claimed, Context()) == truth, (seed, alike)
                accepted += 1
                for about in (
                    event,
                    Event({"action": "move 1"}),
                    LengthLimit(3),
                    LengthLimit(4),
                    Property(NO_DEAD_END),
                ):
                    if shown(game, in_layers(about, part, alike)):
                        assert shown(game, in_layers(about, whole)), (seed, about, alike)
    assert accepted > 1


def shown(game: Game, certificate: ClosedSetCertificate) -> bool:
    """Whether the kernel accepts a certificate."""
    try:
        Theorem(certificate, game, Context())
    except NotShown:
        return False
    return True


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
            pyramid_won((*row, n + 1), 0, left, False) if len(row) < 3 else pyramid_won(row, n + 1, left, True)
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
    rules = PYRAMID.replace("RANKS, PLACES = 6, 6", "RANKS, PLACES = 4, 3").replace("(1, 2), (3, 4), (4, 5)", "(1, 2)")
    rules = rules.replace("for p in OVER), 0, 0, 0]", "for p in OVER), 0, 0]").replace("RANKS, 2, 2", "RANKS, 1, 1")
    case = written(tmp_path / "small", rules)
    alike = find_renamings_kernel_certifies(case, Budget(), WIN)
    whole, part = (find_layers_or_none(case, Budget(), renamings=each) for each in ((), alike))
    assert whole is not None
    assert part is not None
    assert 3 * part.states < whole.states  # 1 with 4, 2 with 3, and the one pair with the other
    claimed = chance_in_layers(WIN, "mean", 0, part, Fraction(0), Fraction(1), alike)
    low, high = chance_bounds(case.game, claimed, case.context)
    assert low <= pyramid_won((), 0, (1,) * 4, False) <= high < low + Fraction(1, 10**9)
    never, taken = [], sweep_layers_requiring_state_count(case.game, whole, case.context).taken
    for ident in range(case.game.ground):
        event = Event({"action": case.game.get_action_of_ground_action_number(ident).name, **named(case, ident)})
        try:
            Theorem(in_layers(event, part, alike), case.game, case.context)
            never.append(ident)
        except NotShown:
            assert ident in taken
    assert never == [n for n in range(case.game.ground) if n not in taken]
    assert len(never) == 2  # the upper place never goes with one of those below it


def named(case: GameCase, ident: int) -> dict[str, int]:
    """The parameters of an action as a claim names them."""
    action = case.game.get_action_of_ground_action_number(ident)
    return {p.local.name: v for p, v in zip(action.params, action.get_values_of_ground_action(ident), strict=True)}
