"""Laws asked of many small steps at once agree with the kernel, which asks them one by one."""

from __future__ import annotations

import pytest

from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.random import Stream
from playproof.language.registry import build
from playproof.mutation.plays import PlayedGame, game_along
from playproof.mutation.small_steps import SmallSteps
from playproof.verifier.kernel.laws import at_the_start, breaks
from playproof.verifier.questions.laws import law
from playproof.verifier.search.case import ChangedCase

LAWS = [
    {"action": "see", "needs": "suit != 1"},  # about a parameter
    {"action": "see", "when": "to_see[0] == 0", "changes": {"deck": 0, "to_see[1]": -1}},
    {"action": ["go", "follow"], "changes": {"round": 1}},
    {"phase": "next", "leads": "phase == run"},
    {"phase": "advance", "leads": "phase == move"},
    {"phase": "grief", "changes": {"outside[1]": -3}},
]


@pytest.mark.parametrize("spec", LAWS, ids=str)
def test_the_same_steps_break_a_law(spec: dict[str, object]) -> None:
    game = build("eurydice", Options({}))
    case, play, rule = ChangedCase("eurydice", game, {}, {}), Interpreter(game), law(game, spec)
    games = [game_along(case, (), Stream(seed)) for seed in (3, 4)]
    by_kernel = [[]] if at_the_start(play, rule) else []
    for played in games:
        state = play.start()
        for number, ident in enumerate(played.idents, 1):
            if breaks(play, rule, state, ident):
                by_kernel.append(played.idents[:number])
            state = play.apply(state, ident)
        assert state == played.moments[-1]
    lines = SmallSteps(game, games).breaking(rule)
    assert sorted({tuple(line) for line in lines}) == sorted({tuple(line) for line in by_kernel})
    assert lines


def test_a_game_that_nobody_can_begin_breaks_no_law_of_steps() -> None:
    """Where chance has nothing to draw at once, the game has no step."""
    game = build("eurydice", Options({}))
    stuck = PlayedGame(moments=[list(Interpreter(game).start())])
    assert SmallSteps(game, [stuck]).breaking(law(game, LAWS[0])) == []
