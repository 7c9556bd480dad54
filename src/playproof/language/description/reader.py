"""Reads a game from a file, strictly: nothing of the game's own code runs, every check of the tracer is
repeated, and a file that `write` would have written otherwise is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import prod
from typing import Any, TypeVar

from playproof.language.checks import check_text
from playproof.language.declarations import FACTS, has_type, type_of
from playproof.language.decorator_checks import check_words, words_of
from playproof.language.description.bodies import Bodies
from playproof.language.description.parsed import CODE, Node, sections_of
from playproof.language.description.rows import CHANCE, ENDINGS, NOBODY, PHASES, DescriptionError
from playproof.language.description.terms import Locals, Terms, check_closed
from playproof.language.description.writer import write
from playproof.language.errors import Place, RulesError
from playproof.language.expr import Table
from playproof.language.fields import Seers, Sees
from playproof.language.game import MOST_PLAYERS, Game
from playproof.language.parts import AUTOMATIC, CHANCE as CHANCE_ACTS, Action, Parameter
from playproof.language.secrecy import declared
from playproof.language.traced_statements import Keep, head_of

T = TypeVar("T")
_MOST_CELLS = 200_000
_MOST_GROUND = 1_000_000
_MOST_BITS = 256
_KINDS = ("win", "loss", "draw", "scores")
_FACTS_INSIDE = 20


def read(data: bytes, file: str = "description") -> Game:
    """Return the sealed game that a file describes. Places in it are lines of `file`. Raises DescriptionError
    (PP370) for a file that is no description, or not as `write` writes it."""
    game = _Reader(data, file).game()
    again = write(game)
    if again != data:
        raise DescriptionError(CODE, *_difference(data, again), place=Place(file, _line(data, again)))
    return game


def _line(data: bytes, again: bytes) -> int:
    pairs = zip_longest(data.split(b"\n"), again.split(b"\n"))
    return next((number for number, (ours, theirs) in enumerate(pairs, 1) if ours != theirs), 1)


def _difference(data: bytes, again: bytes) -> tuple[str, str]:
    number = _line(data, again)
    ours, theirs = (dict(enumerate(whole.split(b"\n"), 1)).get(number, b"") for whole in (again, data))
    lines = [line.decode(errors="replace")[:80] for line in (ours, theirs)]
    return (
        f"expected the line {lines[0]!r}, found {lines[1]!r}",
        "a description has one form: each row once, where it is first needed, without spaces",
    )


class _Reader:
    """One pass over a file's sections."""

    def __init__(self, data: bytes, file: str) -> None:
        self.rows = sections_of(data, file)
        self.field_names: frozenset[str] = frozenset()

    def game(self) -> Game:
        """Return the game. Raises DescriptionError."""
        made = self._empty()
        made.foreign = True
        self._fields(made)
        self.field_names = frozenset(field.name for field in made.fields)
        self._tables(made)
        names = Locals(self.rows["locals"])
        terms = Terms(self.rows["terms"], made.fields, made.tables, names, self.rows["functions"])
        made.functions = terms.functions
        endings, rows = len(self.rows["endings"]), self.rows
        bodies = Bodies(rows["blocks"], rows["procedures"], terms, names, made.fields, endings)
        made.procedures = bodies.procedures
        self._phases(made, terms, bodies)
        self._actions(made, terms, bodies, names)
        self._endings(made, terms)
        self._names(made, terms, bodies)
        return self._by(Node(None, "file", made.place), made.seal)

    def _single(self, name: str) -> Node:
        return self.rows[name][0]

    def _by(self, node: Node, check: Callable[..., T], *args: Any, **named: Any) -> T:
        """Run what also the tracer runs. Its errors become errors of this value."""
        try:
            return check(*args, **named)
        except DescriptionError:
            raise
        except RulesError as error:
            node.fail(f"{error.code} {error.message}")

    def _empty(self) -> Game:
        name, players = self._single("name").text(), self._single("players").integer(1, MOST_PLAYERS)
        teams = [
            team.integers(0, players - 1, players, 1) for team in self._single("teams").items(players, 1)
        ]
        made = self._by(self._single("teams"), Game, name, players=players, teams=teams)
        made.place = self._single("name").place
        made.setting = self._single("setting").setting()
        return made

    # -- fields and tables ----------------------------------------------------------------------------------

    def _fields(self, game: Game) -> None:
        cells = 0
        if len(self.rows["fields"]) < 2:
            self._single("name").fail("expected the fields `phase` and `outcome`")
        for number, row in enumerate(self.rows["fields"]):
            name, bounds, shape, start, sees, labels, rules = row.mapping(
                "name", "bounds", "shape", "start", "sees", "labels", "rules"
            )
            dims = shape.integers(1, _MOST_CELLS, 20)
            cells += prod(dims)
            if cells > _MOST_CELLS:
                row.fail(f"expected at most {_MOST_CELLS:,} cells")
            if number < 2 or bounds.value == PHASES:
                self._counting(game, number, name, bounds, start)
            else:
                self._field(game, row, dims, name, bounds, start, labels)
            made = game.fields[number]
            made.rules, made.place = rules.texts(), row.place
            made.sees = self._seers(sees, game.players)
            by_row = made.sees in (Sees.OWNER, Sees.OTHERS)
            if by_row and dims[:1] != (game.players,) and game.players > 1:
                sees.fail(
                    "expected a first index over the seats, for a field that its owner sees, or all others"
                )

    @staticmethod
    def _seers(node: Node, players: int) -> Seers:
        """Return who sees a field: a word, or some of the seats. All of them, or none, are words."""
        if type(node.value) is list:
            return frozenset(node.integers(0, players - 1, players - 1, 1))
        return Sees(node.word([s.value for s in Sees]))

    def _counting(self, game: Game, number: int, name: Node, bounds: Node, start: Node) -> None:
        """Add a field whose bounds are the phases or endings. The first two are there already."""
        if number < 2 and name.text() != ("phase", "outcome")[number]:
            name.expected(f"`{('phase', 'outcome')[number]}`")
        bounds.word([ENDINGS if number == 1 else PHASES])
        if number > 1:
            self._by(name, game.remember_phase, name.text())
        most = 0 if number == 1 else max(0, len(self.rows["phases"]) - 1)
        game.fields[number].start = start.integers(0, most, 1, 1)

    def _field(
        self,
        game: Game,
        row: Node,
        dims: tuple[int, ...],
        name: Node,
        bounds: Node,
        start: Node,
        labels: Node,
    ) -> None:
        least = -(1 << _MOST_BITS)
        lo, hi = bounds.integers(least, -least, 2, 2)
        values, words = start.integers(lo, hi, prod(dims), prod(dims)), labels.texts()
        if words and len(words) != hi - lo + 1:
            labels.fail(f"expected a label for each of {lo}..{hi}, found {len(words)}")
        self._by(row, game.declare, name.text(), lo, hi, dims, values, words or None, Sees.ALL, "")

    def _tables(self, game: Game) -> None:
        least = -(1 << _MOST_BITS)
        for number, row in enumerate(self.rows["tables"]):
            name, shape, values = row.mapping("name", "shape", "values")
            dims = shape.integers(1, _MOST_CELLS, 20, 1)
            cells = min(prod(dims), _MOST_CELLS + 1)
            made = Table(name.text(), number, values.integers(least, -least, _MOST_CELLS, cells), dims)
            if len(made.values) != prod(dims):
                values.fail(f"expected {prod(dims):,} values, found {len(made.values):,}")
            game.tables.append(made)

    # -- phases and actions ---------------------------------------------------------------------------------

    def _phases(self, game: Game, terms: Terms, bodies: Bodies) -> None:
        for row in self.rows["phases"]:
            name, text, actor, does, rules, reveals = row.mapping(
                "name", "text", "actor", "does", "rules", "reveals"
            )
            acts: Any = (
                {NOBODY: AUTOMATIC, CHANCE: CHANCE_ACTS}.get(actor.value)
                if (type(actor.value) is str)
                else terms.named(actor)
            )
            if acts is None:
                actor.expected(f"{NOBODY}, {CHANCE} or the number of a term")
            made = self._by(row, game.phase, name.text(), acts, text=text.text())
            made.place, made.rules = row.place, rules.texts()
            made.reveals = reveals.names(self.field_names, "field")
            if does.value is not None:
                if not made.automatic:
                    does.fail("only a phase in which nobody acts has effects")
                made.body, _ = bodies.body(does)

    def _actions(self, game: Game, terms: Terms, bodies: Bodies, names: Locals) -> None:
        taken = set[str]()
        for number, row in enumerate(self.rows["actions"]):
            action = self._action(game, terms, bodies, names, row, number)
            if action.name in taken:
                row.fail(f"two actions are called `{action.name}`")
            taken.add(action.name)
            self._by(row, game.adopt, action)

    def _action(
        self, game: Game, terms: Terms, bodies: Bodies, names: Locals, row: Node, number: int
    ) -> Action:
        name, text, phases, params, does, weight, rules, hidden, secret, public, reveals = row.mapping(
            "name",
            "text",
            "phases",
            "params",
            "does",
            "weight",
            "rules",
            "hidden",
            "secret",
            "public",
            "reveals",
        )
        where = phases.integers(0, len(game.phases) - 1, len(game.phases), 1)
        if len(set(where)) != len(where):
            phases.fail("a phase stands twice")
        self._by(phases, game.check_kinds, name.text(), [game.phases[n] for n in where])
        parts = tuple(self._parameter(names, node) for node in params.items(20))
        count = prod(p.count for p in parts)
        if game.ground + count > _MOST_GROUND:
            row.fail(f"expected at most {_MOST_GROUND:,} ground actions")
        scope = [p.local for p in parts]
        if len({p.name for p in scope}) != len(scope):
            params.fail("two parameters have one name")
        body, _ = bodies.body(does, scope, refusable=True)
        head = head_of(body)
        keeps = tuple(s for s in head if isinstance(s, Keep))
        term = terms.optional(weight)
        if term is not None:
            check_closed(weight, term, {*scope, *(s.local for s in keeps)})
            if term.hi <= 0 or term.hi >= 1 << 31:
                weight.fail(f"expected a weight of 1..{(1 << 31) - 1:,} at most, found up to {term.hi}")
        every = frozenset(p.name for p in scope)
        seen = (hidden.truth(), secret.names(every, "parameter"), public.names(every, "parameter"))
        wanted = self._by(row, declared, name.value, parts, seen[0] or seen[1], seen[2])
        if seen != wanted:
            secret.fail("the action is hidden, so all its parameters are secret")
        return Action(
            name.value,
            number,
            where,
            parts,
            self._words(name.value, text, parts, count),
            body,
            head,
            keeps,
            term,
            rules.texts(),
            row.place,
            game.ground,
            *seen,
            reveals.names(self.field_names, "field"),
        )

    @staticmethod
    def _parameter(names: Locals, node: Node) -> Parameter:
        local, labels = node.mapping("local", "labels")
        made, words = names.bind(local), labels.texts(_MOST_GROUND)
        count = made.hi - made.lo + 1
        if words and len(words) != count:
            labels.fail(f"expected a label for each of {count} values, found {len(words)}")
        return Parameter(made, made.lo, count, words)

    def _words(self, name: str, text: Node, params: Sequence[Parameter], count: int) -> str | tuple[str, ...]:
        if type(text.value) is list:
            words = tuple(item.text() for item in text.items(count, count))
            for line in words:
                self._by(text, check_words, name, line)
            return words
        self._by(text, check_text, name, text.text(), [p.local.name for p in params])
        return self._by(text, words_of, name, text.value, params)

    # -- endings, quantities and facts ----------------------------------------------------------------------

    def _endings(self, game: Game, terms: Terms) -> None:
        for row in self.rows["endings"]:
            kind, reason, winner, shared, rule = row.mapping("kind", "reason", "winner", "shared", "rule")
            term = terms.optional(winner)
            if shared.truth() and term is not None:
                winner.fail("a win that all share has no winner")
            words = kind.word(_KINDS), reason.text(), term, rule.text()
            self._by(row, game.end, *words, shared=shared.value)
            object.__setattr__(game.endings[-1], "place", row.place)

    def _names(self, game: Game, terms: Terms, bodies: Bodies) -> None:
        payoffs = self._single("payoffs")
        if payoffs.value is not None:
            nodes = payoffs.items(game.players, game.players)
            values = [terms.named(node) for node in nodes]
            self._by(payoffs, game.returns, *values)
        for row in self.rows["quantities"]:
            name, value = row.items(2, 2)
            term = check_closed(value, terms.named(value), frozenset())
            bodies.spend(row, terms.cost(value).unfolded)
            self._by(row, game.quantity, name.text(), term)
        for row in self.rows["facts"]:
            name, value = row.items(2, 2)
            if name.text() in game.facts:
                row.fail(f"the fact `{name.value}` stands twice")
            fact = self._fact(value, terms, bodies, 0)
            self._by(row, game.fact, **{name.value: fact})
            if not has_type(fact, type_of(name.value)):
                value.expected(f"what the fact `{name.value}` holds: {FACTS[name.value]}")

    def _fact(self, node: Node, terms: Terms, bodies: Bodies, inside: int) -> Any:
        if inside > _FACTS_INSIDE:
            node.fail(f"expected at most {_FACTS_INSIDE} lists in each other")
        if type(node.value) is list:
            return [self._fact(item, terms, bodies, inside + 1) for item in node.items(100_000)]
        if type(node.value) is dict and "term" in node.value:
            (number,) = node.mapping("term")
            bodies.spend(node, terms.cost(number).unfolded if terms.named(number) is not None else 0)
            return check_closed(number, terms.named(number), frozenset())
        if type(node.value) is dict:
            (pairs,) = node.mapping("map")
            made: dict[str, Any] = {}
            for pair in pairs.items(100_000):
                key, value = pair.items(2, 2)
                if key.text() in made:
                    key.fail("the key stands twice")
                made[key.value] = self._fact(value, terms, bodies, inside + 1)
            return made
        if type(node.value) is str:
            return node.text(lines=True)
        if type(node.value) is int:
            return node.integer(-(1 << _MOST_BITS), 1 << _MOST_BITS)
        return node.value
