"""A game as data: fields, phases, actions, endings. Built once by tracing, then read by every reading."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import product
from math import prod
from typing import Any

from rules.language.errors import Place, RulesError, caller
from rules.language.expr import Apply, Const, Function, Local, Nested, Operand, Table, Term, Value, as_term
from rules.language.fields import Array, Field, Labels, Sees, Var, label_names
from rules.language.trace import Assign, Invoke, Procedure, Statement, Tracer, fresh_local, walk

CHANCE = -1
_MANY = 4095
AUTOMATIC = -2
Over = int | range | Sequence[str] | type[IntEnum]
Body = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One choice inside an action: `low` plus `count` values, with names where they have any."""

    local: Local
    low: int
    count: int
    labels: tuple[str, ...]

    def show(self, value: int) -> str:
        """A value as people name it."""
        return self.labels[value - self.low] if self.labels else str(value)


@dataclass(frozen=True, slots=True)
class Action:
    """Something that may be done. Its ground actions are numbered `first .. first + count - 1`."""

    name: str
    number: int
    phases: tuple[int, ...]
    params: tuple[Parameter, ...]
    text: str | Callable[..., str]
    body: tuple[Statement, ...]
    weight: Term | None
    rules: tuple[str, ...]
    place: Place
    first: int

    @property
    def count(self) -> int:
        """Number of ground actions."""
        return prod(p.count for p in self.params)

    def values(self, ident: int) -> tuple[int, ...]:
        """The parameters' values of a ground action's number."""
        rest, values = ident - self.first, []
        for p in reversed(self.params):
            rest, digit = divmod(rest, p.count)
            values.append(p.low + digit)
        return tuple(reversed(values))

    def ident(self, values: Sequence[int]) -> int:
        """The ground action's number of the parameters' values."""
        number = 0
        for p, v in zip(self.params, values, strict=True):
            number = number * p.count + (v - p.low)
        return self.first + number

    def show(self, values: Sequence[int]) -> str:
        """The ground action in words, e.g. "mark 4"."""
        named = {p.local.name: p.show(v) for p, v in zip(self.params, values, strict=True)}
        if callable(self.text):
            plain = {p.local.name: v for p, v in zip(self.params, values, strict=True)}
            return self.text(**plain)
        return self.text.format(**named)


@dataclass(slots=True)
class Phase:
    """A moment of the game and who acts in it: a player (a term), chance, or nobody (automatic)."""

    name: str
    number: int
    actor: Term
    text: str = ""
    rules: tuple[str, ...] = ()
    actions: list[Action] = field(default_factory=list)
    body: tuple[Statement, ...] | None = None
    place: Place | None = None

    def __index__(self) -> int:
        return self.number

    @property
    def automatic(self) -> bool:
        """Whether the phase runs by itself."""
        return isinstance(self.actor, Const) and self.actor.value == AUTOMATIC

    @property
    def chance(self) -> bool:
        """Whether chance acts."""
        return isinstance(self.actor, Const) and self.actor.value == CHANCE


@dataclass(frozen=True, slots=True)
class Ending:
    """A way the game ends: kind win, loss, draw or scores; `winner` a term for the winning seat of a win."""

    number: int
    kind: str
    reason: str
    winner: Term | None
    rule: str


