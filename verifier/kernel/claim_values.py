"""The value of a claim, computed from what certificates show. No other module decides it.

The value is computed here and never read from a file. A statement counts only if it is about
exactly the event that the claim asks about: the same `of`, `within` and number. Options, rulings
and players belong to the game that the certificates were checked against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from playproof.language import Interpreter, Sees
from playproof.language.game import Game
from playproof.language.statements import Require
from playproof.verifier.kernel.certificate import Theorem, require_all_are_theorems_of_game
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.statements import (
    BOUNDS,
    ENDS,
    PHASES_END,
    PROPERTIES,
    EndlessPlay,
    Event,
    EventChance,
    LawObeyed,
    LengthLimit,
    PlayableExample,
    Property,
    Secrecy,
    SecretDiffers,
    Statement,
    Subject,
    target_spec_to_event,
)
from playproof.verifier.kernel.strict_json import Json, to_canonical_json_text, to_plain_json_data
from playproof.verifier.questions.claims import (
    Question,
    get_ignored_key_of_question_or_empty,
    is_family_of_laws,
    parse_expected_number_or_none,
)

CLOSE = Fraction(1, 10**9)
_SAME = Fraction(1, 10**10)
"""The distance of bounds whose middle is given to nine digits even if the digits of the two differ."""
_LEAST, _MOST = 5e-324, 1 - 2**-53
"""The floats next to 0 and 1."""


@dataclass(frozen=True)
class Decision:
    """A claim's value (None if it is not shown), the statements it was read from, and whether it holds for players who
    see all cards."""

    value: Any = None
    vacuous: bool = False
    used: tuple[Statement, ...] = ()
    see_all: bool = False

    @property
    def known(self) -> bool:
        """Whether the statements answer the claim."""
        return self.vacuous or self.value is not None

    def list_assumed_but_unproved_properties(self, theorems: Sequence[Theorem]) -> tuple[str, ...]:
        """Return the properties that the statements used lean on and that no certificate among
        `theorems` establishes."""
        established = [
            (s.about.name, set(s.grounds))
            for s in theorems
            if isinstance(s, Theorem) and isinstance(s.about, Property) and s.so
        ]
        settled: set[str] = set()
        for _ in PROPERTIES:  # a property counts if its grounds do, so each round may let one more count
            settled |= {name for name, grounds in established if grounds <= settled}
        leant_on = {g for s in self.used for g in s.grounds}
        leant_on |= {PHASES_END for s in self.used if s.so and s.about == Property(BOUNDS)}
        return tuple(sorted(leant_on - settled))


OPEN = Decision()


def decide_question_from_theorems(
    game: Game, question: Question, theorems: Sequence[Theorem], context: Context
) -> Decision:
    """Return the value of a question under one setting. Raises InputError
    for names that the game does not have, and TypeError for what is no theorem of this game."""
    proven = require_all_are_theorems_of_game(game, theorems, context)
    ignored = get_ignored_key_of_question_or_empty(question)
    return OPEN if ignored else _decide_by_question_kind(game, question, proven, context)


def has_no_opposing_sides(game: Game) -> bool:
    """Return whether nobody plays against the seats: there is one, or all play together."""
    return len(game.sides) == 1


def _decide_by_question_kind(
    game: Game, question: Question, theorems: Sequence[Statement], context: Context
) -> Decision:
    match question.ask:
        case "reach" | "dead":
            return _decide_reach_or_dead_question(game, question, theorems, context)
        case "minimum" | "maximum":
            return _decide_minimum_or_maximum_question(question, theorems)
        case "never" | "always":
            return _decide_never_or_always_question(question, theorems)
        case "luck":
            return _decide_luck_question(game, question, theorems, context)
        case "step" | "example":
            return _decide_step_or_example_question(game, question, theorems, context)
        case "secret":
            return _decide_secret_question(question, theorems)
    for statement in theorems:
        answer: Decision | None = (
            statement.about.decide_question_if_about_it(game, question, context) if statement.so else None
        )
        if answer is not None:
            return replace(answer, used=(statement,))
    return _decide_if_distance_question_is_vacuous(question, theorems) if question.ask == "distance" else OPEN


def _find_first_statement_if_any(
    theorems: Sequence[Statement], subject: Subject, is_true: bool
) -> tuple[Statement, ...]:
    """Return the first statement that exactly this is true or false, in a tuple; () if there is none."""
    return tuple(s for s in theorems if (s.about.key, s.so) == (subject.key, is_true))[:1]


def _decide_if_distance_question_is_vacuous(question: Question, theorems: Sequence[Statement]) -> Decision:
    """Return that a question about a distance is empty, if no state meets its condition."""
    [of] = question.of.values()
    empty = _find_first_statement_if_any(theorems, target_spec_to_event(of, question.within), False)
    return Decision(vacuous=True, used=empty) if empty else OPEN


def list_claim_parts_of_question(game: Game, question: Question, context: Context) -> list[ClaimPart]:
    """Return the parts in words from which a question is decided, besides those of certificates: the members of a
    family, and the events that `reach` and `dead` ask about. Raises InputError."""
    of = to_plain_json_data(question.of)
    if question.ask == "step":
        return [("laws", of)] if is_family_of_laws(question.of) else []
    if question.ask not in ("reach", "dead") and not _is_luck_a_reach_question(game, question):
        return []
    family: list[ClaimPart] = [("members", of)] if _is_family_of_targets(question) else []
    events = [event for _, event in _list_named_events_asked_about(game, question, context)]
    return family + [part for event in events for part in event.list_claim_parts()]


# -- reach, dead ------------------------------------------------------------------------------------------------


def list_possible_named_events_asked_about(game: Game, question: Question, context: Context) -> list[tuple[str, Event]]:
    """Return the events that `reach` and `dead` ask about, by name: one event, or one for each
    member of `{every: ...}`. An event is left out if each of its actions has a requirement that
    fails in every state."""

    def read() -> list[tuple[str, Event]]:
        events = _list_named_events_asked_about(game, question, context)
        return [(name, event) for name, event in events if _has_event_possibly_legal_action(game, event, context)]

    key = to_canonical_json_text(["members", question.of, question.within])
    return context.get_or_build_for_game(game, key, read)


def _is_family_of_targets(question: Question) -> bool:
    return isinstance(question.of, Mapping) and "every" in question.of


def _list_named_events_asked_about(game: Game, question: Question, context: Context) -> list[tuple[str, Event]]:
    of = to_plain_json_data(question.of)
    named = context.read_claim_part(game, "members", of) if _is_family_of_targets(question) else [("", of)]
    return [(name, target_spec_to_event(spec, question.within)) for name, spec in named]


def _has_event_possibly_legal_action(game: Game, event: Event, context: Context) -> bool:
    """Return whether the event is a condition, or has an action without a requirement that fails in
    every state."""
    idents = event.build_condition_and_actions(game, context).idents
    return idents is None or any(_can_action_pass_state_independent_requirements(game, ident) for ident in idents)


def _can_action_pass_state_independent_requirements(game: Game, action_id: int) -> bool:
    action, play = game.get_action_of_ground_action_number(action_id), Interpreter(game)
    params = action.map_parameter_numbers_to_values(action.get_values_of_ground_action(action_id))
    for statement in action.body:
        if not isinstance(statement, Require):
            break
        if not statement.condition.reads and not play.value(statement.condition, [], dict(params)):
            return False
    return True


def _decide_reach_or_dead_question(
    game: Game, question: Question, theorems: Sequence[Statement], context: Context
) -> Decision:
    wanted = list_possible_named_events_asked_about(game, question, context)
    if not wanted:
        return Decision(True if question.ask == "reach" else [], vacuous=True)
    met = [s for _, e in wanted for s in _find_first_statement_if_any(theorems, e, True)]
    gone = [(name, s) for name, e in wanted for s in _find_first_statement_if_any(theorems, e, False)]
    used: tuple[Statement, ...] = (*met, *(s for _, s in gone))
    if question.ask == "dead":
        return Decision([name for name, _ in gone], used=used) if len(used) == len(wanted) else OPEN
    if gone:
        return Decision(False, used=(gone[0][1],))
    return Decision(True, used=used) if len(met) == len(wanted) else OPEN


# -- minimum, maximum -------------------------------------------------------------------------------------------


def build_event_of_number_compared_with_value(question: Question, relation: str, value: int) -> Event:
    """Return the event that the number of a `minimum` or `maximum` is less than, equal to or
    greater than a value."""
    when = to_plain_json_data(question.of.get("when", {"holds": "1 == 1"}))
    return Event(when, to_plain_json_data(question.within), str(question.of["number"]), relation, value)


def _decide_minimum_or_maximum_question(question: Question, theorems: Sequence[Statement]) -> Decision:
    beyond = "<" if question.ask == "minimum" else ">"
    for statement in theorems:
        if isinstance(statement.about, Event):
            value = statement.about.value
            met = _find_first_statement_if_any(
                theorems, build_event_of_number_compared_with_value(question, "==", value), True
            )
            none = _find_first_statement_if_any(
                theorems, build_event_of_number_compared_with_value(question, beyond, value), False
            )
            if met and none:
                return Decision(value, used=(*met, *none))
    whenever = build_event_of_number_compared_with_value(question, "", 0)
    empty = _find_first_statement_if_any(theorems, Event(whenever.of, whenever.within), False)
    return Decision(vacuous=True, used=empty) if empty else OPEN


# -- never, always ----------------------------------------------------------------------------------------------


def build_event_that_must_not_happen(question: Question) -> Event:
    """Return the event that must not happen: the target itself for `never`, its negation for
    `always`."""
    of = to_plain_json_data(question.of)
    return Event(of if question.ask == "never" else {"not": of}, to_plain_json_data(question.within))


def get_rules_property_asked_by_always_or_empty(question: Question) -> str:
    """Return the property of the rules that an `always` asks for, or ""."""
    of = question.of
    if isinstance(of, Mapping) and set(of) <= {"invariant", "with"}:
        of = of.get("invariant")
    return str(of) if question.ask == "always" and of in PROPERTIES else ""


def _decide_never_or_always_question(question: Question, theorems: Sequence[Statement]) -> Decision:
    name, of = get_rules_property_asked_by_always_or_empty(question), question.of if question.ask == "always" else None
    ends = isinstance(of, Mapping) and set(of) == {"ends"}
    if question.within is not None and (name or of == ENDS or ends):
        return OPEN  # a property of the rules has no limit
    if name:
        yes, no = (_find_first_statement_if_any(theorems, Property(name), so) for so in (True, False))
        if name == BOUNDS:
            no = no or _find_first_statement_if_any(theorems, Property(PHASES_END), False)
    elif of == ENDS:
        yes = tuple(s for s in theorems if isinstance(s.about, LengthLimit) and s.so)[:1]
        no = _find_first_statement_if_any(theorems, EndlessPlay(), True)
    elif isinstance(of, Mapping) and ends:
        most = int(of["ends"])
        lengths = [(s, s.about.most) for s in theorems if isinstance(s.about, LengthLimit)]
        yes = tuple(s for s, length in lengths if s.so and length <= most)[:1]
        no = tuple(s for s, length in lengths if not s.so and length >= most)[:1]
        no = no or _find_first_statement_if_any(theorems, EndlessPlay(), True)
    else:
        yes, no = (
            _find_first_statement_if_any(theorems, build_event_that_must_not_happen(question), so)
            for so in (False, True)
        )
    return Decision(not no, used=no or yes) if no or yes else OPEN


# -- step, example ------------------------------------------------------------------------------------------------


def _decide_step_or_example_question(
    game: Game, question: Question, theorems: Sequence[Statement], context: Context
) -> Decision:
    if question.ask == "step" and is_family_of_laws(question.of):
        return _decide_whether_all_laws_obeyed(game, question, theorems, context)
    about = (LawObeyed if question.ask == "step" else PlayableExample)(to_plain_json_data(question.of))
    used = _find_first_statement_if_any(theorems, about, False) or _find_first_statement_if_any(theorems, about, True)
    return Decision(used[0].so, used=used) if used else OPEN


def _decide_whether_all_laws_obeyed(
    game: Game, question: Question, theorems: Sequence[Statement], context: Context
) -> Decision:
    """Return whether each law of a family is obeyed. The members are those of the cards of this game; the claim is
    empty if there are none."""
    laws = [spec for _, spec in context.read_claim_part(game, "laws", to_plain_json_data(question.of))]
    broken = [s for spec in laws for s in _find_first_statement_if_any(theorems, LawObeyed(spec), False)]
    if not laws or broken:
        return Decision(not broken, vacuous=not laws, used=tuple(broken[:1]))
    together = _find_first_statement_if_any(theorems, LawObeyed(laws), True)
    each = together or tuple(s for spec in laws for s in _find_first_statement_if_any(theorems, LawObeyed(spec), True))
    return Decision(True, used=each) if together or len(each) == len(laws) else OPEN


# -- secret -----------------------------------------------------------------------------------------------------


def _decide_secret_question(question: Question, theorems: Sequence[Statement]) -> Decision:
    """Return whether a secret is kept. It is if nothing sent tells it, and it can differ; the claim is
    empty if it cannot."""
    about, apart = Secrecy(to_plain_json_data(question.of)), SecretDiffers(to_plain_json_data(question.of))
    leak, no_leak = (_find_first_statement_if_any(theorems, about, so) for so in (False, True))
    differs, never = (_find_first_statement_if_any(theorems, apart, so) for so in (True, False))
    if leak:
        return Decision(False, used=leak)
    if never:
        return Decision(vacuous=True, used=never)
    return Decision(True, used=(*no_leak, *differs)) if no_leak and differs else OPEN


# -- luck -------------------------------------------------------------------------------------------------------


def has_fields_hidden_from_some_player(game: Game) -> bool:
    """Return whether some field is hidden from some player."""
    return any(f.sees is not Sees.ALL and f.lo < f.hi for f in game.fields)


def get_asked_seat_or_first(question: Question) -> int:
    """Return a seat that wants the event, with those that play together with it: the one that the question names, else
    the first."""
    seat = question.of.get("seat") if isinstance(question.of, Mapping) else None
    return 0 if seat is None else int(seat)


def _is_luck_a_reach_question(game: Game, question: Question) -> bool:
    """Return whether a `luck` question asks what some game comes to: chance falls as players want who all agree."""
    return question.ask == "luck" and question.chance == "best" and has_no_opposing_sides(game)


def _decide_luck_question(game: Game, question: Question, theorems: Sequence[Statement], context: Context) -> Decision:
    """Return the value of a `luck` question.

    A `EventChance` bounds V, the chance under best play if everybody sees everything. A question without
    `seeing: all` is about v, the chance for players who see what the rules show them.

    * Nothing is hidden: v = V.
    * An event that no game comes to: v = 0, for any number of players and any luck.
    Players who all play together (`sides`) are one player here, whose plan is made before the game: what each does on
    what it will have seen by then.

    * One player, best luck: v = 1 if and only if some game comes to the event, since the player may plan one
      line, and the draws fall as it needs.
    * One player, mean or worst luck: a plan that uses less knowledge is a plan, so v <= V, and V = 0
      gives v = 0. V = 1 gives nothing: one who sees the top card guesses it, whatever the luck.
    * Players against each other: the others see less too, so V bounds v on neither side. If one seat hides a coin
      and the other guesses the hand, V is 0 for the first and 1 for the second; v is 1/2 for both.
    * A strategy's chance against all others, who may see everything, bounds V and v from below.
    * A `ChanceBySight` bounds v itself, and V from below if nobody plays against the seats.
    """
    event = target_spec_to_event(question.of, question.within)
    if _is_luck_a_reach_question(game, question):
        return _decide_reach_or_dead_question(game, replace(question, ask="reach"), theorems, context)
    blind = has_fields_hidden_from_some_player(game) and question.seeing != "all"
    unreached = _find_first_statement_if_any(theorems, event, False)
    if unreached:
        return Decision(0.0 if question.chance == "mean" else False, used=unreached)
    low, high, used = Fraction(0), Fraction(1), list[Statement]()
    for s in theorems:
        below, above = Fraction(0), Fraction(1)
        if s.so:
            below = s.about.get_lower_bound_of_asked_chance(game, question, context)
            above = s.about.get_upper_bound_of_asked_chance(game, question)
        asked = event.key, question.chance, get_asked_seat_or_first(question)
        if isinstance(s.about, EventChance) and (s.about.event.key, s.about.chance, s.about.seat) == asked:
            below = Fraction(0) if blind else s.about.low
            above = s.about.high if not blind or has_no_opposing_sides(game) else above
        if below > low or above < high:
            used.append(s)
        low, high = max(low, below), min(high, above)
    if high - low > CLOSE:
        return OPEN
    value: Any = round_chance_to_nine_digits_or_none(low, high) if question.chance == "mean" else low > 0
    if value is None:
        return OPEN
    return Decision(value, used=tuple(used), see_all=has_fields_hidden_from_some_player(game) and not blind)


def round_chance_to_nine_digits_or_none(lower_bound: Fraction, upper_bound: Fraction) -> float | None:
    """Return a chance to nine digits, but 0 or 1 only if it is exactly that; None if that is open."""
    lower_bound, upper_bound = max(lower_bound, Fraction(0)), min(upper_bound, Fraction(1))
    if (lower_bound == 0) != (upper_bound == 0) or (lower_bound == 1) != (upper_bound == 1):
        return None
    near = _round_middle_or_none_if_bounds_differ(lower_bound, upper_bound)
    if near is None or near == lower_bound or 0 < near < 1:
        return near
    return min(max(float(lower_bound), _LEAST), _MOST)


def round_middle_to_9_digits_or_none(lower_bound: Fraction, upper_bound: Fraction) -> float | None:
    """Return the middle of two bounds to nine digits. A whole number says that it is exactly that, so it is
    given only if it is; else None."""
    near = _round_middle_or_none_if_bounds_differ(lower_bound, upper_bound)
    return None if near is None or (near == int(near) and not lower_bound == upper_bound == int(near)) else near


def _round_middle_or_none_if_bounds_differ(lower_bound: Fraction, upper_bound: Fraction) -> float | None:
    """Return the middle of two bounds to nine digits; None if a number between them may have other digits. Bounds come
    from files, and half of what they may be apart is half a digit."""
    alike = upper_bound - lower_bound <= _SAME or round(lower_bound, 9) == round(upper_bound, 9)
    return float(round((lower_bound + upper_bound) / 2, 9)) if alike else None


def round_expected_value_or_none(low: Fraction, high: Fraction, expect: object) -> float | None:
    """Return the middle of two bounds to as many digits as are sure; None if the bounds are apart, or if the digits say
    otherwise than what is expected, which the bounds allow."""
    middle, expected = (low + high) / 2, parse_expected_number_or_none(expect)
    for digits in (9, 6):
        value, off = round(float(middle), digits), Fraction(1, 10**digits)
        written = Fraction(str(value))  # large floats do not hold so many digits
        if high - low > off or 2 * abs(written - middle) > off:
            continue
        if expected is not None and low <= expected <= high and abs(expected - written) > CLOSE:
            return None
        return value
    return None


# -- same, tune -------------------------------------------------------------------------------------------------


def answer_same_or_tune_from_setting_values(
    question: Question, expected_value: Any, value_by_setting_name: Mapping[str, Any]
) -> Any:
    """Return the value of a `same` or `tune` question, or None if too little is known.

    `same` asks whether all settings have one value; `tune` gives the settings that have the value
    `expected_value`. `value_by_setting_name` holds each setting's value by the setting's name.
    """
    decided = [v for v in value_by_setting_name.values() if v is not None]
    if question.ask == "same" and any(v != decided[0] for v in decided[1:]):
        return False
    if len(decided) < len(value_by_setting_name):
        return None
    if question.ask == "same":
        return True
    return [name for name, value in value_by_setting_name.items() if value == expected_value]


def format_setting_label_as_text(label: Mapping[str, Json]) -> str:
    """Return a setting's name: the options and rulings that distinguish it from the others."""
    return ", ".join(f"{k}={v}" for k, v in label.items())
