"""Turns a Python mistake in a file of rules (a misspelt name, a wrong argument, a syntax error) into an
error at the designer's own line, with the nearest fix."""

from __future__ import annotations

import ast
import builtins
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from enum import EnumType
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import FrameType, ModuleType, TracebackType

from playproof.database.errors import find_nearest_word_or_empty, make_nearest_or_possible_words_hint
from playproof.language.errors import (
    RENAMED,
    Place,
    RulesError,
    find_column_of_instruction_or_zero,
    is_file_written_by_designer,
)
from playproof.language.expr import Operand
from playproof.language.state_handles import Array

_PYTHON = "a mistake in the Python of the rules"
_CALL = re.compile(r"([\w.<>]+)\(\) (got an unexpected|missing|takes|got multiple|got some)")
_KEYWORD = re.compile(r"unexpected keyword argument '(\w+)'")
_LAZY = re.compile(r"No (\w+) attribute (\w+)")
_NOT_CALLED = re.compile(r"'(?:builtin_)?(?:method|function|function_or_method)'")
_NOT_CALLABLE = re.compile(r"'(\w+)' object is not callable")
_VALUES = {"Var", "Read", "Const", "Op", "Lookup", "Local", "Reduce", "Apply"}
_WORDS = {
    **dict.fromkeys(_VALUES, "a value of the state"),
    "Array": "an array",
    "CallableQuantity": "a function of the rules",
}
_OF_TEXTS = {"split": 'the ids of rules are one text: rule="R1 R2"', "number": "give what `g.phase(...)` returned"}
"""What was meant where a thing of Python lacks what a text or a phase has."""
_OURS = re.compile(rf"(?:'|\btype )({'|'.join(_WORDS)})(?:' object|'|\b)")


def convert_python_error_to_rules_error(error: BaseException) -> RulesError:
    """Return the error for a Python mistake, at the innermost line that a designer wrote."""
    if isinstance(error, SyntaxError) and error.filename:
        return _convert_syntax_error(error)
    frame, place = _find_innermost_designer_frame_and_place(error.__traceback__)
    if isinstance(error, ImportError):
        return _convert_import_error(error, place)
    complaint = str(error) or "no message"
    hint = _suggest_fix_or_empty_for_python_error(error, complaint, frame, place) or _PYTHON
    return RulesError(
        "PP808", f"{type(error).__name__}: {_rephrase_python_message(error, complaint)}", hint, place=place
    )


def _find_innermost_designer_frame_and_place(trace: TracebackType | None) -> tuple[FrameType | None, Place]:
    """Return the innermost frame in a file that a designer wrote, and its place. If there is none, take
    the innermost frame of all."""
    frame, place, sure = None, Place("", 0), False
    while trace is not None:
        code = trace.tb_frame.f_code
        if is_file_written_by_designer(code.co_filename) or not sure:
            sure = sure or is_file_written_by_designer(code.co_filename)
            frame = trace.tb_frame
            place = Place(code.co_filename, trace.tb_lineno, find_column_of_instruction_or_zero(code, trace.tb_lasti))
        trace = trace.tb_next
    return frame, place


def _rephrase_python_message(error: BaseException, python_error_text: str) -> str:
    """Return Python's message; a missing attribute is named together with what lacks it."""
    if isinstance(error, AttributeError) and isinstance(error.obj, EnumType):
        return f"`{error.obj.__name__}` has no `{error.name}`"
    if isinstance(error, SystemExit):
        return "the rules ended Python"
    return _OURS.sub(lambda match: _WORDS[match[1]], python_error_text)


def _suggest_fix_or_empty_for_python_error(
    error: BaseException, python_error_text: str, frame: FrameType | None, place: Place
) -> str:
    """Return the nearest fix, or "" if none is near."""
    match error:
        case UnboundLocalError():
            return _suggest_field_assignment(error.name or _find_first_quoted_name_or_empty(python_error_text))
        case NameError() if "free variable" in python_error_text:
            name = _find_first_quoted_name_or_empty(python_error_text)
            return f"`{name}` is a name of your own, made further down; move it up, or give it another name"
        case NameError():
            return _make_hint_for_undefined_name(error.name or "", _list_visible_names(frame))
        case AttributeError():
            return _suggest_names_for_missing_attribute(error, python_error_text)
        case TypeError():
            return _suggest_fix_or_empty_for_type_error(python_error_text, frame, place)
        case RecursionError():
            return "a rule calls itself; a loop of the rules is `for i in each(n)`"
        case SystemExit():
            return "win, lose, tie or score ends a game"
    return ""


