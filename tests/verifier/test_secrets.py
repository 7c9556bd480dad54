"""What a seat may see: games that tell a secret in each way there is, one that keeps it, and evidence that lies."""

from __future__ import annotations

import os
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import CHANCE, Game, Interpreter, RulesError
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.referee.observations import get_cached_observation_model
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.look_alikes import LookAlikesCertificate
from playproof.verifier.kernel.state_graphs import enumerate_game_states_cached
from playproof.verifier.kernel.statements import Event, Property, Secrecy, SecretDiffers
from playproof.verifier.kernel.strict_json import Unreadable, decode_json_as_type_or_raise, encode_typed_value_as_json
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.secrecy import secret_spec_to_secret
from playproof.verifier.questions.verdicts import Answer, Verdict, format_answer_as_lines
from tests.look_alikes import list_observable_differences_of_states
from tests.verifier.closed_sets import exploration

RULES = '''\
"""Seat 0 lays a card face down, seat 1 answers, things are tidied up, and a die is thrown; so for two rounds."""
from playproof.language import (AUTOMATIC, CHANCE, Game, Sees, goto, keep, otherwise, require, score, tie, weight,
                                      when, win)


def build(options):
    leak = options.choice("leak", ("none", "legal", "words", "kept", "phase", "turn", "chance", "luck", "hidden", "end",
                                   "scores"))
    g = Game("whisper", players=2)
    s = g.state
    g.array("card", 2, 0, 2, sees=Sees.OWNER)
    g.array("under", 2, 0, 2, sees=Sees.NOBODY)
    g.integer("shown", 0, 2)
    g.integer("times", 0, 2)
    if leak == "scores":
        g.returns(s.card[0], 0)
    choose = g.phase("choose", 0)
    answer = g.phase("answer", 1 - s.card[0] // 2 if leak == "turn" else 1)
    tidy, clear, die = g.phase("tidy", AUTOMATIC), g.phase("clear", AUTOMATIC), g.phase("die", CHANCE)

    @g.action(choose, "lay card {card}", secret="card", card=3)
    def lay(card):
        s.card[0] = card
        goto(answer)

    @g.action(choose, "show card {card}", public="card", card=3)
    def show(card):
        require(card == s.card[0], "S1", "it is another card")
        s.shown = card
        goto(answer)

    @g.action(answer, "pass", name="pass")
    def passed():
        goto(tidy)

    @g.action(answer, "doubt", name="doubt")
    def doubt():
        if leak == "legal":
            require(s.card[0] != 2, "S2", "that card is not doubted")
        if leak == "words":
            require(s.card[0] == 0, "S3", "it is no trump")
            require(s.card[0] != 0, "S4", "it is a trump")
        if leak == "kept":
            require(s.times == 2, "S5", "not against {}", s.card[0])
        goto(tidy)

    @g.on(tidy)
    def tidied():
        if leak == "phase":
            s.shown = s.card[0]
        goto(clear)

    @g.on(clear)
    def cleared():
        s.shown = 0
        goto(die)

    @g.action(die, "the die shows {side}", side=3)
    def thrown(side):
        if leak == "chance":
            require(side != s.card[0], "S6", "it never shows the card")
        if leak == "luck":
            weight(side * s.card[0] + 1 - (side == 1) * (s.card[0] == 0))
        if leak == "hidden":
            s.under[0] = s.card[0]
        s.times += 1
        with when(s.times == 2):
            if leak == "end":
                with when(s.card[0] == 2):
                    win("a trump", winner=0)
            if leak == "scores":
                score("counted")
            else:
                tie("all laid")
        with otherwise():
            goto(choose)

    return g
'''
LEAKS = ("legal", "words", "kept", "phase", "turn", "chance", "luck", "end", "scores")
OF: Any = {"from": 1, "field": "card"}
PLAIN: Any = {"machine": False, "games": 100, "work": 20}
ALONE = """\
from playproof.language import CHANCE, Game, Sees, goto, lose, otherwise, when, win


def build(options):
    tells = options.choice("tells", ("no", "yes")) == "yes"
    g = Game("alone")
    s = g.state
    g.integer("coin", 0, 1, sees=Sees.NOBODY)
    g.array("mine", 1, 0, 1, sees=Sees.OWNER)
    hide, guess = g.phase("hide", CHANCE), g.phase("guess", 0)

    @g.action(hide, "hide it {side}", side=2)
    def put(side):
        s.coin = side
        goto(guess)

    @g.action(guess, "guess {side}", side=2)
    def say(side):
        with when(side == (s.coin if tells else 0)):
            win("guessed")
        with otherwise():
            lose("missed")

    return g
"""


