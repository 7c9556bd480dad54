"""Statements and decisions in words: the lines `shown:` and `means:` of `check`, and for whom a value holds.

Nothing that is shown rests on this: a claim's value follows from statements as data (`kernel/claim_values.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any

from playproof.language.game import Game
from playproof.verifier.kernel.certificate import list_partners_of_seat
from playproof.verifier.kernel.claim_values import (
    Decision,
    get_asked_seat_or_first,
    has_fields_hidden_from_some_player,
    has_no_opposing_sides,
)
from playproof.verifier.kernel.closed_set_certificate import StateDistance
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.statements import Event, LawObeyed, Statement, Subject
from playproof.verifier.kernel.strategies import StrategyChance
from playproof.verifier.kernel.strict_json import list_names_of_written_fields
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.term_words import format_claim_part_or_data

SEE_ALL = "players who see all cards"
_COUNTS = MappingProxyType({2: "two", 3: "three", 4: "four", 5: "five", 6: "six"})
_LUCK = MappingProxyType({"best": "with the best luck", "worst": "with any luck"})
_SENTENCES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "event": ("a game comes to: {words}", "no game comes to: {words}"),
        "property": ("every game keeps: {words}", "a game breaks: {words}"),
        "length": ("no game has more than {most} decisions", "a game has more than {most} decisions"),
        "law": ("every decision obeys: {words}", "a game breaks the law: {words}"),
        "played": ("the worked example is played as it says", "the worked example cannot be played as it says"),
        "secrecy": ("nothing that the seat is sent tells: {words}", "the seat is sent what tells: {words}"),
        "apart": ("two states are alike but for: {words}", "no two states are alike but for: {words}"),
        "endless": ("a game can go on for ever", "every game comes to an end"),
        "chance": (
            "for players who see all cards, with {chance} luck, the chance of {event} under best play by {players} "
            "is {value}",
            "",
        ),
        "tallied": ("the cards give {value} for {of}", ""),
        "share": ("of the first {deals} shuffles of seed {seed}, {won} can come to {event}, and {lost} cannot", ""),
        "equilibrium": ("under best play the game is worth {value} to {players}", ""),
        "count": ("states that meet {event}: {number}", ""),
        "distance": ("{decisions} to the {which} state with: {event}", ""),
        "chance by sight": ("by what {players} may see, the chance of {event} under best play is {value}", ""),
        "expected by sight": ("by what players may see, the expected value of {of} is {value}", ""),
        "strategy": (
            "with {chance} luck, who keeps to {of} (within {within}) comes there with the chance {value}",
            "",
        ),
        "worth": ("for players who see all cards, the expected value of {of} is {value}{together}", ""),
        "worths": ("for players who see all cards, values of {of} have bounds{together}", ""),
    }
)
"""A subject as true and as false, by its kind. The names of its keys stand for what they hold, {words} for all of it,
{players} and {together} for the seats that play, and {value} for what lies between `low` and `high`."""


def format_statement_sentence(statement: Statement) -> str:
    """Return a statement as a sentence, with the properties under which it holds."""
    under = f" (if every game keeps: {', '.join(statement.grounds)})" if statement.grounds else ""
    about = statement.about
    yes, no = _SENTENCES[about.kind]
    text = yes if statement.so else no or f"it is not so: {yes}"
    return text.format(**_format_each_key(about)) + under


def _format_each_key(subject: Subject) -> dict[str, str]:
    """Return what stands for each name in a sentence about a subject."""
    texts = {each.name: format_claim_data_as_text(getattr(subject, each.name)) for each in fields(subject)}
    if "low" in texts:
        low, high = texts["low"], texts["high"]
        texts["value"] = low if low == high else f"between {low} and {high}"
    if isinstance(subject, StateDistance):
        texts["which"] = "farthest" if subject.far else "nearest"
        texts["decisions"] = "1 decision" if subject.number == 1 else f"{subject.number:,} decisions"
    partners: tuple[int, ...] = getattr(subject, "partners", ())
    texts["together"] = f" (played together with seats {', '.join(map(str, partners))})" if partners else ""
    if "seat" in texts:
        texts["players"] = format_seat_with_partners(int(texts["seat"]), partners)
    return {"words": format_subject_words(subject), **texts}


def format_subject_words(subject: Subject) -> str:
    """Return a subject as a person reads it."""
    if not isinstance(subject, Event):
        names = list_names_of_written_fields(subject)
        return ", ".join(format_claim_data_as_text(getattr(subject, name)) for name in names)
    text = format_claim_data_as_text(subject.of)
    if subject.within is not None:
        text += f" within {format_claim_data_as_text(subject.within)}"
    return f"{text}, {subject.number} {subject.relation} {subject.value}" if subject.number else text


def format_claim_data_as_text(data: Any) -> str:
    """Return what a claim or a subject holds as a person reads it."""
    if isinstance(data, Subject):
        return format_subject_words(data)
    if isinstance(data, dict):
        return ", ".join(f"{k} {format_claim_data_as_text(v)}" for k, v in data.items())
    return f"{data:,}" if type(data) is int else "nothing" if data is None else str(data)


def format_seat_with_partners(seat: int, partners: tuple[int, ...]) -> str:
    """Return a seat and those that play together with it as a person reads them.

    >>> format_seat_with_partners(2, (0, 1))
    'seats 0, 1 and 2 together'
    """
    if not partners:
        return f"seat {seat}"
    *others, last = sorted((seat, *partners))
    return f"seats {', '.join(map(str, others))} and {last} together"


# -- what was checked -------------------------------------------------------------------------------------------------


def format_meaning(subject: Subject, game: Game, context: Context) -> str:
    """Return what a subject says of states, printed from its claim terms; "" if it says nothing of them."""
    parts = subject.list_claim_parts()
    texts = [format_claim_part_or_data(game, kind, context.read_claim_part(game, kind, w)) for kind, w in parts]
    match subject:
        case Event() if subject.number:
            return f"{texts[0]}, {texts[1]} {subject.relation} {subject.value}"
        case LawObeyed():
            return " | ".join(texts)
        case StrategyChance():
            return f"{texts[1]}, to {texts[0]}"
    inner = [each for each in (getattr(subject, key.name) for key in fields(subject)) if isinstance(each, Subject)]
    return "; ".join([format_meaning(each, game, context) for each in inner] if inner else texts)


def format_meaning_if_other_than_words(subject: Subject, game: Game, context: Context) -> str:
    """Return what a subject says of states, or "" if its own words say exactly that."""
    words, meaning = format_subject_words(subject), format_meaning(subject, game, context)
    same = {words, *(words.removeprefix(f"{key} ") for key in ("holds", "reach", "action"))}
    return "" if meaning in same else meaning


@dataclass
class AnswerWords:
    """What is shown of a claim in words, setting by setting: the statements that its value was read from, what they say
    of states where their own words do not say it, and for whom the value holds."""

    statements: list[str] = field(default_factory=list)
    meanings: list[str] = field(default_factory=list)
    whoms: list[str] = field(default_factory=list)

    def add_words_of_setting(
        self, name: str, game: Game, question: Question, decision: Decision, context: Context
    ) -> None:
        """Add what was decided in one setting; `name` is "" if the claim has no others."""
        setting_words = f"{name}: " if name else ""
        self.statements += [setting_words + format_statement_sentence(each) for each in decision.used]
        new = [format_meaning_if_other_than_words(each.about, game, context) for each in decision.used]
        self.meanings += [text for text in dict.fromkeys(new) if text and text not in self.meanings]
        self.whoms.append(describe_for_whom_it_holds_or_empty(game, question, decision))

    @property
    def whom(self) -> str:
        """For whom the value holds, "" for one player and chance as it falls."""
        return join_whoms_of_settings(self.whoms)


# -- for whom ---------------------------------------------------------------------------------------------------------


def describe_for_whom_it_holds_or_empty(game: Game, question: Question, decision: Decision) -> str:
    """Return for how many players a value holds, what they see, and with which luck; "" for one player and chance as it
    falls, for cards, which say the same to any number of players, and for a decision that is open."""
    if not decision.known or question.ask == "ledger":
        return ""
    count = _COUNTS.get(game.players, str(game.players))
    who = SEE_ALL if decision.see_all else "players"
    limits = [f"for {who if game.players == 1 else f'{count} {who}'}"] if decision.see_all or game.players > 1 else []
    seat = _get_seat_asked_for_best_play_or_none(question)
    if seat is not None and has_no_opposing_sides(game) and game.players > 1:
        limits = [f"{limits[0]} {'and' if decision.see_all else 'who'} play together"]
    elif seat is not None and len(game.sides) < game.players:
        limits += [f"{format_seat_with_partners(seat, list_partners_of_seat(game, seat))} against the others"]
    limits += ["in 95 % of samples"] if question.ask == "deals" else []
    if question.ask == "strategy" and has_fields_hidden_from_some_player(game) and not has_no_opposing_sides(game):
        limits += ["against others who see all cards"]
    if (
        question.ask in ("strategy", "worth")
        and has_fields_hidden_from_some_player(game)
        and _has_teammates_not_following_strategy(game, question)
    ):
        limits += ["with helpers who see all cards"]
    lucky = question.ask in ("luck", "strategy") and question.chance in _LUCK
    limits += [_LUCK[question.chance]] if lucky else []
    return ", ".join(limits)


def join_whoms_of_settings(whoms: Iterable[str]) -> str:
    """Return for whom a value holds that was read from several settings."""
    return "; ".join(filter(None, dict.fromkeys(whoms)))


def _has_teammates_not_following_strategy(game: Game, question: Question) -> bool:
    """Return whether the team of a list of rules has seats that do not follow it."""
    of = question.of if isinstance(question.of, Mapping) else {}
    named = isinstance(of.get("play"), list) and isinstance(of.get("seat"), int)
    return named and bool(list_partners_of_seat(game, int(of["seat"])))


def _get_seat_asked_for_best_play_or_none(question: Question) -> int | None:
    """Return a seat of the side whose best play is asked of; None if all play alike."""
    of = question.of if isinstance(question.of, Mapping) else {}
    match question.ask:
        case "luck" | "equilibrium":
            return get_asked_seat_or_first(question)
        case "worth" if of.get("play") not in ("random", "worst"):
            return int(of.get("seat", of.get("score", 0)))
        case "strategy" if of.get("seat") != "all":
            target = of.get("target")
            return int(of.get("seat", target.get("seat", 0) if isinstance(target, Mapping) else 0))
    return None
