"""Two conditions that say how slowly a win comes: what they exclude no game does, and the kernel checks them."""

from __future__ import annotations

import pytest

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof.certificate_offers import build_invariant_certificates_excluding_event
from playproof.verifier.proof.invariant_candidates import PaceConditions, propose_pace_conditions_greatest_first
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.portfolio import find_explored_line_to_target_or_none
from tests.verifier.conftest import HARVEST, WIN


def _paces(goal: str) -> tuple[GameCase, list[PaceConditions]]:
    """What random games and a shortest win suggest: at most two loads of grain are stored a round."""
    case = GameCase(HARVEST, {"goal": goal}, machine=False)
    line = find_explored_line_to_target_or_none(
        case.extend_shared_exploration(Budget(60.0)), TargetReader(case.game).read_single_target_of_spec(WIN)
    )
    assert line is not None
    return case, propose_pace_conditions_greatest_first(case, case.game.quantities["round"], [line])


def _shows(case: GameCase, pace: PaceConditions, least: int) -> bool:
    """Whether the kernel takes both conditions as a proof that no win comes before a round."""
    for certificate in build_invariant_certificates_excluding_event(
        case, Event(WIN, None, "round", "<", least), [pace.needs, pace.grows]
    ):
        try:
            certificate.require_valid_for_game(case.game, Context())
        except NotShown:
            continue
        return True
    return False


@pytest.mark.parametrize("goal", ["3", "5", "8"])
def test_the_kernel_takes_the_pace_of_a_win_and_no_more_than_it_shows(goal: str) -> None:
    case, suggested = _paces(goal)
    fewest = -(-int(goal) // 2)
    assert [pace.least for pace in suggested] == sorted((pace.least for pace in suggested), reverse=True)
    shown = [pace for pace in suggested if pace.least == fewest and _shows(case, pace, fewest)]
    assert any("`stored` <= 2 * `round` + `tonight` + -2" in pace.grows for pace in shown)
    assert not any(_shows(case, pace, fewest + 1) for pace in shown)


def test_a_number_without_a_name_and_games_without_a_win_suggest_nothing() -> None:
    case = GameCase(HARVEST, {"goal": "8"}, machine=False)
    assert propose_pace_conditions_greatest_first(case, case.game.quantities["round"] + 1, []) == []
    case = GameCase(HARVEST, {"goal": "12"}, machine=False)
    assert propose_pace_conditions_greatest_first(case, case.game.quantities["round"], []) == []
