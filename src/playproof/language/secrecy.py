"""Tracks where an action's parameters lead: the hidden fields that a parameter indexes or is stored
in.

A player's parameter that leads to such a field must be declared `public` or `secret` (PP349), since
the field alone does not say whether the others watch: they see a card played from a hidden hand,
but not a card passed under the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from playproof.database.errors import did_you_mean
from playproof.language.errors import Place, RulesError
from playproof.language.expr import Apply, Local, Read, Term, get_child_terms
from playproof.language.fields import Field, Sees
from playproof.language.parts import Action, Parameter, Phase
from playproof.language.traced_statements import Assign, If, Invoke, Keep, Loop, Require, Statement

FieldNames = str | Iterable[str]
_SourceNumbers = frozenset[int]
_SourcesByLocal = Mapping[int, _SourceNumbers]
_NONE: _SourceNumbers = frozenset()


@dataclass
class ParameterLeads:
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

    def record_lead(
        self, sources: _SourceNumbers, field: Field, *, steered: _SourceNumbers = _NONE, written: bool = False
    ) -> None:
        """Note that sources lead to a field. A source is a parameter's number, or a number below 0
        for a hidden field."""
        params = {number for number in sources if number >= 0}
        if field.sees is Sees.ALL:
            for number in params if written else ():
                self.outlets.setdefault(number, set()).add(field)
            return
        for number in params:
            self.reaches.setdefault(number, set()).add(field)
        for number in params | {n for n in steered if n >= 0}:
            self.steers.setdefault(number, set()).add(field)


class _LeadsWalker:
    """One walk over an action's body. `env` maps each local to the sources of its value:
    parameters, and `hidden` fields (field number n is the source -1 - n)."""

    def __init__(self, hidden: Mapping[int, Field]) -> None:
        self.leads, self.hidden = ParameterLeads(), hidden
        self._of_calls: dict[tuple[int, tuple[_SourceNumbers, ...]], _SourceNumbers] = {}

    def walk_body(
        self, statements: Sequence[Statement], env: dict[int, _SourceNumbers], under: _SourceNumbers
    ) -> None:
        for statement in statements:
            match statement:
                case Assign(to, index, value, _):
                    sources = self.find_sources(index, env) | self.find_sources(value, env)
                    self.leads.record_lead(sources, to, steered=under, written=True)
                    if to.sees is Sees.ALL:
                        self.leads.reveals |= {(self.hidden[-1 - n], to) for n in sources if n < 0}
                        self.leads.implies |= {(self.hidden[-1 - n], to) for n in under if n < 0}
                case Keep(local, value, _):
                    env[local.number] = env.get(local.number, _NONE) | self.find_sources(value, env)
                case Require(condition, _, _, args, _):
                    for term in (condition, *args):
                        self.find_sources(term, env)
                case If(condition, then, other):
                    deeper = under | self.find_sources(condition, env)
                    self.walk_body(then, env, deeper)
                    self.walk_body(other, env, deeper)
                case Loop(_, _, _, inner):
                    self.walk_body(inner, env, under)
                    self.walk_body(inner, env, under)  # what a later pass keeps may come from an earlier one
                case Invoke(procedure, args, _):
                    arguments = {
                        p.number: self.find_sources(a, env)
                        for p, a in zip(procedure.params, args, strict=True)
                    }
                    self.walk_body(procedure.body, arguments, under)

    def find_sources(self, term: Term, env: _SourcesByLocal) -> _SourceNumbers:
        """Return the sources of a value; note each field that is read on the way."""
        if not term.locals and not self.hidden.keys() & term.reads.keys():
            return _NONE
        if isinstance(term, Local):
            return env.get(term.number, _NONE)
        below = [self.find_sources(child, env) for child in get_child_terms(term)]
        if isinstance(term, Apply):
            return self._find_call_sources(term, tuple(below))
        sources = _NONE.union(*below)
        if isinstance(term, Read):
            self.leads.record_lead(sources, term.field)
            if term.field.number in self.hidden:
                return sources | {-1 - term.field.number}
        return sources

    def _find_call_sources(self, term: Apply, arguments: tuple[_SourceNumbers, ...]) -> _SourceNumbers:
        key = (term.function.number, arguments)
        if key not in self._of_calls:
            env = {p.number: params for p, params in zip(term.function.params, arguments, strict=True)}
            self._of_calls[key] = self.find_sources(term.function.body, env)
        return self._of_calls[key]


def find_parameter_leads(
    params: Sequence[Parameter], body: Sequence[Statement], hidden: Iterable[Field] = ()
) -> ParameterLeads:
    """Return where the parameters of a body lead, and which `hidden` fields the body shows to
    all."""
    walk = _LeadsWalker({held.number: held for held in hidden})
    walk.walk_body(body, {p.local.number: frozenset((p.local.number,)) for p in params}, _NONE)
    return walk.leads


@cache
def find_open_parameters(action: Action) -> frozenset[str]:
    """Return the parameters of a chance action that everybody sees, such as a die or an open card,
    because they lead to no hidden field."""
    steers = find_parameter_leads(action.params, action.body).steers
    return frozenset(p.local.name for p in action.params if not steers.get(p.local.number)) | action.public


def resolve_secrecy_declaration(
    name: str, params: Sequence[Parameter], secret: bool | FieldNames, public: bool | FieldNames
) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Return whether the action as a whole is secret, and its secret and public parameters.

    `True` names all parameters. Raises RulesError for a name that is not a parameter, or that is
    declared as both.
    """
    every = frozenset(p.local.name for p in params)
    hidden = _resolve_parameter_names(secret, every)
    announced = _resolve_parameter_names(public, every)
    for unknown in sorted((hidden | announced) - every):
        raise RulesError(
            "PP373",
            f"action `{name}` declares `{unknown}` secret or public, which is no parameter of it",
            did_you_mean(unknown, every) or "it has none",
        )
    if hidden & announced or (secret is True and public is True):
        both = ", ".join(sorted(hidden & announced)) or "itself"
        raise RulesError("PP373", f"action `{name}` declares {both} secret and public", "say one of the two")
    return secret is True, hidden, announced


def _resolve_parameter_names(declaration: bool | FieldNames, all_names: frozenset[str]) -> frozenset[str]:
    if isinstance(declaration, bool):
        return all_names if declaration else frozenset()
    return frozenset((declaration,)) if isinstance(declaration, str) else frozenset(declaration)


def iter_undeclared_errors(actions: Iterable[Action], phases: Sequence[Phase]) -> Iterator[RulesError]:
    """PP349: yield players' parameters that lead to hidden fields and are declared neither secret
    nor public."""
    for action in actions:
        if phases[action.phases[0]].chance:
            continue
        reaches = find_parameter_leads(action.params, action.body).reaches
        for parameter in action.params:
            name, fields = parameter.local.name, reaches.get(parameter.local.number)
            if fields and name not in action.secret | action.public:
                yield _make_undeclared_error(action.name, name, fields, action.place)


def _make_undeclared_error(action: str, name: str, fields: Iterable[Field], place: Place) -> RulesError:
    hidden = ", ".join(sorted(f"`{f.name}`" for f in fields))
    message = (
        f"`{name}` of action `{action}` leads to {hidden}, which not every player sees, "
        "and the action does not say whether the others see the choice"
    )
    return RulesError(
        "PP349", message, f'write public="{name}" or secret="{name}" in the action', place=place
    )
