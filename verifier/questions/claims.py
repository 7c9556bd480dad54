"""Claims as questions: what `claims.yaml` states, as typed data; and the target of a claim, a condition on
a state or an action being taken."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import Action, Ending, Term, all_of, any_of
from playproof.language.expr import as_term
from playproof.language.game import Game
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.mistakes import make_message_and_hint_for_unknown_action

REFUSED, NOW = "refused: ", "now: "
"""How those entries of a worked example begin that are no actions: an illegal action, a condition that holds."""
_TARGETED = ("reach", "dead", "minimum", "maximum", "never", "always", "luck", "count", "distance", "strategy")
_LIMITED = (*_TARGETED, "same", "tune")
BESIDE = MappingProxyType({"within": _LIMITED, "chance": ("luck", "strategy"), "seeing": ("luck", "worth")})
"""The words beside `of` that say something in questions of some kinds only."""
_OF = MappingProxyType(
    {
        "minimum": ("number", "when"),
        "maximum": ("number", "when"),
        "distance": ("nearest", "farthest"),
        "deals": ("share", "deals", "seed"),
        "equilibrium": ("seat",),
    }
)
"""The keys of `of` in questions whose answers are read key by key."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about one game. `values` and `rulings` may hold lists, over which `same` and
    `tune` range.

    `chance` says how luck falls for `luck`: best, worst or mean. With `seeing: all`, the question
    is about players who see everything hidden. `budget` sets a claim's own budget in place of the
    common one. `given` are `always` claims whose conditions help to prove this one, and for a
    `minimum` or `maximum` examples whose lines may reach the value.
    """

    id: str
    ask: str
    of: Spec = None
    within: Spec = None
    says: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    rulings: Mapping[str, Any] = field(default_factory=dict)
    expect: Any = None
    chance: str = "mean"
    seeing: str = ""
    budget: float | None = None
    given: tuple[Question, ...] = ()
    where: Where = field(default_factory=lambda: Where("claim"), compare=False)

    def as_json(self) -> dict[str, Any]:
        """Return the question as evidence files keep it."""
        return {
            "id": self.id,
            "ask": self.ask,
            "of": self.of,
            "within": self.within,
            "chance": self.chance,
            "seeing": self.seeing,
            "values": dict(self.values),
            "rulings": dict(self.rulings),
        }

    def iter_labels_and_questions_by_setting(self) -> Iterator[tuple[dict[str, str], Question]]:
        """Yield the question under each combination of its listed options, with the label that
        distinguishes the combination."""
        settings = [("value", k, v) for k, v in self.values.items()]
        settings += [("ruling", k, v) for k, v in self.rulings.items()]
        lists = [v if isinstance(v, list) else [v] for _, _, v in settings]
        for combination in product(*lists):
            chosen = {"value": {}, "ruling": {}}  # type: dict[str, dict[str, str]]
            label: dict[str, str] = {}
            for (kind, key, options), value in zip(settings, combination, strict=True):
                chosen[kind][key] = str(value)
                if isinstance(options, list):
                    label[f"{kind} {key}" if key in label else key] = str(value)
            yield label, replace(self, values=chosen["value"], rulings=chosen["ruling"])


def parse_expected_number_or_none(expected_value: Any) -> Fraction | None:
    """Return the number or fraction that a claim expects, None if it is neither."""
    try:
        return None if isinstance(expected_value, bool) else Fraction(str(expected_value))
    except (ValueError, ZeroDivisionError):
        return None


def has_worked_example_shape(data: Any) -> bool:
    """Return whether data has the shape of a worked example: its `line`, how it `end`s, and what is true `then`."""
    if not isinstance(data, Mapping) or not set(data) <= {"line", "end", "then"}:
        return False
    return isinstance(data.get("line"), list) and isinstance(data.get("then", []), list)


def get_ignored_key_of_question_or_empty(question: Question) -> str:
    """Return a word of a question that says nothing in it, or "". An answer that passed it over would be one to another
    question."""
    usual = {"within": None, "chance": "mean", "seeing": ""}
    words = [w for w, asks in BESIDE.items() if getattr(question, w) != usual[w] and question.ask not in asks]
    if question.ask in _OF and isinstance(question.of, Mapping):
        words += [str(key) for key in question.of if key not in _OF[question.ask]]
    return words[0] if words else ""


def build_question_inside_same_or_tune(question: Question, claims_by_id: Mapping[str, Question]) -> Question:
    """Return the question that `same` or `tune` asks under each setting: `{claim: id}`, or `{ask:
    ..., of: ...}` in place. Raises InputError."""
    spec = question.of
    if isinstance(spec, Mapping) and "claim" in spec:
        name = str(spec["claim"])
        if name not in claims_by_id:
            hint = make_nearest_or_possible_words_hint(name, claims_by_id)
            raise InputError([Finding("PP705", question.where, f"there is no claim `{name}`", hint)])
        named = claims_by_id[name]
        return replace(
            named,
            values={**named.values, **question.values},
            rulings={**named.rulings, **question.rulings},
            within=question.within or named.within,
        )
    if isinstance(spec, Mapping) and "ask" in spec:
        return replace(
            question,
            ask=str(spec["ask"]),
            of=spec.get("of"),
            within=question.within or spec.get("within"),
            chance=str(spec.get("chance", "mean")),
            seeing=str(spec.get("seeing", "")),
            expect=spec.get("expect"),
        )
    raise InputError(
        [Finding("PP704", question.where, f"expected `of` as {{claim: id}} or {{ask: ..., of: ...}}, found {spec!r}")]
    )


# -- targets -------------------------------------------------------------------------------------------------

Spec = Any
_WHOLE = re.compile(r"-?[0-9]{1,60}")
_KINDS = MappingProxyType({"win": "win", "loss": "loss", "draw": "draw", "tie": "draw", "scores": "scores"})
"""The words for the kinds of endings. Rules write `tie` for a draw."""
_WON = ("win", "scores")
"""Endings that a seat can win; the others are everybody's."""