@pytest.fixture(scope="module")
def whisper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "whisper"
    folder.mkdir()
    (folder / "rules.py").write_text(RULES, encoding="utf-8")
    return folder


def game_of(folder: Path, leak: str) -> Game:
    return build(str(folder), Options({"leak": leak}, {}))


def question(leak: str, of: Any = OF, **more: Any) -> Question:
    return Question("secret", "secret", of, values={"leak": leak}, expect=True, **more)


def answer(folder: Path, asked: Question, tmp_path: Path) -> Answer:
    """The answer, whose evidence `check` confirms with the same verdict."""
    [found] = prove(str(folder), claims=[asked], output=tmp_path, **PLAIN)
    if found.verdict is not Verdict.UNKNOWN:
        checked = check_evidence_file_to_result(found.evidence, game=folder, claims={asked.id: asked})
        assert (checked.findings, checked.verdict) == ((), found.verdict)
    return found


@pytest.mark.parametrize("leak", LEAKS)
def test_every_way_to_tell_a_secret_is_seen(whisper: Path, leak: str, tmp_path: Path) -> None:
    """No proof is accepted of a game that tells, and two games show that it does."""
    game = game_of(whisper, leak)
    for proof in (
        exploration(Secrecy(OF), len(enumerate_game_states_cached(game, 20_000, Context()).cells)),
        InvariantCertificate(Secrecy(OF)),
        InvariantCertificate(Secrecy(OF), (), False),
    ):
        with pytest.raises(NotShown, match="tell"):
            check_certificate_to_theorem(proof, game, Context())
    assert answer(whisper, question(leak), tmp_path).verdict is Verdict.REFUTED


