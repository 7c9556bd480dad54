"""Planning problems, read back by a small parser and planner of their own."""

from __future__ import annotations

import re
from typing import Any

import pytest

from playproof.language import Interpreter
from playproof.verifier.bridges.model_export import NotExpressible, game_and_target_to_pddl_or_raise
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import GameCase
from tests.published_games import get_published_game

WRITTEN = {
    "sokoban": (get_published_game("sokoban"), {"level": "corner"}),
    "soldiers": (get_published_game("soldiers"), {"row": "2", "columns": "3", "below": "2"}),
    "no soldiers": (get_published_game("soldiers"), {"row": "4", "columns": "3", "below": "2"}),
    "dominoes": (get_published_game("mutilated_board"), {"size": "3"}),
}


def parsed(text: str) -> Any:
    """Return nested lists of words."""
    tokens = re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text))
    stack: list[list[Any]] = [[]]
    for token in tokens:
        if token == "(":
            stack.append([])
        elif token == ")":
            last = stack.pop()
            stack[-1].append(last)
        else:
            stack[-1].append(token)
    [[whole]] = stack
    return whole


def holds(condition: Any, state: frozenset[str]) -> bool:
    if condition[0] in ("and", "or"):
        return (all if condition[0] == "and" else any)(holds(part, state) for part in condition[1:])
    return condition[0] in state


def changed(effect: Any, state: frozenset[str]) -> tuple[set[str], set[str]]:
    """Return what an effect adds and what it deletes."""
    added, deleted = set[str](), set[str]()
    if effect[0] == "and":
        for part in effect[1:]:
            more, less = changed(part, state)
            added, deleted = added | more, deleted | less
    elif effect[0] == "when":
        return changed(effect[2], state) if holds(effect[1], state) else (added, deleted)
    elif effect[0] == "not":
        deleted.add(effect[1][0])
    else:
        added.add(effect[0])
    return added, deleted


def planned(domain: Any, task: Any) -> tuple[list[str] | None, int]:
    """Return a shortest plan (None: there is none), and how many states were seen. Adds come after deletes."""
    actions = {part[1]: part for part in domain if part[0] == ":action"}
    start = frozenset(fact[0] for part in task if part[0] == ":init" for fact in part[1:])
    [goal] = [part[1] for part in task if part[0] == ":goal"]
    seen: dict[frozenset[str], tuple[frozenset[str], str] | None] = {start: None}
    queue = [start]
    for state in queue:
        if holds(goal, state):
            plan: list[str] = []
            while (came := seen[state]) is not None:
                state = came[0]
                plan.append(came[1])
            return plan[::-1], len(seen)
        for name, action in actions.items():
            if holds(action[5], state):
                added, deleted = changed(action[7], state)
                after = (state - deleted) | added
                if after not in seen:
                    seen[after] = (state, name)
                    queue.append(after)
    return None, len(seen)


def searched(case: GameCase) -> tuple[int | None, int]:
    """Return the length of a shortest line to a win, and the number of states if there is none, by the interpreter."""
    play = Interpreter(case.game)
    wins = {n for n, end in enumerate(case.game.endings, 1) if end.kind == "win"}
    layer, seen, depth = {tuple(play.start())}, {tuple(play.start())}, 0
    while layer:
        if any(state[1] in wins for state in layer):
            return depth, 0
        layer = {
            tuple(play.apply(list(state), ident))
            for state in layer
            if not state[1]
            for ident in play.legal(list(state))
        } - seen
        seen |= layer
        depth += 1
    return None, len(seen)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_planner_finds_as_short_a_line_as_the_interpreter(name: str) -> None:
    case = GameCase(*WRITTEN[name], machine=False)
    [target] = TargetReader(case.game).read_targets_of_spec({"outcome": "win"})
    written = game_and_target_to_pddl_or_raise(case, target)
    plan, states = planned(parsed(written.domain), parsed(written.problem))
    length, all_states = searched(case)
    if plan is None:
        assert length is None
        assert states == all_states
        return
    assert len(plan) == length
    play = Interpreter(case.game)
    state = play.start()
    for step in plan:
        state = play.apply(state, int(step.rpartition("-")[2]))
    assert play.value(target.condition, state)


@pytest.mark.parametrize(
    ("game", "of", "says"),
    [
        ("peg_solitaire", {"outcome": "win"}, "more than single values"),
        (get_published_game("kalah"), {"outcome": "win"}, "by themselves"),
        (get_published_game("soldiers"), {"holds": "peg[0, 0] == 0"}, "no ending"),
        (get_published_game("sokoban"), {"holds": "outcome > 0 and at == 0"}, "more than how it ends"),
    ],
)
def test_what_has_no_place_is_refused(game: str, of: dict[str, str], says: str) -> None:
    case = GameCase(game, {}, machine=False)
    [target] = TargetReader(case.game).read_targets_of_spec(of)
    with pytest.raises(NotExpressible, match=says):
        game_and_target_to_pddl_or_raise(case, target)