@dataclass(frozen=True, slots=True)
class Target:
    """`condition` holds in some state, or (with `idents`) one of these actions is taken while it
    holds.

    `spec` is the target as data, from which it can be read again.
    """

    name: str
    spec: Spec
    condition: Term
    idents: frozenset[int] | None = None


class TargetReader:
    """Reads targets for one game. Raises InputError for a name that the game does not know."""

    def __init__(self, game: Game, where: Where | None = None) -> None:
        self.game, self.where = game, where or Where(game.name)
        self.wrong = partial(InputError.from_single_finding, "PP701", self.where)
        self.formula = ConditionReader(game, self.where)

    def read_targets_of_spec(self, target_spec: Spec, limit_spec: Spec = None) -> list[Target]:
        """Return the targets of a specification: several for a family (`{every: ...}`), else
        one."""
        bound = self.within_spec_to_condition(limit_spec)
        return [self._target_spec_to_target(s, n, bound) for n, s in self.list_names_and_specs_of_family(target_spec)]

    def list_names_and_specs_of_family(self, target_spec: Spec) -> list[tuple[str, Spec]]:
        """Return the names and specifications of a family's members, or the specification itself
        with the name ""."""
        if isinstance(target_spec, Mapping) and "every" in target_spec:
            self.require_known_keys(target_spec, "every")
            return list(self._list_members_of_every(target_spec["every"]))
        return [("", target_spec)]

    def read_single_target_of_spec(self, target_spec: Spec, limit_spec: Spec = None) -> Target:
        """Return a single target. Raises InputError if the specification names several or none."""
        targets = self.read_targets_of_spec(target_spec, limit_spec)
        if len(targets) != 1:
            raise self.wrong(f"{target_spec} names {len(targets)} targets, this question takes one")
        return targets[0]

    def within_spec_to_condition(self, limit_spec: Spec) -> Term:
        """Return `{rounds: 7}` or a condition text as a term."""
        if limit_spec is None:
            return as_term(1)
        if isinstance(limit_spec, str):
            if _WHOLE.fullmatch(limit_spec):  # a condition that is true unless it is 0
                raise self.wrong(
                    f"expected `within` as a condition or `number: most`, found {limit_spec!r}",
                    f"write {{rounds: {limit_spec}}}",
                )
            return self.formula.condition_text_to_term(limit_spec)
        if not isinstance(limit_spec, Mapping):
            raise self.wrong(f"expected `within` as a condition or `number: most`, found {limit_spec!r}")
        return all_of(
            self.number_text_to_term(str(name)) <= self._parse_whole_number_or_raise(most)
            for name, most in limit_spec.items()
        )

    def number_text_to_term(self, number_text: str) -> Term:
        """Return a quantity, or an expression as a term. A plural finds its singular, and `rounds`
        finds the quantity that the game declares as its round."""
        quantities = self.game.quantities
        round_ = self.game.facts.get("round") if number_text in ("round", "rounds") else None
        # a field `rounds` is no plural
        others = () if number_text in self.game.handles else (number_text.removesuffix("s"), round_)
        for candidate in (number_text, *others):
            if candidate in quantities:
                return quantities[candidate]
        return self.formula.condition_text_to_term(number_text)

    def _target_spec_to_target(self, target_spec: Spec, name: str, limit_condition: Term) -> Target:
        if isinstance(target_spec, str):
            return Target(
                name or target_spec,
                target_spec,
                as_term(self.formula.condition_text_to_term(target_spec)) & limit_condition,
            )
        if not isinstance(target_spec, Mapping):
            raise self.wrong(f"expected what the claim is about, found {target_spec!r}")
        if "not" in target_spec:
            self.require_known_keys(target_spec, "not")
            # no state is the opposite of an action
            if isinstance(target_spec["not"], Mapping) and "action" in target_spec["not"]:
                raise self.wrong(f"{dict(target_spec)} is no condition", "ask `never` of the action, or a law of steps")
            inner = self._target_spec_to_target(target_spec["not"], "", as_term(1))
            return Target(f"not: {inner.name}", dict(target_spec), ~inner.condition & limit_condition)
        if "outcome" in target_spec or "reason" in target_spec:
            self.require_known_keys(target_spec, "outcome", "reason", "seat")
            return Target(
                name or self._format_ending_spec_as_name(target_spec),
                dict(target_spec),
                self._ending_spec_to_condition(target_spec) & limit_condition,
            )
        if "action" in target_spec:
            idents = self._find_ground_actions_of_spec(target_spec)
            return Target(
                name or " / ".join(self.game.show(i) for i in sorted(idents)[:3]),
                dict(target_spec),
                limit_condition,
                idents,
            )
        if "reach" in target_spec or "invariant" in target_spec or "holds" in target_spec:
            kind = next(k for k in ("reach", "holds", "invariant") if k in target_spec)
            self.require_known_keys(target_spec, kind, "with")
            self.require_readable_with_conditions(target_spec.get("with", []))
            text = str(target_spec[kind])
            read = self._find_declared_condition_by_name if kind == "invariant" else self._condition_text_to_term
            condition = read(text)
            return Target(name or text, dict(target_spec), condition & limit_condition)
        raise self.wrong(f"{dict(target_spec)} is not understood", "use outcome, reason, action, reach, holds or every")

    def require_known_keys(self, spec: Mapping[str, Any], *known_keys: str) -> None:
        """Raise InputError for a key that is not known: without it, the target would be another
        one."""
        for key in spec:
            if key not in known_keys:
                raise self.wrong(
                    f"unknown key `{key}` beside `{known_keys[0] if known_keys[0] in spec else next(iter(spec))}`",
                    make_nearest_or_possible_words_hint(str(key), known_keys),
                )

    def require_readable_with_conditions(self, condition_texts: Any) -> None:
        """Check the further conditions under `with`. Raises InputError."""
        if not isinstance(condition_texts, list):
            raise self.wrong(f"expected `with` as a list of conditions, found {condition_texts!r}")
        for text in condition_texts:
            self.formula.condition_text_to_term(str(text))

    def _find_declared_condition_by_name(self, name: str) -> Term:
        """Return a condition that the game declares under `invariants`, or a quantity, by name."""
        declared = self.game.facts.get("invariants") or {}
        return as_term(declared[name]) if name in declared else self.formula.condition_text_to_term(name)

    def _condition_text_to_term(self, condition_text: str) -> Term:
        """Return the condition that a text writes. Raises InputError, also for the bare name of a declared
        condition that reads as something else: `a - b` may be the name of one."""
        declared = self.game.facts.get("invariants") or {}
        if (
            condition_text in declared
            and condition_text not in self.formula.list_names_read_before_values()
            and not condition_text.isidentifier()
        ):
            raise self.wrong(
                f"`{condition_text}` is a condition that the game declares, and may also be read as a formula",
                f"write {{invariant: {condition_text!r}}} for the condition of this name",
            )
        return self.formula.condition_text_to_term(condition_text)

    # -- endings --------------------------------------------------------------------------------------------

    def _ending_spec_to_condition(self, ending_spec: Mapping[str, Any]) -> Term:
        kinds, reason = (self._read_ending_kinds_or_none(ending_spec), self._read_ending_reason_or_empty(ending_spec))
        win = kinds is not None and "win" in kinds
        # Whoever has most of the scores wins, so a win may be an ending by scores.
        endings = [e for e in self.game.endings if kinds is None or e.kind in kinds or (win and e.kind == "scores")]
        exact = [e for e in endings if e.reason == reason]
        similar = [e for e in endings if reason.casefold() in e.reason.casefold()]
        matching = exact or similar
        if not matching and reason:
            raise self.wrong(
                f"no ending for the reason `{reason}`",
                make_nearest_or_possible_words_hint(reason, [e.reason for e in endings]),
            )
        seat = ending_spec.get("seat")
        if seat is not None and not win:  # a loss or a draw is everybody's
            raise self.wrong("`seat` stands beside `outcome: win` alone", "leave it out, or name another seat's win")
        if seat is not None and self._parse_whole_number_or_raise(seat) not in range(self.game.players):
            raise self.wrong(f"seat {seat} of {self.game.players}", "seats are counted from 0")
        scores_won = kinds is not None and "scores" not in kinds
        return any_of(
            self._build_game_ended_so_condition(e, seat if e.kind in _WON else None, is_win_asked=win and scores_won)
            for e in matching
        )

    def _read_ending_kinds_or_none(self, ending_spec: Mapping[str, Any]) -> set[str] | None:
        """Return the kinds of endings that are asked for, or None for endings of all kinds. Raises
        InputError."""
        if "outcome" not in ending_spec:
            return None
        kinds = ending_spec["outcome"] if isinstance(ending_spec["outcome"], list) else [ending_spec["outcome"]]
        for kind in kinds:
            if not isinstance(kind, str) or kind not in _KINDS:  # a list has no hash
                raise self.wrong(f"outcome `{kind}`", make_nearest_or_possible_words_hint(kind, sorted(_KINDS)))
        if not kinds:  # none of no endings ever comes
            raise self.wrong("`outcome` is an empty list", "name the kinds of endings")
        wanted, there = {_KINDS[kind] for kind in kinds}, {e.kind for e in self.game.endings}
        # no ending is meant, and equal scores may be
        if "draw" in wanted and "scores" in there and "draw" not in there:
            raise self.wrong(
                "no ending of the game is a draw, and equal scores are none",
                "name the ending by `scores`, and compare the scores in `within`",
            )
        return wanted

    def _read_ending_reason_or_empty(self, ending_spec: Mapping[str, Any]) -> str:
        """Return the words of an ending, "" if none are asked for. Raises InputError."""
        reason = ending_spec.get("reason")
        if "reason" in ending_spec and (isinstance(reason, bool) or not isinstance(reason, str | int) or reason == ""):
            raise self.wrong(f"expected `reason` as words of an ending, found {reason!r}")
        return "" if reason is None else str(reason)

    def _build_game_ended_so_condition(self, ending: Ending, seat: int | None, *, is_win_asked: bool) -> Term:
        """Return the term that the game is over by this ending, won by the seat if one is given.
        The seat with the highest score wins an ending by scores."""
        over = as_term(self.game.outcome) == ending.number
        if ending.kind == "scores" and not is_win_asked:
            return over
        if ending.kind == "scores":
            seats = range(self.game.players) if seat is None else [self._parse_whole_number_or_raise(seat)]
            return over & any_of(self._build_seat_has_highest_score_condition(s) for s in seats)
        if seat is None or ending.shared:
            return over
        winner = as_term(0 if ending.winner is None else ending.winner)
        return over & any_of(
            winner == member for member in self.game.get_team_of_seat(self._parse_whole_number_or_raise(seat))
        )

    def _build_seat_has_highest_score_condition(self, seat: int) -> Term:
        """Return the term that a seat's return is greater than that of every seat outside its team,
        or greater than 0 if there is none."""
        returns = self.game.payoffs
        if returns is None:
            return as_term(0)
        others = [s for s in range(self.game.players) if s not in self.game.get_team_of_seat(seat)]
        return all_of(returns[seat] > returns[s] for s in others) if others else as_term(returns[seat] > 0)

    def _parse_whole_number_or_raise(self, value: Any) -> int:
        if isinstance(value, bool) or not _WHOLE.fullmatch(str(value)):
            raise self.wrong(f"expected a whole number, found {value!r}")
        return int(value)

    @staticmethod
    def _format_ending_spec_as_name(ending_spec: Mapping[str, Any]) -> str:
        words = [ending_spec[k] for k in ("outcome", "reason") if k in ending_spec]
        return ": ".join(" or ".join(map(str, w)) if isinstance(w, list) else str(w) for w in words)

    # -- actions --------------------------------------------------------------------------------------------

    def _find_ground_actions_of_spec(self, action_spec: Mapping[str, Any]) -> frozenset[int]:
        """Return ground actions by the action's name and its parameters' values, or by the words
        shown. Raises InputError."""
        name = str(action_spec["action"])
        wanted = {k: str(v) for k, v in action_spec.items() if k != "action"}
        meant = {
            a.name: [self._find_parameter_index_and_meant_values(a, k, v) for k, v in wanted.items()]
            for a in self.game.actions
            if a.name == name
        }
        matching = {
            i
            for i, action, values in self.game.iter_ground_actions(name)
            if all(some and values[place] in some for place, some in meant[name])
        }
        words, _, number = name.removesuffix("]").partition(" [#")
        so_called = () if wanted else self.game.idents_by_text.get(words, ())
        numbered = {i for i in so_called if number in ("", str(i))}
        if matching and numbered - matching:
            raise self.wrong(
                f"`{name}` is the name of an action, and the words of another",
                " or ".join(f"write `{self.game.show(i)} [#{i}]`" for i in sorted(matching | numbered)[:3]),
            )
        if not matching and not numbered:
            raise self.wrong(*make_message_and_hint_for_unknown_action(self.game, name, wanted))
        return frozenset(matching or numbered)

    @staticmethod
    def _find_parameter_index_and_meant_values(
        action: Action, parameter_name: str, value_text: str
    ) -> tuple[int, set[int]]:
        """Return the place of a parameter, and its values that are meant: the one so shown, else
        the one of this number, else those whose first words these are."""
        for place, p in enumerate(action.params):
            if p.local.name == parameter_name:
                texts = {value: p.format_value(value) for value in p.values}
                return place, (
                    {v for v, text in texts.items() if text == value_text}
                    or {v for v in texts if str(v) == value_text}
                    or {v for v, text in texts.items() if text.startswith(value_text + " ")}
                )
        return 0, set()

    # -- families -------------------------------------------------------------------------------------------

    def _list_members_of_every(self, every_spec: Spec) -> Iterable[tuple[str, Spec]]:
        """Return the members of `{every: ...}`: ground actions of a name, endings, quantities that
        match a pattern, or the members of a word that the game declares (`facts: families`, or
        facts such as `items` and `habits`)."""
        if isinstance(every_spec, Mapping) and "action" in every_spec:
            return self._list_action_names_and_specs(sorted(self._find_ground_actions_of_spec(every_spec)))
        if isinstance(every_spec, Mapping) and "quantity" in every_spec:
            pattern = str(every_spec["quantity"])
            names = [n for n in self.game.quantities if n == pattern or fnmatchcase(n, pattern)]
            if not names:  # all of no quantities have any property
                raise self.wrong(
                    f"no quantity fits `{pattern}`", make_nearest_or_possible_words_hint(pattern, self.game.quantities)
                )
            return [(n, {"reach": f"`{n}` > 0"}) for n in names]
        if every_spec == "ending":
            return [(e.reason, {"outcome": e.kind, "reason": e.reason}) for e in self.game.endings]
        if every_spec == "action":
            return self._list_action_names_and_specs(range(self.game.ground))
        return self._list_members_of_declared_family(str(every_spec))

    def _list_action_names_and_specs(self, action_ids: Iterable[int]) -> list[tuple[str, Spec]]:
        """Return ground actions by their words; with their numbers if the words mean several."""
        words = Counter({text: len(idents) for text, idents in self.game.idents_by_text.items()})
        words.update(a.name for a in self.game.actions if a.count > 1 or self.game.show(a.first) != a.name)
        texts = {i: self.game.show(i) for i in action_ids}
        names = [text if words[text] == 1 else f"{text} [#{i}]" for i, text in texts.items()]
        return [(name, {"action": name}) for name in names]

    def _list_members_of_declared_family(self, family_name: str) -> Iterable[tuple[str, Spec]]:
        families = self.game.facts.get("families") or {}
        if family_name in families:
            return [(str(n), s) for n, s in dict(families[family_name]).items()]
        members = self.game.facts.get("own", {}).get(f"{family_name}s")
        if members is None:
            raise self.wrong(
                f"the game declares no family `{family_name}`",
                make_nearest_or_possible_words_hint(family_name, ["ending", "action", *families]),
            )
        conditions = []
        for member in members:
            names = [n for n in self.game.quantities if n == member or n.endswith(f" {member}")]
            if len(names) != 1:
                several = f"several quantities are ({', '.join(names)})" if names else "no quantity is"
                raise self.wrong(f"expected one quantity about the {family_name} {member}, and {several}")
            conditions.append((names[0], {"reach": f"`{names[0]}` > 0"}))
        return conditions
