"""The text of a card for the terminal: its effects and its few facts, not its looks.

It contains only printed text, which every player may read at any time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from playproof.referee.notation import normalize_text

_ICON = re.compile(r":([a-z][a-z0-9-]*):")
_STRESS = re.compile(r"\*+")
_UNSAID = {"title", "flavour", "text"}  # the title stands above; a text has no name before it
_LOOKS = {"art", "image", "icon", "colour", "back", "size", "width", "height", "wide", "x", "y", "tone"}


def find_cards(data: Any, text: str) -> list[Any]:
    """Return the components with that name or id; if there are none, those whose names contain
    the text."""
    wanted = normalize_text(text)
    everything = list(data.components.values()) if data is not None else []
    called = [c for c in everything if wanted in (normalize_text(c.name), normalize_text(c.id))]
    return called or [c for c in everything if wanted and wanted in normalize_text(c.name)]


def iter_component_lines(data: Any, component: Any) -> Iterator[str]:
    """Yield the component's name, kind and facts, then what it does."""
    facts = (
        f"{name} {fact}"
        for name, value in component.fields.items()
        if name not in _UNSAID | _LOOKS and (fact := _format_fact(value))
    )
    yield f"{component.name} ({', '.join([component.kind, *facts])})"
    yield from (f"  {line}" for line in iter_printed_effects(data, component))


def iter_printed_effects(data: Any, component: Any, language: str = "en") -> Iterator[str]:
    """Yield what a component does as it prints it in a language, its icons as words; nothing if it prints no such
    text."""
    for name, value in component.fields.items():
        yield from _iter_effect_texts(data, name, value, language)


def _format_fact(value: object) -> str:
    """Return a number, a word, or a list of words or amounts as text; "" for anything else."""
    if isinstance(value, bool | None):
        return "yes" if value else ""
    if isinstance(value, int | str):
        return str(value)
    if isinstance(value, tuple) and value and all(isinstance(v, int | str) for v in value):
        return " ".join(map(str, value))
    if isinstance(value, Mapping) and value and all(isinstance(v, int) for v in value.values()):
        return " ".join(f"{v} {k}" for k, v in value.items())
    return ""


def _iter_effect_texts(data: Any, name: str, value: object, language: str) -> Iterator[str]:
    """Yield texts, effects and lettered options in words."""
    # A late import: games without cards do not need it.
    from playproof.database.components import Effect, Either, Option, Words
    from playproof.database.effect_text import made_text

    if name == "text" and isinstance(value, Words):
        yield strip_markup(value.text(language))
    if not isinstance(value, tuple) or not value:
        return
    if all(isinstance(v, Effect | Either) for v in value):
        yield strip_markup(made_text(value, data.vocabulary, language, style="words"))
    for option in value:
        if isinstance(option, Option):
            yield f"{option.letter}: {strip_markup(made_text(option, data.vocabulary, language, style='words'))}"


def strip_markup(text: str) -> str:
    """Return a printed text without its markup; icons become their names.

    >>> strip_markup("**2** Pay 1 :food:.")
    '2 Pay 1 food.'
    """
    return _STRESS.sub("", _ICON.sub(lambda icon: icon[1].replace("-", " "), text))
