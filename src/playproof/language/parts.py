"""The parts of a description: parameters, actions, phases and endings, and what an ending is worth to
each seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import prod
from typing import Any, TypeVar

from playproof.database.errors import find_nearest_word_or_empty
from playproof.language.errors import MOST_CHOICES, Place, RulesError, refuse_number_above_limit
from playproof.language.expr import Const, Local, Operand, Read, Term, make_disjunction_term, make_fresh_local, pick
from playproof.language.fields import Field, get_label_names
from playproof.language.statements import Keep, Statement

# The parts of a description: parameters, actions, phases, endings.

T = TypeVar("T")
CHANCE = -1
AUTOMATIC = -2
EVERYBODY = "everybody"  # winner= of a game that all win together
KEYWORDS = ("text", "rule", "name", "secret", "public", "reveals")
"""The words of `@g.action` that are no parameters."""
Over = int | range | Sequence[str] | type[IntEnum]
RuleBody = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One choice inside an action: `low` plus `count` values, with names if they have any."""

    local: Local
    low: int
    count: int
    labels: tuple[str, ...]

    @property
    def values(self) -> range:
        """All values."""
        return range(self.low, self.low + self.count)

    def format_value(self, value: int) -> str:
        """A value as people name it."""
        return self.labels[value - self.low] if self.labels else str(value)


@dataclass(frozen=True, slots=True)
class Action:
    """An action that players or chance take. Its ground actions are numbered `first .. first +
    count - 1`.

    `text` has `{name}` for each parameter, or is one text for each ground action. `head` is the part of `body` that
    decides whether the action is legal; `kept` holds the values of it that a weight may use. The other players see who
    acts, which action it is (unless `hidden`) and its parameters except those in `secret`. `reveals` names hidden
    fields that the action shows to all on purpose.
    """

    name: str
    number: int
    phases: tuple[int, ...]
    params: tuple[Parameter, ...]
    text: str | tuple[str, ...]
    body: tuple[Statement, ...]
    head: tuple[Statement, ...]
    kept: tuple[Keep, ...]
    weight: Term | None
    rules: tuple[str, ...]
    place: Place
    first: int
    hidden: bool = False
    secret: frozenset[str] = frozenset()
    public: frozenset[str] = frozenset()
    reveals: frozenset[str] = frozenset()

    @property
    def count(self) -> int:
        """Number of ground actions."""
        return prod(p.count for p in self.params)

    @property
    def idents(self) -> range:
        """The numbers of the ground actions."""
        return range(self.first, self.first + self.count)

    def map_parameter_numbers_to_values(self, values: Sequence[T]) -> dict[int, T]:
        """Return these values of the parameters by the numbers of their locals."""
        return {p.local.number: value for p, value in zip(self.params, values, strict=True)}

    def get_values_of_ground_action(self, action_id: int) -> tuple[int, ...]:
        """Return the parameters' values of a ground action's number."""
        rest, values = action_id - self.first, []
        for p in reversed(self.params):
            rest, digit = divmod(rest, p.count)
            values.append(p.low + digit)
        return tuple(reversed(values))

    def get_ground_action_number(self, values: Sequence[int]) -> int:
        """Return the ground action's number for these parameter values."""
        number = 0
        for p, v in zip(self.params, values, strict=True):
            number = number * p.count + (v - p.low)
        return self.first + number

    def format_ground_action(self, values: Sequence[int]) -> str:
        """The ground action in words, e.g. "mark 4"."""
        if not isinstance(self.text, str):
            return self.text[self.get_ground_action_number(values) - self.first]
        return self.text.format(**{p.local.name: p.format_value(v) for p, v in zip(self.params, values, strict=True)})


