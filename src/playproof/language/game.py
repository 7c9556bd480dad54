"""A game as data: fields, phases, actions, endings. Tracing builds it once; every reading then
reads it."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import product
from math import prod
from operator import attrgetter
from typing import Any, SupportsIndex, Unpack

from playproof.language.checks import check_closed, check_signature, check_text, fitted, matched
from playproof.language.declarations import Facts, check_names, faults
from playproof.language.decorator_checks import check_called, check_phases, check_plain, words_of
from playproof.language.errors import Place, RulesError, caller, defined_at, of_designer, raise_all
from playproof.language.expr import (
    Apply,
    Const,
    Function,
    Local,
    Nested,
    Question,
    Table,
    Term,
    Value,
    as_term,
)
from playproof.language.fields import Field, Labels, Seers, Sees, label_names
from playproof.language.handles import Array, State, Var
from playproof.language.parts import (
    AUTOMATIC,
    CHANCE,
    EVERYBODY,
    KEYWORDS,
    Action,
    Body,
    Ending,
    Over,
    Parameter,
    Phase,
    parameter,
)
from playproof.language.python_mistakes import mistake
from playproof.language.results import default_results
from playproof.language.secrecy import Names, declared, undeclared
from playproof.language.trace import Tracer
from playproof.language.traced_statements import Keep, Procedure, Statement, head_of, written_by

_MANY = 4095  # phases and endings are counted when the game is sealed


class Game:
    """A game under construction, and then its description.

    `players` is the number of seats. `teams` lists the seats that win and lose together, each seat
    once: `[(0, 2), (1, 3)]` (default: each seat alone).
    """

    def __init__(self, name: str, *, players: int = 1, teams: Sequence[Sequence[int]] = ()) -> None:
        if not isinstance(players, int) or players < 1:
            raise RulesError(
                "PP354", f"the game `{name}` has {players!r} players", "give a whole number, from 1 on"
            )
        self.name, self.players = name, players
        alone = tuple((seat,) for seat in range(players))
        self.teams = tuple(tuple(team) for team in teams) or alone
        seats_of_teams = [seat for team in self.teams for seat in team]
        if sorted(seats_of_teams) != [*range(players)]:
            raise RulesError(
                "PP354",
                f"the teams {[*map(list, self.teams)]} do not hold each of {players} seats once",
                "seats are counted from 0",
            )
        self.place = self._facts_at = caller()
        self.tracer = Tracer()
        self.tracer.ending = self._ending
        self.handles: dict[str, Var | Array] = {}  # what a rule's body calls each field by its name
        self.state = State(self.handles)
        self.fields: list[Field] = []
        self.phases: list[Phase] = []
        self.actions: list[Action] = []
        self.endings: list[Ending] = []
        self.tables: list[Table] = []
        self.functions: list[Function] = []
        self.procedures: list[Procedure] = []
        self.quantities: dict[str, Term] = {}
        self.facts: Facts = {}
        self.citations: dict[str, list[Place]] = {}
        self.payoffs: tuple[Term, ...] | None = None
        self.phase_fields: list[Field] = []
        self._cells = 0
        self._idents = 0
        self._just_cited: tuple[str, ...] = ()
        self._sealed = False
        self._refused: list[RulesError] = []
        self.setting: Mapping[str, Mapping[str, str]] = {"options": {}, "rulings": {}}
        self.cards: Any = (
            None  # the cards that it was built from, of which the description holds what rules read
        )
        self.foreign = False  # read from a file: generated code keeps every value within its bounds
        # Both grow while the game is written; `seal` trims them.
        self.current_phase = self.integer("phase", 0, _MANY)
        self.outcome = self.integer("outcome", 0, _MANY)
        self.tracer.goto = self.current_phase.set

    def __getattr__(self, name: str) -> object:
        hint = "; it is called `phase` now" if name == "stage" else ""
        raise AttributeError(f"a game has no `{name}`{hint}", name=name, obj=self)

    def __setattr__(self, name: str, value: object) -> None:
        # A designer who writes `g.turn = 1` means the field; Python would make an attribute of it.
        if name not in vars(self) and of_designer(sys._getframe(1).f_code.co_filename):
            raise RulesError(
                "PP320",
                f"a game has no `{name}` to assign",
                f"write `s.{name} = value` in a rule, where `s = g.state`",
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
        """Declare a bounded integer."""
        handle = self.declare(name, lo, hi, (), (lo if start is None else start,), labels, sees, rule)
        assert isinstance(handle, Var)
        return handle

    def flag(
        self, name: str, start: bool = False, *, sees: Sees | Collection[int] = Sees.ALL, rule: str = ""
    ) -> Var:
        """Declare a truth value."""
        return self.integer(name, 0, 1, int(start), sees=sees, labels=("no", "yes"), rule=rule)

    def choice(
        self,
        name: str,
        labels: Labels,
        start: int = 0,
        *,
        sees: Sees | Collection[int] = Sees.ALL,
        rule: str = "",
    ) -> Var:
        """Declare an enumeration."""
        return self.integer(name, 0, len(label_names(labels)) - 1, start, sees=sees, labels=labels, rule=rule)

    def array(
        self,
        name: str,
        shape: int | tuple[int, ...],
        lo: int = 0,
        hi: int = 1,
        start: Nested | None = None,
        *,
        sees: Sees | Collection[int] = Sees.ALL,
        labels: Labels = None,
        rule: str = "",
    ) -> Array:
        """Declare an array. `start` is one value for all cells or a nested list of the shape;
        labels set the bounds."""
        if not isinstance(shape, int | tuple | list):
            raise RulesError(
                "PP323", f"`{name}` has the shape {shape!r}", "write how many places it has: 9, or (3, 3)"
            )
        dims = (shape,) if isinstance(shape, int) else tuple(shape)
        if labels is not None:
            lo, hi = 0, len(label_names(labels)) - 1
        cells = _flatten(lo if start is None else start, dims)
        handle = self.declare(name, lo, hi, dims, cells, labels, sees, rule)
        assert isinstance(handle, Array)
        return handle

    def _seers(self, name: str, sees: Sees | Collection[int]) -> Seers:
        """Return who sees a field; all seats are everybody, and none is nobody."""
        if isinstance(sees, Sees):
            return sees
        is_set = isinstance(sees, Collection) and not isinstance(sees, str)
        if not is_set or any(seat not in range(self.players) for seat in sees):
            raise RulesError(
                "PP304",
                f"`{name}` is seen by {sees!r}",
                "write Sees.ALL, Sees.OWNER, Sees.OTHERS, Sees.NOBODY, or the seats, from 0, as in sees=[0, 2]",
            )
        seats = frozenset(sees)
        if len(seats) == self.players:
            return Sees.ALL
        return seats or Sees.NOBODY

    def declare(
        self,
        name: str,
        lo: int,
        hi: int,
        shape: tuple[int, ...],
        start: tuple[int, ...],
        labels: Labels,
        sees: Sees | Collection[int],
        rule: str,
    ) -> Var | Array:
        """Declare a field of any shape; `start` holds a value for each cell, row by row."""
        if not isinstance(name, str) or not name:
            raise RulesError("PP304", f"a field is called {name!r}", "give its name in quotation marks")
        self._check_new("fields", name, self.handles)
        seers = self._seers(name, sees)
        if not all(isinstance(number, int) for number in (lo, hi, *start, *shape)):
            raise RulesError(
                "PP323",
                f"`{name}`: expected whole numbers, found bounds {lo!r}..{hi!r}"
                f"{f' and the shape {shape}' if shape else ''}",
                "a field holds whole numbers only",
            )
        if 0 in shape:
            raise RulesError("PP323", f"`{name}` has no places", "give it at least one")
        if lo > hi or any(not lo <= v <= hi for v in start):
            raise RulesError(
                "PP323",
                f"`{name}`: bounds {lo}..{hi} do not hold its start {sorted(set(start))}",
                f"write the bounds as lo, hi; they hold {min(lo, hi, *start)}..{max(lo, hi, *start)}",
            )
        if (
            seers in (Sees.OWNER, Sees.OTHERS)
            and (not shape or shape[0] != self.players)
            and self.players > 1
        ):
            raise RulesError(
                "PP324",
                f"`{name}` is seen by its owner or by the others, so its first index must be the player",
                f"write the shape as ({self.players}, ...), one row for each player",
            )
        made = Field(
            len(self.fields),
            name,
            lo,
            hi,
            shape=shape,
            offset=self._cells,
            start=start,
            labels=label_names(labels),
            sees=seers,
            rules=tuple(rule.split()),
            place=caller(),
        )
        self.fields.append(made)
        self._cells += made.size
        self.cite(*made.rules)
        handle = Array(made, self.tracer) if shape else Var(made, self.tracer)
        self.handles[name] = handle
        return handle

    @property
    def cells(self) -> int:
        """Number of cells of the flat state."""
        return self._cells

    def initial(self) -> list[int]:
        """The flat state before anything happens; automatic phases have not run yet."""
        return [v for f in self.fields for v in f.start]

    def field_named(self, name: str) -> Field:
        """Return a field by name."""
        return self.state._handle(name).field

    # -- constants and derived quantities -------------------------------------------------------------------

    def table(self, name: str, values: Nested) -> Table:
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
        made = Table(name, len(self.tables), _flatten(values, tuple(shape)), tuple(shape))
        made.beyond = self.tracer.beyond
        self.tables.append(made)
        return made

    def function(self, *run: object, **params: Over) -> Callable[[Callable[..., Value]], Question]:
        """Decorator: a derived quantity of the state, named once. Its body is one expression."""
        check_called("function", *run)

        def declare(run: Callable[..., Value]) -> Question:
            locals_ = tuple(parameter(n, over).local for n, over in params.items())
            named = {p.name: p for p in locals_}
            check_signature(run, named)
            body = as_term(_answer(run, named))
            check_closed(f"function `{run.__name__}`", body, locals_)
            made = Function(run.__name__, len(self.functions), locals_, body, defined_at(run) or caller())
            self.functions.append(made)

            def apply(*args: Value) -> Term:
                terms = [
                    fitted(made.name, a, p) for a, p in matched(made.name, locals_, [*map(as_term, args)])
                ]
                return Apply(made, tuple(terms), self.tracer.clock)

            return Question(made.name, apply, run.__doc__)

        return declare

    def quantity(self, name: str, value: Value) -> None:
        """Name a value for claims, reports and bots, e.g. `round` or `owns I01`."""
        if not self._sealed:  # a check of a finished game may measure more
            self._check_new("quantities", name, self.quantities)
        self.quantities[name] = check_closed(f"quantity `{name}`", as_term(value))

    def fact(self, **facts: Unpack[Facts]) -> None:
        """Declare facts about the game (`ends_within=9`, `round="round"` ...); `declarations.FACTS`
        says what each means."""
        check_names(facts)
        self._facts_at = caller()
        self.facts.update(facts)

    # -- phases and actions ---------------------------------------------------------------------------------

    def phase(self, name: str, actor: Value = 0, *, text: str = "", rule: str = "") -> Phase:
        """Declare a phase in which `actor` (a seat, a term or CHANCE) picks one action."""
        if not isinstance(name, str):
            raise RulesError("PP304", f"a phase is called {name!r}", "give its name in quotation marks")
        if isinstance(actor, str):
            raise RulesError(
                "PP304",
                f"the actor of `{name}` is {actor!r}",
                "give a seat (0, 1 ...), a value of the state, or CHANCE without quotation marks",
            )
        acts = check_closed(f"the actor of `{name}`", as_term(actor))
        nobody = isinstance(acts, Const) and acts.value in (CHANCE, AUTOMATIC)
        if not nobody and (acts.lo < 0 or acts.hi >= self.players):
            raise RulesError(
                "PP336",
                f"the actor of `{name}` is {acts.lo}..{acts.hi}; seats are 0..{self.players - 1}",
                "give Game(..., players=N); where now a player acts and now chance, make two phases",
            )
        check_plain("the text of a phase", text)
        made = Phase(name, len(self.phases), acts, text or name, tuple(rule.split()), place=caller())
        self._check_new("phases", name, [p.name for p in self.phases])
        self.phases.append(made)
        self.cite(*made.rules)
        return made

    @staticmethod
    def _check_new(what: str, name: str, taken: Iterable[str]) -> None:
        if name in taken:
            raise RulesError("PP322", f"two {what} are called `{name}`", "give the second another name")

    def remember_phase(self, name: str) -> Var:
        """Declare a field that holds a phase, for `s.back = phase` and later `goto(s.back)`."""
        handle = self.integer(name, 0, _MANY)
        self.phase_fields.append(handle.field)
        return handle

    def start(self, phase: Phase) -> None:
        """Set the phase in which the game starts (default: the first declared)."""
        self.current_phase.field.start = (phase.number,)

    def seal(self) -> Game:
        """Finish the description: check it as a whole and trim the fields that grew. Further calls
        have no effect.

        Raises RulesError with all errors: those of the bodies under decorators, else those of the
        whole description.
        """
        if self._sealed:
            return self
        names = tuple(p.name for p in self.phases)
        for holds_phase in (self.current_phase.field, *self.phase_fields):
            holds_phase.hi, holds_phase.labels = max(0, len(names) - 1), names
        self.outcome.field.hi = len(self.endings)
        self.outcome.field.labels = ("playing", *(e.reason for e in self.endings))
        raise_all(self._refused or [*self._faults()])
        self._sealed = True
        return self

    def _faults(self) -> Iterator[RulesError]:
        """Yield the errors in the description as a whole."""
        for phase in self.phases:
            if phase.automatic and phase.body is None:
                yield RulesError(
                    "PP329",
                    f"automatic phase `{phase.name}` has no effects",
                    "give it some with `@g.on(phase)`",
                    place=phase.place,
                )
            elif not phase.automatic and not phase.actions:
                yield RulesError(
                    "PP331",
                    f"nobody can do anything in phase `{phase.name}`",
                    "give it an action with `@g.action(phase, ...)`",
                    place=phase.place,
                )
        if not self.endings:
            yield RulesError(
                "PP332", f"the game `{self.name}` never ends", "use win, lose, draw or score", self.place
            )
        for end in self.endings:
            names_winner = end.winner is not None or end.shared or len(self.teams) == 1
            if end.kind == "win" and not names_winner and self.payoffs is None:
                message = f"the ending `{end.reason}` does not say which of the {self.players} players wins"
                hint = "write win(reason, winner=seat), or winner=EVERYBODY"
                yield RulesError("PP344", message, hint, place=end.place)
        if self.players > 1:
            yield from undeclared(self.actions, self.phases)
        yield from faults(self.facts, [f.name for f in self.fields], [*self.quantities], self._facts_at)

    def automatic(self, name: str, *, text: str = "", rule: str = "") -> Phase:
        """Declare a phase that runs by itself; give it effects with `@g.on(phase)`. With a text,
        logs mention the phase."""
        return self.phase(name, AUTOMATIC, text=text, rule=rule)

    def _named_fields(self, names: Names) -> frozenset[str]:
        field_names = frozenset((names,)) if isinstance(names, str) else frozenset(names)
        for name in field_names:
            self.field_named(name)  # refuses one that does not exist
        return field_names

    def on(self, phase: Phase, *, rule: str = "", reveals: Names = ()) -> Callable[[Body], Body]:
        """Decorator: the effects of an automatic phase. `reveals` names the hidden fields that the
        phase shows to all."""

        check_phases("on", phase)

        def declare(run: Body) -> Body:
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
            phase.reveals = self._named_fields(reveals)
            phase.body = ()  # stays so where the body is refused: then that is told, and not that there is none
            with self._gathering():
                phase.body = self._trace(run, (), rule.split())
            return run

        return declare

    def action(
        self,
        phases: Phase | Sequence[Phase],
        text: str | Callable[..., str] = "",
        *,
        rule: str = "",
        name: str = "",
        secret: bool | Names = False,
        public: bool | Names = False,
        reveals: Names = (),
        **params: Over,
    ) -> Callable[[Body], Body]:
        """Decorator: an action of the given phases. Each parameter is a range, a list of names or
        an IntEnum.

        Actions are public. `secret` names parameters that the other players do not see, unless they
        see the fields that these lead to; True hides the action itself. A parameter that leads to a
        hidden field must be declared secret or `public`. `reveals` names hidden fields whose
        content the action shows to all on purpose.
        """

        check_phases("action", phases)

        def declare(run: Body) -> Body:
            with self._gathering():
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
    def _gathering(self) -> Iterator[None]:
        """Keep a body's errors until `seal`, so that it can report the mistakes of all bodies at
        once."""
        try:
            yield
        except RulesError as error:
            self._refused.append(error)

    def add_action(
        self,
        phases: Phase | Sequence[Phase],
        run: Body,
        text: str | Callable[..., str],
        *,
        rule: str = "",
        name: str = "",
        secret: bool | Names = False,
        public: bool | Names = False,
        reveals: Names = (),
        **params: Over,
    ) -> Action:
        """Add an action as `action` does, for bodies made in a loop."""
        check_phases("add_action", phases)
        where = (phases,) if isinstance(phases, Phase) else tuple(phases)
        name = name or run.__name__
        self._check_new("actions", name, [a.name for a in self.actions])
        self.check_kinds(name, where)
        check_text(name, text, params)
        parts = tuple(parameter(n, over) for n, over in params.items())
        seen = declared(name, parts, secret, public)
        body = self._trace(run, [p.local for p in parts], rule.split(), refusable=True)
        head = head_of(body)
        keeps = tuple(statement for statement in head if isinstance(statement, Keep))
        cited = tuple(dict.fromkeys(self._just_cited))  # each rule once, in the order of the body
        made = Action(
            name,
            len(self.actions),
            tuple(p.number for p in where),
            parts,
            words_of(name, text, parts),
            body,
            head,
            keeps,
            self.tracer.weight,
            cited,
            caller(),
            self._idents,
            *seen,
            self._named_fields(reveals),
        )
        self.adopt(made)
        return made

    def adopt(self, action: Action) -> None:
        """Add an action that is made already. Raises RulesError if its weight is not one of chance."""
        self._check_weight(action)
        phases = [self.phases[number] for number in action.phases]
        if action.weight is not None and not phases[0].chance:
            raise RulesError(
                "PP337",
                f"action `{action.name}` has a weight, and a player takes it, not chance",
                "remove the weight, or give the action to a phase of CHANCE",
            )
        self._idents += action.count
        self.actions.append(action)
        for phase in phases:
            phase.actions.append(action)

    @staticmethod
    def _check_weight(action: Action) -> None:
        """Refuse a weight of a value that is kept behind effects, or behind a `with` or `for` block that
        requires nothing: the weight is read before them."""
        if action.weight is None:
            return
        has_value = {p.local for p in action.params} | {statement.local for statement in action.kept}
        for local in sorted(action.weight.locals - has_value, key=lambda p: p.number):
            raise RulesError(
                "PP319",
                f"the weight of `{action.name}` is read before `{local.name}` has a value",
                "keep it before the first `with` or `for` block",
                place=action.place,
            )

    @staticmethod
    def check_kinds(name: str, phases: Sequence[Phase]) -> None:
        """Refuse an action whose phases are of different kinds, so that the action alone says who
        takes it."""
        for phase in phases:
            if phase.automatic:
                raise RulesError(
                    "PP326",
                    f"phase `{phase.name}` is automatic and takes no actions",
                    "give it effects with `@g.on(phase)`",
                )
        if len({phase.chance for phase in phases}) > 1:
            raise RulesError(
                "PP337",
                f"action `{name}` is a player's in one phase and chance's in another",
                "make two actions; what they share may be a procedure",
            )

    def procedure(self, name: str = "", **params: Over) -> Callable[[Body], Callable[..., None]]:
        """Decorator: effects written once and kept as a call in every reading."""

        check_called("procedure", name)

        def declare(run: Body) -> Callable[..., None]:
            parts = tuple(parameter(n, over).local for n, over in params.items())
            body = self._trace(run, parts, [])
            made = Procedure(name or run.__name__, len(self.procedures), parts, body, written_by(body))
            self.procedures.append(made)

            def invoke(*args: Value) -> None:
                self.tracer.invoke(made, args)

            invoke.__name__, invoke.__doc__ = run.__name__, run.__doc__
            return invoke

        return declare

    def _trace(
        self, run: Body, params: Sequence[Local], rules: Sequence[str], *, refusable: bool = False
    ) -> tuple[Statement, ...]:
        self.tracer.cited = list(rules)
        place = caller()
        named = {p.name: p for p in params}
        check_signature(run, named, KEYWORDS)
        try:
            body = self.tracer.body(lambda: run(**named), params, refusable=refusable)
        except RulesError:
            raise
        except Exception as error:
            raise mistake(error) from error
        self._just_cited = tuple(self.tracer.cited)
        for rule in self._just_cited:
            self.citations.setdefault(rule, []).append(place)
        return body

    # -- endings --------------------------------------------------------------------------------------------

    @cached_property
    def results(self) -> tuple[Term, ...]:
        """Each seat's return in a finished state: as `returns` declares it, or else the default of
        the endings."""
        if self.payoffs is not None:
            return self.payoffs
        teams = [self.team_of(seat) for seat in range(self.players)]
        return default_results(self.outcome.field, self.endings, teams)

    def team_of(self, seat: int) -> tuple[int, ...]:
        """Return the seats that win and lose with this one, including itself."""
        return next(team for team in self.teams if seat in team)

    def _ending(self, reason: str, winner: Value | str | None, kind: str, rule: str) -> int:
        shared, term = isinstance(winner, str), None
        if isinstance(winner, str) and winner != EVERYBODY:
            raise RulesError("PP344", f"`{reason}` is won by {winner!r}", "give a seat, or EVERYBODY")
        if winner is not None and not isinstance(winner, str):
            term = as_term(winner)
        for ending in self.endings:
            alike = (ending.reason, ending.kind, ending.shared) == (reason, kind, shared)
            if alike and _same_plain(ending.winner, term):
                return ending.number
        return self.end(kind, reason, term, rule, shared=shared).number

    def end(self, kind: str, reason: str, winner: Term | None, rule: str, *, shared: bool) -> Ending:
        """Add an ending, and return it."""
        check_plain("an ending's reason", reason)
        if winner is not None:
            check_closed(f"the winner of `{reason}`", winner)
            if winner.lo >= self.players or winner.hi < 0:
                raise RulesError(
                    "PP344",
                    f"`{reason}` is won by seat {winner.lo}, the seats are 0..{self.players - 1}",
                    "seats are counted from 0",
                )
        made = Ending(len(self.endings) + 1, kind, reason, winner, rule, caller(), shared)
        self.endings.append(made)
        return made

    def returns(self, *values: Value) -> None:
        """Declare each seat's return, read in terminal states. Default: +1 to the winner and its
        team, -1 to the others; +1 to all for a shared win, -1 to all for a loss, 0 for a draw."""
        if len(values) != self.players:
            raise RulesError(
                "PP327",
                f"{self.players} returns expected, {len(values)} given",
                "write g.returns(of seat 0, of seat 1, ...), without a list",
            )
        self.payoffs = tuple(check_closed("a return", as_term(v)) for v in values)

    # -- citations and lookups ------------------------------------------------------------------------------

    def cite(self, *rules: str) -> None:
        """Note that the calling line implements these rule ids."""
        for rule in rules:
            if rule:
                self.citations.setdefault(rule, []).append(caller())

    @property
    def ground(self) -> int:
        """Number of ground actions."""
        return self._idents

    def action_of(self, ident: int) -> Action:
        """Return the action that a ground action's number belongs to."""
        place = bisect_right(self.actions, ident, key=attrgetter("first")) - 1
        if place >= 0 and ident < self._idents:
            return self.actions[place]
        raise IndexError(f"no action {ident}: the game has {self._idents}")

    def show(self, ident: int) -> str:
        """Return a ground action in words."""
        action = self.action_of(ident)
        return action.show(action.values(ident))

    @cached_property
    def by_words(self) -> Mapping[str, Sequence[int]]:
        """The ground actions of a sealed description by their words, which several may share."""
        by_words: dict[str, list[int]] = {}
        for ident, action, values in self.idents():
            by_words.setdefault(action.show(values), []).append(ident)
        return by_words

    def idents(self, name: str | None = None) -> Iterator[tuple[int, Action, tuple[int, ...]]]:
        """The numbers of all ground actions, or of those of one name."""
        for action in self.actions:
            if name not in (None, action.name):
                continue
            grid = product(*(p.values for p in action.params))
            for offset, values in enumerate(grid):
                yield action.first + offset, action, values


def _answer(run: Callable[..., Value], named: Mapping[str, Local]) -> Value:
    """Return what the body of a function returns. Raises RulesError if it returns nothing."""
    value = run(**named)
    if value is None:
        raise RulesError(
            "PP304",
            f"the function `{run.__name__}` returns nothing",
            "write `return` before its value",
            place=defined_at(run),
        )
    return value


def _same_plain(first: Term | None, second: Term | None) -> bool:
    """Return whether both are None or the same number; computed values count as different."""
    if isinstance(first, Const) and isinstance(second, Const):
        return first.value == second.value
    return first is None and second is None


def _flatten(values: Nested, shape: tuple[int, ...]) -> tuple[int, ...]:
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
    return tuple(v for row in values for v in _flatten(row, shape[1:]))


__all__ = ["AUTOMATIC", "CHANCE", "EVERYBODY", "Action", "Ending", "Game", "Parameter", "Phase", "State"]
