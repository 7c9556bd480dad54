"""What a game declares beside its rules: facts with `g.fact(...)`, and which parameters are public or
secret, with the checks that both name what exists.

A player's parameter that leads to such a field must be declared `public` or `secret` (PP349), since
the field alone does not say whether the others watch: they see a card played from a hidden hand,
but not a card passed under the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from types import UnionType
from typing import (
    Annotated,
    Any,
    NamedTuple,
    TypedDict,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from playproof.database.errors import find_nearest_word_or_empty, make_nearest_or_possible_words_hint
from playproof.language.errors import Place, RulesError
from playproof.language.expr import Apply, Local, Operand, Read, Term, Value, as_term, get_child_terms
from playproof.language.fields import Field, Sees
from playproof.language.parts import Action, Parameter, Phase
from playproof.language.statements import Assign, If, Invoke, Keep, Loop, Require, Statement

# The facts that a game may declare with `g.fact(...)`, and the checks that they name things that exist.


class Campaign(TypedDict, total=False):
    """How games follow each other. Each may be left out.

    `before` and `after` are pages, each a title with its paragraphs: told before the game, and after a win.
    `won` and `lost` are the options that the following game changes; a game without `won` is the last, and
    one without `lost` begins again as it was. `carried` says for each thing whether it is carried on (not 0).
    The option called `into` takes their names; those in `ordered` come in the order that the player likes.
    """

    before: Mapping[str, Sequence[str]]
    after: Mapping[str, Sequence[str]]
    won: Mapping[str, str]
    lost: Mapping[str, str]
    carried: Mapping[str, Value]
    ordered: Sequence[str]
    into: str


class Facts(TypedDict, total=False):
    """The facts that a game may declare, and who reads each."""

    beside: Annotated[Mapping[str, str], 'what lies beside the thing in a place of an array: `{"slot": "guard"}`']
    boards: Annotated[
        Sequence[Mapping[str, Any]],
        "boards on which several fields lie: rows, columns, places, and a mark for each field",
    ]
    campaign: Annotated[
        Campaign, "what is told before and after the game, which game follows a win, and what is carried into it"
    ]
    common: Annotated[Sequence[str], "arrays that belong to all players, although they have one place per seat"]
    each: Annotated[Sequence[str], "arrays drawn place by place, not place by value"]
    ends_within: Annotated[int, "the most decisions of a game, if there is such a bound"]
    evaluate: Annotated[
        Value | Sequence[Value],
        "how good a state is: one expression, or one per seat; greedy players and searches use it",
    ]
    exchangeable: Annotated[Sequence[Any], "hidden cards that may change places, for bots that imagine them (PP805)"]
    families: Annotated[
        Mapping[str, Mapping[str, Any]],
        "members of `{every: WORD}` in claims: word, then member, then what is claimed of it",
    ]
    grid: Annotated[
        Mapping[str, int | Sequence[Sequence[int | None]]],
        "a board's columns, or its rows as lists of cells (None is a gap), by array",
    ]
    hidden: Annotated[Sequence[str], "bookkeeping fields, which are not drawn"]
    invariants: Annotated[Mapping[str, Value], "conditions that always hold, by name, for claims"]
    names: Annotated[Mapping[str, Sequence[Any]], "names of an array's places, by array: a list, or one per dimension"]
    only: Annotated[Mapping[str, str], "a field or text that is drawn only while a quantity is not 0"]
    own: Annotated[Mapping[str, Any], "the game's own facts, by name; Playproof does not use them"]
    round: Annotated[str, "the quantity that counts rounds"]
    seats: Annotated[Sequence[str], "what the seats are called"]
    show: Annotated[Sequence[str], "quantities drawn beside the table"]
    sizes: Annotated[Mapping[str, str], "the field that says how many hidden cards there are, by the hidden field"]
    steps_within: Annotated[int, "the most steps of a game, with those of chance, if there is such a bound"]
    texts: Annotated[
        Mapping[str, str], 'lines made of fields, which are then not drawn elsewhere: `{"region": "{colour} {level}"}`'
    ]
    title: Annotated[str, "the title, if no game.yaml gives it"]
    titles: Annotated[Mapping[str, str], "what fields are called on the table"]
    together: Annotated[
        Mapping[str, Sequence[Value]],
        "phases in which all choose at once: for each seat, whether it has still to choose (`Together` declares it)",
    ]
    totals: Annotated[Sequence[str], "arrays of which only the sum is drawn"]
    values: Annotated[Mapping[str, Sequence[str]], "names of a field's numbers, by field"]


_HINTS = get_type_hints(Facts, localns={"Operand": Operand}, include_extras=True)  # Value names it
FACTS: Mapping[str, str] = {name: hint.__metadata__[0] for name, hint in _HINTS.items()}
"""What each fact says, by name."""
_OF_FIELDS = ("beside", "common", "each", "grid", "hidden", "names", "sizes", "titles", "totals", "values")
_OF_QUANTITIES = ("round", "show")
_NEEDED = ("round",)  # the others may speak of what only some cards or options bring
_MOST_COMPARED = 1_000_000  # pairs of names
_SO_NEAR = 0.8  # a name that differs in a letter or two is a slip of the pen


def has_declared_fact_type(value: object, hint: Any) -> bool:
    """Return whether a fact, or a part of it, has the type that `Facts` declares."""
    parts, kind = get_args(hint), get_origin(hint)
    if hint is Any:
        return True
    if kind in (Union, UnionType):
        return any(has_declared_fact_type(value, each) for each in parts)
    if kind is Mapping:
        return isinstance(value, Mapping) and all(has_declared_fact_type(part, parts[1]) for part in value.values())
    if kind is Sequence:
        return isinstance(value, list | tuple) and all(has_declared_fact_type(part, parts[0]) for part in value)
    if is_typeddict(hint):
        hints = get_type_hints(hint, localns={"Operand": Operand})
        return isinstance(value, Mapping) and all(
            name in hints and has_declared_fact_type(part, hints[name]) for name, part in value.items()
        )
    return isinstance(value, hint)


def get_declared_fact_type(name: str) -> Any:
    """Return the type that `Facts` declares for a fact."""
    return get_args(_HINTS[name])[0]


def refuse_unknown_fact_names(names: Iterable[str]) -> None:
    """Refuse a fact that nothing reads."""
    for name in names:
        if name not in FACTS:
            near = find_nearest_word_or_empty(name, FACTS)
            hint = f'did you mean "{near}"?' if near else f"a fact of your own goes into `own={{{name!r}: ...}}`"
            raise RulesError("PP338", f"there is no fact called `{name}`", hint)


def iter_fact_errors(
    facts: Facts, game_fields: Sequence[Field], quantity_names: Sequence[str], place: Place
) -> Iterator[RulesError]:
    """Yield an error for each fact that names none of a game's fields or quantities, or too few of a field's values or
    places."""
    fields = [each.name for each in game_fields]
    for name in facts.get("campaign", {}):
        if name not in Campaign.__annotations__:
            yield RulesError(
                "PP338",
                f"the fact `campaign` has no part called `{name}`",
                make_nearest_or_possible_words_hint(name, Campaign.__annotations__),
                place,
            )
    for name, value in facts.items():
        yield from (
            make_fact_not_storable_error(name, part, place) for part in _iter_fact_parts_not_storable_as_json(value)
        )
    yield from _iter_misspelt_or_needed_name_errors(facts, _OF_FIELDS, "field", fields, place)
    yield from _iter_misspelt_or_needed_name_errors(facts, _OF_QUANTITIES, "quantity", quantity_names, place)
    for each in game_fields:
        yield from _iter_errors_of_incomplete_name_lists(facts, each, place)


def _iter_errors_of_incomplete_name_lists(facts: Facts, named_field: Field, place: Place) -> Iterator[RulesError]:
    """Yield an error for each list of names that has less of them than a field has values, or places: what follows
    would have no name on the table and in no message."""
    name = named_field.name
    lists = [("values", "values", facts.get("values", {}).get(name), named_field.hi - named_field.lo + 1)]
    declared = facts.get("names", {}).get(name)
    if declared is not None and named_field.shape:
        is_flat = all(isinstance(each, str) for each in declared)
        sizes = named_field.shape[-1:] if is_flat else named_field.shape
        parts = [declared] if is_flat else declared
        lists += [("names", "places", part, size) for part, size in zip(parts, sizes, strict=False) if part is not None]
    for fact, what, names, wanted in lists:
        if names is not None and not isinstance(names, str) and len(names) < wanted:
            yield RulesError(
                "PP387",
                f"the fact `{fact}` has {len(names)} of the {wanted} {what} of `{name}`",
                _format_hint_to_complete_names(named_field, fact, len(names)),
                place,
            )


def _format_hint_to_complete_names(named_field: Field, names_or_values: str, count_of_given_names: int) -> str:
    if names_or_values == "names":
        return "name every place, in their order"
    least = f"; the first is of {named_field.lo}, its least" if count_of_given_names else ""
    return f"name every value from {named_field.lo} to {named_field.hi}, in their order{least}"


def _iter_fact_parts_not_storable_as_json(value: object) -> Iterator[object]:
    """Yield each part of a fact that the description's file cannot hold."""
    match value:
        case None | bool() | str() | int() | Operand():
            return
        case Mapping():
            yield from (key for key in value if not isinstance(key, str))
            yield from (part for below in value.values() for part in _iter_fact_parts_not_storable_as_json(below))
        case list() | tuple():
            yield from (part for below in value for part in _iter_fact_parts_not_storable_as_json(below))
        case _:
            yield value


