"""The architecture holds: imports run down, no engine names a game, docs and dependencies match the code."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path
from pkgutil import resolve_name
from typing import get_args

import pytest

from playproof.database.claims_yaml import ClaimSpec
from playproof.database.errors import CODES as database_codes
from playproof.generator.codes import LAYOUT_CODES as layout_codes, SHEET_CODES as sheet_codes
from playproof.generator.preflight import pdfx_rules, shop_rules
from playproof.lab.codes import CODES as lab_codes
from playproof.table.spec import CODES as table_codes
from playproof.verifier.prove import ASKS
from tests.docs.package_picture import draw_packages

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "playproof"
BELOW = {  # what each package may import, besides itself
    "database": set[str](),
    "language": {"database"},
    "referee": {"language", "database"},
    "verifier": {"referee", "language", "database"},
    "generator": {"database"},
    "table": {"referee", "generator", "language", "database"},
    "lab": {"table", "referee", "generator", "language", "database"},
    "archives": {"verifier", "referee", "language", "generator", "database"},
    "linting": {"table", "verifier", "referee", "language", "generator", "database"},
    "errata": {"lab", "linting", "verifier", "referee", "language", "generator", "database"},
    "mutation": {"linting", "verifier", "referee", "language", "generator", "database"},
    "cli": {
        "archives",
        "errata",
        "lab",
        "mutation",
        "linting",
        "verifier",
        "referee",
        "language",
        "table",
        "generator",
        "database",
    },
    "examples": {"language"},
    "cards": {"language", "database"},
}
ENGINES = [package for package in BELOW if package not in ("examples", "cards")]
GAMES = sorted(p.name for p in (ROOT / "cards").iterdir() if p.is_dir())
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def sources(package: str) -> list[Path]:
    """A package's Python files: a folder of `playproof`, or a link there to one at the top."""
    files = sorted((PACKAGE / package).resolve().rglob("*.py"))
    assert files, f"{package} has no Python, so nothing would be checked"
    return files


def short(path: Path) -> str:
    """A file as one says it: `language/expr.py`."""
    return str(path.relative_to(ROOT)).removeprefix("src/playproof/")


def imported(path: Path) -> set[str]:
    """The packages a file imports: the second part of `playproof.PACKAGE`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {package_of(alias.name) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {package_of(f"{node.module}.{alias.name}") for alias in node.names}
    return found


def package_of(module: str) -> str:
    """`playproof.language.expr` is in `language`; what is not ours is in no package."""
    first, _, rest = module.partition(".")
    return rest.split(".")[0] if first == "playproof" else ""


@pytest.mark.parametrize("package", BELOW)
def test_imports_run_down_only(package: str) -> None:
    forbidden = set(BELOW) - BELOW[package] - {package}
    wrong = {short(p): imported(p) & forbidden for p in sources(package)}
    assert not {p: names for p, names in wrong.items() if names}


def test_the_page_says_who_imports_whom() -> None:
    """The table of docs/architecture.md, package by package, is BELOW."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    table = page.split("| package | what it does | imports |")[1].split("\n\n")[0]
    on_the_page = {}
    for row in table.splitlines()[2:]:
        package, _, imports = row.strip("| ").split(" | ")
        on_the_page[package.strip("`")] = set(re.findall("`(.*?)`", imports))
    assert on_the_page == BELOW


def test_the_picture_is_drawn_from_the_imports(request: pytest.FixtureRequest) -> None:
    imports = {package: set[str]().union(*map(imported, sources(package))) & set(BELOW) for package in BELOW}
    drawn, picture = draw_packages(imports), ROOT / "docs" / "images" / "packages.svg"
    if request.config.getoption("--renew"):
        picture.write_text(drawn, encoding="utf-8")
    assert picture.read_text(encoding="utf-8") == drawn, "run `make renew` and look at the difference"


def test_every_name_on_the_page_is_one_of_the_code() -> None:
    """`playproof.referee.match.Match.apply`: the module is imported, and has what follows."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = re.findall(r"`(playproof\.[\w.]+)`", page)
    assert len(names) > 40
    assert all(resolve_name(name) is not None for name in names)


@pytest.mark.parametrize("engine", ENGINES)
def test_no_engine_names_a_game(engine: str) -> None:
    names = re.compile(rf"\b({'|'.join(GAMES)})\b", re.IGNORECASE)
    named = [
        f"{short(p)}:{number}: {line.strip()}"
        for p in sources(engine)
        for number, line in enumerate(p.read_text(encoding="utf-8").splitlines(), 1)
        if names.search(line)
    ]
    assert not named


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert not missing


def test_limitations_begin_with_the_first_of_them() -> None:
    title, first, *_ = (ROOT / "docs" / "limitations.md").read_text(encoding="utf-8").split("\n\n")
    assert title == "# What Playproof cannot do"
    assert first.startswith("No counterexample is not a proof:")


def requirements() -> dict[str, set[str]]:
    """The packages of pyproject.toml, in lower case, by group: "" for what everybody installs, then the extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    return {group: {re.split(r"[<>=\[ ]", d, maxsplit=1)[0].lower() for d in lines} for group, lines in groups.items()}


def test_every_dependency_has_a_reason() -> None:
    page = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text(encoding="utf-8").lower()
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| ")]
    reasons = {name.strip() for row in rows[1:] for name in row.split("(")[0].split(",")}
    assert reasons == set.union(*requirements().values())


