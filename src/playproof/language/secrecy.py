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
from playproof.language.expr import Apply, Local, Read, Term, children
from playproof.language.fields import Field, Sees
from playproof.language.parts import Action, Parameter, Phase
from playproof.language.traced_statements import Assign, If, Invoke, Keep, Loop, Require, Statement

Names = str | Iterable[str]
_Params = frozenset[int]
_Env = Mapping[int, _Params]
_NONE: _Params = frozenset()


@dataclass
class Leads:
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

    def note(self, sources: _Params, to: Field, *, steered: _Params = _NONE, written: bool = False) -> None:
        """Note that sources lead to a field. A source is a parameter's number, or a number below 0
        for a hidden field."""
        params = {number for number in sources if number >= 0}
        if to.sees is Sees.ALL:
            for number in params if written else ():
                self.outlets.setdefault(number, set()).add(to)
            return
        for number in params:
            self.reaches.setdefault(number, set()).add(to)
        for number in params | {n for n in steered if n >= 0}:
            self.steers.setdefault(number, set()).add(to)


class _Walk:
    """One walk over an action's body. `env` maps each local to the sources of its value:
    parameters, and `hidden` fields (field number n is the source -1 - n)."""

    def __init__(self, hidden: Mapping[int, Field]) -> None:
        self.leads, self.hidden = Leads(), hidden
        self._of_calls: dict[tuple[int, tuple[_Params, ...]], _Params] = {}

    def body(self, statements: Sequence[Statement], env: dict[int, _Params], under: _Params) -> None:
        for statement in statements:
            match statement:
                case Assign(to, index, value, _):
                    sources = self.term(index, env) | self.term(value, env)
                    self.leads.note(sources, to, steered=under, written=True)
                    if to.sees is Sees.ALL:
                        self.leads.reveals |= {(self.hidden[-1 - n], to) for n in sources if n < 0}
                        self.leads.implies |= {(self.hidden[-1 - n], to) for n in under if n < 0}
                case Keep(local, value, _):
                    env[local.number] = env.get(local.number, _NONE) | self.term(value, env)
                case Require(condition, _, _, args, _):
                    for term in (condition, *args):
                        self.term(term, env)
                case If(condition, then, other):
                    deeper = under | self.term(condition, env)
                    self.body(then, env, deeper)
                    self.body(other, env, deeper)
                case Loop(_, _, _, inner):
                    self.body(inner, env, under)
                    self.body(inner, env, under)  # what a later pass keeps may come from an earlier one
                case Invoke(procedure, args, _):
                    arguments = {
                        p.number: self.term(a, env) for p, a in zip(procedure.params, args, strict=True)
                    }
                    self.body(procedure.body, arguments, under)

    def term(self, term: Term, env: _Env) -> _Params:
        """Return the sources of a value; note each field that is read on the way."""
        if not term.locals and not self.hidden.keys() & term.reads.keys():
            return _NONE
        if isinstance(term, Local):
            return env.get(term.number, _NONE)
        below = [self.term(child, env) for child in children(term)]
        if isinstance(term, Apply):
            return self._applied(term, tuple(below))
        sources = _NONE.union(*below)
        if isinstance(term, Read):
            self.leads.note(sources, term.field)
            if term.field.number in self.hidden:
                return sources | {-1 - term.field.number}
        return sources

    def _applied(self, term: Apply, arguments: tuple[_Params, ...]) -> _Params:
        key = (term.function.number, arguments)
        if key not in self._of_calls:
            env = {p.number: params for p, params in zip(term.function.params, arguments, strict=True)}
            self._of_calls[key] = self.term(term.function.body, env)
        return self._of_calls[key]


def leads_of(params: Sequence[Parameter], body: Sequence[Statement], hidden: Iterable[Field] = ()) -> Leads:
    """Return where the parameters of a body lead, and which `hidden` fields the body shows to
    all."""
    walk = _Walk({held.number: held for held in hidden})
    walk.body(body, {p.local.number: frozenset((p.local.number,)) for p in params}, _NONE)
    return walk.leads


@cache
def open_params(action: Action) -> frozenset[str]:
    """Return the parameters of a chance action that everybody sees, such as a die or an open card,
    because they lead to no hidden field."""
    steers = leads_of(action.params, action.body).steers
    return frozenset(p.local.name for p in action.params if not steers.get(p.local.number)) | action.public


def declared(
    name: str, params: Sequence[Parameter], secret: bool | Names, public: bool | Names
) -> tuple[bool, frozenset[str], frozenset[str]]:
    """Return whether the action as a whole is secret, and its secret and public parameters.

    `True` names all parameters. Raises RulesError for a name that is not a parameter, or that is
    declared as both.
    """
    every = frozenset(p.local.name for p in params)
    hidden = _named(secret, every)
    announced = _named(public, every)
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


def _named(declaration: bool | Names, every: frozenset[str]) -> frozenset[str]:
    if isinstance(declaration, bool):
        return every if declaration else frozenset()
    return frozenset((declaration,)) if isinstance(declaration, str) else frozenset(declaration)


def undeclared(actions: Iterable[Action], phases: Sequence[Phase]) -> Iterator[RulesError]:
    """PP349: yield players' parameters that lead to hidden fields and are declared neither secret
    nor public."""
    for action in actions:
        if phases[action.phases[0]].chance:
            continue
        reaches = leads_of(action.params, action.body).reaches
        for parameter in action.params:
            name, fields = parameter.local.name, reaches.get(parameter.local.number)
            if fields and name not in action.secret | action.public:
                yield _undeclared(action.name, name, fields, action.place)


def _undeclared(action: str, name: str, fields: Iterable[Field], place: Place) -> RulesError:
    hidden = ", ".join(sorted(f"`{f.name}`" for f in fields))
    message = (
        f"`{name}` of action `{action}` leads to {hidden}, which not every player sees, "
        "and the action does not say whether the others see the choice"
    )
    return RulesError(
        "PP349", message, f'write public="{name}" or secret="{name}" in the action', place=place
    )