def _find_first_quoted_name_or_empty(python_error_text: str) -> str:
    match = re.search(r"'(\w+)'", python_error_text)
    return match[1] if match else ""


def _suggest_field_assignment(name: str) -> str:
    return (
        f"`{name} = ...` makes a new name of Python here; write `s.{name} = ...` to change a field, or use another name"
    )


# -- names --------------------------------------------------------------------------------------------------


def _list_visible_names(frame: FrameType | None) -> list[str]:
    """Return the names of this frame and of its callers in the same file, because a body is written
    inside `build`."""
    if frame is None:
        return []
    file, names = frame.f_code.co_filename, [*frame.f_globals]
    up: FrameType | None = frame
    while up is not None:
        if up.f_code.co_filename == file:
            names += up.f_locals
        up = up.f_back
    return names


def _make_hint_for_undefined_name(name: str, visible_names: Sequence[str]) -> str:
    """Return a hint for a name that is not defined: import the language's word, or use the nearest
    name."""
    usual = {
        "s": "write `s = g.state` before it",
        "g": "write `g = Game(name)` before it",
        "true": "write `True`",
        "false": "write `False`",
        "null": "write `None`",
        "none": "write `None`",
    }
    if name in usual:
        return usual[name]
    language = import_module("playproof.language")
    word = RENAMED.get(name, name)
    if word in import_module("playproof").__all__:
        return f"write `from playproof import {word}`"
    near = find_nearest_word_or_empty(name, [*visible_names, *language.__all__])
    return f'did you mean "{near}"?' if near else "a name is made before it is used; a text stands in quotation marks"


def _convert_import_error(error: ImportError, place: Place) -> RulesError:
    """Return the error for a name that a module does not have, at the place of the name, with the
    nearest name that the module has."""
    module = sys.modules.get(error.name or "")
    if module is None:
        near = find_nearest_word_or_empty(error.name or "", ["playproof"])
        hint = f'did you mean "{near}"?' if near else _PYTHON
        return RulesError("PP808", str(error), hint, place)
    offered = getattr(module, "__all__", dir(module))
    for alias in _iter_names_imported_from_module(Path(place.file), module.__name__):
        if alias.name in offered:
            continue
        now = RENAMED.get(alias.name) or find_nearest_word_or_empty(alias.name, offered)
        hint = f'did you mean "{now}"?' if now else _PYTHON
        at = Place(place.file, alias.lineno, alias.col_offset + 1)
        return RulesError("PP808", f"`{error.name}` has no `{alias.name}`", hint, at)
    return RulesError("PP808", str(error), _PYTHON, place)


