"""The facts that a game may declare with `g.fact(...)`, and the checks that they name things that
exist."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from types import UnionType
from typing import Annotated, Any, TypedDict, Union, cast, get_args, get_origin, get_type_hints, is_typeddict

from playproof.database.errors import did_you_mean, find_nearest_word
from playproof.language.errors import Place, RulesError
from playproof.language.expr import Operand, Term, Value, as_term


class Campaign(TypedDict, total=False):
    """How games follow each other. Each may be left out.

    `before` and `after` are pages, each a title with its paragraphs: told before the game, and after a win.
    `won` and `lost` are the options that the following game changes; a game without `won` is the last, and
    one without `lost` begins again as it was. `carried` says for each thing whether it is carried on (not 0).
    The option called `into` takes their names; those in `ordered` come in the order that the player likes.
    """

    before: Mapping[str, Sequence[str]]
    after: Mapping[str, Sequence[str]]
    won: Mapping[str, str]
    lost: Mapping[str, str]
    carried: Mapping[str, Value]
    ordered: Sequence[str]
    into: str


class Facts(TypedDict, total=False):
    """The facts that a game may declare, and who reads each."""

    beside: Annotated[
        Mapping[str, str], 'what lies beside the thing in a place of an array: `{"slot": "guard"}`'
    ]
    boards: Annotated[
        Sequence[Mapping[str, Any]],
        "boards on which several fields lie: rows, columns, places, and a mark for each field",
    ]
    campaign: Annotated[
        Campaign,
        "what is told before and after the game, which game follows a win, and what is carried into it",
    ]
    common: Annotated[
        Sequence[str], "arrays that belong to all players, although they have one place per seat"
    ]
    each: Annotated[Sequence[str], "arrays drawn place by place, not place by value"]
    ends_within: Annotated[int, "the most decisions of a game, if there is such a bound"]
    evaluate: Annotated[
        Value | Sequence[Value],
        "how good a state is: one expression, or one per seat; greedy players and searches use it",
    ]
    exchangeable: Annotated[
        Sequence[Any], "hidden cards that may change places, for bots that imagine them (PP805)"
    ]
    families: Annotated[
        Mapping[str, Mapping[str, Any]],
        "members of `{every: WORD}` in claims: word, then member, then what is claimed of it",
    ]
    grid: Annotated[
        Mapping[str, int | Sequence[Sequence[int | None]]],
        "a board's columns, or its rows as lists of cells (None is a gap), by array",
    ]
    hidden: Annotated[Sequence[str], "bookkeeping fields, which are not drawn"]
    invariants: Annotated[Mapping[str, Value], "conditions that always hold, by name, for claims"]
    names: Annotated[
        Mapping[str, Sequence[Any]], "names of an array's places, by array: a list, or one per dimension"
    ]
    only: Annotated[Mapping[str, str], "a field or text that is drawn only while a quantity is not 0"]
    own: Annotated[Mapping[str, Any], "the game's own facts, by name; Playproof does not use them"]
    round: Annotated[str, "the quantity that counts rounds"]
    seats: Annotated[Sequence[str], "what the seats are called"]
    show: Annotated[Sequence[str], "quantities drawn beside the table"]
    sizes: Annotated[
        Mapping[str, str], "the field that says how many hidden cards there are, by the hidden field"
    ]
    steps_within: Annotated[int, "the most steps of a game, with those of chance, if there is such a bound"]
    texts: Annotated[
        Mapping[str, str],
        'lines made of fields, which are then not drawn elsewhere: `{"region": "{colour} {level}"}`',
    ]
    title: Annotated[str, "the title, if no game.yaml gives it"]
    titles: Annotated[Mapping[str, str], "what fields are called on the table"]
    together: Annotated[
        Mapping[str, Sequence[Value]],
        "phases in which all choose at once: for each seat, whether it has still to choose (`Together` declares it)",
    ]
    totals: Annotated[Sequence[str], "arrays of which only the sum is drawn"]
    values: Annotated[Mapping[str, Sequence[str]], "names of a field's numbers, by field"]


_HINTS = get_type_hints(Facts, localns={"Operand": Operand}, include_extras=True)  # Value names it
FACTS: Mapping[str, str] = {name: hint.__metadata__[0] for name, hint in _HINTS.items()}
"""What each fact says, by name."""
_OF_FIELDS = ("beside", "common", "each", "grid", "hidden", "names", "sizes", "titles", "totals", "values")
_OF_QUANTITIES = ("round", "show")
_NEEDED = ("round",)  # the others may speak of what only some cards or options bring
_MOST_COMPARED = 1_000_000  # pairs of names
_SO_NEAR = 0.8  # a name that differs in a letter or two is a slip of the pen


def has_type(value: object, hint: Any) -> bool:
    """Return whether a fact, or a part of it, has the type that `Facts` declares."""
    parts, kind = get_args(hint), get_origin(hint)
    if hint is Any:
        return True
    if kind in (Union, UnionType):
        return any(has_type(value, each) for each in parts)
    if kind is Mapping:
        return isinstance(value, Mapping) and all(has_type(part, parts[1]) for part in value.values())
    if kind is Sequence:
        return isinstance(value, list | tuple) and all(has_type(part, parts[0]) for part in value)
    if is_typeddict(hint):
        hints = get_type_hints(hint, localns={"Operand": Operand})
        return isinstance(value, Mapping) and all(
            name in hints and has_type(part, hints[name]) for name, part in value.items()
        )
    return isinstance(value, hint)


def get_fact_type(name: str) -> Any:
    """Return the type that `Facts` declares for a fact."""
    return get_args(_HINTS[name])[0]


def check_fact_names(names: Iterable[str]) -> None:
    """Refuse a fact that nothing reads."""
    for name in names:
        if name not in FACTS:
            near = find_nearest_word(name, FACTS)
            hint = (
                f'did you mean "{near}"?' if near else f"a fact of your own goes into `own={{{name!r}: ...}}`"
            )
            raise RulesError("PP338", f"there is no fact called `{name}`", hint)


def iter_fact_errors(
    facts: Facts, fields: Sequence[str], quantities: Sequence[str], place: Place
) -> Iterator[RulesError]:
    """Yield an error for each fact that names none of a game's fields or quantities."""
    for name in facts.get("campaign", {}):
        if name not in Campaign.__annotations__:
            yield RulesError(
                "PP338",
                f"the fact `campaign` has no part called `{name}`",
                did_you_mean(name, Campaign.__annotations__),
                place,
            )
    for name, value in facts.items():
        yield from (make_not_data_error(name, part, place) for part in _iter_parts_that_are_no_data(value))
    yield from _iter_unknown_name_errors(facts, _OF_FIELDS, "field", fields, place)
    yield from _iter_unknown_name_errors(facts, _OF_QUANTITIES, "quantity", quantities, place)


