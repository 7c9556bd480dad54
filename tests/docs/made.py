"""Reference pages that are made from the code: public names from docstrings, fields of YAML files from the schemas."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Collection, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, get_args, get_overloads

import yaml
from pydantic import BaseModel

import playproof
from playproof.cli.verbs.write import COOKBOOK, list_names_of_cookbook_games
from playproof.database.claims_yaml import ClaimsSpec
from playproof.database.errors import CODES as database_codes
from playproof.database.game_files import GameFacts
from playproof.database.patch import ErratumSpec
from playproof.database.rulebook import RulebookSpec
from playproof.database.vocabulary import VocabularySpec
from playproof.database.yaml_models import TypeName
from playproof.generator.build.products import BuildSpec
from playproof.generator.codes import LAYOUT_CODES as layout_codes, SHEET_CODES as sheet_codes
from playproof.generator.preflight import RULES
from playproof.lab.codes import CODES as lab_codes
from playproof.table.spec import CODES as table_codes

DOCS = Path(__file__).resolve().parents[2] / "docs"
SCRIPT = ("load_game", "lint", "build", "Variant", "Match", "View", "simulate", "make_bot", "judge", "prove")
BUILT = ("Game", "Bag", "Deck", "Pile", "Together")
CAUGHT = (
    "BoundsError",
    "IllegalAction",
    "InputError",
    "Interpreter",
    "MoveError",
    "NotLegal",
    "Options",
    "RulesError",
    "Sees",
)
FILES: dict[str, type[BaseModel]] = {
    "game.yaml": GameFacts,
    "vocabulary.yaml": VocabularySpec,
    "rulebook.yaml": RulebookSpec,
    "claims.yaml": ClaimsSpec,
    "layouts/build.yaml": BuildSpec,
    "errata/*.yaml": ErratumSpec,
}


def signatures(name: str) -> list[str]:
    """A public name with its signature as one line; a line for each way to call it."""
    thing = getattr(playproof, name)
    if inspect.isclass(thing) and issubclass(thing, (Exception, Enum)):
        return [f"class {name}({thing.__bases__[0].__name__})"]
    if inspect.isclass(thing):
        return [f"class {name}{_written(thing)}"]
    if inspect.isfunction(thing):
        return [f"def {name}{_written(way)}" for way in get_overloads(thing) or [thing]]
    return [f"value {name}"]


def _written(thing: Callable[..., object]) -> str:
    """The signature of a function or class; its annotations are text, which is shown without quotes."""
    return re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(thing)))


def python_page() -> str:
    """docs/reference/python.md."""
    words = [name for name in playproof.__all__ if name not in (*SCRIPT, *BUILT)]
    functions = [name for name in words if inspect.isfunction(getattr(playproof, name))]
    others = [name for name in words if name not in functions]
    parts = [
        "# Python\n\nAll public names, made from their docstrings; `help(playproof.build)` says what each argument "
        "means. [How to use them](../howto/python.md) begins with a script.\n",
        "## For scripts\n",
        *map(_entry, SCRIPT),
        "## What rules build\n",
        *map(_entry, BUILT),
        "## Words of rules\n\n[The rules language](rules-language.md) says what they mean.\n\n```text",
        *(call for name in functions for call in _calls(name)),
        "```\n\n## What one catches and reads\n",
        *(f"* `{name}`{_said_of(name)}" for name in others if name in CAUGHT),
        f"\nThese stand in annotations, and are met in what a game holds: {_names(others, CAUGHT)}.",
        "",
    ]
    return "\n".join(parts)


def _calls(name: str) -> list[str]:
    """A name as it is called, without types, which an editor shows; a line for each way to call it."""
    thing = getattr(playproof, name)
    calls = []
    for way in (get_overloads(thing) if inspect.isfunction(thing) else None) or [thing]:
        shown = inspect.signature(way)
        bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in shown.parameters.values()]
        call = str(shown.replace(parameters=bare, return_annotation=inspect.Signature.empty))
        calls.append(name + call.replace("=<factory>", "={}").replace(", /", "").replace("<Sees.ALL: all>", "Sees.ALL"))
    return calls


def _names(names: Sequence[str], left_out: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names if name not in left_out)


def _said_of(name: str) -> str:
    """The first paragraph of a docstring, behind a colon; "" for a value."""
    thing = getattr(playproof, name)
    said = inspect.getdoc(thing) if inspect.isclass(thing) or inspect.isfunction(thing) else None
    first, _, _ = (said or "").partition("\n\n")
    return f": {' '.join(first.split())}" if first else ""


def _entry(name: str) -> str:
    """A name with its signature and the first paragraph of its docstring; `help()` shows the whole of it."""
    thing = getattr(playproof, name)
    said = inspect.getdoc(thing) if inspect.isclass(thing) or inspect.isfunction(thing) else None
    said = (said or "").partition("\n\n")[0]
    shown = "\n".join(map(_folded, _calls(name)))
    return f"### `{name}`\n\n```text\n{shown}\n```\n" + (f"\n{_literal(said)}\n" if said else "")


def _folded(call: str) -> str:
    """A long call, in lines that fit on a page."""
    return "\n".join(textwrap.wrap(call, 88, subsequent_indent="    ", break_long_words=False))


def _literal(text: str) -> str:
    """A docstring as Markdown: what is indented in it is a block of code already."""
    return re.sub(r"(?m)(?<=\S)\n(    \S)", r"\n\n\1", text.replace("``", "`"))


def cookbook_index() -> str:
    """docs/cookbook/index.md."""
    lines = [
        "# Cookbook\n\nA whole game per mechanism, in under 80 lines. Each is played, proved and mutated by a test. "
        "`playproof new mygame --from draft` writes one into a folder.\n",
        "| | |\n|---|---|",
        *(f"| [{name.replace('_', ' ')}]({name}.md) | {_summary(name)} |" for name in list_names_of_cookbook_games()),
        "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n",
    ]
    return "\n".join(lines)


def cookbook_page(name: str) -> str:
    """docs/cookbook/NAME.md: the game's own words, what is claimed of it, and its rules."""
    rules = (COOKBOOK / name / "rules.py").read_text("utf-8")
    claims = yaml.safe_load((COOKBOOK / name / "claims.yaml").read_text("utf-8"))["claims"]
    words, _, code = rules.removeprefix('"""').partition('"""\n')
    about = words.partition("\n\n")[2].strip()
    return (
        f"# {name.replace('_', ' ').capitalize()}\n\n{_summary(name)}\n\n{about}\n\n"
        f"`playproof new mygame --from {name}` writes it, with these claims:\n\n"
        + "".join(f"* {claim['says']}\n" for claim in claims.values())
        + f"\n```python\n{code.strip()}\n```\n"
    )


