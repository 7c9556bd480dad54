"""What was shown of a step in one game serves a game in which the step and the conditions say the same."""

from __future__ import annotations

import pytest

from playproof.language import Game, Local, Term, goto, min_of, otherwise, pick, require, sum_of, when, win
from playproof.language.description import compute_digest_of_rules_part
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.induction import Lemma, StepChecker
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.statements import BOUNDS, Event, Property
from playproof.verifier.questions.context import Context

NEVER = InvariantCertificate(Event({"holds": "coins > allowed"}), (Lemma(("coins <= allowed",), True, ()),))
NO_FAULT = InvariantCertificate(Property(BOUNDS))
USUAL = {
    "table": 3, "required": 3, "function": 3, "procedure": 3, "quantity": 3, "phase": 3, "local": 0, "field": 3,
    "parameter": 2, "block": 0, "elsewhere": 0, "text": 0,
}  # fmt: skip
"""Numbers that each stand in another part of the game."""
BREAKING = [
    (NEVER, {"table": 4}),
    (NEVER, {"required": 4}),
    (NEVER, {"function": 4}),
    (NEVER, {"procedure": 4}),
    (NEVER, {"quantity": 2}),
    (NEVER, {"phase": 4}),
    (NEVER, {"local": 1}),
    (NEVER, {"block": 1}),
    (NO_FAULT, {"field": 2}),
    (NO_FAULT, {"parameter": 3}),
]
HARMLESS = [({"elsewhere": 1}, ["elsewhere", "elsewhere"]), ({"text": 1}, [])]


def purse(changes: dict[str, int]) -> Game:
    """Coins that never become more than 3, and another number that never leaves its bounds."""
    at = USUAL | changes
    g = Game("purse")
    s = g.state
    g.integer("coins", 0, 9)
    g.integer("other", 0, at["field"])
    g.integer("wide", 0, 9)
    g.array("grid", 2, 0, 1)
    pay, tidy, rest = g.phase("pay"), g.automatic("tidy"), g.phase("rest")
    limit = g.table("limit", [0, at["table"]])
    g.quantity("allowed", pick(s.other < 9, at["quantity"], 0))

    @g.function(n=10)
    def raised(n: Local) -> Term:
        return min_of(n + 1, at["function"])

    @g.procedure(n=range(11))
    def put(n: Local) -> None:
        s.coins = min_of(n, at["procedure"])

    @g.action(pay, "look up {kind}", kind=2)
    def by_table(kind: Local) -> None:
        s.coins = limit[kind]

    @g.action(pay, "add")
    def required() -> None:
        require(s.coins < at["required"], "P1", "too many")
        s.coins += 1

    @g.action(pay, "raise")
    def by_function() -> None:
        s.coins = raised(s.coins)

    @g.action(pay, "put")
    def by_procedure() -> None:
        put(s.coins + 1)
        goto(tidy)

    def inner(outer: Local) -> Term:
        return sum_of(2, lambda i: outer * (4 - 5 * i) * s.grid[outer if at["local"] == 0 else i])

    @g.action(pay, "count")
    # at most 3 if the grid is read at the outer of two locals of one name, 4 at the inner
    def by_locals() -> None:
        s.coins = sum_of(2, lambda i: inner(i))

    @g.action(pay, "set to {n}", n=at["parameter"])
    def bounded(n: Local) -> None:
        with when(s.other <= n):
            s.other = n + 2
        with otherwise():
            s.other = 0

    @g.action(pay, "fill")
    def by_block() -> None:
        setattr(s, "wide" if at["block"] == 0 else "coins", 9)

    @g.action(rest, "rest" if at["text"] == 0 else "lie down")
    def elsewhere() -> None:
        s.other = at["elsewhere"]

    @g.action(pay, "stop")
    def stop() -> None:
        win("stopped")

    @g.on(tidy)
    def tidied() -> None:
        s.coins = pick(s.other == 1, at["phase"], s.coins)
        goto(pay)

    return g


def accepted(certificate: InvariantCertificate, game: Game, context: Context) -> bool:
    """Return whether the kernel accepts a certificate."""
    try:
        check_certificate_to_theorem(certificate, game, context)
    except NotShown:
        return False
    return True


@pytest.mark.parametrize(
    ("certificate", "changes"), BREAKING, ids=lambda case: "".join(case) if isinstance(case, dict) else ""
)
def test_a_step_that_says_something_else_is_asked_again(
    certificate: InvariantCertificate, changes: dict[str, int]
) -> None:
    assert not accepted(certificate, purse(changes), Context())
    shared = Context()
    assert accepted(certificate, purse({}), shared)
    assert not accepted(certificate, purse(changes), shared)
    assert accepted(certificate, purse({}), shared)


@pytest.mark.parametrize(("changes", "anew"), HARMLESS, ids=str)
def test_steps_that_say_the_same_are_not_asked_again(
    changes: dict[str, int], anew: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = Context()
    assert accepted(NEVER, purse({}), shared)
    assert accepted(NO_FAULT, purse({}), shared)
    asked: list[str] = []
    refuse = StepChecker.require_z3_excludes_bad_step
    monkeypatch.setattr(
        StepChecker,
        "require_z3_excludes_bad_step",
        lambda self, what, *rest: (asked.append(what.name), refuse(self, what, *rest)),
    )
    assert accepted(NEVER, purse(changes), shared)
    assert accepted(NO_FAULT, purse(changes), shared)
    assert asked == anew


def test_conditions_are_told_apart() -> None:
    game = purse({})
    first, second = (Context().read_condition(game, text) for text in ("coins < 3", "coins + 1"))
    assert compute_digest_of_rules_part(game, first) != compute_digest_of_rules_part(game, second)
