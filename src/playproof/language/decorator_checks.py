"""Checks of what a game's decorators and texts are given, made while the game is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from types import FunctionType

from playproof.language.checks import check_readable
from playproof.language.errors import RulesError, defined_at
from playproof.language.expr import Operators, in_text
from playproof.language.parts import Action, Phase

_BRACES = re.compile(r"\{\w*\}")


def check_phases(decorator: str, phases: object) -> None:
    """Refuse an action or effects that are given to something other than phases, such as a decorator
    without its parentheses, or a phase's name."""
    check_called(decorator, phases)
    for phase in (phases,) if isinstance(phases, Phase | str) or not isinstance(phases, Iterable) else phases:
        if not isinstance(phase, Phase):
            raise RulesError(
                "PP304",
                f"`{decorator}` expected a phase, found {phase!r}",
                "give what `g.phase(...)` or `g.automatic(...)` returned",
            )


def check_called(decorator: str, *first: object) -> None:
    """Refuse a decorator that is written without parentheses: its first argument is then the body."""
    if first and isinstance(first[0], FunctionType):
        call = {"action": "action(phase)", "on": "on(phase)"}.get(decorator, f"{decorator}()")
        raise RulesError(
            "PP309",
            f"`@g.{decorator}` stands above `{first[0].__name__}` without its parentheses",
            f"write `@g.{call}`",
            place=defined_at(first[0]),
        )
    if first and decorator == "function":
        raise RulesError(
            "PP309",
            f"`@g.function` takes its parameters by name, found {first[0]!r}",
            "write `@g.function(name=range)`",
        )


def check_plain(what: str, text: str) -> None:
    """Refuse braces in a text that is shown as it is: nothing would fill them in."""
    if isinstance(text, Operators):
        raise in_text()
    if not isinstance(text, str):
        raise RulesError("PP304", f"{what} is a sentence, found {text!r}", "write it in quotation marks")
    check_readable(text)
    if _BRACES.search(text):
        raise RulesError(
            "PP339",
            f"{what} is shown as it stands, {text!r} with its braces",
            "write a plain sentence; only an action's text and a requirement's sentence have values",
        )


def check_shown(action: Action) -> Iterator[RulesError]:
    """Yield the error of an action's text that cannot be made for the action's first values."""
    try:
        words: object = action.show(action.values(action.first))
        if isinstance(words, str):
            check_readable(words)
    except RulesError as error:
        yield error
    except Exception as error:
        yield RulesError(
            "PP339",
            f"the text of action `{action.name}` cannot be made: {error}",
            "a parameter is filled in as `{name}`, without a format",
            action.place,
        )
    else:
        if not isinstance(words, str) or not words.strip():
            yield RulesError(
                "PP339",
                f"the text of action `{action.name}` is {words!r}",
                "give the words that players read",
                action.place,
            )
