"""Claims as questions: what `claims.yaml` states, as typed data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from types import MappingProxyType
from typing import Any

from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint

Spec = Any
REFUSED, NOW = "refused: ", "now: "
"""How those entries of a worked example begin that are no actions: an illegal action, a condition that holds."""
EXCEPT = "except"
"""The key of a law about every action and every automatic phase but those that it names."""
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


def is_family_of_laws(law_spec: Any) -> bool:
    """Return whether a claim states several laws."""
    return isinstance(law_spec, list) or (isinstance(law_spec, Mapping) and ("each" in law_spec or EXCEPT in law_spec))


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