def test_a_secret_that_is_kept_is_proven_by_all_states_and_by_each_step(
    whisper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its holder shows is the holder's to show."""
    small = answer(whisper, question("none"), tmp_path)
    assert (small.verdict, small.method) == (Verdict.PROVEN, "exploration")
    monkeypatch.setattr(
        "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many", lambda case, budget: None
    )
    large = answer(whisper, question("none"), tmp_path)
    assert (large.verdict, large.method) == (Verdict.PROVEN, "step by step")


def test_what_goes_from_one_hidden_field_to_another_is_secret_with_it(whisper: Path, tmp_path: Path) -> None:
    """The card decides what lies under the table, and seat 1 sees neither; step by step, both are named."""
    game, both = game_of(whisper, "hidden"), {**OF, "beside": ["under"]}
    assert answer(whisper, question("hidden", both), tmp_path).verdict is Verdict.PROVEN
    check_certificate_to_theorem(InvariantCertificate(Secrecy(both)), game, Context())
    with pytest.raises(NotShown, match="may tell the secret"):
        check_certificate_to_theorem(InvariantCertificate(Secrecy(OF)), game, Context())


def test_a_secret_that_cannot_differ_is_empty(whisper: Path, tmp_path: Path) -> None:
    assert answer(whisper, question("none", {"from": 1, "field": "under"}), tmp_path).verdict is Verdict.VACUOUS
    game = game_of(whisper, "none")
    with pytest.raises(NotShown, match="differs in two states"):
        check_certificate_to_theorem(
            exploration(SecretDiffers(OF), len(enumerate_game_states_cached(game, 20_000, Context()).cells)),
            game,
            Context(),
        )


def test_without_a_shown_difference_nothing_is_proven(
    whisper: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a field that never differs, each step keeps the secret; that is no proof that there is one."""
    monkeypatch.setattr(
        "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many", lambda case, budget: None
    )
    found = answer(whisper, question("none", {"from": 1, "field": "under"}), tmp_path)
    assert found.verdict is Verdict.UNKNOWN
    assert "0 look-alike pairs were compared" in format_answer_as_lines(found)


@pytest.mark.parametrize(("tells", "verdict"), [("no", Verdict.PROVEN), ("yes", Verdict.REFUTED)])
def test_one_player_alone_is_kept_from_what_nobody_sees(tells: str, verdict: Verdict, tmp_path: Path) -> None:
    folder = tmp_path / "alone"
    folder.mkdir()
    (folder / "rules.py").write_text(ALONE, encoding="utf-8")
    asked = Question("coin", "secret", {"from": 0}, values={"tells": tells}, expect=True)
    assert answer(folder, asked, tmp_path).verdict is verdict
    with pytest.raises(InputError, match="sees all"):
        secret_spec_to_secret(build(str(folder), Options()), {"from": 0, "field": "mine"})


# -- evidence that lies ---------------------------------------------------------------------------------------------


def ident(game: Game, words: str) -> int:
    return next(i for i in range(game.ground) if game.show(i) == words)


def pair(game: Game, about: Any, line: list[str], other: list[str], last: str = "") -> LookAlikesCertificate:
    return LookAlikesCertificate(
        about,
        tuple(ident(game, w) for w in line),
        tuple(ident(game, w) for w in other),
        tuple(line),
        tuple(other),
        ident(game, last) if last else -1,
    )


LAID, OTHER = ["lay card 0"], ["lay card 2"]
TRUE = {"legal": "", "words": "", "kept": "", "turn": "", "phase": "pass"}


@pytest.mark.parametrize("leak", [*TRUE, "none", "chance"])
def test_two_lines_refute_only_what_they_tell(whisper: Path, leak: str) -> None:
    """Where the moment tells, it is enough; the phase tells after the same decision; nothing else does."""
    game = game_of(whisper, leak)
    for last in ("", "pass", "doubt", "lay card 1", "the die shows 1"):
        lines = pair(game, Secrecy(OF), LAID, OTHER, last)
        if TRUE.get(leak) == last or (leak, last) == ("phase", "doubt"):
            assert check_certificate_to_theorem(lines, game, Context()).so is False
        else:
            with pytest.raises(NotShown):
                check_certificate_to_theorem(lines, game, Context())


def test_chance_tells_by_what_it_cannot_bring(whisper: Path) -> None:
    game = game_of(whisper, "chance")
    laid, other = [*LAID, "pass"], [*OTHER, "pass"]
    assert (
        check_certificate_to_theorem(pair(game, Secrecy(OF), laid, other, "the die shows 2"), game, Context()).so
        is False
    )
    # not legal in the first; the same in both; no moment
    for last in ("the die shows 0", "the die shows 1", ""):
        with pytest.raises(NotShown):
            check_certificate_to_theorem(pair(game, Secrecy(OF), laid, other, last), game, Context())


FORGED = {
    "not alike: seat 1 saw the card": (["show card 0"], OTHER),
    "not alike: another decision": ([*LAID, "pass", "the die shows 0"], [*OTHER, "pass", "the die shows 1"]),
    "lengths": ([*LAID, "pass"], OTHER),
    "illegal": (["show card 1"], ["show card 2"]),
    "out of turn": (["pass"], ["pass"]),
    "the same card": (LAID, LAID),
}


@pytest.mark.parametrize("why", FORGED)
@pytest.mark.parametrize("leak", ["legal", "none"])
def test_lines_that_are_no_look_alikes_show_nothing(whisper: Path, why: str, leak: str) -> None:
    game = game_of(whisper, leak)
    for about in (Secrecy(OF), SecretDiffers(OF)):
        with pytest.raises(NotShown):
            check_certificate_to_theorem(pair(game, about, *FORGED[why]), game, Context())


def test_numbers_words_and_subjects_of_a_pair_are_held_to_the_game(whisper: Path) -> None:
    game = game_of(whisper, "legal")
    good = pair(game, Secrecy(OF), LAID, OTHER)
    check_certificate_to_theorem(good, game, Context())
    assert check_certificate_to_theorem(pair(game, SecretDiffers(OF), LAID, OTHER), game, Context()).so
    assert decode_json_as_type_or_raise(Certificate, encode_typed_value_as_json(good)) == good
    forged = [
        replace(good, last=10**30),
        replace(good, last=-2),
        replace(good, line=(10**30,)),
        replace(good, line=(-1,)),
        replace(good, words=("lay card 1",)),
        replace(good, others=()),
        replace(good, about=Event({"outcome": "draw"})),
        replace(good, about=Property("bounds")),
        pair(game, SecretDiffers(OF), LAID, OTHER, "pass"),
        replace(good, about=Secrecy({"from": 1, "field": "under"})),
    ]
    for lines in forged:
        with pytest.raises(NotShown):
            check_certificate_to_theorem(lines, game, Context())
    with pytest.raises(NotShown, match="no invariant"):
        check_certificate_to_theorem(InvariantCertificate(SecretDiffers(OF)), game, Context())


WRONG = [
    None,
    "reserve",
    {"field": "card"},
    {"from": 0, "field": "card"},
    {"from": 2},
    {"from": True},
    {"from": "1"},
    {"from": 1, "field": "cart"},
    {"from": 1, "field": "shown"},
    {"from": 1, "fields": ["card"]},
    {"from": 1, "field": "card", "beside": "under"},
    {"from": 1, "field": "card", "beside": ["shown"]},
    {"from": 1, "field": "card", "whose": 1},
    {"from": 1, "whose": 0},
    {"from": 1, "field": "card", "whose": 2},
    {"from": 1, "field": ["card"]},
    {"from": 1, "field": "card", "beside": [["under"]]},
]


@pytest.mark.parametrize("of", WRONG, ids=str)
def test_a_secret_that_cannot_be_read_is_refused(whisper: Path, of: Any) -> None:
    """As a claim, before anything is answered; and in a file."""
    game = game_of(whisper, "legal")
    if of == {"from": 0, "field": "card"}:  # seat 1 has a card too
        assert secret_spec_to_secret(game, of).own == {game.fields[2].offset + 1}
        return
    with pytest.raises(InputError):
        secret_spec_to_secret(game, of)
    with pytest.raises((InputError, Unreadable)):
        check_certificate_to_theorem(replace(pair(game, Secrecy(OF), LAID, OTHER), about=Secrecy(of)), game, Context())


def test_a_claim_says_nothing_that_is_not_read(whisper: Path) -> None:
    for asked in (question("none", within={"rounds": 1}), replace(question("none"), expect=0.5)):
        with pytest.raises(InputError):
            prove(str(whisper), claims=[asked], **PLAIN)


def test_the_words_of_a_seat_are_those_of_the_interpreter(whisper: Path) -> None:
    """The game `kept` refuses both with other words; nothing but the words differs."""
    game = game_of(whisper, "kept")
    play = Interpreter(game)
    texts = [
        str(play.why_not(play.apply(play.start(), ident(game, laid)), ident(game, "doubt"))[0])
        for laid in (*LAID, *OTHER)
    ]
    assert texts == ["S5: not against 0", "S5: not against 2"]


# -- against the referee --------------------------------------------------------------------------------------------


SEEDS = range(int(os.environ.get("PLAYPROOF_SECRETS", "8")))


def told_by_the_referee(game: Game, of: Any) -> bool:
    """Whether the referee sends a seat what tells two reachable states apart that are alike but for the secret."""
    hidden, play, witness = (secret_spec_to_secret(game, of), Interpreter(game), get_cached_observation_model(game))
    graph = enumerate_game_states_cached(game, 20_000, Context())
    alike: dict[tuple[int, ...], list[int]] = {}
    for row, state in enumerate(graph.cells.tolist()):
        alike.setdefault(tuple(v for n, v in enumerate(state) if n not in hidden.cells), []).append(row)
    for rows, seat in ((rows, hidden.seat) for rows in alike.values()):
        for one, other in combinations(rows, 2):
            mine, theirs = graph.cells[one].tolist(), graph.cells[other].tolist()
            if list_observable_differences_of_states(play, mine, theirs, seat) or play.returns(mine) != play.returns(
                theirs
            ):
                return True
            if mine[1]:
                continue
            seen = [
                {
                    i: tuple(
                        witness.iter_changed_views_of_seat(
                            witness.list_states_after_action_and_auto_phases(state, i), seat
                        )
                    )
                    for i in play.legal(state)
                }
                for state in (mine, theirs)
            ]
            heard = [
                {(witness.get_action_as_heard_by_seat(state, i, seat), some[i]) for i in some}
                for state, some in zip((mine, theirs), seen, strict=True)
            ]
            if play.actor(mine) != CHANCE and any(seen[0][i] != seen[1][i] for i in seen[0].keys() & seen[1].keys()):
                return True
            if play.actor(mine) == CHANCE and heard[0] != heard[1]:
                return True
    return False


DRAWN = """\
from playproof.language import AUTOMATIC, CHANCE, Game, Sees, goto, otherwise, require, tie, when


def build(options):
    g = Game("drawn", players=2)
    s = g.state
    g.array("card", 2, 0, 2, sees=Sees.OWNER)
    g.integer("under", 0, 2, sees=Sees.NOBODY)
    g.integer("shown", 0, 2)
    g.integer("times", 0, 2)
    lay, answer = g.phase("lay", 0), g.phase("answer", 1)
    tidy, die = g.phase("tidy", AUTOMATIC), g.phase("die", CHANCE)

    @g.action(lay, "lay card {{card}}", secret="card", card=3)
    def laid(card):
        s.card[0] = card
        goto(answer)

    @g.action(answer, "say {{side}}", public="side", side=2)
    def say(side):
        require({} == {}, "D1", "not that")
        s.{} = {}
        goto(tidy)

    @g.action(answer, "pass", name="pass")
    def passed():
        goto(tidy)

    @g.on(tidy)
    def tidied():
        s.{} = {}
        goto(die)

    @g.action(die, "the die shows {{side}}", side=2)
    def thrown(side):
        require({} != {} - 1, "D2", "not now")
        s.{} = {}
        s.times += 1
        with when(s.times == 2):
            tie("all laid")
        with otherwise():
            goto(lay)

    return g
"""


def drawn(seed: int) -> str:
    """Rules in which what is hidden, and what is not, goes from one field to another, and decides what is legal."""
    dice = Random(seed)

    def number(*more: str) -> str:
        parts = [dice.choice(["s.card[0]", "s.under", "s.shown", "s.shown", "1", *more]) for _ in range(2)]
        return dice.choice([parts[0], parts[0], f"({parts[0]} + {parts[1]}) % 3"])

    def place() -> str:
        return dice.choice(["shown", "under", "under", "card[0]"])

    return DRAWN.format(
        number("side"),
        number(),
        place(),
        number("side"),
        place(),
        number(),
        number("side"),
        number(),
        place(),
        number("side"),
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts_are_those_of_the_referee(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No secret is proven, by all states or by each step, that the referee tells; none is refuted that it keeps."""
    (tmp_path / "rules.py").write_text(drawn(seed), encoding="utf-8")
    of = [{"from": 1, "field": "card"}, {"from": 1, "field": "card", "beside": ["under"]}, {"from": 1}][seed % 3]
    try:
        told = told_by_the_referee(build(str(tmp_path), Options()), of)
    except (NotShown, RulesError):
        pytest.skip("the rules break, or do nothing")
    for small in (True, False):
        with monkeypatch.context() as patch:
            if not small:
                patch.setattr(
                    "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many",
                    lambda case, budget: None,
                )
            found = answer(tmp_path, Question("secret", "secret", of, expect=True), tmp_path)
        assert found.fault == ""
        assert found.verdict is not Verdict.PROVEN or not told
        assert found.verdict is not Verdict.REFUTED or told


@pytest.mark.parametrize("leak", [*LEAKS, "none", "hidden"])
def test_the_referee_tells_what_the_kernel_says_is_told(whisper: Path, leak: str) -> None:
    """All but the words of a refusal, which the referee's own test does not compare."""
    wordless = leak in ("words", "kept")
    assert told_by_the_referee(game_of(whisper, leak), OF) is (leak in LEAKS and not wordless)
