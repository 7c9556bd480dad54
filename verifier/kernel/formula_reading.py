"""A game as formulas: what a small step does to an open state.

A small step is one action with its parameters, or one automatic phase. Plain numbers stay plain, so a
state with some known cells gives small formulas. This reading shares no code with the fast one;
tests compare both with the interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from playproof.language import Action, Phase, Place
from playproof.language.expr import (
    Term,
)
from playproof.language.game import Game
from playproof.language.statements import (
    Assign,
    Finish,
    If,
    Invoke,
    Keep,
    Loop,
    Require,
    Statement,
    iter_statements_recursively,
)
from playproof.verifier.kernel.formulas import (
    Number,
    Truth,
    conjoin_formulas,
    disjoin_formulas,
    negate_formula,
)
from playproof.verifier.kernel.term_reading import Cells, Env, TermReading


@dataclass(frozen=True)
class Fault:
    """Something that the rules must never do, and the formula that it happens."""

    when: Truth
    message: str
    place: Place


@dataclass(frozen=True)
class _Bounds:
    """What a value must keep to, and what is said if it does not."""

    lo: int
    hi: int
    what: str
    place: Place


@dataclass
class SmallStep:
    """A small step from a state: whether it is legal, the cells after it, and the faults that may
    happen."""

    name: str
    legal: Truth
    after: Cells
    faults: list[Fault]

    @property
    def sound(self) -> Truth:
        """The formula that the step is legal and has no fault."""
        return conjoin_formulas([self.legal, *(negate_formula(f.when) for f in self.faults)])


@dataclass
class _StepNotes:
    """The guards and faults that a run collects."""

    guards: list[Truth] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


_Run: TypeAlias = Callable[[Sequence[Statement], Cells, Env, Truth, _StepNotes], None]


# -- the reading --------------------------------------------------------------------------------------------------


class Reading(TermReading):
    """Reads one game."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self.automatic = [p.number for p in game.phases if p.automatic]

    # -- small steps ----------------------------------------------------------------------------------------

    def iter_actions_and_automatic_phases(self) -> Iterator[Action | Phase]:
        """Yield all kinds of small steps: actions, then automatic phases."""
        yield from self.game.actions
        yield from (p for p in self.game.phases if p.automatic)

    def make_symbolic_parameters(
        self, action_or_phase: Action | Phase, variable_prefix: str = "p"
    ) -> tuple[Number, ...]:
        """Return open parameters within their bounds for a kind of step."""
        some = action_or_phase.params if isinstance(action_or_phase, Action) else ()
        make = self.formulas.make_variable
        return tuple(make(f"{variable_prefix}{n}", p.low, p.low + p.count - 1) for n, p in enumerate(some))

    def build_symbolic_step(
        self, action_or_phase: Action | Phase, state: Sequence[Number], parameter_values: Sequence[Number]
    ) -> SmallStep:
        """Return the small step of a kind from a state."""
        cells, met = list(state), _StepNotes()
        if isinstance(action_or_phase, Action):
            action, rest = action_or_phase, action_or_phase.body[len(action_or_phase.head) :]
            env = self._note_guards_and_get_locals(action, parameter_values, cells, met)
            if any(isinstance(s, Assign | Invoke | Finish) for s in iter_statements_recursively(action.head)):
                # its head has effects, which begin only now
                env, rest = action.map_parameter_numbers_to_values(parameter_values), action.body
            self._run_statements_in_place(rest, cells, env, conjoin_formulas(met.guards), met)
        else:
            met.guards += [
                self.build_comparison_formula("==", cells[1], 0),
                self.build_comparison_formula("==", cells[0], action_or_phase.number),
            ]
            cells[0], cells[1] = action_or_phase.number, 0
            self._run_statements_in_place(action_or_phase.body or (), cells, {}, conjoin_formulas(met.guards), met)
        legal = conjoin_formulas(met.guards)
        name = action_or_phase.name if isinstance(action_or_phase, Action) else f"automatic {action_or_phase.name}"
        return SmallStep(name, legal, cells, met.faults)

    def build_legality_guards_and_faults(
        self, action: Action, state: Sequence[Number], parameter_values: Sequence[Number]
    ) -> tuple[list[Truth], list[Fault]]:
        """Return all that must hold for an action to be legal, in the order in which it is asked, and the faults
        that may happen when somebody asks."""
        met = _StepNotes()
        self._note_guards_and_get_locals(action, parameter_values, list(state), met)
        return met.guards, met.faults

    def build_action_is_legal_formula(self, state: Sequence[Number], action_id: int) -> Truth:
        """Return the formula that a ground action is legal."""
        action = self.game.get_action_of_ground_action_number(action_id)
        return conjoin_formulas(
            self.build_legality_guards_and_faults(action, state, action.get_values_of_ground_action(action_id))[0]
        )

    def build_parameter_range_formulas(self, action: Action, parameter_values: Sequence[Number]) -> list[Truth]:
        """Return, for each parameter of an action, the formula that it has such a value."""
        pairs = zip(action.params, parameter_values, strict=True)
        return [self.build_value_in_range_formula(value, p.low, p.low + p.count - 1) for p, value in pairs]

    def build_action_weight(
        self, action: Action, state: Sequence[Number], parameter_values: Sequence[Number]
    ) -> Number:
        """Return a chance action's weight, or 1 for a player's action."""
        return self._build_action_weight_and_note_faults(action, state, parameter_values, _StepNotes())

    def _build_action_weight_and_note_faults(
        self, action: Action, state: Sequence[Number], parameter_values: Sequence[Number], notes: _StepNotes
    ) -> Number:
        """Return the weight, and collect the faults of what is kept for it where the guards hold."""
        if action.weight is None:
            return 1
        env, cells = action.map_parameter_numbers_to_values(parameter_values), list(state)
        for statement in action.kept:
            self._assign_local_in_place(statement, cells, env, conjoin_formulas(notes.guards), notes)
        return self.build_term_value(action.weight, state, env)

    def _note_guards_and_get_locals(
        self, action: Action, parameter_values: Sequence[Number], cells: Cells, notes: _StepNotes
    ) -> Env:
        """Collect the guards that decide whether an action is legal, and the faults of asking; make
        the cells those in which its effects begin, and return the locals after its head."""
        notes.guards += self.build_parameter_range_formulas(action, parameter_values)
        notes.guards.append(self.build_comparison_formula("==", cells[1], 0))
        notes.guards.append(disjoin_formulas(self.build_comparison_formula("==", cells[0], n) for n in action.phases))
        cells[1] = 0
        if len(action.phases) == 1:
            cells[0] = action.phases[0]
        env = action.map_parameter_numbers_to_values(parameter_values)
        self._note_requirements_of_head(action.head, cells, env, True, notes)
        if action.weight is not None:  # chance takes only actions of positive weight, and weighs them last
            notes.guards.append(
                self.build_comparison_formula(
                    "<", 0, self._build_action_weight_and_note_faults(action, cells, parameter_values, notes)
                )
            )
        return env

    def _note_requirements_of_head(
        self, head: Sequence[Statement], cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> None:
        """Collect what a head requires. It is asked before any effect, so the cells stay as they are,
        also where a loop requires something behind an effect. A value is kept only if the
        requirements before it hold."""
        for statement in head:
            match statement:
                case Require(condition=condition):
                    notes.guards.append(
                        disjoin_formulas(
                            [
                                negate_formula(path_condition),
                                self.build_term_is_true_formula(condition, cells, local_values),
                            ]
                        )
                    )
                case Keep():
                    self._assign_local_in_place(
                        statement, cells, local_values, conjoin_formulas([path_condition, *notes.guards]), notes
                    )
                case If():
                    self._run_both_branches_and_merge(
                        statement, cells, local_values, path_condition, notes, self._note_requirements_of_head
                    )
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        self._note_requirements_of_head(inner, cells, local_values, path_condition, notes)
                case _:
                    return

    def build_somebody_acts_or_game_over_formula(self, cells: Sequence[Number]) -> Truth:
        """Return the formula that somebody is to act or the game is over."""
        due = disjoin_formulas(self.build_comparison_formula("==", cells[0], number) for number in self.automatic)
        return disjoin_formulas([negate_formula(self.build_comparison_formula("==", cells[1], 0)), negate_formula(due)])

    # -- statements -----------------------------------------------------------------------------------------

    def _run_statements_in_place(
        self, statements: Sequence[Statement], cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> None:
        """Run statements; this changes `cells` and `local_values`. A fault counts only if `path_condition` holds. What
        an action requires was asked before."""
        for statement in statements:
            match statement:
                case Keep():
                    self._assign_local_in_place(statement, cells, local_values, path_condition, notes)
                case Assign(field=to, value=value, place=place):
                    bounds = _Bounds(to.lo, to.hi, f"`{to.name}` leaves", place)
                    self._assign_cell_in_place(
                        statement,
                        self._read_value_and_note_bounds_fault(
                            value, bounds, cells, local_values, path_condition, notes
                        ),
                        cells,
                        local_values,
                    )
                case If():
                    self._run_both_branches_and_merge(
                        statement, cells, local_values, path_condition, notes, self._run_statements_in_place
                    )
                case Loop(var=var, start=start, stop=stop, body=inner):
                    for i in range(start, stop):
                        local_values[var.number] = i
                        self._run_statements_in_place(inner, cells, local_values, path_condition, notes)
                case Invoke(procedure=procedure, args=args, place=place):
                    bound: Env = {}
                    for p, value in zip(procedure.params, args, strict=True):
                        bounds = _Bounds(p.lo, p.hi, procedure.begin_sentence_on_parameter_range(p), place)
                        bound[p.number] = self._read_value_and_note_bounds_fault(
                            value, bounds, cells, local_values, path_condition, notes
                        )
                    self._run_statements_in_place(procedure.body, cells, bound, path_condition, notes)
                case Finish(ending=ending):
                    cells[1] = self.choose_by_condition(
                        self.build_comparison_formula("==", cells[1], 0), ending, cells[1]
                    )

    def _assign_local_in_place(
        self, statement: Keep, cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> None:
        local = statement.local
        bounds = _Bounds(local.lo, local.hi, f"`{local.name}` leaves", statement.place)
        local_values[local.number] = self._read_value_and_note_bounds_fault(
            statement.value, bounds, cells, local_values, path_condition, notes
        )

    def _read_value_and_note_bounds_fault(
        self, term: Term, bounds: _Bounds, cells: Cells, local_values: Env, path_condition: Truth, notes: _StepNotes
    ) -> Number:
        """Return a term's value to go on with, and note that it may leave its bounds where `path_condition` holds. It
        cannot if the term's own bounds are as narrow, since all that it reads is within bounds or at fault already."""
        value = self.build_term_value(term, cells, local_values)
        if bounds.lo <= term.lo and term.hi <= bounds.hi:
            return value
        inside = self.build_value_in_range_formula(value, bounds.lo, bounds.hi)
        outside = conjoin_formulas([path_condition, negate_formula(inside)])
        if outside is not False:
            notes.faults.append(Fault(outside, f"{bounds.what} {bounds.lo}..{bounds.hi}", bounds.place))
        return value if inside is True else self.clamp_to_bounds_unless_formula(value, bounds.lo, bounds.hi)

    def clamp_to_bounds_unless_formula(self, value: Number, lo: int, hi: int) -> Number:
        """Return a plain number moved into its bounds. What follows a fault has no meaning, but it
        is read too, and no place that it names may lie outside an array. A formula stays."""
        return min(max(value, lo), hi) if isinstance(value, int) else value

    def _assign_cell_in_place(self, statement: Assign, new_value: Number, cells: Cells, local_values: Env) -> None:
        to, where = statement.field, self.build_term_value(statement.index, cells, local_values)
        if isinstance(where, int):
            cells[to.offset + where] = new_value
            return
        for i in self._list_places_index_may_mean(where, statement.index, to.size, cells, local_values):
            cells[to.offset + i] = self.choose_by_condition(
                self.build_comparison_formula("==", where, i), new_value, cells[to.offset + i]
            )

    def to_plain_bool_if_all_rows_agree(self, condition: Truth) -> Truth:
        """Return a condition, as a plain truth if it is one."""
        return condition

    def _run_both_branches_and_merge(
        self,
        statement: If,
        cells: Cells,
        local_values: Env,
        path_condition: Truth,
        notes: _StepNotes,
        run_statements: _Run,
    ) -> None:
        condition = self.to_plain_bool_if_all_rows_agree(
            self.build_term_is_true_formula(statement.condition, cells, local_values)
        )
        if isinstance(condition, bool):
            run_statements(statement.then if condition else statement.other, cells, local_values, path_condition, notes)
            return
        yes, then_env = list(cells), dict(local_values)
        run_statements(statement.then, yes, then_env, conjoin_formulas([path_condition, condition]), notes)
        run_statements(
            statement.other, cells, local_values, conjoin_formulas([path_condition, negate_formula(condition)]), notes
        )
        for i, value in enumerate(yes):
            if value is not cells[i]:
                cells[i] = self.choose_by_condition(condition, value, cells[i])
        for number, value in then_env.items():
            if value is not local_values.get(number):
                local_values[number] = self.choose_by_condition(condition, value, local_values.get(number, value))


def iter_all_terms_of_rules(game: Game) -> Iterator[Term]:
    """Yield the terms that the rules compute, and the parameters."""
    yield from (function.body for function in game.functions)
    yield from iter_terms_of_actors_and_weights(game)
    for action in game.actions:
        yield from (p.local for p in action.params)
    for procedure in game.procedures:
        yield from procedure.params
    for statement in iter_all_statements_of_rules(game):
        yield from get_terms_directly_in_statement(statement)


def iter_terms_of_actors_and_weights(game: Game) -> Iterator[Term]:
    """Yield the terms that say who acts, and how likely chance is to take an action."""
    yield from (phase.actor for phase in game.phases)
    yield from (action.weight for action in game.actions if action.weight is not None)


def iter_all_statements_of_rules(game: Game) -> Iterator[Statement]:
    """Yield all statements of the rules, those inside others too."""
    bodies = [action.body for action in game.actions]
    bodies += [procedure.body for procedure in game.procedures]
    bodies += [phase.body or () for phase in game.phases]
    for body in bodies:
        yield from iter_statements_recursively(body)


def get_terms_directly_in_statement(statement: Statement) -> Sequence[Term]:
    """Return the terms that a statement computes, without those of the statements in it."""
    match statement:
        case Assign(index=index, value=value):
            return index, value
        case Keep(local=local, value=value):
            return local, value
        case If(condition=condition) | Require(condition=condition):
            return (condition,)
        case Invoke(args=args):
            return args
    return ()
