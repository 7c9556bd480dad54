"""Evidence of one version of a game whose cells have other numbers in another."""

from __future__ import annotations

import pytest

from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.verifier.kernel.induction import Lemma, Split, require_layers_inductive
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.statements import BOUNDS, Property
from playproof.verifier.proof import splitting
from playproof.verifier.proof.splitting import plan_lemma_with_splits_or_none, renumber_split_cells_dropping_missing
from playproof.verifier.questions.context import Context
from playproof.verifier.search.case import Budget, GameCase

RULES = '''
from playproof import Game, Options, goto, require, when, win


def build(options: Options) -> Game:
    """Nuts go from hand to hand; with two players more there are two hands more."""
    players = options.number("hands", range(2, 5), 2)
    g = Game("nuts")
    s = g.state
    g.array("hand", players, 0, 6, [6] + [0] * (players - 1))
    g.array("seen", (players, 2), 0, 1)
    g.integer("at", 0, players - 1)
    if options.choice("with", ["nothing", "a bag"]) == "a bag":
        g.integer("bag", 0, 6)
    g.integer("left", 0, 9, 9)
    g.quantity("nuts", sum(s.hand[i] for i in range(1, players)) + s.hand[0])
    turn = g.phase("turn")

    @g.action(turn, "pass one")
    def pass_one() -> None:
        require((s.hand[s.at] > 0) & (s.left > 0), "N1", "nothing to give")
        s.hand[s.at] -= 1
        with when(s.at == players - 1):
            s.hand[0] += 1
        with when(s.at < players - 1):
            s.hand[s.at + 1] += 1
        s.left -= 1

    @g.action(turn, "go on")
    def go_on() -> None:
        require(s.left > 0, "N2", "the day is over")
        s.at = (s.at + 1) % players
        s.left -= 1

    @g.action(turn, "stop")
    def stop() -> None:
        win("enough")

    return g
'''
CONSERVED = ["`nuts` == 6"]


@pytest.fixture(scope="module")
def ref(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("nuts")
    (folder / "rules.py").write_text(RULES, encoding="utf-8")
    return str(folder)


def cell(game: Game, name: str, place: int = 0) -> str:
    return f"cell {game.get_field(name).offset + place}"


def test_the_places_of_splits_go_with_their_cells(ref: str) -> None:
    two, four = build(ref), build(ref, Options({"hands": "4"}))
    places = cell(two, "at"), "param 0", cell(two, "hand", 1), cell(two, "seen", 3)
    there = cell(four, "at"), "param 0", cell(four, "hand", 1), cell(four, "seen", 3)
    assert places != there
    layers = (Lemma(("at >= 0",), True, (Split("pass_one", False, places),)),)
    certificate = InvariantCertificate(Property(BOUNDS), layers, splits=(Split("stop", True, places[:1]),))
    assert renumber_split_cells_dropping_missing(certificate, two, four) == InvariantCertificate(
        Property(BOUNDS),
        (Lemma(("at >= 0",), True, (Split("pass_one", False, there),)),),
        splits=(Split("stop", True, there[:1]),),
    )
    assert (
        renumber_split_cells_dropping_missing(renumber_split_cells_dropping_missing(certificate, two, four), four, two)
        == certificate
    )


def test_a_cell_that_is_not_there_is_no_place(ref: str) -> None:
    four, two = build(ref, Options({"hands": "4", "with": "a bag"})), build(ref)
    places = cell(four, "hand", 3), cell(four, "seen", 7), cell(four, "bag"), cell(four, "left")
    layer = Lemma(("at >= 0",), True, (Split("pass_one", False, places),))
    certificate = renumber_split_cells_dropping_missing(InvariantCertificate(Property(BOUNDS), (layer,)), four, two)
    assert certificate.layers[0].splits[0].places == (cell(two, "left"),)  # type: ignore[attr-defined]  # an Invariant


def test_a_version_with_the_same_cells_keeps_the_certificate(ref: str) -> None:
    certificate = InvariantCertificate(
        Property(BOUNDS), (Lemma(("at >= 0",), True, (Split("stop", True, ("cell 4",)),)),)
    )
    assert renumber_split_cells_dropping_missing(certificate, build(ref), build(ref)) is certificate


@pytest.fixture
def looked_for(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The steps for which a way of asking was looked for."""
    steps, glance = list[str](), splitting._SplitCandidates.ask_z3_all_questions_over_integers

    def noted(ways: splitting._SplitCandidates) -> str:
        steps.append(ways.name)
        return glance(ways)

    monkeypatch.setattr(splitting._SplitCandidates, "ask_z3_all_questions_over_integers", noted)
    return steps


def test_steps_are_asked_first_as_in_the_old_layer(ref: str, looked_for: list[str]) -> None:
    case = GameCase(ref, {"hands": "4"}, machine=False)
    old = Lemma(tuple(CONSERVED), True, (Split("pass_one", False, (cell(case.game, "at"),)),))
    layer = plan_lemma_with_splits_or_none(case, [], CONSERVED, Budget(20.0), old)
    assert layer is not None
    assert layer.splits == old.splits
    assert looked_for == []
    require_layers_inductive(case.game, [layer], Context())


def test_a_step_that_the_old_layer_does_not_show_is_looked_for(ref: str, looked_for: list[str]) -> None:
    case = GameCase(ref, {"hands": "4"}, machine=False)
    nowhere = Split("pass_one", True, ("cell 999",))
    layer = plan_lemma_with_splits_or_none(case, [], CONSERVED, Budget(20.0), Lemma(tuple(CONSERVED), True, (nowhere,)))
    assert layer is not None
    assert nowhere not in layer.splits
    assert looked_for == ["pass_one"]
    require_layers_inductive(case.game, [layer], Context())
