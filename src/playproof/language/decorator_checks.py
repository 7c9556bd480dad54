"""Checks of what a game's decorators and texts are given, made while the game is written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from types import FunctionType

from playproof.language.checks import check_no_object_address
from playproof.language.errors import RulesError, find_definition_place
from playproof.language.expr import TermOperators, make_value_in_text_error
from playproof.language.parts import Parameter, Phase

_BRACES = re.compile(r"\{\w*\}")


def check_phase_arguments(decorator: str, phases: object) -> None:
    """Refuse an action or effects that are given to something other than phases, such as a decorator
    without its parentheses, or a phase's name."""
    check_decorator_is_called(decorator, phases)
    for phase in (phases,) if isinstance(phases, Phase | str) or not isinstance(phases, Iterable) else phases:
        if not isinstance(phase, Phase):
            raise RulesError(
                "PP304",
                f"`{decorator}` expected a phase, found {phase!r}",
                "give what `g.phase(...)` or `g.automatic(...)` returned",
            )


def check_decorator_is_called(decorator: str, *first: object) -> None:
    """Refuse a decorator that is written without parentheses: its first argument is then the body."""
    if first and isinstance(first[0], FunctionType):
        call = {"action": "action(phase)", "on": "on(phase)"}.get(decorator, f"{decorator}()")
        raise RulesError(
            "PP309",
            f"`@g.{decorator}` stands above `{first[0].__name__}` without its parentheses",
            f"write `@g.{call}`",
            place=find_definition_place(first[0]),
        )
    if first and decorator == "function":
        raise RulesError(
            "PP309",
            f"`@g.function` takes its parameters by name, found {first[0]!r}",
            "write `@g.function(name=range)`",
        )


def check_no_braces(subject: str, text: str) -> None:
    """Refuse braces in a text that is shown as it is: nothing would fill them in."""
    if isinstance(text, TermOperators):
        raise make_value_in_text_error()
    if not isinstance(text, str):
        raise RulesError("PP304", f"{subject} is a sentence, found {text!r}", "write it in quotation marks")
    check_no_object_address(text)
    if _BRACES.search(text):
        raise RulesError(
            "PP339",
            f"{subject} is shown as it stands, {text!r} with its braces",
            "write a plain sentence; only an action's text and a requirement's sentence have values",
        )


def build_action_text(
    name: str, text: str | Callable[..., str], params: Sequence[Parameter]
) -> str | tuple[str, ...]:
    """Return an action's text as data: as it is written, or what a function makes for each ground action.
    Raises RulesError if no words come of it."""
    try:
        if isinstance(text, str):
            made: str | tuple[str, ...] = text
            check_rendered_text(name, text.format(**{p.local.name: p.format_value(p.low) for p in params}))
        else:
            names = [p.local.name for p in params]
            grid = product(*(p.values for p in params))
            made = tuple(text(**dict(zip(names, values, strict=True))) for values in grid)
            for words in made:
                check_rendered_text(name, words)
    except RulesError:
        raise
    except Exception as error:
        raise RulesError(
            "PP339",
            f"the text of action `{name}` cannot be made: {error}",
            "a parameter is filled in as `{name}`, without a format",
        ) from error
    return made


def check_rendered_text(name: str, words: object) -> None:
    """Refuse a ground action's words that say nothing."""
    if not isinstance(words, str) or not words.strip():
        raise RulesError(
            "PP339", f"the text of action `{name}` is {words!r}", "give the words that players read"
        )
    check_no_object_address(words)