class State:
    """The state inside a rule's body: `s.turn = 1 - s.turn`, `s.board[cell] += 1`."""

    _fields: dict[str, Var | Array]

    def __init__(self) -> None:
        object.__setattr__(self, "_fields", {})

    def __getattr__(self, name: str) -> Any:
        handle = self._handle(name)
        return handle.term() if isinstance(handle, Var) else handle  # a value is what it is now, not what it will be

    def _handle(self, name: str) -> Var | Array:
        try:
            return self._fields[name]
        except KeyError:
            raise RulesError("PP320", f"the state has no field `{name}`",
                             f"fields are {', '.join(self._fields)}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        handle = self._handle(name)
        if not isinstance(handle, Var):
            raise RulesError("PP321", f"`{name}` is an array", f"write s.{name}[index] = value")
        handle.set(value)


class Game:
    """A game under construction, and then its description.

    `players` is the number of seats. `ends_within` may declare a bound on decisions that the verifier proves.
    """

    def __init__(self, name: str, *, players: int = 1, source: str = "") -> None:
        self.name, self.players, self.source = name, players, source
        self.tracer = Tracer()
        self.tracer.ending = self._ending
        self.state = State()
        self.fields: list[Field] = []
        self.phases: list[Phase] = []
        self.actions: list[Action] = []
        self.endings: list[Ending] = []
        self.tables: list[Table] = []
        self.functions: list[Function] = []
        self.procedures: list[Procedure] = []
        self.quantities: dict[str, Term] = {}
        self.facts: dict[str, Any] = {}
        self.citations: dict[str, list[Place]] = {}
        self.payoffs: tuple[Term, ...] | None = None
        self._phase_fields: list[Field] = []
        self._cells = 0
        self._idents = 0
        self._just_cited: tuple[str, ...] = ()
        self._sealed = False
        # Both grow while the game is written; `seal` trims them.
        self.phase = self.integer("phase", 0, _MANY)
        self.outcome = self.integer("outcome", 0, _MANY)
        self.tracer.phase_field = self.phase

    # -- fields ---------------------------------------------------------------------------------------------

    def integer(self, name: str, lo: int, hi: int, start: int | None = None, *, sees: Sees = Sees.ALL,
            labels: Labels = None, rule: str = "") -> Var:
        """A bounded integer."""
        made = self._field(name, lo, hi, (), (lo if start is None else start,), labels, sees, rule)
        handle = Var(made, self.tracer)
        self.state._fields[name] = handle
        return handle

    def flag(self, name: str, start: bool = False, *, sees: Sees = Sees.ALL, rule: str = "") -> Var:
        """A truth value."""
        return self.integer(name, 0, 1, int(start), sees=sees, labels=("no", "yes"), rule=rule)

    def choice(self, name: str, labels: Labels, start: int = 0, *, sees: Sees = Sees.ALL, rule: str = "") -> Var:
        """An enumeration."""
        return self.integer(name, 0, len(label_names(labels)) - 1, start, sees=sees, labels=labels, rule=rule)

    def array(self, name: str, shape: int | tuple[int, ...], lo: int = 0, hi: int = 1,
              start: Nested | None = None, *, sees: Sees = Sees.ALL, labels: Labels = None, rule: str = "") -> Array:
        """An array; `start` is one value for all cells or a nested list of the shape; labels set the bounds."""
        dims = (shape,) if isinstance(shape, int) else shape
        if labels is not None:
            lo, hi = 0, len(label_names(labels)) - 1
        cells = _flatten(lo if start is None else start, dims)
        handle = Array(self._field(name, lo, hi, dims, cells, labels, sees, rule), self.tracer)
        self.state._fields[name] = handle
        return handle

    def _field(self, name: str, lo: int, hi: int, shape: tuple[int, ...], start: tuple[int, ...], labels: Labels,
               sees: Sees, rule: str) -> Field:
        if name in self.state._fields:
            raise RulesError("PP322", f"two fields are called `{name}`")
        if lo > hi or any(not lo <= v <= hi for v in start):
            raise RulesError("PP323", f"`{name}`: bounds {lo}..{hi} do not hold its start {sorted(set(start))}")
        if sees is Sees.OWNER and (not shape or shape[0] != self.players) and self.players > 1:
            raise RulesError("PP324", f"`{name}` is seen by its owner, so its first index must be the player")
        made = Field(len(self.fields), name, lo, hi, shape=shape, offset=self._cells, start=start,
                     labels=label_names(labels), sees=sees, rules=tuple(rule.split()), place=caller())
        self.fields.append(made)
        self._cells += made.size
        self.cite(*made.rules)
        return made

    @property
    def cells(self) -> int:
        """Number of cells of the flat state."""
        return self._cells

    def initial(self) -> list[int]:
        """The flat state before anything happened (automatic phases not yet run)."""
        return [v for f in self.fields for v in f.start]

    def field_named(self, name: str) -> Field:
        """A field by name."""
        return self.state._handle(name).field

    # -- constants and derived quantities -------------------------------------------------------------------

    def table(self, name: str, values: Nested) -> Table:
        """A constant table of one or more dimensions."""
        shape, probe = [], values
        while not isinstance(probe, int):
            shape.append(len(probe))
            probe = probe[0]
        made = Table(name, len(self.tables), _flatten(values, tuple(shape)), tuple(shape))
        self.tables.append(made)
        return made

    def function(self, **params: Over) -> Callable[[Callable[..., Value]], Callable[..., Term]]:
        """Decorator: a derived quantity of the state, named once. Its body is one expression."""

        def declare(run: Callable[..., Value]) -> Callable[..., Term]:
            locals_ = tuple(self._parameter(n, over).local for n, over in params.items())
            body = as_term(run(**{p.name: p for p in locals_}))
            made = Function(run.__name__, len(self.functions), locals_, body)
            self.functions.append(made)

            def apply(*args: Value) -> Term:
                return Apply(made, tuple(as_term(a) for a in args), self.tracer.clock)

            apply.__name__, apply.__doc__ = run.__name__, run.__doc__
            return apply

        return declare

    def quantity(self, name: str, value: Value) -> None:
        """Name a value for claims, reports and bots, e.g. `round` or `owns I01`."""
        self.quantities[name] = as_term(value)

    def fact(self, **facts: Any) -> None:
        """Declare facts about the game (`ends_within=9`, `round="round"`, `better={"gold": +1}` ...)."""
        self.facts.update(facts)

    # -- phases and actions ---------------------------------------------------------------------------------

    def stage(self, name: str, actor: Value = 0, *, text: str = "", rule: str = "") -> Phase:
        """A phase in which `actor` (a seat, a term or CHANCE) picks one action."""
        made = Phase(name, len(self.phases), as_term(actor), text or name, tuple(rule.split()), place=caller())
        self.phases.append(made)
        self.cite(*made.rules)
        return made

    def remember_phase(self, name: str) -> Var:
        """A field that holds a phase, for `s.back = phase.number` and later `goto(s.back)`."""
        handle = self.integer(name, 0, _MANY)
        self._phase_fields.append(handle.field)
        return handle

    @property
    def remembered(self) -> tuple[Field, ...]:
        """The fields that hold a phase."""
        return tuple(self._phase_fields)

    def start(self, phase: Phase) -> None:
        """The game starts in this phase (default: the first declared)."""
        self.phase.field.start = (phase.number,)

    def seal(self) -> Game:
        """The description is complete: check it as a whole and trim the fields that grew. Idempotent."""
        if self._sealed:
            return self
        self._sealed = True
        names = tuple(p.name for p in self.phases)
        for held in (self.phase.field, *self._phase_fields):
            held.hi, held.labels = max(0, len(names) - 1), names
        self.outcome.field.hi = len(self.endings)
        self.outcome.field.labels = ("playing", *(e.reason for e in self.endings))
        for phase in self.phases:
            if phase.automatic and phase.body is None:
                raise RulesError("PP329", f"automatic phase `{phase.name}` has no effects", place=phase.place)
            if not phase.automatic and not phase.actions:
                raise RulesError("PP331", f"nobody can do anything in phase `{phase.name}`", place=phase.place)
        if not self.endings:
            raise RulesError("PP332", f"the game `{self.name}` never ends", "use win, lose, draw or score")
        return self

    def automatic(self, name: str, *, rule: str = "") -> Phase:
        """A phase that runs by itself; give it effects with `@g.on(phase)`."""
        return self.stage(name, AUTOMATIC, rule=rule)

    def on(self, phase: Phase, *, rule: str = "") -> Callable[[Body], Body]:
        """Decorator: the effects of an automatic phase."""

        def declare(run: Body) -> Body:
            if not phase.automatic or phase.body is not None:
                raise RulesError("PP325", f"phase `{phase.name}` is not an automatic phase without effects")
            phase.body = self._trace(run, {}, rule.split())
            return run

        return declare

    def action(self, phases: Phase | Sequence[Phase], text: str | Callable[..., str] = "", *, rule: str = "",
               name: str = "", **params: Over) -> Callable[[Body], Body]:
        """Decorator: an action of the given phases. Each parameter is a range, a list of names or an IntEnum."""

        def declare(run: Body) -> Body:
            self.add_action(phases, run, text or run.__name__.replace("_", " "), rule=rule,
                            name=name or run.__name__, **params)
            return run

        return declare

    def add_action(self, phases: Phase | Sequence[Phase], run: Body, text: str | Callable[..., str], *,
                   rule: str = "", name: str = "", **params: Over) -> Action:
        """The same as `action` for bodies made in a loop."""
        where = (phases,) if isinstance(phases, Phase) else tuple(phases)
        parts = tuple(self._parameter(n, over) for n, over in params.items())
        body = self._trace(run, {p.local.name: p.local for p in parts}, rule.split())
        made = Action(name or run.__name__, len(self.actions), tuple(p.number for p in where), parts, text, body,
                      self.tracer.weight, tuple(dict.fromkeys(self._just_cited)), caller(), self._idents)
        self._idents += made.count
        self.actions.append(made)
        for phase in where:
            if phase.automatic:
                raise RulesError("PP326", f"phase `{phase.name}` is automatic and takes no actions")
            phase.actions.append(made)
        return made

    def procedure(self, name: str = "", **params: Over) -> Callable[[Body], Callable[..., None]]:
        """Decorator: effects written once and kept as a call in every reading."""

        def declare(run: Body) -> Callable[..., None]:
            parts = tuple(self._parameter(n, over).local for n, over in params.items())
            body = self._trace(run, {p.name: p for p in parts}, [])
            made = Procedure(name or run.__name__, len(self.procedures), parts, body, _writes(body))
            self.procedures.append(made)

            def invoke(*args: Value) -> None:
                self.tracer.invoke(made, args)

            invoke.__name__, invoke.__doc__ = run.__name__, run.__doc__
            return invoke

        return declare

    def _parameter(self, name: str, over: Over) -> Parameter:
        labels: tuple[str, ...] = ()
        if isinstance(over, int):
            low, count = 0, over
        elif isinstance(over, range):
            low, count = over.start, len(over)
        else:
            labels = label_names(over)
            low, count = 0, len(labels)
        if count <= 0:
            raise RulesError("PP308", f"parameter `{name}` has no values")
        return Parameter(fresh_local(name, low, low + count - 1), low, count, labels)

    def _trace(self, run: Body, args: Mapping[str, Operand], rules: Sequence[str]) -> tuple[Statement, ...]:
        self.tracer.cited = list(rules)
        place = caller()
        body = self.tracer.body(lambda: run(**args))
        self._just_cited = tuple(self.tracer.cited)
        for rule in self._just_cited:
            self.citations.setdefault(rule, []).append(place)
        return body

    # -- endings --------------------------------------------------------------------------------------------

    def _ending(self, reason: str, winner: Value | None, kind: str, rule: str) -> int:
        term = None if winner is None else as_term(winner)
        key = (reason, kind, term.value if isinstance(term, Const) else None)
        for known in self.endings:
            same = (known.reason, known.kind, known.winner.value if isinstance(known.winner, Const) else None)
            if same == key and (term is None or isinstance(term, Const)):
                return known.number
        made = Ending(len(self.endings) + 1, kind, reason, term, rule)
        self.endings.append(made)
        return made.number

    def returns(self, *values: Value) -> None:
        """Each seat's return, read in terminal states (default: +1 to the winner, -1 to the others; solo win +1,
        loss -1, draw 0)."""
        if len(values) != self.players:
            raise RulesError("PP327", f"{self.players} returns expected, {len(values)} given")
        self.payoffs = tuple(as_term(v) for v in values)

    # -- citations and lookups ------------------------------------------------------------------------------

    def cite(self, *rules: str) -> None:
        """Note that the line calling this carries out these rule ids."""
        for rule in rules:
            if rule:
                self.citations.setdefault(rule, []).append(caller())

    @property
    def ground(self) -> int:
        """Number of ground actions."""
        return self._idents

    def action_of(self, ident: int) -> Action:
        """The action a ground action's number belongs to."""
        for action in self.actions:
            if action.first <= ident < action.first + action.count:
                return action
        raise IndexError(f"no action {ident}: the game has {self._idents}")

    def show(self, ident: int) -> str:
        """A ground action in words."""
        action = self.action_of(ident)
        return action.show(action.values(ident))

    def idents(self) -> Iterator[tuple[int, Action, tuple[int, ...]]]:
        """All ground actions."""
        for action in self.actions:
            grid = product(*(range(p.low, p.low + p.count) for p in action.params))
            for offset, values in enumerate(grid):
                yield action.first + offset, action, values


def _flatten(values: Nested, shape: tuple[int, ...]) -> tuple[int, ...]:
    if isinstance(values, int):
        return (int(values),) * prod(shape)
    if not shape or len(values) != shape[0]:
        raise RulesError("PP328", f"expected {shape} values, found a list of {len(values)}")
    if len(shape) == 1:
        return tuple(int(v) for v in values)
    return tuple(v for row in values for v in _flatten(row, shape[1:]))


def _writes(body: Sequence[Statement]) -> frozenset[int]:
    found: set[int] = set()
    for statement in walk(tuple(body)):
        if isinstance(statement, Assign):
            found.add(statement.field.number)
        elif isinstance(statement, Invoke):
            found |= statement.procedure.writes
    return frozenset(found)
