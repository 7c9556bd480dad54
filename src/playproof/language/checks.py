"""Checks made while a game is written: arguments, sentences, texts and decorators that do not fit
their declarations are refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from inspect import signature
from itertools import product
from string import Formatter
from types import FunctionType

from playproof.database.errors import find_nearest_word_or_empty, make_nearest_or_possible_words_hint
from playproof.language.errors import RulesError, find_definition_place
from playproof.language.expr import (
    Local,
    Operand,
    Term,
    TermOperators,
    Value,
    clamp,
    make_value_in_text_error,
    refuse_too_deep_term,
)
from playproof.language.parts import Parameter, Phase

# Checks made while a game is written: they refuse arguments, sentences and texts that do not fit their
# declarations.

_REQUIRE = 'write require(condition, "R1", "the sentence that a refused player reads")'


def zip_arguments_with_parameters_or_raise(
    function_name: str, params: Sequence[Local], args: Sequence[Term]
) -> Iterator[tuple[Term, Local]]:
    """Yield each argument with its parameter. Raises RulesError if their numbers differ."""
    if len(args) != len(params):
        wanted = ", ".join(f"{p.name} in {p.lo}..{p.hi}" for p in params) or "nothing"
        raise RulesError(
            "PP309",
            f"`{function_name}` takes {wanted}; {len(args)} argument(s) given",
            f"write {function_name}({', '.join(p.name for p in params)})",
        )
    yield from zip(args, params, strict=True)


def refuse_value_always_out_of_bounds(subject: str, lo: int, hi: int, term: Term) -> None:
    """Refuse a value that lies outside lo..hi in every state. The readings check a value that may
    lie inside."""
    if term.lo > hi or term.hi < lo:
        value = str(term.lo) if term.lo == term.hi else f"{term.lo}..{term.hi}"
        raise RulesError(
            "PP315",
            f"{subject} {lo}..{hi}, the value is {value}",
            "widen the declared bounds, or move the value with `clamp(value, lo, hi)`",
        )


def refuse_object_address_in_text(text: str) -> None:
    """Refuse a text that shows a thing of Python by its address, as `repr` does."""
    if " object at 0x" in text:
        raise make_value_in_text_error()


def refuse_wrong_requirement_sentence(rule: str, text: str, args: Sequence[Value]) -> None:
    """Refuse a requirement's sentence whose `{}` places do not match the number of values, and a sentence
    in the place of the rule's id."""
    for what, argument in (("rule's id", rule), ("sentence", text)):
        if not isinstance(argument, str):
            described = "a value of the state" if isinstance(argument, Operand) else repr(argument)
            raise RulesError("PP304", f"`require` expected the {what} in quotation marks, found {described}", _REQUIRE)
    refuse_object_address_in_text(text)
    if any(letter.isspace() for letter in rule.strip()) and len(text.split()) < 2:
        raise RulesError("PP339", f"`require` has the sentence {rule!r} as the id of its rule", _REQUIRE)
    try:
        parts = [part for part in Formatter().parse(text) if part[1] is not None]
    except ValueError as error:
        raise RulesError("PP339", f"the sentence {text!r} cannot be read: {error}", "write {{ for a brace") from None
    if len(parts) != len(args) or any(any(form) for _, *form in parts):
        raise RulesError(
            "PP339",
            f"the sentence {text!r} has {len(parts)} place(s) for values, {len(args)} given",
            "write {} for each value that follows the sentence",
        )


def refuse_body_with_undeclared_parameters(
    body: Callable[..., object], locals_by_name: Mapping[str, Local], decorator_keywords: Iterable[str] = ()
) -> None:
    """Refuse a body whose parameters differ from the declared ones. `decorator_keywords` are the words that its
    decorator has itself: a misspelt one looks like a parameter."""
    try:
        signature(body).bind(**locals_by_name)
    except TypeError:
        takes, gives = [*signature(body).parameters], [*locals_by_name]
        slips = [
            near
            for name in gives
            if name not in takes and (near := find_nearest_word_or_empty(name, decorator_keywords))
        ]
        hint = f'did you mean "{slips[0]}"?' if slips else "give both the same names"
        raise RulesError(
            "PP339",
            f"`{body.__name__}` takes ({', '.join(takes)}), its rule declares ({', '.join(gives)})",
            hint,
            place=find_definition_place(body),
        ) from None


