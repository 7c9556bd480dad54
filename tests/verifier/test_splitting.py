"""Splits of steps: by which places, and what helped one step is tried on the next."""

from __future__ import annotations

import pytest

from playproof.language.registry import build
from playproof.verifier.kernel.induction import FixedPlaces, Split, StepChecker
from playproof.verifier.proof import splitting
from playproof.verifier.proof.splitting import plan_lemma_with_splits_or_none
from playproof.verifier.questions.context import Context
from playproof.verifier.search.case import Budget, GameCase

RULES = '''
from playproof import Game, Options, require, win


def build(options: Options) -> Game:
    """Jars stand on a shelf; what is not in them is in a sack."""
    g = Game("jars")
    s = g.state
    g.array("jar", 4, 0, 6, [1, 1, 1, 1])
    g.array("label", 4, 0, 3)
    g.integer("at", 0, 3)
    g.integer("sack", 0, 9, 5)
    g.quantity("all", sum(s.jar[i] for i in range(1, 4)) + s.jar[0] + s.sack)
    turn = g.phase("turn")

    @g.action(turn, "empty one")
    def empty() -> None:
        require(s.jar[s.at] > 0, "J1", "the jar is empty")
        s.jar[s.at] -= 1
        s.sack += 1

    @g.action(turn, "fill one")
    def fill() -> None:
        require((s.sack > 0) & (s.jar[s.at] < 6), "J2", "nothing to fill in")
        s.jar[s.at] += 1
        s.sack -= 1

    @g.action(turn, "write {word}", word=range(4), name="write")
    def write(word) -> None:
        s.label[s.at] = word

    @g.action(turn, "stop")
    def stop() -> None:
        win("enough")

    return g
'''


@pytest.fixture(scope="module")
def ref(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("jars")
    (folder / "rules.py").write_text(RULES, encoding="utf-8")
    return str(folder)


def test_the_cell_that_says_where_a_step_writes_is_a_place_to_split_by(ref: str) -> None:
    game = build(ref)
    judge = StepChecker(game, ["`all` == 9"], True, (), Context())
    write = next(action for action in game.actions if action.name == "write")
    assert splitting._list_names_of_places_worth_splitting(judge, write, {}) == [
        "param 0",
        f"cell {game.get_field('at').offset}",
    ]


def test_a_split_that_helped_one_step_is_tried_on_the_next_before_others_are_looked_for(
    ref: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, places, looked_for = (
        splitting._SplitCandidates._ask_z3_all_questions,
        splitting._SplitCandidates._choose_places_to_split_by,
        list[str](),
    )

    def only_in_parts(ways: splitting._SplitCandidates, integers: bool, assumed: FixedPlaces, work: int = 1) -> str:
        return ask(ways, integers, assumed) if assumed else "unknown"

    def noted(ways: splitting._SplitCandidates, integers: bool, assumed: FixedPlaces, deepest: int) -> list[str]:
        looked_for.append(ways.name)
        return places(ways, integers, assumed, deepest)

    monkeypatch.setattr(splitting._SplitCandidates, "_ask_z3_all_questions", only_in_parts)
    monkeypatch.setattr(splitting._SplitCandidates, "_choose_places_to_split_by", noted)
    monkeypatch.setattr(splitting, "_FEW_PIECES", -1)
    case = GameCase(ref, machine=False)
    layer = plan_lemma_with_splits_or_none(case, [], ["`all` == 9"], Budget(20.0))
    at = f"cell {case.game.get_field('at').offset}"
    assert layer is not None
    assert layer.splits == (Split("empty", True, (at,)), Split("fill", True, (at,)))
    assert looked_for == ["empty"]
