"""Laws of steps, as `ask: step` states them: what a decision needs, changes and leads to, and what
must be possible.

    {action: place, changes: {placed: 1, tonight: 1}}      each such decision adds so much
    {action: pay, needs: "mana > 0", leads: "mana >= 0"}   holds before it; holds after it
    {phase: upkeep, when: "mana > 0", changes: {mana: -1}} what an automatic phase does
    {when: "phase == night", can: {action: pass}}          some such decision is legal there
    {action: dig, legal: "phase == day and not dug[site]"} legal exactly there, for each site
    {action: dig, only: [dug[site], draws]}                changes nothing but these, and the phase
    {action: rob, leads: "gold[by] >= was(gold[by])"}      what something was before the step

A law is about small steps: the effects of an action or of an automatic phase itself, not the
automatic phases that follow. `when` limits it to steps from states in which a condition holds. The
amount of a change may be an expression over the state before the step and the action's parameters.
Which cell a change or `only` means is decided before the step: `mana[by]` is that of whoever acts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import Table, Term
from playproof.language.expr import Local, as_term, make_fresh_local
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.verifier.questions.claims import Spec, TargetReader
from playproof.verifier.questions.conditions import (
    CellReference,
    ConditionReader,
    ConditionTree,
    NameReference,
    Unreadable,
    parse_condition_text_to_tree,
)

KEYS = ("when", "needs", "legal", "changes", "leads", "only", "can")
_SAYS = KEYS[1:]
_PHASE = 0
"""The cell that says which phase it is. Every step may change it."""
_TRUE = as_term(1)


@dataclass(frozen=True)
class NumberChange:
    """A number that a decision changes, and the amount."""

    number: Term
    amount: Term


@dataclass(frozen=True)
class AllowedChanges:
    """The cells that a step may change, besides the phase: whole `fields`, by number, and single cells, each with
    the number of its place in the state."""

    fields: frozenset[int]
    places: tuple[Term, ...]

    def list_cells_outside_allowed_fields(self, game: Game) -> list[int]:
        """Return the cells of a state that the step leaves alone unless one of `places` means them."""
        mine = (f for f in game.fields if f.number not in self.fields)
        return [cell for f in mine for cell in range(f.offset, f.offset + f.size) if cell != _PHASE]


@dataclass(frozen=True)
class Law:
    """A law that every decision in `idents`, or every run of the automatic `phase`, obeys. With
    `possible`, the law says instead that one of those decisions is legal whenever `when` holds.

    `legal` is the condition, over the state and the parameters, under which each of `idents` is legal and without
    which none is. `before` are names in `leads` and in the numbers of `changes` for what terms were before the step."""

    idents: frozenset[int]
    when: Term
    phase: int | None = None
    needs: Term = _TRUE
    leads: Term = _TRUE
    changes: tuple[NumberChange, ...] = ()
    possible: frozenset[int] | None = None
    only: AllowedChanges | None = None
    before: tuple[tuple[Local, Term], ...] = ()
    legal: Term | None = None

    @property
    def terms(self) -> list[Term]:
        """Every term of the law."""
        own = [t for c in self.changes for t in (c.number, c.amount)]
        own += [t for _, t in self.before] + list(self.only.places if self.only else ())
        own += [self.legal] if self.legal is not None else []
        return [self.when, self.needs, self.leads, *own]


class _ParameterConditionReader(ConditionReader):
    """Reads conditions that may name an action's parameters."""

    def __init__(self, game: Game, where: Where, parameters: Mapping[str, Local]) -> None:
        super().__init__(game, where)
        self.parameters = parameters

    def allowed_change_texts_to_cells(self, field_and_cell_texts: Any) -> AllowedChanges:
        """Return what a step may change at most. Raises InputError."""
        if not isinstance(field_and_cell_texts, list):
            raise self.wrong(f"expected `only` as a list of fields and cells, found {field_and_cell_texts!r}")
        fields, places = set[int](), list[Term]()
        for text in map(str, field_and_cell_texts):
            array, place = self._text_to_field_and_cell_index(text)
            if place is None:
                fields.add(array.number)
            else:
                places.append(as_term(place + array.offset))
        return AllowedChanges(frozenset(fields), tuple(places))

    def _text_to_field_and_cell_index(self, field_or_cell_text: str) -> tuple[Field, Term | None]:
        """Return a field, and the number of its cell if one is named. Raises InputError."""
        try:
            node = parse_condition_text_to_tree(field_or_cell_text)
        except Unreadable as error:
            raise self.wrong(f"`{field_or_cell_text}`: {error}", error.hint) from None
        if isinstance(node, CellReference):
            array, place = self.resolve_cell_to_array_and_index(node)
            if not isinstance(array, Table):
                return array, place
        handle = self.game.handles.get(node.text) if isinstance(node, NameReference) else None
        if handle is None:
            raise self.wrong(
                f"`{field_or_cell_text}` is no field of {self.game.name}",
                make_nearest_or_possible_words_hint(field_or_cell_text, self.game.handles),
            )
        return handle.field, None

    def find_term_of_name_or_raise(self, name: str) -> Term:
        parameter = self.parameters.get(name)
        return super().find_term_of_name_or_raise(name) if parameter is None else parameter

    def list_names_read_before_values(self) -> list[str]:
        return [*self.parameters, *super().list_names_read_before_values()]