def make_fact_not_storable_error(fact_name: str, value: object, place: Place) -> RulesError:
    """Return the error for a fact that the description's file cannot hold."""
    return RulesError(
        "PP338",
        f"the fact `{fact_name}` holds {value!r}, which is no data",
        "facts hold whole numbers, truth values, texts, values of the state, and lists and mappings of these; "
        "the keys of a mapping are texts",
        place,
    )


def _iter_misspelt_or_needed_name_errors(
    facts: Facts, fact_names: Iterable[str], kind: str, existing_names: Sequence[str], place: Place
) -> Iterator[RulesError]:
    """Yield an error for each name in the facts `fact_names` that is not among `existing_names`, all of one `kind`."""
    for fact in fact_names:
        declared = cast(str | Iterable[str], facts.get(fact) or ())
        names = [declared] if isinstance(declared, str) else declared
        there = set(existing_names)
        unknown = [name for name in names if name not in there]
        if len(unknown) * len(existing_names) > _MOST_COMPARED and fact not in _NEEDED:
            continue  # no person has written so many
        for name in unknown:
            # Most facts may name what only some variants have; there a name is wrong only if it
            # looks misspelt.
            if fact in _NEEDED or _is_likely_misspelling(name, existing_names):
                hint = make_nearest_or_possible_words_hint(name, existing_names) or f"declare the {kind} first"
                yield RulesError("PP338", f"the fact `{fact}` names {name!r}, which is no {kind}", hint, place)


