"""Ways to play, as `ask: strategy` names them, and the numbers that a `worth` claim asks for: what a way to
play is worth at the end, or how long it takes. Here they are read from their words into data of claim terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import CHANCE, Interpreter, RulesError, Term
from playproof.language.expr import Apply, Const, Read, get_child_terms
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import ClaimTerm, Target
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.kernel.ways_to_play import (
    LENGTHS,
    PLAYS,
    TIES,
    Strategy,
    WorthNumber,
    build_strategy,
    build_worth,
)
from playproof.verifier.questions.claims import Spec
from playproof.verifier.questions.targets import TargetReader

KEYS = ("target", "play", "seat", "ties")
EVALUATION = "evaluation"
"""The word for the evaluation of positions that the game declares."""
_RULE = ("when", "take", "most", "least")
_MOST_RULES = 1_000


def strategy_spec_to_strategy(game: Game, strategy_spec: Spec, where: Where | None = None) -> Strategy:
    """Return the way to play that a specification names. Raises InputError if it cannot be understood, or if a rule
    reads what the seat does not see."""
    return build_strategy(game, strategy_spec_to_data(game, strategy_spec, where))


def strategy_spec_to_data(game: Game, strategy_spec: Spec, where: Where | None = None) -> Json:
    """Return the way to play that a specification names as data. Raises InputError, as above."""
    return _StrategyReader(game, where or Where(game.name)).strategy_spec_to_data(strategy_spec)


def get_target_of_strategy_or_raise(
    game: Game, strategy_spec: Spec, limit_spec: Spec, where: Where | None = None
) -> Target:
    """Return what the strategy is to bring about. Raises InputError."""
    reader = TargetReader(game, where or Where(game.name))
    if not isinstance(strategy_spec, Mapping) or "target" not in strategy_spec:
        raise reader.wrong(f"expected {{target: ..., play: [...]}}, found {strategy_spec!r}")
    target = reader.read_single_target_of_spec(strategy_spec["target"], limit_spec)
    if target.idents is not None:
        raise reader.wrong("a strategy is asked of endings and conditions, not of actions")
    return target


class _StrategyReader:
    def __init__(self, game: Game, where: Where) -> None:
        self.game, self.where, self.targets = game, where, TargetReader(game, where)
        self._wrong = partial(InputError.from_single_finding, "PP701", where)

    def strategy_spec_to_data(self, strategy_spec: Spec) -> Json:
        if not isinstance(strategy_spec, Mapping):
            raise self._wrong(f"expected {{target: ..., play: [...]}}, found {strategy_spec!r}")
        for key in strategy_spec:
            if key not in KEYS:
                raise self._wrong(
                    f"unknown key `{key}` beside `play`", make_nearest_or_possible_words_hint(str(key), KEYS)
                )
        rules, seats, ties = (
            strategy_spec.get("play"),
            self._read_seats_following_strategy(strategy_spec),
            strategy_spec.get("ties", "any"),
        )
        if ties not in TIES:
            raise self._wrong(f"ties `{ties}`", f"write {', '.join(TIES)}")
        if not isinstance(rules, list) or not 0 < len(rules) <= _MOST_RULES:
            raise self._wrong(f"expected `play` as a list of rules, found {rules!r}")
        return {"seats": seats, "ties": ties, "rules": [self._rule_spec_to_data(rule, seats) for rule in rules]}

    def _read_seats_following_strategy(self, strategy_spec: Mapping[str, Any]) -> tuple[int, ...]:
        """Return who plays so: the seat that is named, else the team of the target's, else of the first."""
        target = strategy_spec.get("target")
        default = target.get("seat", 0) if isinstance(target, Mapping) else 0
        seat = strategy_spec.get("seat", default)
        if seat == "all":
            return tuple(range(self.game.players))
        if type(seat) is not int or seat not in range(self.game.players):
            raise self._wrong(f"expected a seat from 0 to {self.game.players - 1}, found {seat!r}", "or all")
        return (seat,) if "seat" in strategy_spec else self.game.get_team_of_seat(seat)

    def _rule_spec_to_data(self, rule_spec: Spec, seats: tuple[int, ...]) -> Json:
        if not isinstance(rule_spec, Mapping) or not rule_spec:
            raise self._wrong(f"expected a rule as {{when: ..., take: ..., most: ...}}, found {rule_spec!r}")
        for key in rule_spec:
            if key not in _RULE:
                raise self._wrong(
                    f"unknown key `{key}` in a rule", make_nearest_or_possible_words_hint(str(key), _RULE)
                )
        if "most" in rule_spec and "least" in rule_spec:
            raise self._wrong("a rule has `most` or `least`", "write `most: [a, 0 - b]` for both")
        when = self.targets.formula.condition_text_to_data(str(rule_spec["when"])) if "when" in rule_spec else 1
        self._require_some_seat_sees_each_cell(when, seats, f"`when: {rule_spec.get('when')}`")
        idents = self._take_spec_to_action_ids(rule_spec["take"]) if "take" in rule_spec else None
        word = "most" if "most" in rule_spec else "least"
        numbers = rule_spec.get(word, [])
        listed = numbers if isinstance(numbers, list) else [numbers]
        return {
            "when": when,
            "take": None if idents is None else sorted(idents),
            "least": word == "least" and bool(listed),
            "numbers": [self._number_spec_to_data(each, idents, seats) for each in listed],
        }

    def _take_spec_to_action_ids(self, take_spec: Spec) -> frozenset[int]:
        """Return the actions of `take: NAME`, `take: {action: NAME, ...}`, or a list of these."""
        idents = frozenset[int]()
        for each in take_spec if isinstance(take_spec, list) else [take_spec]:
            spec = each if isinstance(each, Mapping) else {"action": each}
            if "action" not in spec:
                raise self._wrong(f"expected an action, found {each!r}", "write {action: NAME}")
            idents |= self.targets.read_single_target_of_spec(spec).idents or frozenset()
        if not idents:
            raise self._wrong("a rule takes none of no actions", "leave `take` out for all")
        return idents

    def _number_spec_to_data(
        self, number_spec: Spec, action_ids: frozenset[int] | None, seats: tuple[int, ...]
    ) -> ClaimTerm:
        if isinstance(number_spec, Mapping):
            if set(number_spec) != {"parameter"}:
                raise self._wrong(f"expected a number or {{parameter: NAME}}, found {number_spec!r}")
            self._require_actions_have_parameter(str(number_spec["parameter"]), action_ids)
            return ["parameter", str(number_spec["parameter"])]
        data = self._number_text_to_preferred_data(str(number_spec), seats)
        self._require_some_seat_sees_each_cell(data, seats, f"`{number_spec}`")
        return data

    def _number_text_to_preferred_data(self, number_text: str, seats: tuple[int, ...]) -> ClaimTerm:
        if number_text != EVALUATION or number_text in self.targets.formula.list_names_shadowing_value_names():
            return self.targets.number_text_to_data(number_text)
        declared = self.game.facts.get("evaluate")
        if declared is None:
            raise self._wrong("the game declares no evaluation", "name a quantity")
        if not isinstance(declared, list | tuple):
            return ["evaluation", 0]
        if len(seats) > 1 and seats != self.game.get_team_of_seat(seats[0]):
            raise self._wrong("each seat has an evaluation of its own", "name a quantity, or one seat")
        return ["evaluation", seats[0] if len(self.game.evaluations or ()) > 1 else 0]

    def _require_actions_have_parameter(self, parameter_name: str, action_ids: frozenset[int] | None) -> None:
        """Check that all actions of a rule have a parameter."""
        for ident, action, _ in self.game.iter_ground_actions():
            of_rule = action_ids is None or ident in action_ids
            if of_rule and parameter_name not in (p.local.name for p in action.params):
                raise self._wrong(f"`{action.name}` has no parameter `{parameter_name}`", "name its action in `take`")

    def _require_some_seat_sees_each_cell(self, data: ClaimTerm, seats: tuple[int, ...], description: str) -> None:
        """Raise InputError if a term reads a cell that none of the seats sees. Whether a rule leaves out those that do
        not see it shows in the states."""
        for field, cells in _iter_fields_with_cells_term_may_read(self.targets.formula.builder.build_term(data)):
            masks = [field.make_mask_of_cells_seen_by_seat(seat, self.game.players) for seat in seats]
            if field.lo < field.hi and not all(any(mask[cell] for mask in masks) for cell in cells):
                raise self._wrong(
                    f"{description} reads `{field.name}`, which {_format_seat_or_any_seat(seats)} does not see",
                    "a strategy reads only what its seat may know",
                )