class _AfterStepReader(_ParameterConditionReader):
    """Reads what is said of the state after a step, which may be compared with what `was` before. With `chosen`, the
    place of a cell is the one before the step too."""

    def __init__(self, game: Game, where: Where, parameters: Mapping[str, Local]) -> None:
        super().__init__(game, where, parameters)
        self.chosen = False
        self.earlier: list[tuple[Local, Term]] = []
        self._before = False

    def before_step_tree_to_term(self, node: ConditionTree) -> Term:
        if self._before:
            return self.condition_tree_to_term(node)
        self._before = True
        try:
            term = self.condition_tree_to_term(node)
        finally:
            self._before = False
        counters = [name for name, local in self.counters.items() if local in term.locals]
        if term.reads and counters:
            hint = "name what may change by `only`"
            raise self.wrong(f"`was(...)` cannot speak of the counter `{counters[0]}`", hint)
        if not term.reads:
            return term
        name = make_fresh_local("was", term.lo, term.hi, counts=False)
        self.earlier.append((name, term))
        return name

    def index_tree_to_term(self, node: ConditionTree) -> Term:
        return self.before_step_tree_to_term(node) if self.chosen else super().index_tree_to_term(node)


def law_spec_to_law(game: Game, law_spec: Spec, where: Where | None = None) -> Law:
    """Return the law that a specification states. Raises InputError if it cannot be understood."""
    place = where or Where(game.name)
    if not isinstance(law_spec, Mapping):
        raise _make_law_input_error(
            place, f"expected a law of steps, found {law_spec!r}", "write {action: ..., changes: {...}}"
        )
    target = {k: v for k, v in law_spec.items() if k not in KEYS}
    if not set(law_spec) & set(_SAYS):
        raise _make_law_input_error(place, "the law says nothing", "give it needs, legal, changes, leads, only or can")
    reader = TargetReader(game, place)
    if "can" in law_spec:
        if target or set(law_spec) - {"when", "can"}:
            raise _make_law_input_error(place, "`can` stands with `when` alone", "make two claims")
        when = reader.formula.condition_text_to_term(str(law_spec.get("when", "1 == 1")))
        return Law(frozenset(), when, possible=_collect_ground_actions_of_law(reader, law_spec["can"]))
    phase = _get_number_of_automatic_phase_or_raise(game, place, target.pop("phase")) if "phase" in target else None
    if target and phase is not None:
        raise _make_law_input_error(place, "a law speaks of actions or of a phase", "make two claims")
    if phase is not None and "legal" in law_spec:
        raise _make_law_input_error(place, "nobody decides on a phase, so it is never `legal`", "name an action")
    idents = _collect_ground_actions_of_law(reader, target) if phase is None else frozenset[int]()
    parameters = _get_parameters_of_only_action_or_empty(game, idents)
    formula, after = (_ParameterConditionReader(game, place, parameters), _AfterStepReader(game, place, parameters))
    changes = {} if law_spec.get("changes") is None else law_spec["changes"]
    if not isinstance(changes, Mapping):
        raise _make_law_input_error(place, f"expected `changes` as `number: by how much`, found {changes!r}")

    def read(key: str, by: ConditionReader = formula) -> Term:
        return by.condition_text_to_term(str(law_spec[key])) if key in law_spec else _TRUE

    leads = read("leads", after)
    after.chosen, reader.formula = True, after
    changed = tuple(
        NumberChange(reader.number_text_to_term(str(n)), formula.condition_text_to_term(str(by)))
        for n, by in changes.items()
    )
    return Law(
        idents,
        read("when"),
        phase,
        read("needs"),
        leads,
        changed,
        only=formula.allowed_change_texts_to_cells(law_spec["only"]) if "only" in law_spec else None,
        before=tuple(after.earlier),
        legal=read("legal") if "legal" in law_spec else None,
    )


def _get_number_of_automatic_phase_or_raise(game: Game, where: Where, phase_name: object) -> int:
    """Return the number of an automatic phase. Raises InputError."""
    numbers = {phase.name: phase.number for phase in game.phases if phase.automatic}
    if phase_name not in numbers:
        raise _make_law_input_error(
            where,
            f"there is no automatic phase `{phase_name}`",
            make_nearest_or_possible_words_hint(str(phase_name), numbers),
        )
    return numbers[str(phase_name)]


def _collect_ground_actions_of_law(reader: TargetReader, action_target: Any) -> frozenset[int]:
    """Return the ground actions of a target, or of a list of action names. Raises InputError."""
    if isinstance(action_target, Mapping) and isinstance(action_target.get("action"), list):
        if not action_target["action"]:  # no decision breaks a law about none
            raise _make_law_input_error(reader.where, "the law speaks of an empty list of actions", "name the actions")
        actions = (
            reader.read_single_target_of_spec({**action_target, "action": name}) for name in action_target["action"]
        )
        return frozenset().union(*(action.idents or frozenset() for action in actions))
    idents = reader.read_single_target_of_spec(action_target).idents
    if idents is None:
        raise _make_law_input_error(reader.where, "a law of steps speaks of an action", "name it with `action: ...`")
    return idents


def _get_parameters_of_only_action_or_empty(game: Game, action_ids: frozenset[int]) -> dict[str, Local]:
    """Return the parameters that a condition may name: those of the action, if the law is about one
    action only."""
    actions = [a for a in game.actions if not action_ids.isdisjoint(a.idents)]
    return {p.local.name: p.local for p in actions[0].params} if len(actions) == 1 else {}


def _make_law_input_error(place: Where, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding("PP701", place, message, hint)