def refuse_unknown_placeholders_in_action_text(
    action_name: str, text: str | Callable[..., str], parameter_names: Iterable[str]
) -> None:
    """Refuse an action's text that names something other than the action's parameters."""
    if callable(text):
        return
    if not isinstance(text, str):
        raise RulesError("PP304", f"the text of action `{action_name}` is {text!r}", "write it in quotation marks")
    try:
        parts = [*Formatter().parse(text)]
    except ValueError as error:
        raise RulesError(
            "PP339",
            f"the text of action `{action_name}` cannot be read: {error}",
            "write `{name}` for a parameter, and {{ for a brace",
        ) from None
    for _, part, form, conversion in parts:
        if form or conversion:
            raise RulesError(
                "PP339",
                f"the text of action `{action_name}` gives {{{part}}} a format",
                "a parameter is filled in as `{name}`, without a format",
            )
        if part is not None and part not in parameter_names:
            raise RulesError(
                "PP339",
                f"the text of action `{action_name}` names {{{part}}}, which is none of its parameters",
                make_nearest_or_possible_words_hint(part, parameter_names) or "it has none",
            )


def clamp_argument_to_parameter_range(function_name: str, arg: Term, param: Local) -> Term:
    """Return a function's argument, clamped to the parameter's range if it may leave that range (an
    array's index is clamped too)."""
    refuse_value_always_out_of_bounds(f"`{function_name}` takes {param.name} in", param.lo, param.hi, arg)
    return clamp(arg, param.lo, param.hi)


def require_term_without_free_locals(subject: str, term: Term, params: Sequence[Local] = ()) -> Term:
    """Return the term. Refuse it if it names something that has a value only inside a rule's
    body."""
    for local in sorted(term.locals.difference(params), key=lambda p: p.number):
        raise RulesError(
            "PP319",
            f"{subject} is read outside the rule, where `{local.name}` has no value",
            "store it in a field, and give the field",
        )
    refuse_too_deep_term(term)
    return term


# -- decorator checks ----------------------------------------------------------------------------------------
# Checks of what a game's decorators and texts are given, made while the game is written.

_BRACES = re.compile(r"\{\w*\}")


def refuse_arguments_that_are_no_phases(decorator: str, phases: object) -> None:
    """Refuse an action or effects that are given to something other than phases, such as a decorator
    without its parentheses, or a phase's name."""
    refuse_decorator_without_parentheses(decorator, phases)
    for phase in (phases,) if isinstance(phases, Phase | str) or not isinstance(phases, Iterable) else phases:
        if not isinstance(phase, Phase):
            raise RulesError(
                "PP304",
                f"`{decorator}` expected a phase, found {phase!r}",
                "give what `g.phase(...)` or `g.automatic(...)` returned",
            )


def refuse_decorator_without_parentheses(decorator: str, *arguments: object) -> None:
    """Refuse a decorator that is written without parentheses: its first argument is then the body."""
    if arguments and isinstance(arguments[0], FunctionType):
        call = {"action": "action(phase)", "on": "on(phase)"}.get(decorator, f"{decorator}()")
        raise RulesError(
            "PP309",
            f"`@g.{decorator}` stands above `{arguments[0].__name__}` without its parentheses",
            f"write `@g.{call}`",
            place=find_definition_place(arguments[0]),
        )
    if arguments and decorator == "function":
        raise RulesError(
            "PP309",
            f"`@g.function` takes its parameters by name, found {arguments[0]!r}",
            "write `@g.function(name=range)`",
        )


def refuse_braces_in_plain_text(subject: str, text: str) -> None:
    """Refuse braces in a text that is shown as it is: nothing would fill them in."""
    if isinstance(text, TermOperators):
        raise make_value_in_text_error()
    if not isinstance(text, str):
        raise RulesError("PP304", f"{subject} is a sentence, found {text!r}", "write it in quotation marks")
    refuse_object_address_in_text(text)
    if _BRACES.search(text):
        raise RulesError(
            "PP339",
            f"{subject} is shown as it stands, {text!r} with its braces",
            "write a plain sentence; only an action's text and a requirement's sentence have values",
        )


def build_action_text_or_one_per_choice(
    action_name: str, text: str | Callable[..., str], params: Sequence[Parameter]
) -> str | tuple[str, ...]:
    """Return an action's text as data: as it is written, or what a function makes for each ground action.
    Raises RulesError if no words come of it."""
    try:
        if isinstance(text, str):
            made: str | tuple[str, ...] = text
            refuse_empty_action_text(action_name, text.format(**{p.local.name: p.format_value(p.low) for p in params}))
        else:
            names = [p.local.name for p in params]
            grid = product(*(p.values for p in params))
            made = tuple(text(**dict(zip(names, values, strict=True))) for values in grid)
            for words in made:
                refuse_empty_action_text(action_name, words)
    except RulesError:
        raise
    except Exception as error:
        raise RulesError(
            "PP339",
            f"the text of action `{action_name}` cannot be made: {error}",
            "a parameter is filled in as `{name}`, without a format",
        ) from error
    return made


def refuse_empty_action_text(action_name: str, words: object) -> None:
    """Refuse a ground action's words that say nothing."""
    if not isinstance(words, str) or not words.strip():
        raise RulesError(
            "PP339", f"the text of action `{action_name}` is {words!r}", "give the words that players read"
        )
    refuse_object_address_in_text(words)
