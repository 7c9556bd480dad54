"""Conditions and targets mean what a person reads: no name is folded, replaced or taken from beside another, and a
question about endings asks of ends."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import InputError, Where
from playproof.language import Game, Interpreter, lose, score, tie, win
from playproof.language.registry import build, list_bundled_game_names
from playproof.verifier.prove import load_claims_as_questions_or_raise, prove
from playproof.verifier.questions.claims import Question, is_family_of_laws
from playproof.verifier.questions.conditions import ConditionReader, parse_condition_text_to_tree
from playproof.verifier.questions.laws import law_spec_to_law
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Verdict

WIN = {"outcome": "win"}
PLAIN: Any = {"machine": False, "games": 100, "work": 3}
KELVIN, FRAKTUR = "\N{KELVIN SIGN}", "\N{MATHEMATICAL FRAKTUR SMALL H}p"  # NFKC makes them K and hp


def confusing() -> Game:
    """A game whose names are easily taken for one another."""
    g = Game("confusing", players=2)
    s = g.state
    g.integer("quoted_0", 0, 9, 1)
    g.integer("K", 0, 9, 2)
    g.integer("hp", 0, 9, 3)
    g.integer("gold", 0, 9, 4)
    g.integer("night", 0, 9, 5)
    g.choice("card", ("king", "queen", "king"), 2)
    g.choice("time", ("day", "night"), 1)
    g.choice("suit", ("queen", "king"), 1)
    g.array("row", (2, 3), 0, 9, [[0, 1, 2], [3, 4, 5]])
    g.quantity("the gold", s.gold + 1)
    g.quantity("gold - K", s.gold + 5)
    g.fact(invariants={"K <= 1": s.K <= 5, "rich": s.gold > 3})
    act = g.phase("act", 0)

    @g.action(act, "pay {amount}", amount=range(1, 3))
    def pay(amount: Any) -> None:
        s.gold -= amount
        lose("broke")

    @g.action(act, "go")
    def leave() -> None:
        tie("gone")

    @g.action(act, "walk off")
    def go() -> None:
        win("gone", winner=1)

    return g.seal()


GAME = confusing()


def value(text: str) -> int:
    return int(
        Interpreter(GAME).value(
            ConditionReader(GAME, Where("claims.yaml")).condition_text_to_term(text),
            GAME.get_state_before_automatic_phases(),
        )
    )


def refused(text: str) -> str:
    with pytest.raises(InputError) as error:
        value(text)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("`the gold` == 5", 1),
        ("quoted_0 == 1 and `the gold` == 5", 1),
        ("`quoted_0` == 1 and `the gold` == 5", 1),
        ("gold - K == 2", 1),
        ("`gold - K` == 9", 1),
        ("not gold == 4", 0),
        ("not gold == 3 and K == 2", 1),
        ("gold == 4 or K == 9 and hp == 9", 1),
        ("-gold + 5 == 1", 1),
        ("2 * -K == -4", 1),
        ("- - K == 2", 1),
        ("1 < K <= 2 < hp", 1),
        ("row[1, 2] == 5", 1),
        ("row[0,2]==2", 1),
        ("(K + 1) * hp == 9", 1),
        ("gold - K - 1 == 1", 1),
        ('card == "king"', 1),
        ("card != king", 0),
        ("king == card", 1),
        ('time == "night"', 1),
        ("time == day", 0),
        ("`night` == 5", 1),
        ("night + 0 == 5", 1),
        ("(K == 2) == (hp == 3)", 1),
        ("True", 1),
        ("K\n == 2\tand hp == 3", 1),
        ("K==2and hp==3", None),
        ("rich", 1),
        ("not rich", 0),
        ("not not rich", 1),
        ("card + 0 == suit + 1", 1),
    ],
)
def test_a_condition_means_what_it_says(text: str, is_so: int | None) -> None:
    """`quoted_0` meant whatever stood first in backquotes, and `king` only the first of two kings."""
    if is_so is None:
        assert "PP702" in refused(text)
    else:
        assert value(text) == is_so


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"{KELVIN} == 2", "neither a quantity nor a field"),
        (f"{FRAKTUR} == 3", "neither a quantity nor a field"),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER K} == 2", "neither a quantity nor a field"),
        ("\N{CYRILLIC CAPITAL LETTER KA} == 2", "neither a quantity nor a field"),
        ("k == 2", "neither a quantity"),
        ("K == 1_0", "expected a whole number"),
        ("K == 0x2", "expected a whole number"),
        ("K == 2e0", "a whole number"),
        ("K == 2.0", "only whole numbers"),
        ("K == 02", "expected a whole number"),
        ("2K == 4", "expected a whole number"),
        ("K == \N{ARABIC-INDIC DIGIT TWO}", "expected a whole number"),
        ("K == 2 # two", "stands where nothing"),
        ("K = 2", "write == to compare"),
        ("K == 2 && hp == 3", "write `and`"),
        ("K ** 2 == 4", "found `*`"),
        ("K / 2 == 1", "only"),
        ("K != hp != K", "which sides"),
        ("K < hp > K", "which sides"),
        ("K < hp != gold", "which"),
        ("K == not hp", "parentheses"),
        ("K is 2", "expected an operator"),
        ("2 in row", "expected an operator"),
        ("K if hp else 2", "expected an operator"),
        ("K == 2 hp", "expected an operator"),
        ("", "found the end"),
        ("(K == 2", "expected `)`"),
        ("row[-1, 2] == 5", "outside 0..1"),
        ("row[1] == 3", "dimension"),
        ("row[2, 0] == 3", "outside"),
        ("row[K + 2, 0] == 3", "outside 0..1"),
        ("sum(i in 9: row[0, i]) == 3", "0..8 is outside 0..2"),
        ("row[, 0] == 3", "place of a cell"),
        ("was(K) == 3", "law of steps"),
        ("sum(K in 3: K) == 3", "meaning already"),
        ("any(i in gold: i == 1)", "not an array"),
        ("`K == 2", "ends with one"),
        ('time == "da\\x79"', "no value"),
        ('time == "d" "ay"', "expected an operator"),
        ("card < king", "several values"),
        ("card == suit", "have other names"),
        ("suit != card", "write `suit + 0`"),
        ("time == night", "names a number of the game, and a value of `time`"),
        ('"king"', "compared with nothing"),
        ("card == KING", "no value"),
        ("abs(K) == 2", "neither|operator"),
        ("K.real == 2", "whole numbers"),
        ("lambda: 1", "expected an operator"),
        ("K := 2", "stands where nothing"),
        ("__debug__", "neither"),
        ("(" * 300 + "K" + ")" * 300, "parentheses"),
        ("K" + " + 1" * 5000, "nested"),
        ("K == 2\0", "U+0000"),
    ],
)
def test_what_it_does_not_say_is_refused(text: str, why: str) -> None:
    """Python's parser folded the Kelvin sign to K, and read 1_0 as 10 and 0x2 as 2."""
    assert "PP702" in (message := refused(text))
    assert any(part in message for part in why.split("|")), message