def get_evaluation_terms(facts: Facts) -> tuple[Term, ...] | None:
    """Return the declared evaluation, one term per seat (or one for all), or None if the game
    declares none."""
    declared = facts.get("evaluate")
    if declared is None:
        return None
    values = declared if isinstance(declared, Sequence) else [declared]
    return tuple(map(as_term, values))


def _is_likely_misspelling(name: str, existing_names: Iterable[str]) -> bool:
    near = find_nearest_word_or_empty(name, existing_names)
    return bool(near) and SequenceMatcher(None, name, near).ratio() > _SO_NEAR


# -- secrecy -------------------------------------------------------------------------------------------------
# Tracks where an action's parameters lead: the hidden fields that a parameter indexes or is stored in.

FieldNames = str | Iterable[str]
_SourceNumbers = frozenset[int]
_SourcesByLocal = Mapping[int, _SourceNumbers]
_NONE: _SourceNumbers = frozenset()


@dataclass
class ParameterFlow:
    """Maps from a parameter's local number to fields. `reaches` holds the hidden fields that the
    parameter leads to by index or value. `steers` holds these and the hidden fields written under a
    condition on the parameter. `outlets` holds the fields seen by all that the parameter is written
    to. `reveals` holds pairs: a hidden field, and a field seen by all into which its content is
    written. `implies` holds such pairs where the content decides whether or what is written."""

    reaches: dict[int, set[Field]] = field(default_factory=dict)
    steers: dict[int, set[Field]] = field(default_factory=dict)
    outlets: dict[int, set[Field]] = field(default_factory=dict)
    reveals: set[tuple[Field, Field]] = field(default_factory=set)
    implies: set[tuple[Field, Field]] = field(default_factory=set)

    def record_flow_into_field(
        self,
        source_numbers: _SourceNumbers,
        field: Field,
        *,
        steering_sources: _SourceNumbers = _NONE,
        is_written: bool = False,
    ) -> None:
        """Note that sources lead to a field. A source is a parameter's number, or a number below 0
        for a hidden field."""
        params = {number for number in source_numbers if number >= 0}
        if field.sees is Sees.ALL:
            for number in params if is_written else ():
                self.outlets.setdefault(number, set()).add(field)
            return
        for number in params:
            self.reaches.setdefault(number, set()).add(field)
        for number in params | {n for n in steering_sources if n >= 0}:
            self.steers.setdefault(number, set()).add(field)


