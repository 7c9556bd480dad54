"""Figures of the code itself, for docs/maintain/house.md: `python -m tests.benchmarks.house [FOLDER ...]`.

Each folder is one column, so that checkouts can be compared. Tests, benchmarks and docs are not
counted.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles

LONG_LINE = 100  # characters
Graph = dict[str, set[str]]
Function = ast.FunctionDef | ast.AsyncFunctionDef

BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.Try,
    ast.ExceptHandler,
    ast.Match,
    ast.BoolOp,
    ast.IfExp,
)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Code:
    """All Python files of one checkout, parsed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        package = folder / "src" / "playproof"  # a room is a folder in it, or a link to one at the top
        self.rooms = {room.resolve(): room.name for room in package.iterdir() if room.is_dir()}
        self.files = sorted(file for room in self.rooms for file in room.rglob("*.py"))
        assert self.files, f"no code in {package}"
        self.texts = {file: file.read_text(encoding="utf-8") for file in self.files}
        self.trees = {file: ast.parse(text) for file, text in self.texts.items()}
        self.lines = [line for text in self.texts.values() for line in text.splitlines()]

    def nodes(self, *kinds: type[ast.AST]) -> list[ast.AST]:
        """Return all nodes of these kinds, in all files."""
        return [node for tree in self.trees.values() for node in ast.walk(tree) if isinstance(node, kinds)]

    def functions(self) -> list[Function]:
        """Return every function and method, nested ones too."""
        return [
            node for node in self.nodes(ast.FunctionDef, ast.AsyncFunctionDef) if isinstance(node, Function)
        ]

    def module_of(self, file: Path) -> str:
        """Return a file's module name, such as `generator.sheets.plan`. A package is named by
        its folder."""
        room = next(room for room in self.rooms if file.is_relative_to(room))
        parts = (self.rooms[room], *file.relative_to(room).with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def package_of(self, file: Path) -> str:
        """Return the package that a file's relative imports start from."""
        module = self.module_of(file)
        return module if file.name == "__init__.py" else module.rpartition(".")[0]

    def imports(self, *, all_of_them: bool = False) -> Graph:
        """Return the modules that each module imports when it is loaded, or, with `all_of_them`,
        also those that it imports inside functions and for types only."""
        modules = {self.module_of(file) for file in self.files}
        graph: Graph = {}
        for file in self.files:
            tree = self.trees[file]
            nodes = ast.walk(tree) if all_of_them else iter(tree.body)
            package = self.package_of(file)
            graph[self.module_of(file)] = set(_imported(nodes, package, modules))
        return graph


def _imported(nodes: Iterator[ast.AST], package: str, modules: set[str]) -> Iterator[str]:
    """Yield the modules that import statements name. Relative ones start at `package`."""
    for node in nodes:
        if not isinstance(node, ast.ImportFrom):
            continue
        if node.level:
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *filter(None, [node.module])])
        elif (node.module or "").startswith("playproof."):
            base = str(node.module).removeprefix("playproof.")
        else:
            continue
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            yield inner if inner in modules else base


def room_arrows(graph: Graph) -> int:
    """Return the number of pairs of different rooms of which one imports the other."""
    return len(
        {
            (one.split(".")[0], other.split(".")[0])
            for one, others in graph.items()
            for other in others
            if one.split(".")[0] != other.split(".")[0]
        }
    )


def circles(graph: Graph) -> int:
    """Return the number of groups of modules that need one another to be loaded: strongly
    connected components with more than one module."""
    reached = {module: _reachable(graph, module) for module in graph}
    groups = {frozenset(other for other in reached[one] if one in reached.get(other, ())) for one in graph}
    return sum(len(group) > 1 for group in groups)


def _reachable(graph: Graph, start: str) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph.get(waiting.pop(), set()) - found:
            found.add(other)
            waiting.append(other)
    return found


def lengths(code: Code) -> list[int]:
    """Return the lines of each function, without its decorators."""
    return [function.end_lineno - function.lineno + 1 for function in code.functions() if function.end_lineno]


def branches(code: Code) -> float:
    """Return branches per 100 lines of functions: `if`, loops, `try`, `match`, `and`, `or`, `a
    if b else c` and the like."""
    outer = [function for tree in code.trees.values() for function in _outermost(tree)]
    lines = sum((function.end_lineno or function.lineno) - function.lineno + 1 for function in outer)
    found = sum(
        isinstance(node, BRANCHES + COMPREHENSIONS) for function in outer for node in ast.walk(function)
    )
    return 100 * found / lines


def _outermost(tree: ast.Module) -> Iterator[Function]:
    """Yield the functions of a file that lie in no other function."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, Function):
                yield child
            else:
                waiting.append(child)


def comments(code: Code) -> int:
    """Return the number of comments, next to code or alone on a line."""
    return sum(
        token.type == tokenize.COMMENT
        for text in code.texts.values()
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
    )


def dependencies(code: Code) -> int:
    """Return the number of packages installed with it."""
    project = tomllib.loads((code.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return len({re.split(r"[<>=!~;\[ ]", entry)[0] for entry in project["dependencies"]})


def per_thousand(code: Code, count: int) -> str:
    """Return a count per 1,000 lines."""
    return f"{1000 * count / len(code.lines):.1f}"


def shared_names(code: Code) -> int:
    """Return the number of file names used in more than one folder, without `__init__.py` and
    `__main__.py`."""
    names = [file.name for file in code.files if not file.name.startswith("__")]
    return sum(names.count(name) > 1 for name in set(names))


FIGURES: dict[str, Callable[[Code], str]] = {
    "files": lambda code: f"{len(code.files):,}",
    "lines": lambda code: f"{len(code.lines):,}",
    "file names in more than one folder": lambda code: str(shared_names(code)),
    "import arrows between rooms": lambda code: str(room_arrows(code.imports())),
    "import arrows between modules": lambda code: f"{sum(map(len, code.imports().values())):,}",
    "circles of imports": lambda code: str(circles(code.imports())),
    "circles, imports in functions and for types included": lambda code: str(
        circles(code.imports(all_of_them=True))
    ),
    "dependencies": lambda code: str(dependencies(code)),
    "function lines, median": lambda code: f"{median(lengths(code)):g}",
    "function lines, 95 % have at most": lambda code: f"{quantiles(lengths(code), n=20)[-1]:g}",
    "function lines, longest": lambda code: str(max(lengths(code))),
    "branches per 100 function lines": lambda code: f"{branches(code):.1f}",
    "comprehensions per 1,000 lines": lambda code: per_thousand(code, len(code.nodes(*COMPREHENSIONS))),
    "conditional expressions per 1,000 lines": lambda code: per_thousand(code, len(code.nodes(ast.IfExp))),
    f"lines over {LONG_LINE} characters, %": lambda code: (
        f"{_share(code, lambda line: len(line) > LONG_LINE):.1f}"
    ),
    "comment lines, %": lambda code: f"{100 * comments(code) / len(code.lines):.1f}",
}


def _share(code: Code, test: Callable[[str], bool]) -> float:
    return 100 * sum(map(test, code.lines)) / len(code.lines)


def main() -> None:
    """Print one Markdown table: a row per figure, a column per folder."""
    folders = [Path(word) for word in sys.argv[1:]] or [Path(__file__).resolve().parents[2]]
    codes = [Code(folder) for folder in folders]
    print("| figure | " + " | ".join(folder.resolve().name for folder in folders) + " |")
    print("|---" * (1 + len(codes)) + "|")
    for name, figure in FIGURES.items():
        print(f"| {name} | " + " | ".join(figure(code) for code in codes) + " |")


if __name__ == "__main__":
    main()
