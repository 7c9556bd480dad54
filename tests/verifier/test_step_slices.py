"""What was shown of a step serves other games with the same step, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from playproof.language.game import Game
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.mutation.sites import mutants
from playproof.verifier.kernel import solving
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive, Lemma, kept
from playproof.verifier.kernel.invariant import within_bounds
from playproof.verifier.proof import step_slices
from playproof.verifier.proof.step_slices import ShownSteps, question, slices_of
from playproof.verifier.prove import Run
from playproof.verifier.shown_steps import keep_steps, shown_steps

PORTERS = str(Path(__file__).parent / "games" / "porters")
CONSERVED = ("conserved == 1",)


def _refused(game: Game, steps: ShownSteps, texts: Sequence[str] = CONSERVED) -> set[str]:
    """Return the steps that may break the conditions or leave bounds."""
    context, wrong = Context(shown=steps), set[str]()
    judge = Inductive(game, texts, True, (), context)
    for what in judge.reading.kinds():
        for check in (
            lambda what=what: judge.kept_by(what, texts),
            lambda what=what: within_bounds(judge, what),
        ):
            try:
                check()
            except NotShown:
                wrong.add(what.name)
    return wrong


def test_no_change_of_the_rules_hides_behind_what_was_shown_before() -> None:
    game, steps = build(PORTERS), ShownSteps()
    assert _refused(game, steps) == set()
    changed = [new for m in mutants(game)[::3] if m.start is None and (new := m.of(game)) is not None]
    anew = [_refused(new, ShownSteps()) for new in changed]
    assert sum(map(bool, anew)) > 2
    assert [_refused(new, ShownSteps(steps.digests)) for new in changed] == anew


def test_only_a_changed_step_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    game, steps, texts = build(PORTERS), ShownSteps(), list[str]()
    _refused(game, steps)
    asked = solving._asked
    monkeypatch.setattr(solving, "_asked", lambda text, *others: texts.append(text) or asked(text, *others))
    assert _refused(build(PORTERS), ShownSteps(steps.digests)) == set()
    assert texts == []
    assert _refused(build(PORTERS, Options({"leak": "yes"})), ShownSteps(steps.digests)) == {"lay"}
    assert 1 <= len(texts) <= 4


def test_far_conditions_are_left_out_of_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Inductive(build(PORTERS), ("at <= 2", "hut[0] + load + at <= 12"), True, (), Context())
    rest = judge.game.actions[-1]  # it reads the huts alone
    far = "at <= 2", "hut[0] + load + at <= 12"
    assert slices_of(judge).near(judge, rest, ()) == far
    monkeypatch.setattr(step_slices, "_FEW_OTHERS", 1)
    assert slices_of(judge).near(judge, rest, ()) == far[:1]
    assert slices_of(judge).near(judge, rest, far) == far


def test_what_a_run_keeps_serves_neither_prove_nor_a_layer_that_is_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    leaking = build(PORTERS, Options({"leak": "yes"}))
    steps = ShownSteps()
    with pytest.raises(NotShown):
        kept(leaking, [Lemma(CONSERVED, True, ())], Context(shown=steps))
    judge = Inductive(leaking, CONSERVED, True, (), Context())
    names = {
        question(judge, f"{purpose} True ", what, CONSERVED, after)
        for purpose, after in (("kept", CONSERVED), ("bounds", ()))
        for what in judge.reading.kinds()
    }
    keep_steps(names)
    assert names <= shown_steps()
    assert (
        _refused(leaking, ShownSteps(shown_steps())) == set()
    )  # what lies in the cache is believed by `errata` alone
    kept(leaking, [Lemma(CONSERVED, True, ())], Context(shown=ShownSteps(shown_steps())))
    with pytest.raises(NotShown):
        kept(leaking, [Lemma(CONSERVED, True, ())], Context())
    assert Run(PORTERS).steps.digests == set()


def test_a_line_that_is_half_written_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path))
    keep_steps({bytes(32)})
    (file,) = (tmp_path / "steps").iterdir()
    with file.open("a", encoding="ascii") as text:
        text.write("ab12")
    keep_steps({bytes(31) + b"1"})
    assert shown_steps() == {bytes(32), bytes(31) + b"1"}
