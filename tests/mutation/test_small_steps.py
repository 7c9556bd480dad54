"""Laws asked of many small steps at once agree with the kernel, which asks them one by one."""

from __future__ import annotations

import pytest

from playproof.language import Interpreter
from playproof.language.options import Options
from playproof.language.random import Stream
from playproof.language.registry import build
from playproof.mutation.mutant_games import PlayedGame, SmallStepTable, play_game_along_line_then_at_random
from playproof.verifier.kernel.laws import (
    do_automatic_phases_at_start_break_law,
    does_decision_or_phase_after_it_break_law,
)
from playproof.verifier.questions.laws import law_spec_to_law
from playproof.verifier.search.case import GivenGameCase

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
    case, play, rule = GivenGameCase("eurydice", game, {}, {}), Interpreter(game), law_spec_to_law(game, spec)
    games = [play_game_along_line_then_at_random(case, (), Stream(seed)) for seed in (3, 4)]
    by_kernel = [[]] if do_automatic_phases_at_start_break_law(play, rule) else []
    for played in games:
        state = play.start()
        for number, ident in enumerate(played.idents, 1):
            if does_decision_or_phase_after_it_break_law(play, rule, state, ident):
                by_kernel.append(played.idents[:number])
            state = play.apply(state, ident)
        assert state == played.moments[-1]
    lines = SmallStepTable(game, games).find_lines_whose_last_step_breaks_law(rule)
    assert sorted({tuple(line) for line in lines}) == sorted({tuple(line) for line in by_kernel})
    assert lines


def test_a_game_that_nobody_can_begin_breaks_no_law_of_steps() -> None:
    """Where chance has nothing to draw at once, the game has no step."""
    game = build("eurydice", Options({}))
    stuck = PlayedGame(moments=[list(Interpreter(game).start())])
    assert SmallStepTable(game, [stuck]).find_lines_whose_last_step_breaks_law(law_spec_to_law(game, LAWS[0])) == []
