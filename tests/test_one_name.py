"""`playproof` is the one name: its public face is held as text, and no module is loaded twice."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import playproof
import playproof.language
from tests.docs.made import signatures

ROOT = Path(__file__).resolve().parent.parent


def test_public_face(golden: Callable[[str, str], None]) -> None:
    """A change of what designers import is seen in a diff."""
    golden("public.txt", "".join(f"{line}\n" for name in playproof.__all__ for line in signatures(name)))


def test_type_checkers_are_told_of_the_same_names() -> None:
    """The stub lists the tools for scripts, and takes the words of rules from the stub of the language."""
    stub = ast.parse((ROOT / "src" / "playproof" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    names = [(node.module, alias.name) for node in imports for alias in node.names]
    assert ("language", "*") in names
    tools = [name for _, name in names if name != "*"]
    assert sorted([*tools, *playproof.language.__all__]) == playproof.__all__


def test_every_public_name_is_documented() -> None:
    things = {name: getattr(playproof, name) for name in playproof.__all__}
    del things["Value"]  # another name for "a term, a number or a flag"
    assert not [name for name, thing in things.items() if callable(thing) and not thing.__doc__]


def test_scripts_page_names_the_public_functions() -> None:
    page = (ROOT / "docs" / "howto" / "python.md").read_text(encoding="utf-8")
    script = {"Match", "Variant", "View", "build", "judge", "lint", "load_game", "make_bot", "prove", "simulate"}
    assert script <= set(playproof.__all__)
    assert not [name for name in script if f"`{name}" not in page]


ALL_MODULES = """
import importlib, pkgutil, sys
import playproof
for found in pkgutil.walk_packages(playproof.__path__, "playproof."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
files = {}
for name, module in list(sys.modules.items()):
    file = getattr(module, "__file__", None)
    if file and "playproof" in file:
        files.setdefault(__import__("os").path.realpath(file), []).append(name)
print([names for names in files.values() if len(names) > 1])
print(sorted(name for name in sys.modules if name.split(".")[0] in %r))
"""


def test_no_module_is_imported_under_two_names() -> None:
    packages = sorted(path.name for path in (ROOT / "src" / "playproof").iterdir() if path.is_dir())
    code = ALL_MODULES % (packages,)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT / "src")
    assert done.stdout.splitlines() == ["[]", "[]"]


def test_a_bare_room_is_refused_here() -> None:
    with pytest.raises(ModuleNotFoundError, match="import playproof"):
        __import__("generator")


def test_help_loads_no_engine() -> None:
    """`playproof --help` answers at once: neither solver nor numbers nor printing are loaded."""
    code = (
        "import sys\nfrom playproof.cli.main import run_command_line_and_get_exit_status\n"
        "run_command_line_and_get_exit_status(['--help'])\n"
        "heavy = {'z3', 'numpy', 'llvmlite', 'reportlab', 'pydantic'}\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & heavy))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_command_reads_the_metadata_of_packages_when_it_asks() -> None:
    """pydantic imports what reads them for plugins that nobody looks for; whoever calls it has all of it."""
    code = (
        "import sys\nfrom playproof.cli.main import tune_garbage_collector_and_defer_imports\n"
        "tune_garbage_collector_and_defer_imports()\nimport pydantic.main\n"
        "print('email' in sys.modules)\nimport importlib.metadata\nfrom importlib.metadata import entry_points\n"
        "print(len(entry_points()) > 0, importlib.metadata.version('click') > '8', 'email' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["False", "True True True"]


@pytest.mark.parametrize("words", [["lint", "eila"], ["build", "eila", "--paper", "A4", "--out", "."]])
def test_checking_and_printing_load_nothing_that_they_do_not_use(words: list[str], tmp_path: Path) -> None:
    """Who prints cards does not wait for what plays and proves, serves pages or changes finished files."""
    code = (
        f"import sys\nfrom playproof.cli.main import run_command_line_and_get_exit_status\n"
        f"run_command_line_and_get_exit_status({words!r})\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'z3', 'numpy', 'llvmlite', 'asyncio', 'pikepdf'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("more", [["--no-proof"], []])
def test_errata_load_no_solver_where_nothing_is_to_be_proved(tmp_path: Path, more: list[str]) -> None:
    """Nothing is to be proved where nobody asks it, and where no claim can notice the change."""
    code = (
        "import sys\nfrom playproof.cli.main import run_command_line_and_get_exit_status\n"
        "run_command_line_and_get_exit_status(['new', 'lamp'])\n"
        "import pathlib\npathlib.Path('lamp/errata').mkdir()\n"
        "pathlib.Path('lamp/errata/1.1.yaml').write_text(\"version: '1.1'\\ndate: '2026-11-20'\\nnote: A name.\\n\"\n"
        "    \"changes: [{component: '01', path: title, from: The Garden Gate, to: Gate}]\\n\")\n"
        f"run_command_line_and_get_exit_status(['errata', 'lamp', *{more!r}, '--games', '0', '--paper', 'A4'])\n"
        "print(sorted({m.split('.')[0] for m in sys.modules} & {'z3', 'llvmlite'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_kernel_reads_a_description_without_the_tracer() -> None:
    """What is trusted does not hold what turns Python into a game: `check` of a file never loads it."""
    code = (
        "import sys\nimport playproof.language.description.reader\nimport playproof.verifier.check\n"
        "tracing = {f'playproof.language.{name}' for name in ('authoring', 'trace', 'verbs', 'zones', 'together')}\n"
        "print(sorted(tracing & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]"]


def test_lint_loads_nothing_that_writes_files_or_serves_pages() -> None:
    code = (
        "import sys\nfrom playproof.cli.main import run_command_line_and_get_exit_status\n"
        "run_command_line_and_get_exit_status(['lint', 'eila'])\n"
        "print(sorted({'reportlab', 'asyncio'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
