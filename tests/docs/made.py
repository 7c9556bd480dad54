"""Reference pages that are made from the code: public names from docstrings, fields of YAML files from the schemas."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Any, get_overloads

from pydantic import BaseModel

import playproof
from playproof.cli.verbs.making import COOKBOOK, mechanisms
from playproof.database.claims_yaml import ClaimsSpec
from playproof.database.errors import CODES as database_codes
from playproof.database.game_yaml import GameFacts
from playproof.database.patch import ErratumSpec
from playproof.database.rulebook import RulebookSpec
from playproof.database.vocabulary import VocabularySpec
from playproof.generator.build.products import BuildSpec
from playproof.generator.codes import CODES as layout_codes
from playproof.generator.profiles import ProfileSpec
from playproof.generator.sheets.codes import CODES as sheet_codes
from playproof.generator.sheets.paper import PaperSpec
from playproof.generator.sheets.plan import PlanSpec
from playproof.table.codes import CODES as table_codes

DOCS = Path(__file__).resolve().parents[2] / "docs"
_WHOLE = ("`game.yaml`", "a rule of a rulebook")
"""What rows of the rules' table begin with that are sentences by themselves."""
SCRIPT = ("load_game", "lint", "build", "Variant", "Match", "View", "simulate", "make_bot", "judge", "prove")
FILES: dict[str, type[BaseModel]] = {
    "game.yaml": GameFacts,
    "vocabulary.yaml": VocabularySpec,
    "rulebook.yaml": RulebookSpec,
    "claims.yaml": ClaimsSpec,
    "layouts/build.yaml": BuildSpec,
    "layouts/sheets/*.yaml": PlanSpec,
    "layouts/vendors/*.yaml": ProfileSpec,
    "layouts/papers.yaml, each entry": PaperSpec,
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
    words = [name for name in playproof.__all__ if name not in SCRIPT]
    parts = [
        "# Python\n\nAll public names, made from their docstrings. [How to use them](../howto/python.md).\n",
        "## For scripts\n",
        *map(_entry, SCRIPT),
        "## For rules\n",
        *map(_entry, words),
    ]
    return "\n".join(parts)


def _entry(name: str) -> str:
    thing = getattr(playproof, name)
    said = inspect.getdoc(thing) if inspect.isclass(thing) or inspect.isfunction(thing) else None
    shown = "\n".join(map(_folded, signatures(name)))
    return f"### `{name}`\n\n```text\n{shown}\n```\n" + (f"\n{_literal(said)}\n" if said else "")


def _folded(line: str) -> str:
    """A long signature, one parameter a line."""
    if len(line) <= 90:
        return line
    head, _, tail = line.partition("(")
    inside, _, end = tail.rpartition(")")
    parameters = re.split(r", (?![^\[(]*[\])])", inside)
    return "\n".join([f"{head}(", *(f"    {one}," for one in parameters), f"){end}"])


def _literal(text: str) -> str:
    """A docstring as Markdown: what is indented in it is a block of code already."""
    return re.sub(r"(?m)(?<=\S)\n(    \S)", r"\n\n\1", text.replace("``", "`"))


def cookbook_index() -> str:
    """docs/cookbook/index.md."""
    lines = [
        "# Cookbook\n\nA whole game per mechanism, in under 80 lines. Each is played, proved and mutated by a test. "
        "`playproof new mygame --from draft` writes one into a folder.\n",
        "| | |\n|---|---|",
        *(f"| [{name.replace('_', ' ')}]({name}.md) | {_summary(name)} |" for name in mechanisms()),
        "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n",
    ]
    return "\n".join(lines)


def cookbook_page(name: str) -> str:
    """docs/cookbook/NAME.md: the game's own words, then its files."""
    rules, claims = ((COOKBOOK / name / file).read_text("utf-8") for file in ("rules.py", "claims.yaml"))
    words, _, code = rules.removeprefix('"""').partition('"""\n')
    about = words.partition("\n\n")[2].strip()
    return (
        f"# {name.replace('_', ' ').capitalize()}\n\n{_summary(name)}\n\n{about}\n\n"
        f"`playproof new mygame --from {name}` writes these two files.\n\n"
        f"`rules.py`:\n\n```python\n{code.strip()}\n```\n\n`claims.yaml`:\n\n```yaml\n{claims.strip()}\n```\n"
    )


def _summary(name: str) -> str:
    first = (COOKBOOK / name / "rules.py").read_text("utf-8").splitlines()[0].removeprefix('"""')
    return first.partition(": ")[2].capitalize()


def codes() -> dict[str, str]:
    """Every code with its meaning: from the tables in the code, and from the rows of the other pages."""
    known = {
        **database_codes,
        **layout_codes,
        **sheet_codes,
        **table_codes,
        "PP600": "a move or a file is wrong",
    }
    for page in sorted(DOCS.rglob("*.md")):
        if page.name == "codes.md":
            continue
        of_page = set[str]()
        for row in re.finditer(
            r"^\| (PP\d{3}(?:, PP\d{3})*) \| (.*?) \|?$", page.read_text("utf-8"), re.MULTILINE
        ):
            for code in row[1].split(", "):
                # A check of numbers compares several things, a row each.
                assert code not in of_page or page.stem == "rulebooks", (
                    f"{page.name}: {code} has two meanings"
                )
                of_page.add(code)
                known.setdefault(code, _said(page, row[2]))
    return dict(sorted(known.items()))


def _said(page: Path, meaning: str) -> str:
    return (
        f"the rule {meaning}" if page.stem == "rules-language" and not meaning.startswith(_WHOLE) else meaning
    )


def codes_page() -> str:
    """docs/reference/codes.md."""
    groups = {"1": "YAML text", "2": "cards and rulebooks", "3": "rules", "4": "errata", "5": "layouts and print",
              "6": "recorded games, saves and bots; from PP630 on text, pictures and sheets",
              "7": "claims and evidence", "8": "the call", "9": "the table"}  # fmt: skip
    parts = [
        "# Codes\n\nEvery message has a code that stays. `lint --json` and all other commands with `--json` print it "
        "as `code`. The first digit says what the message is about.\n"
    ]
    for digit, about in groups.items():
        rows = [f"| {code} | {meaning} |" for code, meaning in codes().items() if code[2] == digit]
        if rows:
            parts.append(f"## PP{digit}: {about}\n\n| code | meaning |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def fields_page() -> str:
    """docs/reference/fields.md."""
    parts = [
        "# Fields of the YAML files\n\nMade from the schemas that check the files. `playproof new` writes one of "
        "each. What a kind of component has is declared by the game, in its vocabulary.yaml "
        "([card database](card-database.md)).\n"
    ]
    for file, model in FILES.items():
        schema = model.model_json_schema()
        parts += [f"## {file}\n", _model(schema)]
        for name, inner in sorted(schema.get("$defs", {}).items()):
            parts += [f"### {file}: {name.removesuffix('Spec').lower()}\n", _model(inner)]
    return "\n".join(parts)


def _model(schema: dict[str, Any]) -> str:
    rows = ["| key | takes | default | |", "|---|---|---|---|"]
    needed = schema.get("required", ())
    for key, field in schema.get("properties", {}).items():
        default = "needed" if key in needed else _default(field.get("default"))
        rows.append(f"| `{key}` | {_takes(field)} | {default} | {field.get('description', '')} |")
    return f"{schema.get('description', '')}\n\n" + "\n".join(rows) + "\n"


def _default(value: object) -> str:
    return (
        "" if value in (None, "", [], {}) else f"`{value}`".replace("True", "true").replace("False", "false")
    )


def _takes(field: dict[str, Any]) -> str:
    """What a field takes, in words: `a list of text`."""
    if "anyOf" in field:
        kinds = [_takes(one) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(kinds))
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
