"""Secrets that every step keeps: Z3 compares two states that are alike but for the secret."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from playproof.language import Action, Term
from playproof.language.declarations import find_open_parameters
from playproof.language.game import Game
from playproof.language.statements import If, Keep, Loop, Require, Statement
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import read_condition as condition
from playproof.verifier.kernel.look_alikes import parse_secret
from playproof.verifier.kernel.reading import (
    Cells,
    Env,
    Number,
    Reading,
    SmallStep,
    Truth,
    conj,
    disj,
    is_same,
    neg,
)
from playproof.verifier.kernel.solving import check_unsat
from playproof.verifier.kernel.strict import Json


class _RefusalReading(Reading):
    """Notes what decides which requirements an action breaks, besides the requirements themselves: the
    numbers in their words, the values kept and the cases told apart before them."""

    def __init__(self, game: Game, integers: bool, extra: Sequence[Term]) -> None:
        super().__init__(game, integers, extra)
        self.noted: list[Number] = []

    def list_guards_and_notes(
        self, action: Action, cells: Sequence[Number], params: Sequence[Number]
    ) -> tuple[list[Truth], Cells]:
        """Return the guards of an action, and the numbers noted, in order."""
        self.noted = []
        return self.build_guards(action, cells, params)[0], self.noted

    def _collect_requirements(
        self, head: Sequence[Statement], cells: Cells, env: Env, path: Truth, met: Any
    ) -> None:
        for statement in head:
            if not isinstance(statement, Require | Keep | If | Loop):
                return
            if isinstance(statement, Require):
                self.noted += [self.read_number(term, cells, env) for term in statement.args]
            elif isinstance(statement, If):
                self.noted.append(self.read_number(statement.condition, cells, env))
            super()._collect_requirements([statement], cells, env, path, met)
            if isinstance(statement, Keep):
                self.noted.append(env[statement.local.number])


def check_every_step_keeps_secret(
    game: Game, conjuncts: Sequence[str], integers: bool, secret_spec: Json, context: Context
) -> None:
    """Check that nothing which a seat is sent tells a secret. Raises NotShown.

    The theorem: take two states within bounds that satisfy the conditions and are alike but for the
    secret. The same seat acts, or the game is over and each seat gets the same. Where the seat acts,
    each of its actions is refused in both, by the same requirements and in the same words, or in
    neither. After each small step that is possible in both, by the same decision of a player or the same
    automatic phase, the states are alike but for the secret again. For each step that chance may bring
    in one, it may bring one of the same action and open parameters in the other, behind which they are.
    So what the seat sees is the same. The premise: all states of all games satisfy the conditions and
    stay within bounds.
    """
    _SecretPair(game, conjuncts, integers, secret_spec, context).check()


class _SecretPair:
    """Two open states that are alike but for the secret."""

    def __init__(
        self, game: Game, conjuncts: Sequence[str], integers: bool, spec: Json, context: Context
    ) -> None:
        self.game, self.integers, self.hidden, self.context = (
            game,
            integers,
            parse_secret(game, spec),
            context,
        )
        terms = [condition(game, text) for text in conjuncts]
        self.reading = reading = _RefusalReading(game, integers, [*terms, *game.results])
        self.first = reading.make_state()
        second = reading.make_state("t")
        self.other = [second[n] if n in self.hidden.cells else cell for n, cell in enumerate(self.first)]
        self.assumed: list[Truth] = []
        for cells in (self.first, self.other):
            self.assumed += [
                reading.build_bounds_formula(cells),
                *(reading.read_truth(term, cells, {}) for term in terms),
            ]

    def check(self) -> None:
        """Ask about each moment, then about each kind of small step."""
        self._check_end_results()
        for phase in self.game.phases:
            if not phase.automatic:
                here = [
                    self._build_equality(self.first[1], 0),
                    self._build_equality(self.first[0], phase.number),
                ]
                mine, theirs = (
                    self.reading.read_number(phase.actor, cells, {}) for cells in (self.first, self.other)
                )
                self._check_untold(
                    [*here, self._build_difference([mine], [theirs])], f"whose turn it is in `{phase.name}`"
                )
                for action in phase.actions:
                    self._check_refusals(action, [*here, self._build_equality(mine, self.hidden.seat)])
        for what in self.reading.iter_step_kinds():
            if isinstance(what, Action) and self.game.phases[what.phases[0]].chance:
                self._check_chance_results(what)
            else:
                params = self.reading.make_parameters(what)
                mine, theirs = (
                    self.reading.build_step(what, cells, params) for cells in (self.first, self.other)
                )
                self._check_untold(
                    [mine.sound, theirs.sound, neg(self._build_alike_formula(mine, theirs))], f"`{mine.name}`"
                )

    def _check_chance_results(self, action: Action) -> None:
        """Ask whether chance may bring in one state what it cannot bring in the other."""
        open_names = find_open_parameters(action) - action.secret
        params = self.reading.make_parameters(action)
        mine = self.reading.build_step(action, self.first, params)
        nothing_like_it = []
        for ident in action.idents:
            values = action.get_parameter_values(ident)
            heard = [
                self._build_equality(a, b)
                for p, a, b in zip(action.params, params, values, strict=True)
                if p.local.name in open_names
            ]
            theirs = self.reading.build_step(action, self.other, values)
            nothing_like_it.append(neg(conj([*heard, theirs.legal, self._build_alike_formula(mine, theirs)])))
        self._check_untold([mine.sound, *nothing_like_it], f"what chance brings by `{action.name}`")

    def _build_alike_formula(self, mine: SmallStep, theirs: SmallStep) -> Truth:
        """Return the formula that the states behind two steps are alike but for the secret."""
        both = enumerate(zip(mine.after, theirs.after, strict=True))
        return conj(
            self._build_equality(a, b)
            for n, (a, b) in both
            if n not in self.hidden.cells and not is_same(a, b)
        )

    def _check_end_results(self) -> None:
        mine = [self.reading.read_number(result, self.first, {}) for result in self.game.results]
        theirs = [self.reading.read_number(result, self.other, {}) for result in self.game.results]
        self._check_untold(
            [neg(self._build_equality(self.first[1], 0)), self._build_difference(mine, theirs)],
            "what a seat gets at the end",
        )

    def _check_refusals(self, action: Action, premises: list[Truth]) -> None:
        """Ask whether an action may be refused otherwise in the other state."""
        params = self.reading.make_parameters(action)
        (guards, noted), (others, others_noted) = (
            self.reading.list_guards_and_notes(action, cells, params) for cells in (self.first, self.other)
        )
        apart = [disj([conj([a, neg(b)]), conj([neg(a), b])]) for a, b in zip(guards, others, strict=True)]
        apart.append(self._build_difference(noted, others_noted))
        self._check_untold(
            [*premises, *self.reading.build_parameter_bounds(action, params), disj(apart)],
            f"a refusal of `{action.name}`",
        )

    def _build_equality(self, first: Number, second: Number) -> Truth:
        return self.reading.compare("==", first, second)

    def _build_difference(self, some: Iterable[Number], others: Iterable[Number]) -> Truth:
        return disj(
            neg(self._build_equality(a, b)) for a, b in zip(some, others, strict=True) if not is_same(a, b)
        )

    def _check_untold(self, parts: list[Truth], message: str) -> None:
        check_unsat([*self.assumed, *parts], self.integers, f"{message} may tell the secret", self.context)