def _format_seat_or_any_seat(seats: tuple[int, ...]) -> str:
    return f"seat {seats[0]}" if len(seats) == 1 else "any seat"


def _iter_fields_with_cells_term_may_read(term: Term) -> Iterator[tuple[Any, range]]:
    """Yield each field that a term reads, with the cells that it may read of it."""
    todo, met = [term], set[int]()
    while todo:
        node = todo.pop()
        if id(node) in met:
            continue
        met.add(id(node))
        todo += get_child_terms(node)
        if isinstance(node, Apply):
            todo.append(node.function.body)
        if isinstance(node, Read):
            single = isinstance(node.index, Const)
            first = node.index.lo if single else 0
            yield node.field, range(first, first + 1) if single else range(node.field.size)


# -- worth ---------------------------------------------------------------------------------------------------

_KINDS = ("number", "score", "length")
_BESIDE = ("play", "ties", "seat", "after", "options", "spread")


def worth_spec_to_number(game: Game, worth_spec: Any) -> WorthNumber:
    """Return what a `worth` claim asks of. Raises InputError for a word that is not known."""
    return build_worth(game, worth_spec_to_data(game, worth_spec))


def worth_spec_to_data(game: Game, worth_spec: Any) -> Json:
    """Return what a `worth` claim asks of as data. Raises InputError for a word that is not known."""
    reader = TargetReader(game)
    kinds = [kind for kind in _KINDS if isinstance(worth_spec, Mapping) and kind in worth_spec]
    if len(kinds) != 1:
        raise reader.wrong(f"expected {{number: NAME}}, {{score: SEAT}} or {{length: players}}, found {worth_spec!r}")
    [kind] = kinds
    reader.require_known_keys(worth_spec, kind, *(key for key in _BESIDE if (kind, key) != ("score", "seat")))
    seat = worth_spec.get("seat", worth_spec.get("score", 0))
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < game.players:
        names = ", ".join(game.facts.get("seats", ()))
        hint = f"or its name: {names}" if names else ""
        raise reader.wrong(f"expected a seat from 0 to {game.players - 1}, found {seat!r}", hint)
    play, plan = _read_play_word_or_strategy(reader, worth_spec, seat)
    options, spread = (worth_spec.get(key, False) for key in ("options", "spread"))
    if type(options) is not bool or type(spread) is not bool or (options and spread):
        raise reader.wrong("expected one of `options: true` and `spread: true`")
    sure = plan is not None and plan["ties"] != "any" and game.players == 1
    if spread and (not (sure or play == "random") or kind == "length"):
        hint = "write play: random, or for one player a list of rules with `ties: first` or `ties: random`"
        raise reader.wrong("a spread is that of a number where nobody chooses", hint)
    counts = worth_spec.get("length", "")
    if kind == "length" and counts not in LENGTHS:
        raise reader.wrong(f"length `{counts}`", f"write {' or '.join(LENGTHS)}")
    number = None if kind == "length" else _read_number_or_score_data(reader, kind, worth_spec, seat)
    after = _texts_of_line_to_action_ids_or_raise(reader, worth_spec.get("after", []))
    if options:
        _require_player_acts_after(reader, after)
    if plan is not None and (after or options):
        raise reader.wrong("who plays by rules plays from the start", "leave `after` and `options` out")
    asked = {"number": number, "counts": counts, "seat": seat, "play": play}
    return asked | {"plan": plan, "after": after, "options": options, "spread": spread}