def _iter_parts_that_are_no_data(value: object) -> Iterator[object]:
    """Yield each part of a fact that the description's file cannot hold."""
    match value:
        case None | bool() | str() | int() | Operand():
            return
        case Mapping():
            yield from (key for key in value if not isinstance(key, str))
            yield from (part for below in value.values() for part in _iter_parts_that_are_no_data(below))
        case list() | tuple():
            yield from (part for below in value for part in _iter_parts_that_are_no_data(below))
        case _:
            yield value


def make_not_data_error(name: str, value: object, place: Place) -> RulesError:
    """Return the error for a fact that the description's file cannot hold."""
    return RulesError(
        "PP338",
        f"the fact `{name}` holds {value!r}, which is no data",
        "facts hold whole numbers, truth values, texts, values of the state, and lists and mappings of these; "
        "the keys of a mapping are texts",
        place,
    )


def _iter_unknown_name_errors(
    facts: Facts, fact_names: Iterable[str], kind: str, existing: Sequence[str], place: Place
) -> Iterator[RulesError]:
    """Yield an error for each name in the facts `names_of` that is not a `what` of the game."""
    for fact in fact_names:
        declared = cast(str | Iterable[str], facts.get(fact) or ())
        names = [declared] if isinstance(declared, str) else declared
        there = set(existing)
        unknown = [name for name in names if name not in there]
        if len(unknown) * len(existing) > _MOST_COMPARED and fact not in _NEEDED:
            continue  # no person has written so many
        for name in unknown:
            # Most facts may name what only some variants have; there a name is wrong only if it
            # looks misspelt.
            if fact in _NEEDED or _is_likely_misspelling(name, existing):
                hint = did_you_mean(name, existing) or f"declare the {kind} first"
                yield RulesError(
                    "PP338", f"the fact `{fact}` names {name!r}, which is no {kind}", hint, place
                )


def get_evaluation_terms(facts: Facts) -> tuple[Term, ...] | None:
    """Return the declared evaluation, one term per seat (or one for all), or None if the game
    declares none."""
    declared = facts.get("evaluate")
    if declared is None:
        return None
    values = declared if isinstance(declared, Sequence) else [declared]
    return tuple(map(as_term, values))


def _is_likely_misspelling(name: str, existing: Iterable[str]) -> bool:
    near = find_nearest_word(name, existing)
    return bool(near) and SequenceMatcher(None, name, near).ratio() > _SO_NEAR