def test_every_dependency_is_imported() -> None:
    """What everybody installs serves the product, and all that the product imports is installed."""
    called = {
        "z3": "z3-solver",
        "yaml": "pyyaml",
        "PIL": "pillow",
        "pyspiel": "open-spiel",
        "open_spiel": "open-spiel",
        "markdown_it": "markdown-it-py",
    }
    foreign = {
        name
        for path in [*sources("."), *sources("generator"), *sources("verifier"), *sources("cards")]
        for name in top_level(path)
        if name not in sys.stdlib_module_names
    }
    imported_packages = {called.get(name, name).lower().replace("_", "-") for name in foreign} - {"playproof"}
    groups = requirements()
    optional = groups["openspiel"] | groups["solvers"] | groups["lab"] | groups["cluster"]
    by_name = {"websockets"}  # table/server.py names it to uvicorn
    assert imported_packages - optional - {"pydantic-core"} == groups[""] - by_name


def test_the_build_of_a_wheel_asks_for_the_ranges_of_the_program() -> None:
    """An editable install, as `make demo` makes, needs nothing of it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    backend = ast.parse((ROOT / "build_backend.py").read_text(encoding="utf-8"))
    lists = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in backend.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    assert set(lists["PAGES"]) <= set(project["project"]["optional-dependencies"]["dev"])
    assert set(lists["SCHEMAS"]) <= set(project["project"]["dependencies"])
    assert project["build-system"]["requires"] == ["setuptools>=77"]


def top_level(path: Path) -> set[str]:
    """The first part of all that a file imports, `import_module("name")` included."""
    code = path.read_text(encoding="utf-8")
    found = set(re.findall(r'import_module\("([a-z_]+)', code))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.split(".")[0])
    return found


def test_rules_language_tutorial_shows_the_example_as_it_is() -> None:
    """Every line of code the tutorial shows of the example stands in the example."""
    page = (ROOT / "docs" / "tutorial-rules.md").read_text(encoding="utf-8")
    code = (PACKAGE / "examples" / "tic_tac_toe.py").read_text(encoding="utf-8")
    example = {line.strip() for line in code.splitlines()}
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    shown = [line.split("  #")[0].strip() for block in blocks[:4] for line in block.splitlines() if line.strip()]
    assert not [line for line in shown if line not in example]


def test_a_code_means_one_thing() -> None:
    """What the database calls an error nobody else calls by that code, but where its own kinds of mistake recur."""
    written = {
        path: set(re.findall(r"PP[2-4]\d\d", path.read_text(encoding="utf-8")))
        for package in ENGINES
        for path in sources(package)
    }
    ours = set.union(*(codes for path, codes in written.items() if path.is_relative_to(PACKAGE / "database")))
    theirs = set.union(*(codes for path, codes in written.items() if not path.is_relative_to(PACKAGE / "database")))
    in_layouts = {"PP203", "PP205", "PP206"}  # a layout's fields are missing or wrong as a card's are
    # linting/rules.py asks the rules for what database/ asks the cards for
    of_rulebooks = {"PP247"}
    assert ours & theirs == in_layouts | of_rulebooks


def test_no_two_catalogues_have_one_code() -> None:
    """Codes of cards, layouts, sheets, tables and preflight's rules are different codes."""
    catalogues = [set(codes) for codes in (database_codes, lab_codes, layout_codes, sheet_codes, table_codes)]
    catalogues.append({*pdfx_rules.TABLE.rules, *shop_rules.TABLE.rules, *shop_rules.PICTURE_TABLE.rules})
    assert min(map(len, catalogues)) > 3, "a catalogue is empty, so nothing was compared"
    assert sum(map(len, catalogues)) == len(set.union(*catalogues))


MOST_LINES = 70  # as the formatter breaks them, a parameter or an entry of a table a line


def test_functions_are_read_at_a_glance() -> None:
    long = {
        f"{short(path)}:{node.name}"
        for package in [*ENGINES, "cards"]
        for path in sources(package)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno > MOST_LINES
    }
    assert not long


def test_every_kind_of_claim_has_a_module_that_answers_it() -> None:
    known = set(get_args(ClaimSpec.model_fields["ask"].annotation))
    of_other_claims = {"same", "tune"}  # verifier/proof/counting.py asks a claim under several settings
    assert known == ASKS.keys() | of_other_claims
    assert all(answer.__module__.startswith("playproof.verifier.proof.") for answer in ASKS.values())


def test_no_engine_decides_by_the_words_of_a_message() -> None:
    """Messages are for people: they may be put in better words without another thing being done."""
    decides = re.compile(r"""["'] in \w*\.?message\b|\.message\.startswith|in str\((error|caught|wrong)\)""")
    found = [
        f"{short(p)}:{number}: {line.strip()}"
        for engine in ENGINES
        for p in sources(engine)
        for number, line in enumerate(p.read_text(encoding="utf-8").splitlines(), 1)
        if decides.search(line)
    ]
    assert not found


ELSEWHERE = {  # what Windows lacks
    "os": {"fork", "nice", "getuid", "geteuid", "getpgid", "killpg", "setsid", "sched_getaffinity", "mkfifo"},
    "signal": {"SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD", "pause", "alarm"},
}
NOWHERE = {"fcntl", "resource", "termios", "pty", "pwd", "grp", "tty"}


@pytest.mark.parametrize("engine", ENGINES)
def test_what_one_system_lacks_is_asked_for_first(engine: str) -> None:
    """`os.nice` and its like stand only in a file that asks `hasattr`; what is imported inside a function may be behind
    another question."""
    wrong = []
    for path in sources(engine):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        for node in tree.body:
            names = {alias.name for alias in node.names} if isinstance(node, ast.Import) else set()
            if isinstance(node, ast.ImportFrom):
                names = {str(node.module)}
            wrong += [f"{short(path)}:{node.lineno}"] if names & NOWHERE else []
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                lacked = node.attr in ELSEWHERE.get(node.value.id, ())
                if lacked and f'hasattr({node.value.id}, "{node.attr}")' not in text:
                    wrong.append(f"{short(path)}:{node.lineno}")
    assert not wrong
