"""Expected scores of games of turns: beside plain recursions over the rules of the games, in exact fractions."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.language import CHANCE, Game, Interpreter, Term, clamp, goto, otherwise, pick, require, weight, when, win
from playproof.language.expr import as_term
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel.certificate import NotShown, Theorem
from playproof.verifier.kernel.column_reading import PartialReading, UnknownCell, UnknownCellUsed
from playproof.verifier.kernel.strict_json import decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.kernel.turn_steps import InnerFieldChanged, TurnFields
from playproof.verifier.kernel.turns import (
    TurnsWorthCertificate,
    TurnsWorthsCertificate,
    compute_expected_value_turn_by_turn,
)
from playproof.verifier.proof.worth import find_turns_proof_and_solution_or_none
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import Budget, GameCase

SCORES = str(Path(__file__).parent / "games" / "scores")
SHEET, PIG = TurnFields(("dice", "again"), "points"), TurnFields(("heap",), "points")
Values = Iterable[Fraction]


def mean(values: Values) -> Fraction:
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed)


CHOOSE: dict[str, Callable[[Values], Fraction]] = {"best": max, "worst": min, "random": mean}
DIE = {1: Fraction(1, 6), 2: Fraction(2, 6), 3: Fraction(3, 6)}


BOXES = frozenset({"ones", "twos", "pair", "both"})


def sheet(play: str, boxes: frozenset[str] = BOXES, thrown: tuple[int, int] | None = None) -> Fraction:
    """What the loaded dice and the four boxes (or those that are left) are worth."""
    choose = CHOOSE[play]

    def gained(box: str, dice: tuple[int, int], left: frozenset[str]) -> int:
        pair = 4 + (0 if "twos" in left else 2) if dice[0] == dice[1] else 0
        return {"ones": dice.count(1), "twos": 2 * dice.count(2), "pair": pair, "both": sum(dice)}[box]

    @cache
    def chosen(left: frozenset[str], dice: tuple[int, int], again: bool) -> Fraction:
        options = [gained(box, dice, left) + turn(left - {box}) for box in sorted(left)]
        for face in sorted(set(dice)) if again else ():
            [kept] = [dice[1]] if face == dice[0] else [dice[0]]
            options.append(sum((p * chosen(left, (kept, new), False) for new, p in DIE.items()), Fraction(0)))
        return choose(options)

    @cache
    def turn(left: frozenset[str]) -> Fraction:
        if not left:
            return Fraction(0)
        rolls = [(p * q, chosen(left, (a, b), True)) for a, p in DIE.items() for b, q in DIE.items()]
        return sum((p * value for p, value in rolls), Fraction(0))

    return turn(boxes) if thrown is None else chosen(boxes, thrown, True)


def pig(play: str, turns: int = 3, begun: int = 0) -> Fraction:
    """What so many turns of a die of three sides are worth."""
    choose = CHOOSE[play]

    @cache
    def value(left: int, heap: int) -> Fraction:
        if not left:
            return Fraction(0)
        hold = heap + value(left - 1, 0)
        if heap >= 6:
            return hold
        return choose([hold, mean([value(left - 1, 0), value(left, heap + 2), value(left, heap + 3)])])

    return value(turns, begun)


def game(kind: str) -> Game:
    return build(SCORES, Options({"kind": kind}))


@pytest.mark.parametrize("play", ["best", "worst", "random"])
@pytest.mark.parametrize(("kind", "parts", "states", "plain"), [("sheet", SHEET, 15, sheet), ("pig", PIG, 3, pig)])
def test_turns_are_worth_what_a_plain_recursion_says(
    kind: str, parts: TurnFields, states: int, plain: Callable[[str], Fraction], play: str
) -> None:
    solved = compute_expected_value_turn_by_turn(game(kind), {"score": 0, "play": play}, parts, Context())
    assert solved.low <= plain(play) <= solved.high <= solved.low + Fraction(1, 10**12)
    assert solved.states == states


@pytest.mark.parametrize("play", ["best", "worst", "random"])
def test_later_turns_are_worth_what_a_plain_recursion_says(play: str) -> None:
    left, filled = BOXES - {"both"}, ["0", "2", "fill 3"]  # a 1 and a 3, which give 4
    for kind, parts, after, plain in (
        ("sheet", SHEET, filled, 4 + sheet(play, left)),
        ("sheet", SHEET, [*filled, "1", "1"], 4 + sheet(play, left, (2, 2))),
        ("sheet", SHEET, [*filled, "1", "1", "fill 2"], 8 + sheet(play, left - {"pair"})),
        ("pig", PIG, ["roll", "3", "hold", "roll", "1"], 3 + pig(play, 1)),
        ("pig", PIG, ["roll", "3", "hold", "roll", "2"], 3 + pig(play, 2, 2)),
    ):
        solved = compute_expected_value_turn_by_turn(
            game(kind), {"score": 0, "play": play, "after": after}, parts, Context()
        )
        assert solved.low <= plain <= solved.high <= solved.low + Fraction(1, 10**12), after


@pytest.mark.parametrize(("kind", "parts"), [("sheet", SHEET), ("pig", PIG)])
def test_the_search_finds_the_parts(kind: str, parts: TurnFields) -> None:
    case = GameCase(SCORES, {"kind": kind}, {}, machine=False)
    after = ["0", "2", "fill 3", "1"] if kind == "sheet" else ["roll", "3", "hold", "roll"]
    for of in ({"score": 0}, {"length": "players"}, {"score": 0, "after": after}):
        found = find_turns_proof_and_solution_or_none(case, of, Budget())
        assert found is not None
        assert found[0].parts == parts
        Theorem(
            decode_json_as_type_or_raise(TurnsWorthCertificate, encode_typed_value_as_json(found[0])),
            game(kind),
            Context(),
        )


@pytest.mark.parametrize("kind", ["peek", "loss"])
def test_what_is_no_game_of_turns_is_left_to_other_methods(kind: str) -> None:
    case = GameCase(SCORES, {"kind": kind}, {}, machine=False)
    assert find_turns_proof_and_solution_or_none(case, {"score": 0}, Budget()) is None
    [answer] = prove(SCORES, claims=[Question("s", "worth", {"score": 0}, values={"kind": kind})], machine=False)
    assert answer.value is not None


# -- attacks --------------------------------------------------------------------------------------------------------


def test_a_false_certificate_is_refused() -> None:
    of = {"score": 0}
    solved = compute_expected_value_turn_by_turn(game("sheet"), of, SHEET, Context())
    right = TurnsWorthCertificate(of, SHEET, solved.states, solved.low, solved.high)
    Theorem(right, game("sheet"), Context())
    near = Fraction(1, 10**9)
    for wrong, said in (
        (replace(right, low=right.low - 1), "other bounds"),
        (replace(right, high=right.high - near), "other bounds"),
        (replace(right, low=right.low + near, high=right.high + near), "other bounds"),
        (replace(right, states=14), "more than 14|speaks of 14"),
        (replace(right, states=16), "speaks of 16"),
        (replace(right, states=-1), "more than"),
        (replace(right, of={"score": 0, "play": "worst"}), "other bounds"),
        (replace(right, of={"score": 0, "after": ["1"]}), "other bounds"),
        (replace(right, of={"score": 0, "after": ["1", "1", "fill 0"]}), "speaks of 15"),
        (replace(right, of={"score": 0, "play": "random", "spread": True}), "no spread"),
        (replace(right, of={"length": "all"}), "other bounds"),
        (replace(right, parts=TurnFields(("dice",), "points")), "`dice` may differ"),
        (replace(right, parts=TurnFields(("dice", "again", "open"), "points")), "`open` may differ"),
        (replace(right, parts=TurnFields(("dice", "again", "points"), "points")), "begins each turn anew"),
        (replace(right, parts=TurnFields(("dice", "again"), "")), "."),
        (replace(right, parts=TurnFields(("dice", "again"), "open")), "several places"),
        (replace(right, parts=TurnFields(("dice", "dice", "again"), "points")), "each once"),
        (replace(right, parts=TurnFields(("dice", "phase"), "points")), "each once"),
        (replace(right, parts=TurnFields((), "points")), "."),
    ):
        with pytest.raises(NotShown, match=said):
            Theorem(
                decode_json_as_type_or_raise(TurnsWorthCertificate, encode_typed_value_as_json(wrong)),
                game("sheet"),
                Context(),
            )


def test_a_false_certificate_of_options_is_refused() -> None:
    of = {"score": 0, "after": ["1", "2"], "options": True}
    solved = compute_expected_value_turn_by_turn(game("sheet"), of, SHEET, Context())
    right = TurnsWorthsCertificate(of, SHEET, solved.states, solved.each)
    Theorem(
        decode_json_as_type_or_raise(TurnsWorthsCertificate, encode_typed_value_as_json(right)),
        game("sheet"),
        Context(),
    )
    one, *rest = solved.each
    for wrong in (
        replace(right, states=16),
        replace(right, each=(*rest, one)),
        replace(right, each=tuple(rest)),
        replace(right, each=(replace(one, low=one.low - 1), *rest)),
        replace(right, each=(replace(one, high=one.high + 1), *rest)),
        replace(right, each=(replace(one, name="fill 9"), *rest)),
        replace(right, of={**of, "after": ["1", "0"]}),
        replace(right, of={**of, "play": "worst"}),
        replace(right, of={"score": 0}, each=()),
    ):
        with pytest.raises(NotShown, match=r"other bounds|speaks of 16"):
            Theorem(
                decode_json_as_type_or_raise(TurnsWorthsCertificate, encode_typed_value_as_json(wrong)),
                game("sheet"),
                Context(),
            )


def test_no_parts_give_another_value() -> None:
    """Whatever fields are said to begin anew or to gather, the kernel refuses or finds the same."""
    of, truth, shown = {"score": 0}, sheet("best"), 0
    names = ("dice", "again", "open", "written", "points")
    for chosen in range(2 ** len(names)):
        inner = tuple(name for n, name in enumerate(names) if chosen >> n & 1)
        for gathers in ("", *names):
            try:
                solved = compute_expected_value_turn_by_turn(game("sheet"), of, TurnFields(inner, gathers), Context())
            except NotShown:
                continue
            shown += 1
            assert solved.low <= truth <= solved.high, (inner, gathers)
    assert shown == 2  # points may also be part of the outer state


@pytest.mark.parametrize(
    ("kind", "parts", "said"),
    [
        ("peek", SHEET, "ask how much `points` is"),
        ("loss", PIG, "gets another value"),
        ("pig", TurnFields(("heap",), "left"), "`left`"),
        ("pig", TurnFields(("heap", "left"), "points"), "`left` may differ"),
    ],
)
def test_rules_that_break_a_premise_are_refused(kind: str, parts: TurnFields, said: str) -> None:
    with pytest.raises(NotShown, match=said):
        compute_expected_value_turn_by_turn(game(kind), {"score": 0}, parts, Context())


def heaps(most: int, dead_end: bool = False) -> Game:
    """Two turns, each with a die of 1 to 3 whose number is gathered. With a dead end, nobody may stop at a 3."""
    g = Game("heaps")
    s = g.state
    g.integer("heap", 0, 3)
    g.integer("left", 0, 2, 2)
    g.integer("points", 0, most)
    roll, choose = g.phase("roll", CHANCE), g.phase("choose", 0)

    @g.action(roll, "{v}", v=range(1, 4))
    def rolled(v: Term) -> None:
        weight(v)
        s.heap = v
        goto(choose)

    @g.action(choose, "stop")
    def stop() -> None:
        if dead_end:
            require((s.heap < 3) | (s.left == 2), "H1", "")
        s.points += s.heap
        s.heap, s.left = 0, s.left - 1
        goto(roll)
        with when(s.left == 0):
            win("over")

    return g.seal()


def test_what_is_gathered_keeps_its_bounds_in_every_game_or_nothing_is_shown() -> None:
    of, parts = {"number": "points"}, TurnFields(("heap",), "points")
    solved = compute_expected_value_turn_by_turn(heaps(6), of, parts, Context())
    assert solved.low <= Fraction(14, 3) <= solved.high
    with pytest.raises(NotShown, match="may leave its bounds"):  # no turn alone leaves them
        compute_expected_value_turn_by_turn(heaps(5), of, parts, Context())


def test_a_dead_end_in_some_outer_state_is_refused() -> None:
    with pytest.raises(NotShown, match="dead end"):
        compute_expected_value_turn_by_turn(
            heaps(6, dead_end=True), {"number": "points"}, TurnFields(("heap",), "points"), Context()
        )


def test_lasts_names_the_field() -> None:
    with pytest.raises(InnerFieldChanged) as refused:
        compute_expected_value_turn_by_turn(
            game("pig"), {"score": 0}, TurnFields(("heap", "left"), "points"), Context()
        )
    assert refused.value.name == "left"


def drawn(rng: random.Random) -> Game:
    """A game of one or two turns, some of whose rules ask for what lasts, or do not begin a turn anew."""
    start = {"left": rng.choice([1, 2]), "x": rng.randrange(3), "y": rng.randrange(3), "n": 0, "z": 0}
    most = {"left": 2, "x": 2, "y": 2, "n": 1, "z": 1}
    names = ["x", "y", "n", "z", *(["left", "points"] if rng.random() < 0.4 else [])]
    g = Game("drawn")
    s = g.state
    for name, value in start.items():
        g.integer(name, 0, most[name], value)
    g.integer("points", 0, 400, rng.choice([0, 3]))
    fall, choose, tidy = g.phase("fall", CHANCE), g.phase("choose", 0), g.automatic("tidy")

    def some(depth: int = 2) -> Any:
        cell = getattr(s, rng.choice(names))
        if not depth or rng.random() < 0.3:
            return cell
        other = some(depth - 1)
        return rng.choice([cell + other, pick(cell == other, cell, other), pick(cell < other, 2 * cell, other)])

    def effect() -> None:
        to = rng.choice("xyz")
        with when(some(1) == some(1)) if rng.random() < 0.3 else nullcontext():
            setattr(s, to, clamp(some(), 0, most[to]))

    @g.action(fall, "fall {v}", v=3)
    def falling(v: Term) -> None:
        if rng.random() < 0.4:
            weight(1 + some(1) * v)
        s.x = v
        goto(choose)

    @g.action(choose, "again {v}", v=2)
    def again(v: Term) -> None:
        require(s.n == 0, "A1", "")
        s.n = 1
        s.y = v
        if rng.random() < 0.3:
            effect()
        goto(fall)

    @g.action(choose, "close {v}", v=2)
    def closing(v: Term) -> None:
        if rng.random() < 0.3:
            require((v == 0) | (some(1) < 2), "C1", "")
        s.points += clamp(some() + v, 0, 9)
        if rng.random() < 0.5:
            effect()
        goto(tidy)

    @g.on(tidy)
    def tidying() -> None:
        s.left -= 1
        for name in "xynz":
            if rng.random() < 0.9:
                setattr(s, name, start[name])
        with when(s.left == 0):
            win("over")
        with otherwise():
            goto(fall)

    return g.seal()


class Plainly:
    """What a game is worth, over all lines of play: a number at its end, or how many decisions count."""

    def __init__(self, game: Game, play: str, number: Term | None, counts: str = "") -> None:
        self.by, self.play, self.number, self.counts = Interpreter(game), play, number, counts
        self.value = cache(self._value)

    def tick(self, state: tuple[int, ...]) -> int:
        return self.counts == "all" or (self.counts == "players" and self.by.actor(state) != CHANCE)

    def _value(self, state: tuple[int, ...]) -> Fraction:
        if self.by.terminal(state):
            return Fraction(0 if self.number is None else self.by.value(self.number, state))
        legal = self.by.legal(state)
        values = [self.value(self.behind(state, ident)) for ident in legal]
        if self.by.actor(state) != CHANCE:
            return CHOOSE[self.play](values) + self.tick(state)
        weights = [self.by.weight(state, ident) for ident in legal]
        total = sum((w * v for w, v in zip(weights, values, strict=True)), Fraction(0))
        return total / sum(weights) + self.tick(state)

    def behind(self, state: tuple[int, ...], ident: int) -> tuple[int, ...]:
        return tuple(self.by.apply(state, ident))

    def options(self, state: tuple[int, ...]) -> dict[str, Fraction]:
        worth = {i: self.value(self.behind(state, i)) + self.tick(state) for i in self.by.legal(state)}
        return {self.by.game.show(ident): value for ident, value in worth.items()}


def test_whatever_parts_are_named_a_drawn_game_is_worth_what_it_is() -> None:
    """So are its lengths, and the options behind the first actions."""
    games, lengths, options = 0, 0, 0
    for seed in range(20):
        rng = random.Random(seed)
        game, play = drawn(rng), rng.choice(["best", "worst", "random"])
        name = rng.choice(["points", "points", "points + x", "points + 2 * y", "x", "points - z", "points + left"])
        number, counts = as_term(TargetReader(game).number_text_to_term(name)), rng.choice(["players", "all"])
        for of, plain in (
            ({"number": name}, Plainly(game, play, number)),
            ({"length": counts}, Plainly(game, play, None, counts)),
        ):
            state, after = tuple(plain.by.start()), list[str]()
            while plain.by.actor(state) == CHANCE or (rng.random() < 0.3 and len(after) < 3):
                ident = rng.choice(plain.by.legal(state))
                after.append(game.show(ident))
                state = plain.behind(state, ident)
                if plain.by.terminal(state):
                    break
            asked = [({**of, "play": play}, tuple(plain.by.start()))]
            if not plain.by.terminal(state):
                asked.append(({**of, "play": play, "after": after, "options": True}, state))
            shown = 0
            for inner in (("x", "y", "n"), ("x", "y", "n", "z"), ("x", "n"), ("x", "y"), ("n",)):
                for gathers in ("points", "", "y"):
                    for spec, at in asked:
                        with suppress(NotShown):
                            solved = compute_expected_value_turn_by_turn(
                                game, spec, TurnFields(inner, gathers), Context()
                            )
                            close = Fraction(1, 10**9)
                            assert solved.low <= plain.value(at) <= solved.high < solved.low + close, (seed, spec)
                            shown += 1
                            if solved.each:
                                truth = plain.options(at)
                                assert [each.name for each in solved.each] == list(truth), (seed, spec)
                                assert all(each.low <= truth[each.name] <= each.high for each in solved.each)
                                options += 1
            games += shown > 0
            lengths += shown > 0 and "length" in of
    assert games > 15
    assert lengths > 7
    assert options > 15


# -- what is not known ----------------------------------------------------------------------------------------------

ROWS = np.array([1, 2])
TOUCHES: list[Callable[[UnknownCell], object]] = [
    lambda x: x + 1,
    lambda x: 1 + x,
    lambda x: ROWS + x,
    lambda x: x - ROWS,
    lambda x: x == 1,
    lambda x: x == ROWS,
    lambda x: x != ROWS,
    lambda x: x > 1,
    lambda x: x >= ROWS,
    lambda x: np.where(ROWS == 1, ROWS, x),
    lambda x: np.where(x, ROWS, ROWS),
    lambda x: np.clip(x, 0, 1),
    lambda x: np.array([1, 2])[x],
    lambda x: np.asarray(x, dtype=np.int64),
    lambda x: np.broadcast_to(np.asarray(x, dtype=np.int64), 2),
    lambda x: np.logical_and.reduce([ROWS == 1, x]),
    lambda x: np.empty((1, 2), dtype=np.int64).__setitem__(0, x),
    lambda x: x // 2,
    lambda x: 2 % x,
    lambda x: bool(x),
    lambda x: int(x),
    lambda x: [1, 2][x],
    lambda x: {x: 1},
    lambda x: x.ast,  # type: ignore[attr-defined]
    lambda x: -x,
    lambda x: ~x,
    lambda x: abs(x),
]


@pytest.mark.parametrize("touch", TOUCHES, ids=range(len(TOUCHES)))
def test_nothing_can_be_done_with_what_is_not_known(touch: Callable[[UnknownCell], object]) -> None:
    with pytest.raises((UnknownCellUsed, TypeError)):
        touch(UnknownCell(7))


def test_a_step_that_asks_for_an_unknown_cell_is_refused() -> None:
    """Every action of `sheet` in its phase, with each cell unknown: it is refused, or leads to the same states whatever
    the cell holds."""
    made = game("sheet")
    size = sum(f.size for f in made.fields)
    bounds = [(f.lo, f.hi) for f in made.fields for _ in range(f.size)]
    start = np.array([made.seal() and s for s in GameCase(SCORES, {}, {}, machine=False).play.start()])
    refused = 0
    for phase in made.phases:
        start[0] = phase.number
        for ident in range(made.ground):
            action = made.get_action_of_ground_action_number(ident)
            for cell in range(2, size):
                reading = PartialReading(made, [], [cell])
                row = start[None, :].copy()
                try:
                    if not len(
                        reading.find_rows_where_action_is_legal(action, ident, reading.state_rows_to_columns(row))
                    ):
                        continue
                    after = reading.apply_action_and_automatic_phases(action, ident, row)
                except UnknownCellUsed:
                    refused += 1
                    continue
                except NotShown:
                    continue
                for value in range(bounds[cell][0], bounds[cell][1] + 1):
                    known, row[:, cell] = PartialReading(made, [], []), value
                    after[:, cell] = value
                    assert (known.apply_action_and_automatic_phases(action, ident, row) == after).all()
    assert refused > 20


# -- the whole way --------------------------------------------------------------------------------------------------


def test_a_cut_down_sheet_is_proved_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # it is so small that other methods would come first
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda *_: None)
    question = Question("s", "worth", {"score": 0})
    [answer] = prove(SCORES, claims=[question], output=tmp_path, machine=False)
    assert answer.value == pytest.approx(float(sheet("best")), abs=1e-9)
    assert answer.method.startswith("turns")
    checked = check_evidence_file_to_result(answer.evidence, game=SCORES, claims={"s": question}).confirmed
    assert checked is not None
    assert [each.about.kind for each in checked.decision.used] == ["worth"]
    options = Question("o", "worth", {"score": 0, "after": ["0", "2"], "options": True})
    [answer] = prove(SCORES, claims=[options], output=tmp_path, machine=False)
    assert answer.method.startswith("turns")
    assert next(iter(answer.bound["options"].values()))["regret"] == 0
    assert max(each["worth"] for each in answer.bound["options"].values()) == pytest.approx(answer.value)
    assert not check_evidence_file_to_result(answer.evidence, game=SCORES, claims={"o": options}).findings