def _iter_names_imported_from_module(file: Path, module: str) -> Iterator[ast.alias]:
    """Yield the names that a file of rules imports from a module, each with its place."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module == module:
            yield from node.names


def _suggest_names_for_missing_attribute(error: AttributeError, python_error_text: str) -> str:
    """Return a hint for an attribute that does not exist: the names that do, nearest first."""
    lazy = _LAZY.search(python_error_text)
    if lazy:
        return make_nearest_or_possible_words_hint(lazy[2], getattr(sys.modules.get(lazy[1]), "__all__", ()))
    if isinstance(error.obj, EnumType):
        members = [*error.obj.__members__]
        if len(members) < 9:  # few names are better listed than guessed at
            return f"one of: {', '.join(members)}"
        return make_nearest_or_possible_words_hint(error.name, members)
    if error.name in getattr(error.obj, "handles", ()):
        return f"a field is read from the state: write `s.{error.name}`, where `s = g.state`"
    if isinstance(error.obj, Array) and error.name in ("append", "remove", "pop", "insert", "extend", "clear"):
        return (
            "an array has a fixed number of places: write `s.array[index] = value`; a Pile or a Bag grows and shrinks"
        )
    if error.name in import_module("playproof.language").__all__:
        return f"`{error.name}` is a word of its own: write `{error.name}(...)`"
    if type(error.obj).__module__ == "builtins":
        return _OF_TEXTS.get(error.name or "", "")
    if isinstance(error.obj, Operand):
        near = find_nearest_word_or_empty(error.name, _list_public_attributes(error.obj)) if error.name else ""
        if near:
            return f'did you mean "{near}"?'
        return (
            "a value of the state is a number, without parts; write `s.field = value` or `s.field[index] = value` "
            "to change a field"
        )
    if "it is called" in python_error_text:
        return ""
    fields = getattr(error.obj, "fields", None)
    if isinstance(fields, Mapping) and hasattr(error.obj, "get"):  # a component
        parts = {**dict.fromkeys(_list_public_attributes(error.obj)), **dict.fromkeys(fields)}
        near = find_nearest_word_or_empty(error.name or "", parts)
        if near in fields:
            return f'write `.get("{near}")`'
    if error.obj is None or isinstance(error.obj, ModuleType):
        return ""
    return make_nearest_or_possible_words_hint(error.name, _list_public_attributes(error.obj))


def _list_public_attributes(value: object) -> list[str]:
    return [name for name in dir(value) if not name.startswith("_")]


# -- calls --------------------------------------------------------------------------------------------------


def _suggest_fix_or_empty_for_type_error(python_error_text: str, frame: FrameType | None, place: Place) -> str:
    """Return a hint for a TypeError: how the called thing is called, or what to write instead."""
    call = _CALL.search(python_error_text)
    if call:
        return _describe_right_call_or_empty(call[1], python_error_text, frame)
    if "context manager protocol" in python_error_text:
        return "write `with when(condition):` or `with otherwise():`, with the parentheses"
    if _NOT_CALLED.search(python_error_text):
        return "a function stands there without its call: write its name with ()"
    not_callable = _NOT_CALLABLE.search(python_error_text)
    if not_callable:
        return _suggest_fix_or_empty_for_non_function(not_callable[1], place)
    if "'Table' object does not support item assignment" in python_error_text:
        return "a table never changes; declare `g.array(name, places, lowest, highest, start)`"
    if "'Component' object is not subscriptable" in python_error_text:
        return 'a field of a card is read by `card.get("name")`'
    if "'Game' object is not subscriptable" in python_error_text:
        return 'cards are read from the data by `data.of_kind("kind")` and `data.components["id"]`'
    if "expected str instance" in python_error_text:
        return "a text of the rules is fixed; give the value after the sentence of `require`, with {} in it"
    if "is required, not" in python_error_text and "format" in python_error_text:
        return "a text of the rules is fixed; give the value after the sentence of `require`, with {} in it"
    if "object is not iterable" in python_error_text:
        return "a loop goes over `range(n)` (written out) or `each(n)` (kept as a loop)"
    if _OURS.search(python_error_text):
        return "values of the state have + - * // % == != < <= > >= & | ~, abs(x), min_of, max_of, clamp and pick"
    return ""


def _suggest_fix_or_empty_for_non_function(kind: str, place: Place) -> str:
    word = _read_identifier_at_place_or_empty(place)
    if word in vars(builtins):
        return f"`{word}` is a name of your own here, which hides Python's; give yours another name"
    if kind == "Phase":
        return "a phase is no function: write `goto(phase)`"
    if kind in _VALUES or kind == "Array":
        if word in import_module("playproof").__all__:
            return f"`{word}` is a name of your own here, which hides the language's word; give yours another name"
        return "a value is no function: write it without (); places of an array stand in [ ]"
    return ""


def _read_identifier_at_place_or_empty(place: Place) -> str:
    """Return the name that stands at a place of the rules."""
    with suppress(OSError, IndexError):
        line = Path(place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]
        word = re.match(r"\w+", line.encode()[max(0, place.column - 1) :].decode(errors="ignore"))
        return word[0] if word else ""
    return ""


def _describe_right_call_or_empty(name: str, python_error_text: str, frame: FrameType | None) -> str:
    """Return how a function is called, and the keyword that was probably meant."""
    short = name.removesuffix(".__init__").rpartition(".")[2]
    called = _find_function_named_in_message(name.removesuffix(".__init__"), frame)
    if called is None:
        return ""
    words = import_module("playproof").__all__
    if short in words and getattr(import_module("playproof"), short) is not called:
        return f"`{short}` is a function of your own here, which hides the language's word; give yours another name"
    parts = [p for p in signature(called).parameters.values() if p.name != "self"]
    keyword = _KEYWORD.search(python_error_text)
    near = find_nearest_word_or_empty(keyword[1], [p.name for p in parts]) if keyword else ""
    listed = f"{short}({_format_parameters_without_types(parts)})"
    return f'did you mean "{near}"? It is {listed}' if near else f"it is {listed}"


def _find_function_named_in_message(name: str, frame: FrameType | None) -> Callable[..., object] | None:
    """Return the function or class that Python's message names, as `Game.integer` or
    `build.<locals>.mark`."""
    first, *rest = name.replace("<locals>.", "").split(".")
    thing = _get_language_words_and_classes().get(first)
    for names in _iter_namespaces_from_frame_outwards(frame):
        if thing is None and callable(names.get(name.rpartition(".")[2])):
            return _get_value_if_callable(names[name.rpartition(".")[2]])
    if not rest and frame is not None and callable(own := _find_value_of_name_in_frames_or_none(first, frame)):
        return _get_value_if_callable(own)
    for part in rest:
        thing = getattr(thing, part, None)
    return _get_value_if_callable(thing)


def _find_value_of_name_in_frames_or_none(name: str, frame: FrameType) -> object:
    for names in _iter_namespaces_from_frame_outwards(frame):
        if name in names:
            return names[name]
    return None


def _get_value_if_callable(value: object) -> Callable[..., object] | None:
    return value if callable(value) else None


def _get_language_words_and_classes() -> Mapping[str, object]:
    language = import_module("playproof.language")
    options = import_module("playproof.language.options")
    words = {**{name: getattr(language, name) for name in language.__all__}, "Options": options.Options}
    classes = [word for word in words.values() if isinstance(word, type)]
    # Python names a method by the class that defines it, which may be a base of the one in the rules.
    return {base.__name__: base for word in classes for base in word.__mro__[:-1]} | words


def _iter_namespaces_from_frame_outwards(frame: FrameType | None) -> Iterator[Mapping[str, object]]:
    """Yield the names of this frame, of its callers, and of its file."""
    up = frame
    while up is not None:
        yield up.f_locals
        up = up.f_back
    if frame is not None:
        yield frame.f_globals


_STARS = {
    Parameter.POSITIONAL_ONLY: "",
    Parameter.POSITIONAL_OR_KEYWORD: "",
    Parameter.KEYWORD_ONLY: "",
    Parameter.VAR_POSITIONAL: "*",
    Parameter.VAR_KEYWORD: "**",
}


def _format_parameters_without_types(parts: Sequence[Parameter]) -> str:
    """Return parameters as a person writes them, without types."""
    words, star = [], False
    for part in parts:
        if part.kind is Parameter.KEYWORD_ONLY and not star:
            words.append("*")
        star = star or part.kind in (Parameter.KEYWORD_ONLY, Parameter.VAR_POSITIONAL)
        default = "" if part.default is Parameter.empty else f"={_format_default(part.default)}"
        words.append(f"{_STARS[part.kind]}{part.name}{default}")
    return ", ".join(words)


def _format_default(value: object) -> str:
    return str(value) if isinstance(type(value), EnumType) else repr(value)


# -- what Python cannot read --------------------------------------------------------------------------------


def _convert_syntax_error(error: SyntaxError) -> RulesError:
    """Return the error for a line that is no Python, with what to write there."""
    lines = _read_file_lines_if_readable(error.filename or "")
    number = min(error.lineno or 1, len(lines) or 1)
    line = lines[number - 1] if lines else error.text or ""
    complaint = error.msg
    place = Place(error.filename or "", number, max(1, error.offset or 1))
    after_with = _is_after_with_block(lines, number)
    word = line.split(maxsplit=1)[0].rstrip(":") if line.split() else ""
    if word in ("else", "elif") and after_with:
        column = len(line) - len(line.lstrip()) + 1
        now = "with otherwise():" if word == "else" else "with otherwise(condition):"
        return RulesError(
            "PP808",
            f"`{word}` follows a `with when(...)`, and Python has it only after `if`",
            f"write `{now}`",
            place=Place(place.file, number, column),
        )
    return RulesError(
        "PP808",
        f"{type(error).__name__}: {complaint}",
        _suggest_fix_or_empty_for_syntax_error(complaint, line, word) or _PYTHON,
        place=place,
    )


def _read_file_lines_if_readable(file: str) -> list[str]:
    with suppress(OSError):
        return Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
    return []


def _is_after_with_block(lines: Sequence[str], line_number: int) -> bool:
    """Return whether the last line before this one that is indented alike begins with `with`."""
    line = lines[line_number - 1] if lines else ""
    margin = len(line) - len(line.lstrip())
    for before in reversed(lines[: line_number - 1]):
        words = before.lstrip()
        if words and not words.startswith(("#", ")")) and len(before) - len(words) <= margin:
            return words.startswith(("with ", "with("))
    return False


_WORDS_OF_OTHERS = (
    ("&&", "write `&`, with each comparison in parentheses"),
    ("||", "write `|`, with each comparison in parentheses"),
    ("++", "write `s.field += 1`"),
    ("--", "write `s.field -= 1`"),
    ("<>", "write `!=`"),
    ("!", "write `~` for not"),
    (" then", "a line that begins a block ends with `:`, without `then`"),
    (";", "one statement stands on a line, without `;`"),
)
_TYPED = re.compile(r"[\u2018-\u201f\u00ab\u00bb]")


def _suggest_fix_or_empty_for_syntax_error(python_error_text: str, line: str, first_word: str) -> str:
    """Return what to write in place of a line that is no Python."""
    if any(sign in line for sign in "\u2260\u2264\u2265"):
        return "write `!=`, `<=` and `>=`"
    if _TYPED.search(line) or "invalid character" in python_error_text:
        return "write straight quotation marks and plain signs, as a keyboard has them"
    for sign, hint in _WORDS_OF_OTHERS:
        if sign in line and python_error_text.startswith("invalid syntax"):
            return hint
    if first_word in ("when", "otherwise", "case") and "(" not in line.split()[0]:
        return f"write `with {first_word}(condition):`"
    if re.match(r"\s*(when|otherwise|case)\(.*\)\s*:", line):
        return "write `with` before it"
    for part, hint in _SYNTAX:
        if part in python_error_text:
            return hint
    return ""


_SYNTAX = (
    ("expected ':'", "a line that begins a block ends with `:`"),
    ("Maybe you meant '=='", "write `==` to compare; one `=` assigns, and stands on a line of its own"),
    ('perhaps you meant "=="', "write `==` to compare; one `=` gives a keyword its value"),
    ("expected an indented block", "write the block's lines further to the right, by four spaces"),
    ("unexpected indent", "begin the line where the line above it begins"),
    ("unindent does not match", "begin the line where a line of an outer block begins"),
    ("inconsistent use of tabs", "indent with spaces only"),
    ("was never closed", "write the bracket that closes it"),
    ("does not match opening", "close the bracket that was opened last"),
    ("unmatched", "remove the bracket, or open it before"),
    ("unterminated", "write the quotation mark that ends the text, on the same line"),
    ("forgot a comma", "write a comma between the values"),
    ("outside function", "indent the line, so that it belongs to a function"),
    ("positional argument follows keyword", "write the arguments with `name=` last"),
    ("keyword argument repeated", "give each keyword once"),
    ("cannot assign to", "on the left of `=` stands one field: `s.food = s.food + 1`"),
    ("unicode error", "save the file as UTF-8"),
    ("invalid decimal literal", "a name begins with a letter"),
    ("leading zeros", "write the number without zeros before it"),
    ("Missing parentheses in call", "write the call with ()"),
    ("f-string", "the texts of the rules are plain: `{name}` of a parameter, and {} in `require`"),
    ("invalid syntax", "look at this line and at the one above it: a sign is missing or too many"),
)