@dataclass(slots=True, eq=False)
class Phase:
    """A phase of the game and who acts in it: a player (a term), chance, or nobody (automatic)."""

    name: str
    number: int
    actor: Term
    text: str = ""
    rules: tuple[str, ...] = ()
    actions: list[Action] = field(default_factory=list)
    body: tuple[Statement, ...] | None = None
    place: Place | None = None
    reveals: frozenset[str] = frozenset()

    def __index__(self) -> int:
        return self.number

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        if isinstance(other, int | str):  # Python would answer False, once for all games
            raise RulesError(
                "PP301",
                f"the phase `{self.name}` is compared with {other!r}",
                "write `s.phase == phase` for the phase that the game is in",
            )
        return self is other if isinstance(other, Phase) else NotImplemented

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
    """An ending of the game, of kind win, loss, draw or scores. `winner` is a term for the winning
    seat, whose team wins with it; a win without `winner` is a win for all."""

    number: int
    kind: str
    reason: str
    winner: Term | None
    rule: str
    place: Place
    shared: bool = False


def make_parameter(name: str, allowed_values: Over) -> Parameter:
    """Return the parameter with this name over a number, a range, a list of names or an IntEnum."""
    labels: tuple[str, ...] = ()
    if isinstance(allowed_values, str) or not isinstance(allowed_values, int | range | Sequence | type):
        described = "a value of the state" if isinstance(allowed_values, Operand) else repr(allowed_values)
        near = find_nearest_word_or_empty(name, KEYWORDS)
        hint = (
            f'did you mean "{near}"?' if near else "write how many values there may be, and ask inside with `require`"
        )
        raise RulesError(
            "PP308",
            f"parameter `{name}` expected a number, a range, a list of names or an IntEnum, found {described}",
            hint,
        )
    if isinstance(allowed_values, int):
        low, count = 0, allowed_values
    elif isinstance(allowed_values, range):
        low, count = allowed_values.start, len(allowed_values)
        if allowed_values.step != 1:
            raise RulesError(
                "PP308",
                f"parameter `{name}` goes over {allowed_values!r}, in steps of {allowed_values.step}",
                "let it go over range(n), and write the value as a multiple of it",
            )
    else:
        labels = get_label_names(allowed_values)
        low, count = 0, len(labels)
        other = next((label for label in labels if not isinstance(label, str)), None)
        if other is not None:
            raise RulesError(
                "PP308",
                f"parameter `{name}` has the name {other!r}, which is no text",
                "names stand in quotation marks; for numbers write range(first, last + 1)",
            )
    refuse_number_above_limit(f"the values of `{name}` are", count, MOST_CHOICES)
    if count <= 0:
        raise RulesError("PP308", f"parameter `{name}` has no values", "give at least one")
    return Parameter(make_fresh_local(name, low, low + count - 1), low, count, labels)


# -- results -------------------------------------------------------------------------------------------------
# The terms for what an ending is worth to each seat; every reading takes them from here.


def make_default_return_terms(
    outcome: Field, endings: Sequence[Ending], teams: Sequence[Sequence[int]]
) -> tuple[Term, ...]:
    """Return each seat's return in a finished state if the game declares none; `teams` holds the team
    of each seat. A win gives 1 to the winner and its team (to all if it names nobody) and -1 to the
    others; a loss gives -1; any other ending gives 0."""
    if not endings:
        return (Const(0),) * len(teams)
    ending = Read(outcome, Const(0), 0)
    return tuple(
        _make_term_picking_worth_of_ending(
            ending, endings, [_make_worth_of_ending_for_team(end, team) for end in endings]
        )
        for team in teams
    )


def _make_term_picking_worth_of_ending(ending_number: Term, endings: Sequence[Ending], worths: Sequence[Term]) -> Term:
    """Return the worth of the ending that was reached."""
    result = worths[-1]
    for end, worth in zip(endings[-2::-1], worths[-2::-1], strict=True):
        result = pick(ending_number == end.number, worth, result)
    return result


def _make_worth_of_ending_for_team(end: Ending, team: Sequence[int]) -> Term:
    if end.kind != "win":
        return Const(-1 if end.kind == "loss" else 0)
    if end.winner is None:
        return Const(1)
    return pick(make_disjunction_term(end.winner == seat for seat in team), 1, -1)
