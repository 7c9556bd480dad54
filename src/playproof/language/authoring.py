"""A game while its rules are written: what `from playproof import Game` gives a designer. Each body under a decorator
is traced once; what comes of it is the data of `game.py`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import prod
from typing import SupportsIndex

from playproof.language import game
from playproof.language.checks import (
    build_action_text_or_one_per_choice,
    clamp_argument_to_parameter_range,
    refuse_arguments_that_are_no_phases,
    refuse_body_with_undeclared_parameters,
    refuse_decorator_without_parentheses,
    refuse_unknown_placeholders_in_action_text,
    require_term_without_free_locals,
    zip_arguments_with_parameters_or_raise,
)
from playproof.language.declarations import FieldNames, resolve_secrecy_declaration
from playproof.language.errors import (
    MOST_CELLS,
    RulesError,
    find_definition_place,
    find_rule_place_in_call_stack,
    is_file_written_by_designer,
    refuse_number_above_limit,
)
from playproof.language.expr import Apply, Const, Function, Local, NestedIntegers, Question, Table, Term, Value, as_term
from playproof.language.fields import Labels, Sees, get_label_names
from playproof.language.parts import AUTOMATIC, EVERYBODY, KEYWORDS, Action, Over, Phase, RuleBody, make_parameter
from playproof.language.python_mistakes import convert_python_error_to_rules_error
from playproof.language.state_handles import Array, Var
from playproof.language.statements import (
    Keep,
    Procedure,
    Statement,
    find_numbers_of_written_fields,
    get_statements_deciding_legality,
)
from playproof.language.trace import Tracer


class Game(game.Game):
    """A game under construction, and then its description.

    `players` is the number of seats. `teams` lists the seats that win and lose together, each seat
    once: `[(0, 2), (1, 3)]` (default: each seat alone).
    """

    def __init__(self, name: str, *, players: int = 1, teams: Sequence[Sequence[int]] = ()) -> None:
        self.tracer = Tracer()
        self._refused: list[RulesError] = []
        self._just_cited: tuple[str, ...] = ()
        self.lowest_starts: list[Var | Array] = []
        """Fields that may hold 0 and start below it, because they were declared without a start."""
        super().__init__(name, players=players, teams=teams, writer=self.tracer)
        self.tracer.ending = self._find_or_add_ending_number
        self.tracer.goto = self.current_phase.set

    def __getattr__(self, name: str) -> object:
        hint = "; it is called `phase` now" if name == "stage" else ""
        raise AttributeError(f"a game has no `{name}`{hint}", name=name, obj=self)

    def __setattr__(self, name: str, value: object) -> None:
        # A designer who writes `g.turn = 1` means the field; Python would make an attribute of it.
        if name not in vars(self) and is_file_written_by_designer(sys._getframe(1).f_code.co_filename):
            raise RulesError(
                "PP320", f"a game has no `{name}` to assign", f"write `s.{name} = value` in a rule, where `s = g.state`"
            )
        super().__setattr__(name, value)

    # -- fields ---------------------------------------------------------------------------------------------

    def integer(
        self,
        name: str,
        lo: int,
        hi: int,
        start: int | None = None,
        *,
        sees: Sees | Collection[int] = Sees.ALL,
        labels: Labels = None,
        rule: str = "",
    ) -> Var:
        """Declare a bounded integer. Without a start it starts at `lo`."""
        handle = self.declare_field(name, lo, hi, (), (lo if start is None else start,), labels, sees, rule)
        assert isinstance(handle, Var)
        self._record_field_if_default_is_negative(handle, start)
        return handle

    def flag(self, name: str, start: bool = False, *, sees: Sees | Collection[int] = Sees.ALL, rule: str = "") -> Var:
        """Declare a truth value."""
        return self.integer(name, 0, 1, int(start), sees=sees, labels=("no", "yes"), rule=rule)

    def choice(
        self, name: str, labels: Labels, start: int = 0, *, sees: Sees | Collection[int] = Sees.ALL, rule: str = ""
    ) -> Var:
        """Declare an enumeration."""
        return self.integer(name, 0, len(get_label_names(labels)) - 1, start, sees=sees, labels=labels, rule=rule)

    def array(
        self,
        name: str,
        shape: int | tuple[int, ...],
        lo: int = 0,
        hi: int = 1,
        start: NestedIntegers | None = None,
        *,
        sees: Sees | Collection[int] = Sees.ALL,
        labels: Labels = None,
        rule: str = "",
    ) -> Array:
        """Declare an array. `start` is one value for all cells or a nested list of the shape, and `lo` by
        default; labels set the bounds."""
        if not isinstance(shape, int | tuple | list):
            raise RulesError("PP323", f"`{name}` has the shape {shape!r}", "write how many places it has: 9, or (3, 3)")
        dims = (shape,) if isinstance(shape, int) else tuple(shape)
        if labels is not None:
            lo, hi = 0, len(get_label_names(labels)) - 1
        if all(isinstance(size, int) for size in dims):
            refuse_number_above_limit(f"the places of `{name}` are", prod(dims), MOST_CELLS)
        cells = _flatten_or_repeat_values_to_shape(lo if start is None else start, dims)
        handle = self.declare_field(name, lo, hi, dims, cells, labels, sees, rule)
        assert isinstance(handle, Array)
        self._record_field_if_default_is_negative(handle, start)
        return handle

    def _record_field_if_default_is_negative(self, handle: Var | Array, start: NestedIntegers | None) -> None:
        if start is None and handle.field.lo < 0 <= handle.field.hi:
            self.lowest_starts.append(handle)

    # -- constants and derived quantities -------------------------------------------------------------------

    def table(self, name: str, values: NestedIntegers) -> Table:
        """Return a constant table of one or more dimensions."""
        shape, probe = [], values
        while not isinstance(probe, int):
            if not isinstance(probe, Sequence) or isinstance(probe, str) or not probe:
                raise RulesError(
                    "PP328",
                    f"the table `{name}` has the value {probe!r}",
                    "a table holds whole numbers, in lists that are not empty",
                )
            shape.append(len(probe))
            probe = probe[0]
        made = Table(name, len(self.tables), _flatten_or_repeat_values_to_shape(values, tuple(shape)), tuple(shape))
        made.beyond = self.tracer.beyond
        self.tables.append(made)
        return made

    def function(self, *run: object, **params: Over) -> Callable[[Callable[..., Value]], Question]:
        """Decorator: a derived quantity of the state, named once. Its body is one expression."""
        refuse_decorator_without_parentheses("function", *run)

        def declare(run: Callable[..., Value]) -> Question:
            locals_ = tuple(make_parameter(n, over).local for n, over in params.items())
            named = {p.name: p for p in locals_}
            refuse_body_with_undeclared_parameters(run, named)
            body = as_term(_call_function_or_raise_for_none(run, named))
            require_term_without_free_locals(f"function `{run.__name__}`", body, locals_)
            made = Function(
                run.__name__,
                len(self.functions),
                locals_,
                body,
                find_definition_place(run) or find_rule_place_in_call_stack(),
            )
            self.functions.append(made)

            def apply(*args: Value) -> Term:
                terms = [
                    clamp_argument_to_parameter_range(made.name, a, p)
                    for a, p in zip_arguments_with_parameters_or_raise(made.name, locals_, [*map(as_term, args)])
                ]
                return Apply(made, tuple(terms), self.tracer.clock)

            return Question(made.name, apply, run.__doc__)

        return declare

    # -- phases and actions ---------------------------------------------------------------------------------

    def start(self, phase: Phase) -> None:
        """Set the phase in which the game starts (default: the first declared)."""
        self.current_phase.field.start = (phase.number,)

    def automatic(self, name: str, *, text: str = "", rule: str = "") -> Phase:
        """Declare a phase that runs by itself; give it effects with `@g.on(phase)`. With a text,
        logs mention the phase."""
        return self.phase(name, AUTOMATIC, text=text, rule=rule)

    def on(self, phase: Phase, *, rule: str = "", reveals: FieldNames = ()) -> Callable[[RuleBody], RuleBody]:
        """Decorator: the effects of an automatic phase. `reveals` names the hidden fields that the
        phase shows to all."""

        refuse_arguments_that_are_no_phases("on", phase)

        def declare(run: RuleBody) -> RuleBody:
            if not phase.automatic:
                raise RulesError(
                    "PP325",
                    f"phase `{phase.name}` is not automatic: somebody acts in it",
                    "give it an action with `@g.action(phase, ...)`, or make it with `g.automatic(name)`",
                )
            if phase.body is not None:
                raise RulesError(
                    "PP325",
                    f"phase `{phase.name}` has its effects already",
                    "write all effects of the phase into one body",
                )
            phase.reveals = self._require_known_field_names(reveals)
            phase.body = ()  # stays so where the body is refused: then that is told, and not that there is none
            with self._collect_rules_errors_until_seal():
                phase.body = self._trace_body_and_record_citations(run, (), rule.split())
            return run

        return declare

    def action(
        self,
        phases: Phase | Sequence[Phase],
        text: str | Callable[..., str] = "",
        *,
        rule: str = "",
        name: str = "",
        secret: bool | FieldNames = False,
        public: bool | FieldNames = False,
        reveals: FieldNames = (),
        **params: Over,
    ) -> Callable[[RuleBody], RuleBody]:
        """Decorator: an action of the given phases. Each parameter is a range, a list of names or
        an IntEnum.

        Actions are public. `secret` names parameters that the other players do not see, unless they
        see the fields that these lead to; True hides the action itself. A parameter that leads to a
        hidden field must be declared secret or `public`. `reveals` names hidden fields whose
        content the action shows to all on purpose.
        """

        refuse_arguments_that_are_no_phases("action", phases)

        def declare(run: RuleBody) -> RuleBody:
            with self._collect_rules_errors_until_seal():
                self.add_action(
                    phases,
                    run,
                    text or run.__name__.replace("_", " "),
                    rule=rule,
                    name=name or run.__name__,
                    secret=secret,
                    public=public,
                    reveals=reveals,
                    **params,
                )
            return run

        return declare

    @contextmanager
    def _collect_rules_errors_until_seal(self) -> Iterator[None]:
        """Keep a body's errors until `seal`, so that it can report the mistakes of all bodies at
        once."""
        try:
            yield
        except RulesError as error:
            self._refused.append(error)

    def add_action(
        self,
        phases: Phase | Sequence[Phase],
        run: RuleBody,
        text: str | Callable[..., str],
        *,
        rule: str = "",
        name: str = "",
        secret: bool | FieldNames = False,
        public: bool | FieldNames = False,
        reveals: FieldNames = (),
        **params: Over,
    ) -> Action:
        """Add an action as `action` does, for bodies made in a loop."""
        refuse_arguments_that_are_no_phases("add_action", phases)
        where = (phases,) if isinstance(phases, Phase) else tuple(phases)
        name = name or run.__name__
        self._refuse_taken_name("actions", name, [a.name for a in self.actions])
        self.refuse_automatic_or_mixed_phases(name, where)
        refuse_unknown_placeholders_in_action_text(name, text, params)
        parts = tuple(make_parameter(n, over) for n, over in params.items())
        seen = resolve_secrecy_declaration(name, parts, secret, public)
        body = self._trace_body_and_record_citations(run, [p.local for p in parts], rule.split(), refusable=True)
        head = get_statements_deciding_legality(body)
        keeps = tuple(statement for statement in head if isinstance(statement, Keep))
        cited = tuple(dict.fromkeys(self._just_cited))  # each rule once, in the order of the body
        made = Action(
            name,
            len(self.actions),
            tuple(p.number for p in where),
            parts,
            build_action_text_or_one_per_choice(name, text, parts),
            body,
            head,
            keeps,
            self.tracer.weight,
            cited,
            find_rule_place_in_call_stack(),
            self._idents,
            *seen,
            self._require_known_field_names(reveals),
        )
        self.add_built_action(made)
        return made

    def procedure(self, name: str = "", **params: Over) -> Callable[[RuleBody], Callable[..., None]]:
        """Decorator: effects written once and kept as a call in every reading."""

        refuse_decorator_without_parentheses("procedure", name)

        def declare(run: RuleBody) -> Callable[..., None]:
            parts = tuple(make_parameter(n, over).local for n, over in params.items())
            body = self._trace_body_and_record_citations(run, parts, [])
            made = Procedure(
                name or run.__name__, len(self.procedures), parts, body, find_numbers_of_written_fields(body)
            )
            self.procedures.append(made)

            def invoke(*args: Value) -> None:
                self.tracer.record_procedure_call(made, args)

            invoke.__name__, invoke.__doc__ = run.__name__, run.__doc__
            return invoke

        return declare

    def _require_known_field_names(self, names: FieldNames) -> frozenset[str]:
        field_names = frozenset((names,)) if isinstance(names, str) else frozenset(names)
        for name in field_names:
            self.get_field(name)  # refuses one that does not exist
        return field_names

    def _trace_body_and_record_citations(
        self, body_function: RuleBody, params: Sequence[Local], cited_rules: Sequence[str], *, refusable: bool = False
    ) -> tuple[Statement, ...]:
        self.tracer.cited = list(cited_rules)
        place = find_rule_place_in_call_stack()
        named = {p.name: p for p in params}
        refuse_body_with_undeclared_parameters(body_function, named, KEYWORDS)
        try:
            body = self.tracer.trace_body_to_statements(lambda: body_function(**named), params, refusable=refusable)
        except RulesError:
            raise
        except Exception as error:
            raise convert_python_error_to_rules_error(error) from error
        self._just_cited = tuple(self.tracer.cited)
        for rule in self._just_cited:
            self.citations.setdefault(rule, []).append(place)
        return body

    # -- endings --------------------------------------------------------------------------------------------

    def _find_or_add_ending_number(self, reason: str, winner: Value | str | None, kind: str, rule: str) -> int:
        shared, term = isinstance(winner, str), None
        if isinstance(winner, str) and winner != EVERYBODY:
            raise RulesError("PP344", f"`{reason}` is won by {winner!r}", "give a seat, or EVERYBODY")
        if winner is not None and not isinstance(winner, str):
            term = as_term(winner)
        for ending in self.endings:
            alike = (ending.reason, ending.kind, ending.shared) == (reason, kind, shared)
            if alike and _are_equal_constants_or_both_none(ending.winner, term):
                return ending.number
        return self.add_ending(kind, reason, term, rule, shared=shared).number

    def iter_description_errors(self) -> Iterator[RulesError]:
        """Yield the errors of the bodies under decorators, or else those of the whole description."""
        yield from self._refused or super().iter_description_errors()


def _call_function_or_raise_for_none(function: Callable[..., Value], locals_by_name: Mapping[str, Local]) -> Value:
    """Return what the body of a function returns. Raises RulesError if it returns nothing."""
    value = function(**locals_by_name)
    if value is None:
        raise RulesError(
            "PP304",
            f"the function `{function.__name__}` returns nothing",
            "write `return` before its value",
            place=find_definition_place(function),
        )
    return value


def _are_equal_constants_or_both_none(first: Term | None, second: Term | None) -> bool:
    """Return whether both are None or the same number; computed values count as different."""
    if isinstance(first, Const) and isinstance(second, Const):
        return first.value == second.value
    return first is None and second is None


def _flatten_or_repeat_values_to_shape(values: NestedIntegers, shape: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(values, int):
        return (int(values),) * prod(shape)
    if not shape or len(values) != shape[0]:
        raise RulesError(
            "PP328",
            f"expected {' x '.join(map(str, shape))} values, found a list of {len(values)}",
            "give one value for each place, or one for all",
        )
    if len(shape) == 1:
        # numbers first: to ask a protocol takes long
        wrong = next((v for v in values if not isinstance(v, int | SupportsIndex)), None)
        if wrong is not None:
            raise RulesError(
                "PP328",
                f"expected whole numbers, found {wrong!r} in a list of values",
                "an array or table holds whole numbers",
            )
        return tuple(int(v) for v in values)
    return tuple(v for row in values for v in _flatten_or_repeat_values_to_shape(row, shape[1:]))