def _summary(name: str) -> str:
    first = (COOKBOOK / name / "rules.py").read_text("utf-8").splitlines()[0].removeprefix('"""')
    return first.partition(": ")[2].capitalize()


CODES_PAGE = DOCS / "reference" / "codes.md"


def codes() -> dict[str, str]:
    """Every code with its meaning: from the tables in the code, else from the page of codes itself."""
    known = {
        **database_codes,
        **layout_codes,
        **sheet_codes,
        **table_codes,
        **lab_codes,
        **{code: rule.title for code, rule in RULES.items()},
    }
    for row in re.finditer(r"^\* (PP\d{3}): (.*)$", CODES_PAGE.read_text("utf-8"), re.MULTILINE):
        known.setdefault(row[1], row[2])
    return dict(sorted(known.items()))


def codes_page() -> str:
    """docs/reference/codes.md. What stands in no table of the code is written on the page by hand, and stays there."""
    groups = {"1": "YAML text", "2": "cards and rulebooks", "3": "rules", "4": "errata", "5": "layouts and print",
              "6": "recorded games, saves and bots; from PP630 on text, pictures and sheets",
              "7": "claims and evidence", "8": "the call", "9": "the table"}  # fmt: skip
    parts = [
        "# Codes\n\nEvery message has a code that stays. For example, `PP207` says that a card names an effect which "
        'the game does not have:\n\n```text\nwells/cards.yaml:4:30: PP207 event 01: there is no effect "gian" here '
        '(did you mean "gain"?)\n```\n\nAll commands with `--json` print it as `code`. The first digit says what the '
        'message is about. PP3 completes "the rule ..."; PP560 to PP594 say what `preflight` asks.\n'
    ]
    for digit, about in groups.items():
        rows = [f"* {code}: {meaning}" for code, meaning in codes().items() if code[2] == digit]
        if rows:
            parts.append(f"## PP{digit}: {about}\n\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def fields_page() -> str:
    """docs/reference/fields.md."""
    parts = [
        "# Fields of the YAML files\n\nFor example, a `game.yaml` begins like this:\n\n```yaml\n"
        "title: Lamp Walk\nplayers: {min: 1, max: 1}\nlanguages: [en, fr]\n```\n\nEach line is a key, what it takes, "
        "and its value if it is left out. *Words* are text, or a map from languages to text. A game declares the "
        "fields of its kinds itself ([card database](card-database.md)); [printing](printing.md#sheets) has the keys "
        "of sheet plans.\n"
    ]
    for file, model in FILES.items():
        schema = model.model_json_schema()
        parts += [f"## {file}\n", _model(schema)]
        for name, inner in sorted(schema.get("$defs", {}).items()):
            parts += [f"### {name.removesuffix('Spec').lower()} of {file}\n", _model(inner)]
    return "\n".join(parts)


def _model(schema: dict[str, Any]) -> str:
    needed = schema.get("required", ())
    rows = [
        f"* `{key}`: {_takes(field)}{_default(field.get('default'), needed=key in needed)}{_meaning(field)}"
        for key, field in schema.get("properties", {}).items()
    ]
    said = schema.get("description", "").partition("\n\n")[0]
    whole = said.startswith(("The whole", "The content of one file"))
    return ("" if whole else f"{said}\n\n") + "\n".join(rows) + "\n"


def _meaning(field: dict[str, Any]) -> str:
    said = field.get("description", "")
    return f"; {said}" if said else ""


def _default(value: object, *, needed: bool) -> str:
    if needed:
        return ", needed"
    if value in (None, "", []) or isinstance(value, dict):
        return ""
    return f", `{value}`".replace("True", "true").replace("False", "false")


TYPES = set(get_args(TypeName))


def _takes(field: dict[str, Any]) -> str:
    """What a field takes, in words: `a list of text`."""
    if set(field.get("enum", ())) == TYPES:
        return "a [type](card-database.md#field-types)"
    if "anyOf" in field:
        kinds = " or ".join(dict.fromkeys(_takes(one) for one in field["anyOf"] if one.get("type") != "null"))
        return "words" if kinds == "text or a map to text" else kinds
    if "$ref" in field:
        return f"[{field['$ref'].rsplit('/', 1)[1].removesuffix('Spec').lower()}]"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    kind = field.get("type")
    if kind == "array":
        return f"a list of {_takes(field.get('items', {}))}"
    if kind == "object":
        [values] = field.get("patternProperties", {"": field.get("additionalProperties")}).values()
        return f"a map to {_takes(values if isinstance(values, dict) else {})}"
    if kind == ["number", "string"] and "mm" in field.get("pattern", ""):
        return "a length" + _limits(field)
    named = {"string": "text", "integer": "a whole number", "number": "a number", "boolean": "true or false"}
    return named.get(str(kind), "anything") + _limits(field)


def _limits(field: dict[str, Any]) -> str:
    low, high = field.get("minimum"), field.get("maximum")
    if low is not None and high is not None:
        return f", {low} to {high}"
    return f", {low} or more" if low is not None else f", {high} at most" if high is not None else ""