def test_names_of_other_forms_are_other_names() -> None:
    """Composed and decomposed letters look alike; each field is meant by its own."""
    g = Game("forms")
    composed, decomposed = (unicodedata.normalize("NFC", "caf\u00e9"), unicodedata.normalize("NFD", "caf\u00e9"))
    first = g.integer(composed, 0, 9, 1)
    second = g.integer(decomposed, 0, 9, 2)
    reader = ConditionReader(g, Where("claims.yaml"))
    assert reader.condition_text_to_term(composed).reads.keys() == {first.field.number}
    assert reader.condition_text_to_term(f"{decomposed} == 2").reads.keys() == {second.field.number}


def test_a_phase_called_phase_is_no_riddle() -> None:
    g = Game("phases")
    for name in ("phase", "other"):
        g.add_action(g.phase(name), lambda: win("over"), f"leave {name}", name=name)
    g.seal()
    reader, play = ConditionReader(g, Where("claims.yaml")), Interpreter(g)
    for text, holds in (("phase == 0", 1), ("phase == other", 0), ("phase != other", 1), ('phase == "phase"', 1)):
        assert play.value(reader.condition_text_to_term(text), g.get_state_before_automatic_phases()) == holds


def test_a_text_is_no_name_of_a_declared_condition() -> None:
    """`{holds: "K <= 1"}` meant the condition that the game calls so: K <= 5."""
    reader = TargetReader(GAME)
    play, start = Interpreter(GAME), GAME.get_state_before_automatic_phases()
    with pytest.raises(InputError, match=r"write \{invariant: 'K <= 1'\}"):
        reader.read_single_target_of_spec({"holds": "K <= 1"})
    assert play.value(reader.read_single_target_of_spec({"invariant": "K <= 1"}).condition, start)
    assert play.value(reader.read_single_target_of_spec({"holds": "rich"}).condition, start)
    assert not play.value(reader.read_single_target_of_spec("K <= 1 and 1 == 1").condition, start)


