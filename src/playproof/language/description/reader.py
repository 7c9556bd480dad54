"""Reads a game from a file, strictly: nothing of the game's own code runs, every check of the tracer is
repeated, and a file that `write` would have written otherwise is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from math import prod
from typing import Any, TypeVar

from playproof.database.errors import MessageAndHint
from playproof.language.checks import (
    build_action_text_or_one_per_choice,
    refuse_empty_action_text,
    refuse_unknown_placeholders_in_action_text,
)
from playproof.language.declarations import (
    FACTS,
    ActionSecrecy,
    get_declared_fact_type,
    has_declared_fact_type,
    resolve_secrecy_declaration,
)
from playproof.language.description.builders import BodyBuilder, LocalTable, TermTable, require_locals_in_scope
from playproof.language.description.file_rows import (
    CHANCE,
    CODE,
    ENDINGS,
    NOBODY,
    PHASES,
    DescriptionError,
    JsonNode,
    parse_description_sections,
)
from playproof.language.description.writer import write
from playproof.language.errors import Place, RulesError
from playproof.language.expr import Table
from playproof.language.fields import FieldVisibility, Sees
from playproof.language.game import MOST_PLAYERS, Game
from playproof.language.parts import AUTOMATIC, CHANCE as CHANCE_ACTS, Action, Parameter
from playproof.language.statements import Keep, get_statements_deciding_legality

T = TypeVar("T")
_MOST_CELLS = 200_000
_MOST_GROUND = 1_000_000
_MOST_BITS = 256
_KINDS = ("win", "loss", "draw", "scores")
_FACTS_INSIDE = 20


def read(data: bytes, file: str = "description") -> Game:
    """Return the sealed game that a file describes. Places in it are lines of `file`. Raises DescriptionError
    (PP370) for a file that is no description, or not as `write` writes it."""
    game = _DescriptionReader(data, file).build_sealed_game()
    again = write(game)
    if again != data:
        raise DescriptionError(
            CODE,
            *_make_message_and_hint_of_difference(data, again),
            place=Place(file, _find_number_of_first_different_line(data, again)),
        )
    return game


def _find_number_of_first_different_line(given: bytes, rewritten: bytes) -> int:
    pairs = zip_longest(given.split(b"\n"), rewritten.split(b"\n"))
    return next((number for number, (ours, theirs) in enumerate(pairs, 1) if ours != theirs), 1)


def _make_message_and_hint_of_difference(given: bytes, rewritten: bytes) -> MessageAndHint:
    number = _find_number_of_first_different_line(given, rewritten)
    ours, theirs = (dict(enumerate(whole.split(b"\n"), 1)).get(number, b"") for whole in (rewritten, given))
    lines = [line.decode(errors="replace")[:80] for line in (ours, theirs)]
    return MessageAndHint(
        f"expected the line {lines[0]!r}, found {lines[1]!r}",
        "a description has one form: each row once, where it is first needed, without spaces",
    )


class _DescriptionReader:
    """One pass over a file's sections."""

    def __init__(self, data: bytes, file: str) -> None:
        self.rows = parse_description_sections(data, file)
        self.field_names: frozenset[str] = frozenset()

    def build_sealed_game(self) -> Game:
        """Return the game. Raises DescriptionError."""
        made = self._build_empty_game()
        self._add_fields(made)
        self.field_names = frozenset(field.name for field in made.fields)
        self._add_tables(made)
        names = LocalTable(self.rows["locals"])
        terms = TermTable(self.rows["terms"], made.fields, made.tables, names, self.rows["functions"])
        made.functions = terms.functions
        endings, rows = len(self.rows["endings"]), self.rows
        bodies = BodyBuilder(rows["blocks"], rows["procedures"], terms, names, made.fields, endings)
        made.procedures = bodies.procedures
        self._add_phases(made, terms, bodies)
        self._add_actions(made, terms, bodies, names)
        self._add_endings(made, terms)
        self._add_payoffs_quantities_and_facts(made, terms, bodies)
        return self._call_converting_errors_to_node_errors(JsonNode(None, "file", made.place), made.seal)

    def _get_only_node_of_section(self, section_name: str) -> JsonNode:
        return self.rows[section_name][0]

    def _call_converting_errors_to_node_errors(
        self, node: JsonNode, check: Callable[..., T], *args: Any, **named: Any
    ) -> T:
        """Run what also the tracer runs. Its errors become errors of this value."""
        try:
            return check(*args, **named)
        except DescriptionError:
            raise
        except RulesError as error:
            node.raise_error(f"{error.code} {error.message}")

    def _build_empty_game(self) -> Game:
        name, players = (
            self._get_only_node_of_section("name").read_text(),
            self._get_only_node_of_section("players").read_integer(1, MOST_PLAYERS),
        )
        teams = [
            team.read_integers(0, players - 1, players, 1)
            for team in self._get_only_node_of_section("teams").read_list_items(players, 1)
        ]
        made = self._call_converting_errors_to_node_errors(
            self._get_only_node_of_section("teams"), Game, name, players=players, teams=teams
        )
        made.place = self._get_only_node_of_section("name").place
        made.setting = self._get_only_node_of_section("setting").read_options_and_rulings()
        return made

    # -- fields and tables ----------------------------------------------------------------------------------

    def _add_fields(self, game: Game) -> None:
        cells = 0
        if len(self.rows["fields"]) < 2:
            self._get_only_node_of_section("name").raise_error("expected the fields `phase` and `outcome`")
        for number, row in enumerate(self.rows["fields"]):
            name, bounds, shape, start, sees, labels, rules = row.read_values_of_exact_keys(
                "name", "bounds", "shape", "start", "sees", "labels", "rules"
            )
            dims = shape.read_integers(1, _MOST_CELLS, 20)
            cells += prod(dims)
            if cells > _MOST_CELLS:
                row.raise_error(f"expected at most {_MOST_CELLS:,} cells")
            if number < 2 or bounds.value == PHASES:
                self._add_phase_or_ending_field(game, number, name, bounds, start)
            else:
                self._add_field(game, row, dims, name, bounds, start, labels)
            made = game.fields[number]
            made.rules, made.place = rules.read_texts(), row.place
            made.sees = self._parse_field_visibility(sees, game.players)
            by_row = made.sees in (Sees.OWNER, Sees.OTHERS)
            if by_row and dims[:1] != (game.players,) and game.players > 1:
                sees.raise_error(
                    "expected a first index over the seats, for a field that its owner sees, or all others"
                )

    @staticmethod
    def _parse_field_visibility(node: JsonNode, players: int) -> FieldVisibility:
        """Return who sees a field: a word, or some of the seats. All of them, or none, are words."""
        if type(node.value) is list:
            return frozenset(node.read_integers(0, players - 1, players - 1, 1))
        return Sees(node.read_one_of_words([s.value for s in Sees]))

    def _add_phase_or_ending_field(
        self, game: Game, number: int, name: JsonNode, bounds: JsonNode, start: JsonNode
    ) -> None:
        """Add a field whose bounds are the phases or endings. The first two are there already."""
        if number < 2 and name.read_text() != ("phase", "outcome")[number]:
            name.raise_expected_but_found(f"`{('phase', 'outcome')[number]}`")
        bounds.read_one_of_words([ENDINGS if number == 1 else PHASES])
        if number > 1:
            self._call_converting_errors_to_node_errors(name, game.remember_phase, name.read_text())
        most = 0 if number == 1 else max(0, len(self.rows["phases"]) - 1)
        game.fields[number].start = start.read_integers(0, most, 1, 1)

    def _add_field(
        self,
        game: Game,
        row: JsonNode,
        dims: tuple[int, ...],
        name: JsonNode,
        bounds: JsonNode,
        start: JsonNode,
        labels: JsonNode,
    ) -> None:
        least = -(1 << _MOST_BITS)
        lo, hi = bounds.read_integers(least, -least, 2, 2)
        values, words = start.read_integers(lo, hi, prod(dims), prod(dims)), labels.read_texts()
        if words and len(words) != hi - lo + 1:
            labels.raise_error(f"expected a label for each of {lo}..{hi}, found {len(words)}")
        self._call_converting_errors_to_node_errors(
            row, game.declare_field, name.read_text(), lo, hi, dims, values, words or None, Sees.ALL, ""
        )

    def _add_tables(self, game: Game) -> None:
        least = -(1 << _MOST_BITS)
        for number, row in enumerate(self.rows["tables"]):
            name, shape, values = row.read_values_of_exact_keys("name", "shape", "values")
            dims = shape.read_integers(1, _MOST_CELLS, 20, 1)
            cells = min(prod(dims), _MOST_CELLS + 1)
            made = Table(name.read_text(), number, values.read_integers(least, -least, _MOST_CELLS, cells), dims)
            if len(made.values) != prod(dims):
                values.raise_error(f"expected {prod(dims):,} values, found {len(made.values):,}")
            game.tables.append(made)

    # -- phases and actions ---------------------------------------------------------------------------------

    def _add_phases(self, game: Game, terms: TermTable, bodies: BodyBuilder) -> None:
        for row in self.rows["phases"]:
            name, text, actor, does, rules, reveals = row.read_values_of_exact_keys(
                "name", "text", "actor", "does", "rules", "reveals"
            )
            acts: Any = (
                {NOBODY: AUTOMATIC, CHANCE: CHANCE_ACTS}.get(actor.value)
                if (type(actor.value) is str)
                else terms.get_term(actor)
            )
            if acts is None:
                actor.raise_expected_but_found(f"{NOBODY}, {CHANCE} or the number of a term")
            made = self._call_converting_errors_to_node_errors(
                row, game.phase, name.read_text(), acts, text=text.read_text()
            )
            made.place, made.rules = row.place, rules.read_texts()
            made.reveals = reveals.read_sorted_known_names(self.field_names, "field")
            if does.value is not None:
                if not made.automatic:
                    does.raise_error("only a phase in which nobody acts has effects")
                made.body, _ = bodies.build_rule_statements(does)

    def _add_actions(self, game: Game, terms: TermTable, bodies: BodyBuilder, local_table: LocalTable) -> None:
        taken = set[str]()
        for number, row in enumerate(self.rows["actions"]):
            action = self._build_action(game, terms, bodies, local_table, row, number)
            if action.name in taken:
                row.raise_error(f"two actions are called `{action.name}`")
            taken.add(action.name)
            self._call_converting_errors_to_node_errors(row, game.add_built_action, action)

    def _build_action(
        self, game: Game, terms: TermTable, bodies: BodyBuilder, local_table: LocalTable, row: JsonNode, number: int
    ) -> Action:
        name, text, phases, params, does, weight, rules, hidden, secret, public, reveals = (
            row.read_values_of_exact_keys(
                "name", "text", "phases", "params", "does", "weight", "rules", "hidden", "secret", "public", "reveals"
            )
        )
        where = phases.read_integers(0, len(game.phases) - 1, len(game.phases), 1)
        if len(set(where)) != len(where):
            phases.raise_error("a phase stands twice")
        self._call_converting_errors_to_node_errors(
            phases, game.refuse_automatic_or_mixed_phases, name.read_text(), [game.phases[n] for n in where]
        )
        parts = tuple(self._parse_parameter(local_table, node) for node in params.read_list_items(20))
        count = prod(p.count for p in parts)
        if game.ground + count > _MOST_GROUND:
            row.raise_error(f"expected at most {_MOST_GROUND:,} ground actions")
        scope = [p.local for p in parts]
        if len({p.name for p in scope}) != len(scope):
            params.raise_error("two parameters have one name")
        body, _ = bodies.build_rule_statements(does, scope, refusable=True)
        head = get_statements_deciding_legality(body)
        keeps = tuple(s for s in head if isinstance(s, Keep))
        term = terms.get_optional_term(weight)
        if term is not None:
            require_locals_in_scope(weight, term, {*scope, *(s.local for s in keeps)})
            if term.hi <= 0 or term.hi >= 1 << 31:
                weight.raise_error(f"expected a weight of 1..{(1 << 31) - 1:,} at most, found up to {term.hi}")
        every = frozenset(p.name for p in scope)
        seen = ActionSecrecy(
            hidden.read_bool(),
            secret.read_sorted_known_names(every, "parameter"),
            public.read_sorted_known_names(every, "parameter"),
        )
        is_secret = seen.is_action_secret or seen.secret_parameters
        wanted = self._call_converting_errors_to_node_errors(
            row, resolve_secrecy_declaration, name.value, parts, is_secret, seen.public_parameters
        )
        if seen != wanted:
            secret.raise_error("the action is hidden, so all its parameters are secret")
        return Action(
            name.value,
            number,
            where,
            parts,
            self._parse_action_text(name.value, text, parts, count),
            body,
            head,
            keeps,
            term,
            rules.read_texts(),
            row.place,
            game.ground,
            *seen,
            reveals.read_sorted_known_names(self.field_names, "field"),
        )

    @staticmethod
    def _parse_parameter(local_table: LocalTable, node: JsonNode) -> Parameter:
        local, labels = node.read_values_of_exact_keys("local", "labels")
        made, words = local_table.bind_local_once(local), labels.read_texts(_MOST_GROUND)
        count = made.hi - made.lo + 1
        if words and len(words) != count:
            labels.raise_error(f"expected a label for each of {count} values, found {len(words)}")
        return Parameter(made, made.lo, count, words)

    def _parse_action_text(
        self, action_name: str, text_node: JsonNode, params: Sequence[Parameter], ground_action_count: int
    ) -> str | tuple[str, ...]:
        if type(text_node.value) is list:
            words = tuple(
                item.read_text() for item in text_node.read_list_items(ground_action_count, ground_action_count)
            )
            for line in words:
                self._call_converting_errors_to_node_errors(text_node, refuse_empty_action_text, action_name, line)
            return words
        self._call_converting_errors_to_node_errors(
            text_node,
            refuse_unknown_placeholders_in_action_text,
            action_name,
            text_node.read_text(),
            [p.local.name for p in params],
        )
        return self._call_converting_errors_to_node_errors(
            text_node, build_action_text_or_one_per_choice, action_name, text_node.value, params
        )

    # -- endings, quantities and facts ----------------------------------------------------------------------

    def _add_endings(self, game: Game, terms: TermTable) -> None:
        for row in self.rows["endings"]:
            kind, reason, winner, shared, rule = row.read_values_of_exact_keys(
                "kind", "reason", "winner", "shared", "rule"
            )
            term = terms.get_optional_term(winner)
            if shared.read_bool() and term is not None:
                winner.raise_error("a win that all share has no winner")
            words = kind.read_one_of_words(_KINDS), reason.read_text(), term, rule.read_text()
            self._call_converting_errors_to_node_errors(row, game.add_ending, *words, shared=shared.value)
            object.__setattr__(game.endings[-1], "place", row.place)

    def _add_payoffs_quantities_and_facts(self, game: Game, terms: TermTable, bodies: BodyBuilder) -> None:
        payoffs = self._get_only_node_of_section("payoffs")
        if payoffs.value is not None:
            nodes = payoffs.read_list_items(game.players, game.players)
            values = [terms.get_term(node) for node in nodes]
            self._call_converting_errors_to_node_errors(payoffs, game.returns, *values)
        for row in self.rows["quantities"]:
            name, value = row.read_list_items(2, 2)
            term = require_locals_in_scope(value, terms.get_term(value), frozenset())
            bodies.add_unfolded_terms_or_raise_above_limit(row, terms.get_term_cost(value).unfolded)
            self._call_converting_errors_to_node_errors(row, game.quantity, name.read_text(), term)
        for row in self.rows["facts"]:
            name, value = row.read_list_items(2, 2)
            if name.read_text() in game.facts:
                row.raise_error(f"the fact `{name.value}` stands twice")
            fact = self._parse_fact(value, terms, bodies, 0)
            self._call_converting_errors_to_node_errors(row, game.fact, **{name.value: fact})
            if not has_declared_fact_type(fact, get_declared_fact_type(name.value)):
                value.raise_expected_but_found(f"what the fact `{name.value}` holds: {FACTS[name.value]}")

    def _parse_fact(self, node: JsonNode, terms: TermTable, bodies: BodyBuilder, depth: int) -> Any:
        if depth > _FACTS_INSIDE:
            node.raise_error(f"expected at most {_FACTS_INSIDE} lists in each other")
        if type(node.value) is list:
            return [self._parse_fact(item, terms, bodies, depth + 1) for item in node.read_list_items(100_000)]
        if type(node.value) is dict and "term" in node.value:
            (number,) = node.read_values_of_exact_keys("term")
            bodies.add_unfolded_terms_or_raise_above_limit(
                node, terms.get_term_cost(number).unfolded if terms.get_term(number) is not None else 0
            )
            return require_locals_in_scope(number, terms.get_term(number), frozenset())
        if type(node.value) is dict:
            (pairs,) = node.read_values_of_exact_keys("map")
            made: dict[str, Any] = {}
            for pair in pairs.read_list_items(100_000):
                key, value = pair.read_list_items(2, 2)
                if key.read_text() in made:
                    key.raise_error("the key stands twice")
                made[key.value] = self._parse_fact(value, terms, bodies, depth + 1)
            return made
        if type(node.value) is str:
            return node.read_text(allow_line_breaks=True)
        if type(node.value) is int:
            return node.read_integer(-(1 << _MOST_BITS), 1 << _MOST_BITS)
        return node.value