class _ParameterFlowWalker:
    """One walk over an action's body. `env` maps each local to the sources of its value:
    parameters, and `hidden` fields (field number n is the source -1 - n)."""

    def __init__(self, hidden: Mapping[int, Field]) -> None:
        self.leads, self.hidden = ParameterFlow(), hidden
        self._of_calls: dict[tuple[int, tuple[_SourceNumbers, ...]], _SourceNumbers] = {}

    def record_flow_of_statements(
        self,
        statements: Sequence[Statement],
        sources_by_local: dict[int, _SourceNumbers],
        condition_sources: _SourceNumbers,
    ) -> None:
        for statement in statements:
            match statement:
                case Assign(to, index, value, _):
                    sources = self.find_source_numbers_and_record_reads(
                        index, sources_by_local
                    ) | self.find_source_numbers_and_record_reads(value, sources_by_local)
                    self.leads.record_flow_into_field(sources, to, steering_sources=condition_sources, is_written=True)
                    if to.sees is Sees.ALL:
                        self.leads.reveals |= {(self.hidden[-1 - n], to) for n in sources if n < 0}
                        self.leads.implies |= {(self.hidden[-1 - n], to) for n in condition_sources if n < 0}
                case Keep(local, value, _):
                    sources_by_local[local.number] = sources_by_local.get(
                        local.number, _NONE
                    ) | self.find_source_numbers_and_record_reads(value, sources_by_local)
                case Require(condition, _, _, args, _):
                    for term in (condition, *args):
                        self.find_source_numbers_and_record_reads(term, sources_by_local)
                case If(condition, then, other):
                    deeper = condition_sources | self.find_source_numbers_and_record_reads(condition, sources_by_local)
                    self.record_flow_of_statements(then, sources_by_local, deeper)
                    self.record_flow_of_statements(other, sources_by_local, deeper)
                case Loop(_, _, _, inner):
                    self.record_flow_of_statements(inner, sources_by_local, condition_sources)
                    self.record_flow_of_statements(
                        inner, sources_by_local, condition_sources
                    )  # what a later pass keeps may come from an earlier one
                case Invoke(procedure, args, _):
                    arguments = {
                        p.number: self.find_source_numbers_and_record_reads(a, sources_by_local)
                        for p, a in zip(procedure.params, args, strict=True)
                    }
                    self.record_flow_of_statements(procedure.body, arguments, condition_sources)

    def find_source_numbers_and_record_reads(self, term: Term, sources_by_local: _SourcesByLocal) -> _SourceNumbers:
        """Return the sources of a value; note each field that is read on the way."""
        if not term.locals and not self.hidden.keys() & term.reads.keys():
            return _NONE
        if isinstance(term, Local):
            return sources_by_local.get(term.number, _NONE)
        below = [self.find_source_numbers_and_record_reads(child, sources_by_local) for child in get_child_terms(term)]
        if isinstance(term, Apply):
            return self._get_or_find_source_numbers_of_call(term, tuple(below))
        sources = _NONE.union(*below)
        if isinstance(term, Read):
            self.leads.record_flow_into_field(sources, term.field)
            if term.field.number in self.hidden:
                return sources | {-1 - term.field.number}
        return sources

    def _get_or_find_source_numbers_of_call(
        self, call: Apply, argument_sources: tuple[_SourceNumbers, ...]
    ) -> _SourceNumbers:
        key = (call.function.number, argument_sources)
        if key not in self._of_calls:
            env = {p.number: params for p, params in zip(call.function.params, argument_sources, strict=True)}
            self._of_calls[key] = self.find_source_numbers_and_record_reads(call.function.body, env)
        return self._of_calls[key]


