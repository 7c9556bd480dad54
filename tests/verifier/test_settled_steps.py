"""What was shown of a step serves other games with the same step, and no others."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from playproof.language import Game as Rules, goto, win
from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.mutation.mutants import list_mutants_of_sealed_game
from playproof.verifier.kernel import induction, z3_questions
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.induction import Lemma, StepChecker, require_layers_inductive
from playproof.verifier.kernel.invariant import (
    require_automatic_phases_end,
    require_every_step_obeys_laws,
    require_step_stays_within_bounds,
)
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.proof.certificate_offers import (
    load_digests_of_proved_steps_or_empty,
    try_to_store_new_step_digests,
)
from playproof.verifier.prove import VerifierRun
from playproof.verifier.questions.context import Context

PORTERS = str(Path(__file__).parent / "games" / "porters")
CONSERVED = ("conserved == 1",)


def _refused(game: Game, steps: set[bytes], texts: Sequence[str] = CONSERVED) -> set[str]:
    """Return the steps that may break the conditions or leave bounds."""
    context, wrong = Context(steps=steps), set[str]()
    judge = StepChecker(game, texts, True, (), context)
    for what in judge.reading.iter_actions_and_automatic_phases():
        for check in (
            lambda what=what: judge.require_step_keeps_conditions(what, texts),
            lambda what=what: require_step_stays_within_bounds(judge, what),
        ):
            try:
                check()
            except NotShown:
                wrong.add(what.name)
    return wrong


def test_no_change_of_the_rules_hides_behind_what_was_shown_before() -> None:
    game, steps = build(PORTERS), set[bytes]()
    assert _refused(game, steps) == set()
    changed = [
        new
        for m in list_mutants_of_sealed_game(game)[::3]
        if m.start is None and (new := m.build_or_edit_changed_game_or_none(game)) is not None
    ]
    anew = [_refused(new, set()) for new in changed]
    assert sum(map(bool, anew)) > 2
    assert [_refused(new, set(steps)) for new in changed] == anew


def test_only_a_changed_step_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    game, steps, texts = build(PORTERS), set[bytes](), list[str]()
    _refused(game, steps)
    asked = z3_questions._ask_z3_and_compare_second_solver
    monkeypatch.setattr(
        z3_questions,
        "_ask_z3_and_compare_second_solver",
        lambda text, *others: texts.append(text) or asked(text, *others),
    )
    assert _refused(build(PORTERS), set(steps)) == set()
    assert texts == []
    assert _refused(build(PORTERS, Options({"leak": "yes"})), set(steps)) == {"lay"}
    assert 1 <= len(texts) <= 4


def test_conditions_are_assumed_from_the_nearest_on(monkeypatch: pytest.MonkeyPatch) -> None:
    near, far = "at <= 2", "hut[0] + load + at <= 12"
    judge = StepChecker(build(PORTERS), (near, far), True, (), Context())
    rest = judge.game.actions[-1]  # it reads the huts alone
    assert judge.list_relevant_condition_subsets(rest, ()) == [(near, far)]
    monkeypatch.setattr(induction, "_OTHERS", (0, 1))
    assert judge.list_relevant_condition_subsets(rest, ()) == [(), (near,), (near, far)]
    assert judge.list_relevant_condition_subsets(rest, [judge.terms[near], judge.terms[far]]) == [(near, far)]


def test_a_question_that_needs_a_far_condition_is_asked_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(induction, "_OTHERS", (0,))
    assert _refused(build(PORTERS), set()) == set()
    steps = set[bytes]()
    assert _refused(build(PORTERS), steps, ("load <= 1",)) == _refused(build(PORTERS), set(steps), ("load <= 1",))


LAWS: list[dict[str, Json]] = [
    {"action": "lift", "changes": {"load": "cubes", "hut[at]": "-cubes"}},
    {"action": "lift", "changes": {"load": "cubes"}},
    {"action": "lift", "changes": {"load": 1}},
    {"action": "lift", "needs": "hut[at] >= cubes"},
    {"action": "lift", "leads": "hut[at] >= cubes"},
    {"action": "lift", "when": "cubes == 1", "changes": {"load": 1}},
    {"action": "lift", "cubes": 1, "changes": {"load": 1}},
    {"action": "lift", "cubes": 2, "changes": {"load": 1}},
    {"action": "lift", "leads": "load >= was(load) + cubes and at <= was(at)"},
    {"action": "lift", "leads": "load >= was(at) + cubes and at <= was(load)"},
    {"action": "lift", "only": ["load", "hut[at]"]},
    {"action": "lift", "only": ["load", "hut[0]"]},
    {"action": "lift", "only": ["load", "hut"]},
    {"action": "walk", "only": ["at"]},
    {"action": "walk", "only": ["load"]},
    {"action": "lay", "changes": {"load": "-load", "hut[at]": "load"}},
    {"action": "lay", "changes": {"hut[at]": "load - 1"}},
    {"action": "lay", "legal": "load > 0"},
    {"action": "lay", "legal": "load > 1"},
    {"action": "lay", "legal": "load >= 0"},
    {"when": "load == 0 and hut[3] == 9", "can": {"action": "rest"}},
]
"""Laws of which some differ in little, some hold and some do not."""


HOLD = {0, 1, 3, 5, 6, 8, 10, 12, 13, 15, 17, 20}
"""The places of those that hold in the game as it is, worked out by hand."""


def _obeys(game: Game, law: dict[str, Json], steps: set[bytes], given: Sequence[str] = ("load <= 9",)) -> bool:
    """Return whether the kernel accepts that every step from states with some conditions obeys a law."""
    try:
        require_every_step_obeys_laws(game, given, True, law, Context(steps=steps))
    except NotShown:
        return False
    return True


def _obeyed(game: Game, steps: set[bytes]) -> set[int]:
    return {place for place, law in enumerate(LAWS) if _obeys(game, law, steps)}


def test_no_law_hides_behind_another_or_behind_other_rules() -> None:
    game, steps = build(PORTERS), set[bytes]()
    assert _obeyed(game, steps) == HOLD
    assert _obeyed(build(PORTERS, Options({"leak": "yes"})), set(steps)) == HOLD - {15} | {16}
    changed = [
        new
        for m in list_mutants_of_sealed_game(game)[1::40]
        if m.start is None and (new := m.build_or_edit_changed_game_or_none(game)) is not None
    ]
    assert [_obeyed(new, set(steps)) for new in changed] == [_obeyed(new, set()) for new in changed]


def test_what_holds_under_a_condition_is_not_taken_to_hold_without_it() -> None:
    game, steps, law = build(PORTERS), set[bytes](), {"action": "walk", "leads": "load <= 3"}
    assert _obeys(game, law, steps, ["load <= 3"])
    assert not _obeys(game, law, steps, ["load <= 4"])
    assert not _obeys(game, law, steps, [])
    assert _obeys(game, law, steps, ["at <= 3", "load <= 3"])


def _phases(endless: bool) -> Game:
    """Return a game whose phase `there` follows `here`, and acts by itself and goes back if play is `endless`."""
    g = Rules("endless")
    here, road = g.automatic("here"), g.phase("road")
    there = g.automatic("there") if endless else g.phase("there")
    g.start(road)

    @g.on(here)
    def on() -> None:
        goto(there)

    @g.action([road] if endless else [road, there], "set out")
    def set_out() -> None:
        goto(here)

    @g.action(road, "stay")
    def stay() -> None:
        win("at home")

    if endless:

        @g.on(there)
        def back() -> None:
            goto(here)

    return g


def test_a_phase_may_lead_to_one_that_acts_by_itself_in_another_game() -> None:
    steps, number = set[bytes](), "phase == there"
    require_automatic_phases_end(_phases(False).seal(), (), [number], (), Context(steps=steps))
    assert steps
    for known in (set[bytes](), steps):
        with pytest.raises(NotShown):
            require_automatic_phases_end(_phases(True).seal(), (), [number], (), Context(steps=known))


def test_what_a_run_keeps_serves_neither_prove_nor_a_layer_that_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    leaking = build(PORTERS, Options({"leak": "yes"}))
    with pytest.raises(NotShown):
        require_layers_inductive(leaking, [Lemma(CONSERVED, True, ())], Context())
    names = set[bytes]()
    with monkeypatch.context() as patch:
        patch.setattr(StepChecker, "require_z3_excludes_bad_step", lambda *_: None)  # a kernel that finds nothing wrong
        _refused(leaking, names)
    try_to_store_new_step_digests(names)
    assert names <= load_digests_of_proved_steps_or_empty()
    # what lies in the cache is believed by `errata` alone
    assert _refused(leaking, load_digests_of_proved_steps_or_empty()) == set()
    require_layers_inductive(
        leaking, [Lemma(CONSERVED, True, ())], Context(steps=load_digests_of_proved_steps_or_empty())
    )
    with pytest.raises(NotShown):
        require_layers_inductive(leaking, [Lemma(CONSERVED, True, ())], Context())
    assert VerifierRun(PORTERS).context.steps == set()


def test_a_line_that_is_half_written_counts_for_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    try_to_store_new_step_digests({bytes(32)})
    (file,) = (tmp_path / "steps").iterdir()
    with file.open("a", encoding="ascii") as text:
        text.write("ab12")
    try_to_store_new_step_digests({bytes(31) + b"1"})
    assert load_digests_of_proved_steps_or_empty() == {bytes(32), bytes(31) + b"1"}


def test_a_full_cache_keeps_no_digests_and_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`prove` stopped at its first answer, with exit status 3, as if that were a fault of Playproof."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))

    def write_nothing(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", write_nothing)
        try_to_store_new_step_digests({bytes(32)})
    assert load_digests_of_proved_steps_or_empty() == set()