def test_a_name_of_one_action_and_words_of_another_are_told_apart() -> None:
    reader = TargetReader(GAME)
    with pytest.raises(InputError, match=r"write `go \[#2\]` or write `walk off \[#3\]`"):
        reader.read_single_target_of_spec({"action": "go"})
    assert reader.read_single_target_of_spec({"action": "go [#2]"}).idents == {2}
    assert reader.read_single_target_of_spec({"action": "walk off"}).idents == {3}


def test_a_law_compares_a_parameter_with_a_named_value() -> None:
    """A parameter beside a field with named values was read as the name of a value."""
    g = Game("dice")
    s = g.state
    g.choice("trump", ("red", "suit"), 1)
    act = g.phase("act")

    @g.action(act, "lead", suit=2)
    def lead(suit: Any) -> None:
        s.trump = suit
        win("led")

    g.seal()
    with pytest.raises(InputError, match="names a number of the game, and a value of `trump`"):
        law_spec_to_law(g, {"action": "lead", "leads": "trump == suit"})
    assert law_spec_to_law(g, {"action": "lead", "leads": "trump == `suit`"}).leads.locals


# -- endings ------------------------------------------------------------------------------------------------------

RULES = """\
from playproof.language import Game, goto, lose, score, tie, win


def build(options):
    g = Game("ends", players=2)
    s = g.state
    g.integer("x", 0, 3, 1)
    act = g.phase("act", 0)

    @g.action(act, "win")
    def won():
        win("won", winner=0)

    @g.action(act, "lose")
    def lost():
        win("beaten", winner=1)

    @g.action(act, "tie")
    def even():
        tie("even")

    g.fact(invariants={"not won": s.outcome != 1})
    return g
"""
NOT_WON = {"not": {"outcome": "win", "seat": 1}}


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("ends")
    (folder / "rules.py").write_text(RULES, encoding="utf-8")
    return str(folder)


def ask(game: str, kind: str, of: Any, within: Any = None, **more: Any) -> Any:
    [found] = prove(game, claims=[Question("q", kind, of, within, **more)], **PLAIN)
    return found


@pytest.mark.parametrize(
    ("kind", "of"),
    [
        ("luck", NOT_WON),
        ("reach", NOT_WON),
        ("never", NOT_WON),
        ("dead", NOT_WON),
        ("always", WIN),
        ("always", {"reason": "won"}),
        ("minimum", {"number": "x", "when": NOT_WON}),
        ("maximum", {"number": "x", "when": {"not": WIN}}),
        ("same", {"ask": "luck", "of": NOT_WON}),
        ("tune", {"ask": "reach", "of": {"not": {"reason": "won"}}}),
        ("luck", {"holds": "outcome != 1"}),
        ("reach", {"holds": "not outcome == 1"}),
        ("reach", "outcome != won"),
        ("never", {"holds": "outcome < 2"}),
        ("always", {"holds": "outcome == 1"}),
        ("luck", {"invariant": "not won"}),
        ("luck", {"holds": "x > 0"}),
        ("luck", {"not": {"not": {"not": WIN}}}),
        ("never", {"not": {"not": {"not": WIN}}}),
        ("luck", {"not": {"outcome": ["win", "tie"], "seat": 0}}),
        ("luck", {"not": {"holds": "outcome == 1"}}),
    ],
)
def test_what_the_first_state_answers_is_no_question_about_the_end(ends: str, kind: str, of: Any) -> None:
    """Each was answered by the first state, in which no game is over: a chance of 1, `yes` or `no`."""
    with pytest.raises(InputError, match=r"before anybody acts.*within: outcome > 0"):
        ask(ends, kind, of)


@pytest.mark.parametrize(
    ("kind", "of", "within", "answer"),
    [
        ("luck", NOT_WON, "outcome > 0", 1.0),
        ("luck", {"outcome": ["win", "tie"], "seat": 0}, None, 1.0),
        ("reach", NOT_WON, "outcome > 0", True),
        ("always", WIN, "outcome > 0", False),
        ("never", WIN, None, False),
        ("always", {"not": {"reason": "won"}}, None, False),
        ("never", {"not": {"not": WIN}}, None, False),
        ("always", {"outcome": ["win", "draw"]}, "outcome > 0", True),
        ("reach", {"outcome": ["loss", "tie"]}, None, True),
        ("reach", {"outcome": "tie"}, None, True),
        ("reach", {"outcome": ["loss", "scores"]}, None, False),
        ("maximum", {"number": "x", "when": {"holds": "outcome == 0"}}, None, 1),
        ("reach", {"holds": "x > 0"}, None, True),
        ("reach", {"outcome": ["win", "tie"], "seat": 1, "reason": "even"}, None, True),
        ("reach", {"outcome": "win", "seat": 1, "reason": "even"}, None, "no ending"),
    ],
)
def test_the_end_is_asked_for_with_the_words_that_are_proposed(
    ends: str, kind: str, of: Any, within: Any, answer: Any
) -> None:
    if isinstance(answer, str):
        with pytest.raises(InputError, match=answer):
            ask(ends, kind, of, within)
    else:
        assert ask(ends, kind, of, within).value == answer


