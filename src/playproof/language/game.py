"""A game as data: fields, phases, actions, endings. Every reading reads it, and needs nothing of how it was made:
rules written in Python (`authoring.py`), or a file (`description/reader.py`)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import prod
from operator import attrgetter
from typing import Any, Self, Unpack

from playproof.language.checks import refuse_braces_in_plain_text, require_term_without_free_locals
from playproof.language.declarations import (
    Facts,
    get_evaluation_terms,
    iter_fact_errors,
    iter_undeclared_secrecy_errors,
    refuse_unknown_fact_names,
)
from playproof.language.errors import (
    MOST_CELLS,
    MOST_CHOICES,
    Place,
    RulesError,
    find_rule_place_in_call_stack,
    raise_first_carrying_all_if_any,
    refuse_number_above_limit,
)
from playproof.language.expr import Const, Function, Table, Term, Value, as_term, make_sum_of_many_terms
from playproof.language.fields import Field, FieldVisibility, Labels, Sees, get_label_names
from playproof.language.parts import (
    AUTOMATIC,
    CHANCE,
    EVERYBODY,
    Action,
    Ending,
    Parameter,
    Phase,
    make_default_return_terms,
)
from playproof.language.state_handles import Array, AssignmentRecorder, AssignmentRefuser, State, Var
from playproof.language.statements import Procedure, make_structural_key_or_identity

MOST_PLAYERS = 100
"""Seats of a game, at most. The kernel holds who acts in eight bits."""
_MANY = 4095  # phases and endings are counted when the game is sealed


class Game:
    """A game's description, and the checks that each of its parts passes when it is added.

    `players` is the number of seats. `teams` lists the seats that win and lose together, each seat
    once: `[(0, 2), (1, 3)]` (default: each seat alone). `writer` takes what is assigned
    to a field (default: nothing may be assigned).
    """

    def __init__(
        self,
        name: str,
        *,
        players: int = 1,
        teams: Sequence[Sequence[int]] = (),
        writer: AssignmentRecorder | None = None,
    ) -> None:
        if type(players) is not int or not 1 <= players <= MOST_PLAYERS:
            raise RulesError(
                "PP354", f"the game `{name}` has {players!r} players", f"give a whole number, from 1 to {MOST_PLAYERS}"
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
        self.place = self._facts_at = find_rule_place_in_call_stack()
        self._writer = writer or AssignmentRefuser()
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
        self._sealed = False
        self.setting: Mapping[str, Mapping[str, str]] = {"options": {}, "rulings": {}}
        self.cards: Any = None  # the cards that it was built from, of which the description holds what rules read
        # Both grow while the game is written; `seal` trims them.
        self.current_phase = self._declare_phase_or_ending_field("phase")
        self.outcome = self._declare_phase_or_ending_field("outcome")

    # -- fields ---------------------------------------------------------------------------------------------

    def declare_field(
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
        self._refuse_taken_name("fields", name, self.handles)
        seers = self._normalize_field_visibility(name, sees)
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
        if seers in (Sees.OWNER, Sees.OTHERS) and (not shape or shape[0] != self.players) and self.players > 1:
            raise RulesError(
                "PP324",
                f"`{name}` is seen by its owner or by the others, so its first index must be the player",
                f"write the shape as ({self.players}, ...), one row for each player",
            )
        refuse_number_above_limit("the cells of the state are", self._cells + prod(shape), MOST_CELLS)
        made = Field(
            len(self.fields),
            name,
            lo,
            hi,
            shape=shape,
            offset=self._cells,
            start=start,
            labels=get_label_names(labels),
            sees=seers,
            rules=tuple(rule.split()),
            place=find_rule_place_in_call_stack(),
        )
        self.fields.append(made)
        self._cells += made.size
        self.cite(*made.rules)
        handle = Array(made, self._writer) if shape else Var(made, self._writer)
        self.handles[name] = handle
        return handle

    def _normalize_field_visibility(self, name: str, sees: Sees | Collection[int]) -> FieldVisibility:
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

    def _declare_phase_or_ending_field(self, name: str) -> Var:
        """Declare a field for the number of a phase or an ending."""
        handle = self.declare_field(name, 0, _MANY, (), (0,), None, Sees.ALL, "")
        assert isinstance(handle, Var)
        return handle

    def remember_phase(self, name: str) -> Var:
        """Declare a field that holds a phase, for `s.back = phase` and later `goto(s.back)`."""
        handle = self._declare_phase_or_ending_field(name)
        self.phase_fields.append(handle.field)
        return handle

    @staticmethod
    def _refuse_taken_name(kind: str, name: str, taken: Iterable[str]) -> None:
        if name in taken:
            raise RulesError("PP322", f"two {kind} are called `{name}`", "give the second another name")

    @property
    def cells(self) -> int:
        """Number of cells of the flat state."""
        return self._cells

    def get_state_before_automatic_phases(self) -> list[int]:
        """The flat state before anything happens; automatic phases have not run yet."""
        return [v for f in self.fields for v in f.start]

    def get_field(self, name: str) -> Field:
        """Return a field by name."""
        return self.state._get_field_handle_or_raise(name).field

    # -- quantities and facts -------------------------------------------------------------------------------

    def quantity(self, name: str, value: Value) -> None:
        """Name a value for claims, reports and bots, e.g. `round` or `owns I01`."""
        if not self._sealed:  # a check of a finished game may measure more
            self._refuse_taken_name("quantities", name, self.quantities)
        self.quantities[name] = require_term_without_free_locals(f"quantity `{name}`", as_term(value))

    def fact(self, **facts: Unpack[Facts]) -> None:
        """Declare facts about the game (`ends_within=9`, `round="round"` ...); `declarations.FACTS`
        says what each means."""
        refuse_unknown_fact_names(facts)
        self._facts_at = find_rule_place_in_call_stack()
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
        acts = require_term_without_free_locals(f"the actor of `{name}`", as_term(actor))
        nobody = isinstance(acts, Const) and acts.value in (CHANCE, AUTOMATIC)
        if not nobody and (acts.lo < 0 or acts.hi >= self.players):
            raise RulesError(
                "PP336",
                f"the actor of `{name}` is {acts.lo}..{acts.hi}; seats are 0..{self.players - 1}",
                "give Game(..., players=N); where now a player acts and now chance, make two phases",
            )
        refuse_braces_in_plain_text("the text of a phase", text)
        made = Phase(
            name, len(self.phases), acts, text or name, tuple(rule.split()), place=find_rule_place_in_call_stack()
        )
        self._refuse_taken_name("phases", name, [p.name for p in self.phases])
        self.phases.append(made)
        self.cite(*made.rules)
        return made

    def add_built_action(self, action: Action) -> None:
        """Add an action that is made already. Raises RulesError if its weight is not one of chance."""
        self._refuse_weight_of_value_kept_too_late(action)
        phases = [self.phases[number] for number in action.phases]
        if action.weight is not None and not phases[0].chance:
            raise RulesError(
                "PP337",
                f"action `{action.name}` has a weight, and a player takes it, not chance",
                "remove the weight, or give the action to a phase of CHANCE",
            )
        refuse_number_above_limit(
            f"with `{action.name}` the choices of the game are", self._idents + action.count, MOST_CHOICES
        )
        self._idents += action.count
        self.actions.append(action)
        for phase in phases:
            phase.actions.append(action)

    @staticmethod
    def _refuse_weight_of_value_kept_too_late(action: Action) -> None:
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
    def refuse_automatic_or_mixed_phases(action_name: str, phases: Sequence[Phase]) -> None:
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
                f"action `{action_name}` is a player's in one phase and chance's in another",
                "make two actions; what they share may be a procedure",
            )

    # -- endings --------------------------------------------------------------------------------------------

    def add_ending(self, kind: str, reason: str, winner: Term | None, rule: str, *, shared: bool) -> Ending:
        """Add an ending, and return it."""
        refuse_braces_in_plain_text("an ending's reason", reason)
        if winner is not None:
            require_term_without_free_locals(f"the winner of `{reason}`", winner)
            if winner.lo >= self.players or winner.hi < 0:
                raise RulesError(
                    "PP344",
                    f"`{reason}` is won by seat {winner.lo}, the seats are 0..{self.players - 1}",
                    "seats are counted from 0",
                )
        made = Ending(len(self.endings) + 1, kind, reason, winner, rule, find_rule_place_in_call_stack(), shared)
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
        self.payoffs = tuple(require_term_without_free_locals("a return", as_term(v)) for v in values)

    @cached_property
    def results(self) -> tuple[Term, ...]:
        """Each seat's return in a finished state: as `returns` declares it, or else the default of
        the endings."""
        if self.payoffs is not None:
            return self.payoffs
        teams = [self._get_declared_team_of_seat(seat) for seat in range(self.players)]
        return make_default_return_terms(self.outcome.field, self.endings, teams)

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats that play together in a sealed description: all, if every ending gives all the same, else the
        declared teams."""
        return (tuple(range(self.players)),) if self._has_shared_goal() else self.teams

    def get_team_of_seat(self, seat: int) -> tuple[int, ...]:
        """Return the seats that play together with this one, including itself, ascending."""
        return next(tuple(sorted(side)) for side in self.sides if seat in side)

    @property
    def evaluations(self) -> tuple[Term, ...] | None:
        """How good a state is for each seat: what is declared for the seats of its team, added up. One term if one is
        declared for all, None if none is."""
        declared = get_evaluation_terms(self.facts)
        if declared is None or len(declared) != self.players or len(self.sides) == self.players:
            return declared
        return tuple(
            make_sum_of_many_terms(declared[s] for s in self.get_team_of_seat(seat)) for seat in range(self.players)
        )

    def _get_declared_team_of_seat(self, seat: int) -> tuple[int, ...]:
        return next(team for team in self.teams if seat in team)

    def _has_shared_goal(self) -> bool:
        """Return whether all seats want the same: no win is that of some seats only, and the returns are written alike
        for all. Without declared returns there has to be a win, else nothing shows what the seats want."""
        wins = [end for end in self.endings if end.kind == "win"]
        if not all(end.shared for end in wins):
            return False
        if self.payoffs is None:
            return bool(wins)
        shapes = {make_structural_key_or_identity(value) for value in self.payoffs}
        return len(shapes) == 1 and self.payoffs[0].lo < self.payoffs[0].hi

    # -- the whole ------------------------------------------------------------------------------------------

    def seal(self) -> Self:
        """Finish the description: check it as a whole and trim the fields that grew. Further calls
        have no effect.

        Raises RulesError with all errors.
        """
        if self._sealed:
            return self
        names = tuple(p.name for p in self.phases)
        for holds_phase in (self.current_phase.field, *self.phase_fields):
            holds_phase.hi, holds_phase.labels = max(0, len(names) - 1), names
        self.outcome.field.hi = len(self.endings)
        self.outcome.field.labels = ("playing", *(e.reason for e in self.endings))
        raise_first_carrying_all_if_any([*self.iter_description_errors()])
        self._sealed = True
        return self

    def iter_description_errors(self) -> Iterator[RulesError]:
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
            yield RulesError("PP332", f"the game `{self.name}` never ends", "use win, lose, draw or score", self.place)
        for end in self.endings:
            names_winner = end.winner is not None or end.shared or len(self.teams) == 1
            if end.kind == "win" and not names_winner and self.payoffs is None:
                message = f"the ending `{end.reason}` does not say which of the {self.players} players wins"
                hint = "write win(reason, winner=seat), or winner=EVERYBODY"
                yield RulesError("PP344", message, hint, place=end.place)
        if self.players > 1:
            yield from iter_undeclared_secrecy_errors(self.actions, self.phases)
        yield from iter_fact_errors(self.facts, self.fields, [*self.quantities], self._facts_at)

    def cite(self, *rules: str) -> None:
        """Note that the calling line implements these rule ids."""
        for rule in rules:
            if rule:
                self.citations.setdefault(rule, []).append(find_rule_place_in_call_stack())

    # -- ground actions -------------------------------------------------------------------------------------

    @property
    def ground(self) -> int:
        """Number of ground actions."""
        return self._idents

    def get_action_of_ground_action_number(self, action_id: int) -> Action:
        """Return the action that a ground action's number belongs to."""
        place = bisect_right(self.actions, action_id, key=attrgetter("first")) - 1
        if place >= 0 and action_id < self._idents:
            return self.actions[place]
        raise IndexError(f"no action {action_id}: the game has {self._idents}")

    def show(self, ident: int) -> str:
        """Return a ground action in words."""
        action = self.get_action_of_ground_action_number(ident)
        return action.format_ground_action(action.get_values_of_ground_action(ident))

    @cached_property
    def idents_by_text(self) -> Mapping[str, Sequence[int]]:
        """The ground actions of a sealed description by their words, which several may share."""
        by_words: dict[str, list[int]] = {}
        for ident, action, values in self.iter_ground_actions():
            by_words.setdefault(action.format_ground_action(values), []).append(ident)
        return by_words

    def iter_ground_actions(self, action_name: str | None = None) -> Iterator[tuple[int, Action, tuple[int, ...]]]:
        """The numbers of all ground actions, or of those of one name."""
        for action in self.actions:
            if action_name not in (None, action.name):
                continue
            grid = product(*(p.values for p in action.params))
            for offset, values in enumerate(grid):
                yield action.first + offset, action, values


__all__ = ["AUTOMATIC", "CHANCE", "EVERYBODY", "Action", "Ending", "Game", "Parameter", "Phase", "State"]
