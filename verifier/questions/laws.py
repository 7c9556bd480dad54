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
from typing import Any

from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import Table
from playproof.language.expr import Local
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import ClaimTerm
from playproof.verifier.kernel.laws import Law, build_law, get_parameters_of_only_action_or_empty
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.questions.claims import Spec
from playproof.verifier.questions.conditions import (
    CellReference,
    ConditionReader,
    ConditionTree,
    NameReference,
    Unreadable,
    parse_condition_text_to_tree,
)
from playproof.verifier.questions.targets import TargetReader

KEYS = ("when", "needs", "legal", "changes", "leads", "only", "can")
_SAYS = KEYS[1:]


class _ParameterConditionReader(ConditionReader):
    """Reads conditions that may name an action's parameters."""

    def __init__(self, game: Game, where: Where, parameters: Mapping[str, Local]) -> None:
        super().__init__(game, where)
        self.builder.parameters = parameters

    def allowed_change_texts_to_data(self, field_and_cell_texts: Any) -> list[ClaimTerm]:
        """Return what a step may change at most. Raises InputError."""
        if not isinstance(field_and_cell_texts, list):
            raise self.wrong(f"expected `only` as a list of fields and cells, found {field_and_cell_texts!r}")
        return [self._field_or_cell_text_to_data(text) for text in map(str, field_and_cell_texts)]

    def _field_or_cell_text_to_data(self, field_or_cell_text: str) -> ClaimTerm:
        """Return a field, or one of its cells. Raises InputError."""
        try:
            node = parse_condition_text_to_tree(field_or_cell_text)
        except Unreadable as error:
            raise self.wrong(f"`{field_or_cell_text}`: {error}", error.hint) from None
        if isinstance(node, CellReference) and not isinstance(self.require_cell_in_array(node), Table):
            return self.condition_tree_to_data(node)
        handle = self.game.handles.get(node.text) if isinstance(node, NameReference) else None
        if handle is None:
            raise self.wrong(
                f"`{field_or_cell_text}` is no field of {self.game.name}",
                make_nearest_or_possible_words_hint(field_or_cell_text, self.game.handles),
            )
        return ["field", handle.field.name]


class _AfterStepReader(_ParameterConditionReader):
    """Reads what is said of the state after a step, which may be compared with what `was` before. With `chosen`, the
    place of a cell is the one before the step too."""

    def __init__(self, game: Game, where: Where, parameters: Mapping[str, Local]) -> None:
        super().__init__(game, where, parameters)
        self.chosen = False
        self.builder.earlier = []

    def before_step_tree_to_data(self, node: ConditionTree) -> ClaimTerm:
        data = self.condition_tree_to_data(node)
        term = self.builder.build_term(data)
        counters = [name for name, local in self.counters.items() if local in term.locals]
        if term.reads and counters:
            hint = "name what may change by `only`"
            raise self.wrong(f"`was(...)` cannot speak of the counter `{counters[0]}`", hint)
        return data if isinstance(data, list) and data[0] == "was" else ["was", data]

    def index_tree_to_data(self, node: ConditionTree) -> ClaimTerm:
        data = super().index_tree_to_data(node)
        if not self.chosen or not self.builder.build_term(data).reads:
            return data
        return self.before_step_tree_to_data(node)


def law_spec_to_law(game: Game, law_spec: Spec, where: Where | None = None) -> Law:
    """Return the law that a specification states. Raises InputError if it cannot be understood."""
    return build_law(game, law_spec_to_data(game, law_spec, where))


def law_spec_to_data(game: Game, law_spec: Spec, where: Where | None = None) -> Json:
    """Return the law that a specification states as data. Raises InputError if it cannot be understood."""
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
        when = reader.formula.condition_text_to_data(str(law_spec.get("when", "1 == 1")))
        return {"actions": [], "when": when, "can": sorted(_collect_ground_actions_of_law(reader, law_spec["can"]))}
    phase = _get_number_of_automatic_phase_or_raise(game, place, target.pop("phase")) if "phase" in target else None
    if target and phase is not None:
        raise _make_law_input_error(place, "a law speaks of actions or of a phase", "make two claims")
    if phase is not None and "legal" in law_spec:
        raise _make_law_input_error(place, "nobody decides on a phase, so it is never `legal`", "name an action")
    idents = _collect_ground_actions_of_law(reader, target) if phase is None else frozenset[int]()
    parameters = get_parameters_of_only_action_or_empty(game, idents)
    formula, after = (_ParameterConditionReader(game, place, parameters), _AfterStepReader(game, place, parameters))
    changes = {} if law_spec.get("changes") is None else law_spec["changes"]
    if not isinstance(changes, Mapping):
        raise _make_law_input_error(place, f"expected `changes` as `number: by how much`, found {changes!r}")
    data: dict[str, Json] = {"actions": sorted(idents)}
    for key, by in (("leads", after), ("when", formula), ("needs", formula), ("legal", formula)):
        if key in law_spec:
            data[key] = by.condition_text_to_data(str(law_spec[key]))
    after.chosen, reader.formula = True, after
    data |= {} if phase is None else {"phase": phase}
    if changes:
        data["changes"] = [
            [reader.number_text_to_data(str(n)), formula.condition_text_to_data(str(by))] for n, by in changes.items()
        ]
    if "only" in law_spec:
        data["only"] = formula.allowed_change_texts_to_data(law_spec["only"])
    return data


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


def _make_law_input_error(place: Where, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding("PP701", place, message, hint)