@pytest.mark.parametrize(
    ("of", "wins"),
    [
        ({"outcome": ["win", "draw"], "seat": 0}, {"won", "even"}),
        ({"outcome": ["win", "draw"], "seat": 1}, {"beaten", "even"}),
        ({"outcome": ["draw", "win"]}, {"won", "beaten", "even"}),
        ({"outcome": "tie"}, {"even"}),
    ],
)
def test_a_seat_beside_several_endings_is_the_one_that_wins(ends: str, of: Any, wins: set[str]) -> None:
    game = build(ends)
    condition, play = TargetReader(game).read_single_target_of_spec(of).condition, Interpreter(game)
    met = {
        e.reason
        for e in game.endings
        if play.value(condition, [0, e.number, *game.get_state_before_automatic_phases()[2:]])
    }
    assert met == wins


def test_equal_scores_are_no_ending_called_draw() -> None:
    """`reach: {outcome: draw}` was refuted in a game of scores that can end with equal scores."""
    g = Game("scored", players=2)
    act = g.phase("act")
    g.returns(1, 1)

    @g.action(act, "count")
    def count() -> None:
        score("counted")

    with pytest.raises(InputError, match="equal scores are none"):
        TargetReader(g.seal()).read_single_target_of_spec({"outcome": "draw"})


@pytest.mark.parametrize("within", ["5", "0", "-1", 5, True])
def test_a_number_alone_bounds_nothing(ends: str, within: Any) -> None:
    """`within: "5"` was a condition that always holds."""
    with pytest.raises(InputError, match="expected `within` as a condition or `number: most`"):
        ask(ends, "reach", WIN, within)


@pytest.mark.parametrize("reason", ["", None, True, ["won"]])
def test_a_reason_is_words(ends: str, reason: Any) -> None:
    """Every ending has the words "" in it."""
    with pytest.raises(InputError, match="words of an ending"):
        ask(ends, "reach", {"outcome": "win", "reason": reason})


# -- answers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expect", "verdict"),
    [
        (["lose", "tie"], Verdict.PROVEN),
        (["tie", "lose"], Verdict.PROVEN),
        (["tie"], Verdict.REFUTED),
        (["tie", "tie"], Verdict.REFUTED),
        (["tie", "lose", "tie"], Verdict.REFUTED),
        ("none", Verdict.REFUTED),
    ],
)
def test_a_list_of_dead_members_has_no_order(tmp_path: Path, expect: Any, verdict: Verdict) -> None:
    """It was refuted in any order but that of the game."""
    rules = RULES.replace("import ", "import require, ")
    for name in ("lost", "even"):
        rules = rules.replace(f"def {name}():\n", f"def {name}():\n        require(s.x > 2, 'R1', 'too early')\n")
    (tmp_path / "rules.py").write_text(rules, encoding="utf-8")
    found = ask(str(tmp_path), "dead", {"every": "action"}, expect=expect)
    assert (found.value, found.verdict) == (["lose", "tie"], verdict)


def conditions_of(question: Question) -> list[str]:
    """Every text of a shipped claim that is read as a condition."""
    found: list[str] = []

    def walk(spec: Any, key: str) -> None:
        if isinstance(spec, dict):
            for inner, each in spec.items():
                walk(each, str(inner))
        elif isinstance(spec, list):
            for each in spec:
                walk(each, key)
        elif isinstance(spec, str) and key in ("holds", "reach", "needs", "leads", "when", "with", "within", "then"):
            found.append(spec)

    walk(question.of, "")
    walk(question.within, "within")
    return found


@pytest.mark.parametrize("game", list_bundled_game_names())
def test_every_shipped_condition_follows_the_grammar(game: str) -> None:
    of_states = [
        q for q in load_claims_as_questions_or_raise(game).values() if q.ask != "ledger" and not is_family_of_laws(q.of)
    ]
    texts = {text for question in of_states for text in conditions_of(question)}
    assert texts
    for text in texts:
        parse_condition_text_to_tree(text)
