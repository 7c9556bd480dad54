"""The targets of claims: endings, actions, conditions and families of them, read from their words into data of claim
terms, which the kernel makes targets of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import partial
from types import MappingProxyType
from typing import Any

from playproof.database.errors import InputError, Where, make_nearest_or_possible_words_hint
from playproof.language import Action, Ending, Term
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import ClaimTerm, Target, build_target
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.questions.claims import Spec
from playproof.verifier.questions.conditions import ConditionReader, join_data
from playproof.verifier.questions.mistakes import make_message_and_hint_for_unknown_action

_WHOLE = re.compile(r"-?[0-9]{1,60}")
_KINDS = MappingProxyType({"win": "win", "loss": "loss", "draw": "draw", "tie": "draw", "scores": "scores"})
"""The words for the kinds of endings. Rules write `tie` for a draw."""
_WON = ("win", "scores")
"""Endings that a seat can win; the others are everybody's."""


class TargetReader:
    """Reads targets for one game. Raises InputError for a name that the game does not know."""

    def __init__(self, game: Game, where: Where | None = None) -> None:
        self.game, self.where = game, where or Where(game.name)
        self.wrong = partial(InputError.from_single_finding, "PP701", self.where)
        self.formula = ConditionReader(game, self.where)

    def read_targets_of_spec(self, target_spec: Spec, limit_spec: Spec = None) -> list[Target]:
        """Return the targets of a specification: several for a family (`{every: ...}`), else
        one."""
        bound = self.within_spec_to_data(limit_spec)
        members = self.list_names_and_specs_of_family(target_spec)
        return [self._build_target(self._target_spec_to_data(spec, name, bound), spec) for name, spec in members]

    def single_target_spec_to_data(self, target_spec: Spec, limit_spec: Spec = None) -> Json:
        """Return a single target as data, of which `build_target` makes it. Raises InputError if the specification
        names several or none."""
        bound = self.within_spec_to_data(limit_spec)
        [(name, spec)] = self._list_single_member(target_spec)
        return self._target_spec_to_data(spec, name, bound)

    def _build_target(self, data: Json, target_spec: Spec) -> Target:
        return build_target(
            self.formula.builder, data, dict(target_spec) if isinstance(target_spec, Mapping) else target_spec
        )

    def _list_single_member(self, target_spec: Spec) -> list[tuple[str, Spec]]:
        members = self.list_names_and_specs_of_family(target_spec)
        if len(members) != 1:
            raise self.wrong(f"{target_spec} names {len(members)} targets, this question takes one")
        return members

    def list_names_and_specs_of_family(self, target_spec: Spec) -> list[tuple[str, Spec]]:
        """Return the names and specifications of a family's members, or the specification itself
        with the name ""."""
        if isinstance(target_spec, Mapping) and "every" in target_spec:
            self.require_known_keys(target_spec, "every")
            return list(self._list_members_of_every(target_spec["every"]))
        return [("", target_spec)]

    def read_single_target_of_spec(self, target_spec: Spec, limit_spec: Spec = None) -> Target:
        """Return a single target. Raises InputError if the specification names several or none."""
        data = self.single_target_spec_to_data(target_spec, limit_spec)
        return self._build_target(data, self._list_single_member(target_spec)[0][1])

    def within_spec_to_condition(self, limit_spec: Spec) -> Term:
        """Return `{rounds: 7}` or a condition text as a term."""
        data = self.within_spec_to_data(limit_spec)
        return self.formula.builder.build_term(1 if data is None else data)

    def within_spec_to_data(self, limit_spec: Spec) -> ClaimTerm:
        """Return `{rounds: 7}` or a condition text as a claim term, None if there is no limit."""
        if limit_spec is None:
            return None
        if isinstance(limit_spec, str):
            if _WHOLE.fullmatch(limit_spec):  # a condition that is true unless it is 0
                raise self.wrong(
                    f"expected `within` as a condition or `number: most`, found {limit_spec!r}",
                    f"write {{rounds: {limit_spec}}}",
                )
            return self.formula.condition_text_to_data(limit_spec)
        if not isinstance(limit_spec, Mapping):
            raise self.wrong(f"expected `within` as a condition or `number: most`, found {limit_spec!r}")
        limits = [
            ["<=", self.number_text_to_data(str(name)), self._parse_whole_number_or_raise(most)]
            for name, most in limit_spec.items()
        ]
        return join_data("and", limits) if limits else 1

    def number_text_to_term(self, number_text: str) -> Term:
        """Return the term of `number_text_to_data`."""
        return self.formula.builder.build_term(self.number_text_to_data(number_text))

    def number_text_to_data(self, number_text: str) -> ClaimTerm:
        """Return a quantity, or an expression as a claim term. A plural finds its singular, and `rounds`
        finds the quantity that the game declares as its round."""
        quantities = self.game.quantities
        round_ = self.game.facts.get("round") if number_text in ("round", "rounds") else None
        # a field `rounds` is no plural
        others = () if number_text in self.game.handles else (number_text.removesuffix("s"), round_)
        for candidate in (number_text, *others):
            if candidate in quantities:
                return ["quantity" if candidate in self.formula.builder.parameters else "name", candidate]
        return self.formula.condition_text_to_data(number_text)

    def _target_spec_to_data(self, target_spec: Spec, name: str, limit: ClaimTerm) -> Json:
        is_mapping = isinstance(target_spec, Mapping)
        if is_mapping and "action" in target_spec and not {"not", "outcome", "reason"} & set(target_spec):
            idents = sorted(self._find_ground_actions_of_spec(target_spec))
            name = name or " / ".join(self.game.show(i) for i in idents[:3])
            return {"name": name, "condition": None, "actions": idents, "within": limit}
        own_name, condition = self._target_spec_to_name_and_condition(target_spec)
        return {"name": name or own_name, "condition": condition, "actions": None, "within": limit}

    def _target_spec_to_name_and_condition(self, target_spec: Spec) -> tuple[str, ClaimTerm]:
        if isinstance(target_spec, str):
            return target_spec, self.formula.condition_text_to_data(target_spec)
        if not isinstance(target_spec, Mapping):
            raise self.wrong(f"expected what the claim is about, found {target_spec!r}")
        if "not" in target_spec:
            self.require_known_keys(target_spec, "not")
            # no state is the opposite of an action
            if isinstance(target_spec["not"], Mapping) and "action" in target_spec["not"]:
                raise self.wrong(f"{dict(target_spec)} is no condition", "ask `never` of the action, or a law of steps")
            inner_name, inner = self._target_spec_to_name_and_condition(target_spec["not"])
            return f"not: {inner_name}", ["not", inner]
        if "outcome" in target_spec or "reason" in target_spec:
            self.require_known_keys(target_spec, "outcome", "reason", "seat")
            return self._format_ending_spec_as_name(target_spec), self._ending_spec_to_data(target_spec)
        if "reach" in target_spec or "invariant" in target_spec or "holds" in target_spec:
            kind = next(k for k in ("reach", "holds", "invariant") if k in target_spec)
            self.require_known_keys(target_spec, kind, "with")
            self.require_readable_with_conditions(target_spec.get("with", []))
            text = str(target_spec[kind])
            read = self._find_declared_condition_by_name if kind == "invariant" else self._condition_text_to_data
            return text, read(text)
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

    def _find_declared_condition_by_name(self, name: str) -> ClaimTerm:
        """Return a condition that the game declares under `invariants`, or a quantity, by name."""
        declared = self.game.facts.get("invariants") or {}
        if name not in declared:
            return self.formula.condition_text_to_data(name)
        return ["declared" if name in self.formula.list_names_shadowing_value_names() else "name", name]

    def _condition_text_to_data(self, condition_text: str) -> ClaimTerm:
        """Return the condition that a text writes. Raises InputError, also for the bare name of a declared
        condition that reads as something else: `a - b` may be the name of one."""
        declared = self.game.facts.get("invariants") or {}
        if (
            condition_text in declared
            and condition_text not in self.formula.list_names_shadowing_value_names()
            and not condition_text.isidentifier()
        ):
            raise self.wrong(
                f"`{condition_text}` is a condition that the game declares, and may also be read as a formula",
                f"write {{invariant: {condition_text!r}}} for the condition of this name",
            )
        return self.formula.condition_text_to_data(condition_text)

    # -- endings --------------------------------------------------------------------------------------------

    def _ending_spec_to_data(self, ending_spec: Mapping[str, Any]) -> ClaimTerm:
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
        ended = [
            self._build_game_ended_so_condition(e, seat if e.kind in _WON else None, is_win_asked=win and scores_won)
            for e in matching
        ]
        return join_data("or", ended) if ended else 0

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

    def _build_game_ended_so_condition(self, ending: Ending, seat: int | None, *, is_win_asked: bool) -> ClaimTerm:
        """Return the claim term that the game is over by this ending, won by the seat if one is given.
        The seat with the highest score wins an ending by scores."""
        over = ["ended", ending.number]
        if ending.kind == "scores" and not is_win_asked:
            return over
        if ending.kind == "scores":
            seats = range(self.game.players) if seat is None else [self._parse_whole_number_or_raise(seat)]
            return ["and", over, join_data("or", [self._build_seat_has_highest_score_condition(s) for s in seats])]
        if seat is None or ending.shared:
            return over
        team = self.game.get_team_of_seat(self._parse_whole_number_or_raise(seat))
        return ["and", over, join_data("or", [["==", ["winner", ending.number], member] for member in team])]

    def _build_seat_has_highest_score_condition(self, seat: int) -> ClaimTerm:
        """Return the claim term that a seat's return is greater than that of every seat outside its team,
        or greater than 0 if there is none."""
        if self.game.payoffs is None:
            return 0
        others = [s for s in range(self.game.players) if s not in self.game.get_team_of_seat(seat)]
        mine = ["return", seat]
        return join_data("and", [[">", mine, ["return", s]] for s in others]) if others else [">", mine, 0]

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
