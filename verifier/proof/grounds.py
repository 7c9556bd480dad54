"""The ground of every proof: that no value ever leaves its bounds.

An invariant, a rank or a relaxation speaks of steps that the rules carry out. What lies behind a step that they cannot
carry out (PP310, PP330) it does not say. So such a proof rests on bounds: where a game breaks them it shows nothing,
and where neither is known the answer is conditional.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from playproof.rules.language.random import seed_of
from playproof.verifier.kernel.statements import BOUNDS, NO_DEAD_END
from playproof.verifier.kernel.transcript import Breach
from playproof.verifier.proof.evidence import Part
from playproof.verifier.proof.induction import prover
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search import breaches
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.child import aside
from playproof.verifier.search.curious_games import Curious
from playproof.verifier.search.lines import Play
from playproof.verifier.search.random_games import AtRandom

_KEPT = "bounds are kept"
_GAMES = 60  # played at random and out of curiosity, for a first look
_LOOK, _LATER_LOOK = 2_000, 40_000  # states gone through from the start
_SHARE, _SECONDS = 0.2, 10.0  # of the time left, and at most, for bounds that no claim asks about
_RUN = 20_260_106


def bounds(case: Case, question: Question, budget: Budget, prove: Callable[[], Found]) -> Found:
    """The answer to `always bounds`: a line that breaks them, or a proof; what was found is kept as a ground."""
    broken = _played(case, budget) or breaches.look(case, budget.share(0.5), _LOOK)
    found = Found(None, "") if broken else prove()
    if found.value is None and not broken:
        broken = breaches.look(case, budget, _LATER_LOOK)
    if broken:
        return Found(False, "games that break the rules", (breach(case, broken),), bound={"breaks": broken.message})
    if found.value is True:
        _known(case)[_KEPT] = True
    return found


def share(case: Case, known: dict[str, bool]) -> None:
    """Let a case know what was found of the same setting before, and keep what it finds there."""
    case.learnt["grounds"] = known


def _known(case: Case) -> dict[str, bool]:
    found = case.learnt.setdefault("grounds", {})
    assert isinstance(found, dict)
    return found


def breach(case: Case, broken: breaches.BrokenRules) -> Part:
    """The line as evidence."""
    words = tuple(case.game.show(i) for i in broken.idents)
    return dict(Breach(BOUNDS, broken.idents, words).to_json())


def _played(case: Case, budget: Budget) -> breaches.BrokenRules | None:
    """A line that breaks the rules, out of some games."""
    curious = Curious(seed_of(_RUN, 0))
    for game in range(_GAMES):
        if breaches.known(case) is not None or budget.left <= 0:
            break
        Play(case).to_the_end(curious if game % 2 else AtRandom(seed_of(_RUN, game)))
    return breaches.known(case)


def grounded(case: Case, found: Found, budget: Budget) -> Found:
    """The answer, but for one that rests on bounds where the rules are known to break: then it shows nothing."""
    if found.value is None or BOUNDS not in found.assumed:
        return found
    broken = breaches.known(case) or breaches.look(case, budget.share(0.5), _LOOK)
    if broken is None:
        return found
    reason = f"nothing is shown of what lies behind a rule that breaks: {broken.message}"
    return replace(found, value=None, reason=reason, vacuous=False)


def kept(case: Case, budget: Budget) -> bool:
    """Whether no value leaves its bounds, as far as it is known or quickly shown."""
    known = _known(case)
    if _KEPT not in known:
        part = min(_SHARE, _SECONDS / max(budget.left, 0.1))
        known[_KEPT] = aside(lambda _: not prover(case).faults([]), budget, part) is True
    return known[_KEPT]


__all__ = ["BOUNDS", "NO_DEAD_END", "bounds", "breach", "grounded", "kept", "share"]