def _read_play_word_or_strategy(reader: TargetReader, worth_spec: Mapping[str, Any], seat: int) -> tuple[str, Json]:
    """Return the word that says how is played, or "" with the rules by which the seat plays."""
    play = worth_spec.get("play", "best")
    if isinstance(play, list):
        said = {"play": play, "ties": worth_spec.get("ties", "any"), "target": {"seat": seat}}
        return "", strategy_spec_to_data(reader.game, said if "seat" not in worth_spec else {**said, "seat": seat})
    if play not in PLAYS:
        raise reader.wrong(f"play `{play}`", f"write {', '.join(PLAYS)}, or a list of rules")
    if "ties" in worth_spec:
        raise reader.wrong("`ties` is said of a list of rules", "leave it out")
    return play, None


def _read_number_or_score_data(
    reader: TargetReader, number_or_score: str, worth_spec: Mapping[str, Any], seat: int
) -> ClaimTerm:
    if number_or_score == "number":
        return reader.number_text_to_data(str(worth_spec["number"]))
    if reader.game.payoffs is None:
        raise reader.wrong("the game has no scores", "name a number: {number: NAME}")
    return ["return", seat]


def _texts_of_line_to_action_ids_or_raise(reader: TargetReader, action_texts: Any) -> tuple[int, ...]:
    """Return the actions that a list of words names, one after another. Raises InputError."""
    if not isinstance(action_texts, list):
        raise reader.wrong(f"expected `after` as a list of actions, found {action_texts!r}")
    if not action_texts:  # so rules that break at the start are not taken for a claim that is wrong
        return ()
    play, idents = Interpreter(reader.game), list[int]()
    try:
        state = play.start()
        for word in action_texts:
            legal = [] if play.terminal(state) else play.legal(state)
            named = [ident for ident in legal if reader.game.show(ident) == str(word)]
            if len(named) != 1:
                hint = ", ".join(map(reader.game.show, legal[:6])) or "the game is over there"
                raise reader.wrong(f"`{word}` is not legal there, or not one action", f"legal: {hint}")
            idents.append(named[0])
            state = play.apply(state, named[0])
    except RulesError as error:
        raise reader.wrong(f"the rules break there: {error.message}") from None
    return tuple(idents)


def _require_player_acts_after(reader: TargetReader, start_actions: tuple[int, ...]) -> None:
    play = Interpreter(reader.game)
    state = play.start()
    for ident in start_actions:
        state = play.apply(state, ident)
    if play.terminal(state) or play.actor(state) == CHANCE:
        raise reader.wrong("no player chooses there", "write `after` with the actions before a choice")
