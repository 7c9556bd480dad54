"""The words that rules are written with, and the tracer that records what they do: it runs a rule's
Python body once."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace

from playproof.language.checks import (
    refuse_value_always_out_of_bounds,
    refuse_wrong_requirement_sentence,
    zip_arguments_with_parameters_or_raise,
)
from playproof.language.errors import (
    MOST_EFFECTS,
    Place,
    RulesError,
    find_rule_place_in_call_stack,
    refuse_number_above_limit,
)
from playproof.language.expr import (
    Const,
    Local,
    Operand,
    Term,
    Value,
    as_term,
    as_truth_term,
    find_sides_of_recently_decided_comparison,
    get_start_and_stop_of_range_or_raise,
    make_fresh_local,
    refuse_too_deep_term,
)
from playproof.language.fields import Field
from playproof.language.game import Phase
from playproof.language.statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Procedure,
    Require,
    Statement,
    fold_constant_branches_and_requirements,
    iter_statements_recursively,
)

# -- verbs ---------------------------------------------------------------------------------------------------
# The words that rules are written with. They act on the body being traced.


def _get_current_tracer_or_raise() -> Tracer:
    tracer = get_current_tracer()
    if tracer is None:
        raise RulesError(
            "PP312", "an effect was written outside a rule's body", "put it under @g.action, @g.on or @g.procedure"
        )
    return tracer


def require(condition: Value, rule: str, text: str, *args: Value) -> None:
    """Make the action legal only if `condition` holds.

    `rule` and `text` explain a refusal; each `{}` in `text` shows one of `args`. Example:
    `require(s.energy >= 3, "R50", "the option costs 3 Energy, you have {}", s.energy)`.
    """
    _get_current_tracer_or_raise().record_requirement(condition, rule, text, *args)


def when(condition: Value) -> AbstractContextManager[None]:
    """Carry out the block only if the condition holds: `with when(s.food > 0): s.food -= 1`."""
    return _get_current_tracer_or_raise().record_block_under_condition(condition)


def otherwise(condition: Value | None = None) -> AbstractContextManager[None]:
    """Carry out the block if the `when` directly before it did not hold. With a condition it means
    "else if"."""
    return _get_current_tracer_or_raise().record_else_block(condition)


def cases() -> Callable[[Value], AbstractContextManager[None]]:
    """Return a chain of `when` and `otherwise(condition)` for a loop over static data. Of the
    blocks `with case(condition): ...`, the game carries out the first whose condition holds.

    `case = cases()`, then `with case(c): ...` as often as needed, then `with otherwise(): ...` if
    the remaining case has effects.
    """
    begun = False

    def case(condition: Value) -> AbstractContextManager[None]:
        nonlocal begun
        verb = otherwise if begun else when
        begun = True
        return verb(condition)

    return case


def each(over: int | range) -> Iterator[Local]:
    """Go through a range in a loop that stays a loop in every reading:
    `for i in each(9): s.board[i] = 0`."""
    return _get_current_tracer_or_raise().record_loop_over_range(over)


def keep(value: Value, name: str = "kept") -> Local:
    """Return the current value, for use after its fields have changed."""
    return _get_current_tracer_or_raise().record_kept_value(value, name)


def variable(value: Value, lo: int, hi: int, name: str = "variable") -> Local:
    """Make a local name that `let` may give new values within lo..hi."""
    return _get_current_tracer_or_raise().record_new_variable(value, lo, hi, name)


def let(local: Local, value: Value) -> None:
    """Give a `variable` a new value."""
    _get_current_tracer_or_raise().record_new_value_of_variable(local, value)


def goto(phase: Phase | Value) -> None:
    """Continue the game in that phase: a phase, or a field that remembers one."""
    go = _get_current_tracer_or_raise().goto
    if go is None:
        raise RulesError("PP312", "`goto` outside a game")
    if not isinstance(phase, Phase | Operand | int):
        raise RulesError(
            "PP304",
            f"`goto` expected a phase, found {phase!r}",
            "give what `g.phase(...)` or `g.automatic(...)` returned, or a field made by `remember_phase`",
        )
    go(phase.number if isinstance(phase, Phase) else phase)


def win(reason: str, winner: Value | str | None = None, rule: str = "") -> None:
    """End the game with a win for the seat `winner` and its team, or for EVERYBODY.

    Without `winner`, the only player or the only team wins.
    """
    _get_current_tracer_or_raise().record_ending(reason, "win", winner, rule)


def lose(reason: str, rule: str = "") -> None:
    """End the game: everybody has lost."""
    _get_current_tracer_or_raise().record_ending(reason, "loss", None, rule)


def tie(reason: str, rule: str = "") -> None:
    """End the game without a winner."""
    _get_current_tracer_or_raise().record_ending(reason, "draw", None, rule)


def score(reason: str, rule: str = "") -> None:
    """End the game; the declared returns (`g.returns(...)`) decide who has won."""
    _get_current_tracer_or_raise().record_ending(reason, "scores", None, rule)


def weight(value: Value) -> None:
    """Say how likely chance takes this action, relative to the other legal ones."""
    _get_current_tracer_or_raise().set_weight_of_chance_action(value)


def cite(*rules: str) -> None:
    """Say that the effects here implement these rules: `cite("R25")`."""
    _get_current_tracer_or_raise().record_citations(*rules)


# Tracing: runs a rule's Python body once and records its statements.


@dataclass
class _TracedBlock:
    statements: list[Statement] = field(default_factory=list)
    loop_start: int | None = None
    locals: set[Local] = field(default_factory=set)
    used_before_loop: set[int] = field(default_factory=set)
    written: set[int] = field(default_factory=set)


_active: list[Tracer] = []
_MOST_WEIGHT = 2**31 - 1


def get_current_tracer() -> Tracer | None:
    """The tracer whose body is running, for the verbs."""
    return _active[-1] if _active else None


class Tracer:
    """Collects the statements of the body being traced and checks that no stale read is used."""

    def __init__(self) -> None:
        self.clock = 0
        self._blocks: list[_TracedBlock] = []
        self._written: dict[int, int] = {}
        self._effects_begun = False
        self._left_loop = False
        self._refusable = False
        self._variables: set[Local] = set()
        self._last_if: tuple[_TracedBlock, int] | None = None
        self._branch_base: dict[int, int] = {}
        self.weight: Term | None = None
        self.cited: list[str] = []
        self.settled: list[tuple[Place, bool, tuple[Term, Term]]] = []
        self.beyond: list[RulesError] = []  # parameters and counters that index beyond an array's end
        self.ending: Callable[[str, Value | str | None, str, str], int] | None = None
        self.goto: Callable[[Value], None] | None = None

    # -- bodies ---------------------------------------------------------------------------------------------

    @property
    def active(self) -> bool:
        """Whether a body is being traced."""
        return bool(self._blocks)

    def trace_body_to_statements(
        self, body: Callable[[], object], params: Iterable[Local] = (), *, refusable: bool = False
    ) -> tuple[Statement, ...]:
        """Trace `body` and return its statements. Only the body of an action is `refusable`: it may
        use `require` and `weight`."""
        if self.active:
            raise RulesError("PP311", "a rule was declared inside another rule's body")
        self._effects_begun, self.weight, self._last_if = False, None, None
        self._left_loop, self._refusable = False, refusable
        self._variables.clear()
        _active.append(self)
        try:
            with self._open_traced_block() as block:
                block.locals.update(params)
                result = body()
        finally:
            _active.pop()
            self._written.clear()
        if result is not None:
            raise _make_return_value_error(result)
        if self._left_loop:
            raise RulesError("PP317", "`break` or `return` left an `each` loop", "guard the effects with `when`")
        return fold_constant_branches_and_requirements(block.statements)

    @contextmanager
    def _open_traced_block(self, is_loop: bool = False) -> Iterator[_TracedBlock]:
        block = _TracedBlock(loop_start=self.clock if is_loop else None)
        self._blocks.append(block)
        try:
            yield block
        finally:
            self._blocks.pop()
            if self._blocks:
                self._blocks[-1].written |= block.written

    def _add_statement(self, statement: Statement) -> None:
        self._refuse_outside_body()
        self._last_if = None
        statements = self._blocks[-1].statements
        statements.append(statement)
        refuse_number_above_limit(
            "a block of a rule has effects:", len(statements), MOST_EFFECTS, "go through many by `each(n)`"
        )

    def _refuse_outside_body(self) -> None:
        if not self._blocks:
            raise RulesError(
                "PP312", "an effect was written outside a rule's body", "put it under @g.action, @g.on or @g.procedure"
            )

    def convert_to_term_or_raise_if_stale(self, value: Value) -> Term:
        """Return `value` as a term. Refuse it if a field that it read has been assigned since."""
        term = as_term(value)
        for number, clock in term.reads.items():
            if self._written.get(number, -1) >= clock:
                raise RulesError(
                    "PP313",
                    "a value is used after a field it was read from has been assigned",
                    "name it before with `old = keep(...)`, or read the field again",
                )
            for block in self._blocks:
                if block.loop_start is not None and clock <= block.loop_start:
                    if number in block.written:
                        raise self._make_error_of_value_read_before_loop()
                    block.used_before_loop.add(number)
        if term.locals:
            self._refuse_locals_out_of_scope(term)
        refuse_too_deep_term(term)
        return term

    def _refuse_locals_out_of_scope(self, term: Term) -> None:
        """Refuse a kept value after the end of the block it was kept in, and a parameter outside
        its rule."""
        in_scope = frozenset[Local]().union(*(block.locals for block in self._blocks))
        for local in sorted(term.locals - in_scope, key=lambda p: p.number):
            raise RulesError(
                "PP319",
                f"`{local.name}` has no value here: it belongs to another block or rule",
                "keep it before the `with` or `for` block that it is used after",
            )

    @staticmethod
    def _make_error_of_value_read_before_loop() -> RulesError:
        return RulesError(
            "PP314",
            "a value read before a loop is used inside it while the loop assigns its field",
            "read it inside the loop, or name it before with `keep(...)`",
        )

    # -- statements -----------------------------------------------------------------------------------------

    def record_assignment(self, field: Field, index: Term, value: Value) -> None:
        """Record `field[index] = value`; refuse a constant outside the bounds."""
        self._refuse_outside_body()
        term, at = self.convert_to_term_or_raise_if_stale(value), self.convert_to_term_or_raise_if_stale(index)
        refuse_value_always_out_of_bounds(f"`{field.name}` holds", field.lo, field.hi, term)
        self._effects_begun = True
        self._add_statement(Assign(field, at, term, find_rule_place_in_call_stack()))
        self._record_field_written_or_raise(field.number)

    def _record_field_written_or_raise(self, field_number: int) -> None:
        self._written[field_number] = self.clock
        self.clock += 1
        for block in self._blocks:
            if block.loop_start is not None and field_number in block.used_before_loop:
                raise self._make_error_of_value_read_before_loop()
            block.written.add(field_number)

    def record_kept_value(self, value: Value, name: str = "kept") -> Local:
        """Return a local that holds the current value of `value`."""
        term = self.convert_to_term_or_raise_if_stale(value)
        local = make_fresh_local(name, term.lo, term.hi, counts=False)
        self._add_statement(Keep(local, term, find_rule_place_in_call_stack()))
        self._blocks[-1].locals.add(local)
        return local

    def record_new_value_of_variable(self, local: Local, value: Value) -> None:
        """Give a variable a new value within its bounds."""
        if not isinstance(local, Local) or local not in self._variables:
            name = f"`{local.name}`" if isinstance(local, Local) else repr(local)
            raise RulesError(
                "PP333",
                f"`let` gives a new value to a variable; {name} is none of this rule's",
                "make it with `v = variable(value, lo, hi)`; a field is assigned with `s.field = value`",
            )
        self.convert_to_term_or_raise_if_stale(local)
        term = self.convert_to_term_or_raise_if_stale(value)
        refuse_value_always_out_of_bounds(f"`{local.name}` holds", local.lo, local.hi, term)
        self._add_statement(Keep(local, term, find_rule_place_in_call_stack()))

    def record_new_variable(self, value: Value, lo: int, hi: int, name: str) -> Local:
        """Return a local with declared bounds that may be given new values."""
        term = self.convert_to_term_or_raise_if_stale(value)
        refuse_value_always_out_of_bounds(f"`{name}` holds", lo, hi, term)
        local = make_fresh_local(name, lo, hi, counts=False)
        self._add_statement(Keep(local, term, find_rule_place_in_call_stack()))
        self._variables.add(local)
        self._blocks[-1].locals.add(local)
        return local

    @contextmanager
    def record_block_under_condition(self, condition: Value) -> Iterator[None]:
        """Record effects under a condition."""
        term, place = self._convert_condition_noting_if_decided(condition), find_rule_place_in_call_stack()
        before = dict(self._written)
        with self._open_traced_block() as block:
            yield
        self._add_statement(If(term, tuple(block.statements), (), place))
        self._last_if = (self._blocks[-1], len(self._blocks[-1].statements) - 1)
        self._branch_base = before

    @contextmanager
    def record_else_block(self, condition: Value | None = None) -> Iterator[None]:
        """Record effects for the case that the `when` directly before did not hold (and `condition`
        does). Only `otherwise()` closes the chain; a condition that is plain under some option does
        not."""
        if self._last_if is None or self._last_if[0] is not self._blocks[-1]:
            raise RulesError(
                "PP316",
                "`otherwise` must directly follow a `when` block or an `otherwise(condition)`",
                "nothing may stand between them, no `keep` either, and `otherwise()` is the last",
            )
        parent, position = self._last_if
        after, base = dict(self._written), self._branch_base
        self._written = dict(base)
        closed = condition is None
        inner, place = (
            Const(1) if condition is None else self._convert_condition_noting_if_decided(condition),
            find_rule_place_in_call_stack(),
        )
        with self._open_traced_block() as block:
            yield
        for number, clock in after.items():
            self._written[number] = max(clock, self._written.get(number, -1))
        body: tuple[Statement, ...] = tuple(block.statements)
        if not closed:
            body = (If(inner, body, (), place),)
        parent.statements[position] = _attach_else_branch(parent.statements[position], body)
        self._last_if = None if closed else (parent, position)
        self._branch_base = base

    def record_loop_over_range(self, loop_range: int | range, name: str = "i") -> Iterator[Local]:
        """A loop kept as a loop: `for i in each(9): ...`."""
        start, stop = get_start_and_stop_of_range_or_raise(loop_range)
        var = make_fresh_local(name, start, stop - 1)
        with self._open_traced_block(is_loop=True) as block:
            block.locals.add(var)
            self.clock += 1  # reads inside the loop are younger than its start
            try:
                yield var
            except GeneratorExit:
                # Raising here would be swallowed by Python; `trace_body_to_statements` reports it.
                self._left_loop = True
                raise
        self._add_statement(Loop(var, start, stop, tuple(block.statements)))

    def record_requirement(self, condition: Value, rule: str, text: str, *args: Value) -> None:
        """The action is legal only if `condition` holds."""
        self._refuse_in_body_that_cannot_refuse("a requirement")
        refuse_wrong_requirement_sentence(rule, text, args)
        if self._effects_begun:
            raise RulesError("PP318", "a requirement stands after an effect", "state all requirements first")
        self._add_statement(
            Require(
                self._convert_condition_noting_if_decided(condition),
                rule,
                text,
                tuple(self.convert_to_term_or_raise_if_stale(a) for a in args),
                find_rule_place_in_call_stack(),
            )
        )
        self.record_citations(rule)

    def _convert_condition_noting_if_decided(self, condition: Value) -> Term:
        """Return a condition as a term. Note one that the bounds decide, for `lint`."""
        term = as_truth_term(self.convert_to_term_or_raise_if_stale(condition))
        sides = find_sides_of_recently_decided_comparison(term)
        if isinstance(term, Const) and sides is not None:
            self.settled.append((find_rule_place_in_call_stack(), bool(term.value), sides))
        return term

    def record_ending(self, reason: str, kind: str, winner: Value | str | None, rule: str) -> None:
        """Record that the game ends."""
        if self.ending is None:
            raise RulesError("PP312", "`finish` outside a game")
        number = self.ending(reason, winner, kind, rule)
        self._effects_begun = True
        self.record_citations(rule)
        self._add_statement(Finish(number, find_rule_place_in_call_stack()))

    def record_procedure_call(self, procedure: Procedure, args: tuple[Value, ...]) -> None:
        """Record a call of a named procedure."""
        terms = tuple(self.convert_to_term_or_raise_if_stale(a) for a in args)
        for term, param in zip_arguments_with_parameters_or_raise(procedure.name, procedure.params, terms):
            refuse_value_always_out_of_bounds(
                procedure.begin_sentence_on_parameter_range(param), param.lo, param.hi, term
            )
        self._effects_begun = True
        self._add_statement(Invoke(procedure, terms, find_rule_place_in_call_stack()))
        for number in sorted(procedure.writes):
            self._record_field_written_or_raise(number)

    def set_weight_of_chance_action(self, value: Value) -> None:
        """Set the weight of a chance action, evaluated before its effects."""
        self._refuse_in_body_that_cannot_refuse("a weight")
        if self._effects_begun:
            raise RulesError("PP318", "a weight stands after an effect", "state the weight first")
        if self.weight is not None or len(self._blocks) > 1:
            raise RulesError(
                "PP335",
                "an action has one weight, outside `with when` and loops",
                "write `weight(pick(condition, a, b))`",
            )
        self.weight = self.convert_to_term_or_raise_if_stale(value)
        if self.weight.hi <= 0:
            raise RulesError(
                "PP315",
                f"a weight is a positive number, this one is {_format_bounds(self.weight)}",
                "1 is the weight of a result that is as likely as the others; "
                "`require` says that a result cannot happen",
            )
        if self.weight.hi > _MOST_WEIGHT:
            raise RulesError(
                "PP315",
                f"a weight holds up to {_MOST_WEIGHT:,}, this one may be {self.weight.hi:,}",
                "divide all weights of the phase by the same number",
            )

    def _refuse_in_body_that_cannot_refuse(self, subject: str) -> None:
        if self._blocks and not self._refusable:
            raise RulesError(
                "PP334",
                f"{subject} stands in an automatic phase or a procedure, which cannot be refused",
                "write it in the action; for a choice of effects write `with when(...)`",
            )

    def record_citations(self, *rules: str) -> None:
        """Note that the rule being traced implements these rule ids."""
        self.cited.extend(r for r in rules if r)


def _format_bounds(term: Term) -> str:
    return str(term.lo) if term.lo == term.hi else f"{term.lo}..{term.hi}"


def _make_return_value_error(result: object) -> RulesError:
    """Return the error for a body that returns something or that Python has not run yet."""
    if isinstance(result, Generator | Coroutine):
        result.close()  # Python would warn that nobody has waited for it
        return RulesError(
            "PP369",
            "the body is written with `yield` or `async`, so Python has not run it",
            "write its effects without `yield`, `async` and `await`",
        )
    return RulesError(
        "PP369",
        "the body returns a value, and nothing reads it",
        "to refuse an action write `require(condition, rule, sentence)`; to change a field, assign it",
    )


def _attach_else_branch(statement: Statement, body: tuple[Statement, ...]) -> Statement:
    """Attach `body` to the last open else-branch of an If chain."""
    if not isinstance(statement, If):
        raise RulesError("PP316", "`otherwise` must directly follow a `when` block")
    if statement.other:
        return replace(statement, other=(_attach_else_branch(statement.other[0], body),))
    return replace(statement, other=body)


__all__ = [
    "Assign",
    "Finish",
    "If",
    "Invoke",
    "Keep",
    "Loop",
    "Procedure",
    "Require",
    "Statement",
    "Tracer",
    "iter_statements_recursively",
]