def trace_parameter_flow_into_fields(
    params: Sequence[Parameter], body: Sequence[Statement], hidden_fields: Iterable[Field] = ()
) -> ParameterFlow:
    """Return where the parameters of a body lead, and which `hidden_fields` fields the body shows to
    all."""
    walk = _ParameterFlowWalker({held.number: held for held in hidden_fields})
    walk.record_flow_of_statements(body, {p.local.number: frozenset((p.local.number,)) for p in params}, _NONE)
    return walk.leads


@cache
def find_names_of_public_chance_parameters(action: Action) -> frozenset[str]:
    """Return the parameters of a chance action that everybody sees, such as a die or an open card,
    because they lead to no hidden field."""
    steers = trace_parameter_flow_into_fields(action.params, action.body).steers
    return frozenset(p.local.name for p in action.params if not steers.get(p.local.number)) | action.public


class ActionSecrecy(NamedTuple):
    is_action_secret: bool
    secret_parameters: frozenset[str]
    public_parameters: frozenset[str]


def resolve_secrecy_declaration(
    action_name: str, params: Sequence[Parameter], secret: bool | FieldNames, public: bool | FieldNames
) -> ActionSecrecy:
    """Return whether the action as a whole is secret, and its secret and public parameters.

    `True` names all parameters. Raises RulesError for a name that is not a parameter, or that is
    declared as both.
    """
    every = frozenset(p.local.name for p in params)
    hidden = _resolve_declared_parameter_names(secret, every)
    announced = _resolve_declared_parameter_names(public, every)
    for unknown in sorted((hidden | announced) - every):
        raise RulesError(
            "PP373",
            f"action `{action_name}` declares `{unknown}` secret or public, which is no parameter of it",
            make_nearest_or_possible_words_hint(unknown, every) or "it has none",
        )
    if hidden & announced or (secret is True and public is True):
        both = ", ".join(sorted(hidden & announced)) or "itself"
        raise RulesError("PP373", f"action `{action_name}` declares {both} secret and public", "say one of the two")
    return ActionSecrecy(secret is True, hidden, announced)


def _resolve_declared_parameter_names(declaration: bool | FieldNames, all_names: frozenset[str]) -> frozenset[str]:
    if isinstance(declaration, bool):
        return all_names if declaration else frozenset()
    return frozenset((declaration,)) if isinstance(declaration, str) else frozenset(declaration)


def iter_undeclared_secrecy_errors(actions: Iterable[Action], phases: Sequence[Phase]) -> Iterator[RulesError]:
    """PP349: yield players' parameters that lead to hidden fields and are declared neither secret
    nor public."""
    for action in actions:
        if phases[action.phases[0]].chance:
            continue
        reaches = trace_parameter_flow_into_fields(action.params, action.body).reaches
        for parameter in action.params:
            name, fields = parameter.local.name, reaches.get(parameter.local.number)
            if fields and name not in action.secret | action.public:
                yield _make_undeclared_secrecy_error(action.name, name, fields, action.place)


def _make_undeclared_secrecy_error(
    action_name: str, parameter_name: str, fields: Iterable[Field], place: Place
) -> RulesError:
    hidden = ", ".join(sorted(f"`{f.name}`" for f in fields))
    message = (
        f"`{parameter_name}` of action `{action_name}` leads to {hidden}, which not every player sees, "
        "and the action does not say whether the others see the choice"
    )
    return RulesError(
        "PP349", message, f'write public="{parameter_name}" or secret="{parameter_name}" in the action', place=place
    )
