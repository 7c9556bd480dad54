"""Files of a game that lie where nothing reads them: a layout beside the cards, a table among the layouts, rules in a
folder of their own. Each is named with the place where it is read (PP112)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from playproof.database.errors import Finding, Where, shorten_path
from playproof.database.source import YamlNode
from playproof.database.spreadsheets import is_spreadsheet

LAYOUTS = "layouts"
OF_LAYOUTS = ("build", "table")
"""Files of `layouts/` that are no layouts, by stem."""
_LAYOUT_KEYS = frozenset(("front", "back", "styles", "size", "bleed", "extends", "parts", "net"))
_ERRATUM_KEYS = frozenset(("version", "changes"))
_GAME_FILES = ("game.yaml", "vocabulary.yaml", "rulebook.yaml", "claims.yaml", "rules.py")
_MOST_FOLDERS = 40  # of a game's folder that are looked into


def find_path_where_read(folder: Path, path: Path, content: YamlNode) -> Path | None:
    """Return where a YAML file that lies beside the cards is read, or None if it may be one of cards."""
    keys = content.entries.keys()
    if "components" in keys:
        return None
    if path.stem in OF_LAYOUTS or keys & _LAYOUT_KEYS:
        return folder / LAYOUTS / path.name
    return folder / "errata" / path.name if keys >= _ERRATUM_KEYS else None


def make_misplaced_file_finding(path: Path, target: Path) -> Finding:
    """Return the finding for a file that belongs elsewhere."""
    message = f"nothing reads {path.name} here"
    return Finding("PP112", Where(shorten_path(path), 1, 1), message, f"move it to {shorten_path(target)}")


def iter_misplaced_file_findings(folder: Path) -> Iterator[Finding]:
    """Yield a finding for each file below a game's folder that would be read at its top, and lies deeper: tables, rules
    and the files that every game may have."""
    for inner in _list_subfolders(folder):
        for path in sorted(inner.iterdir()):
            is_read_above = path.name in _GAME_FILES or (inner.name == LAYOUTS and is_spreadsheet(path))
            if is_read_above and not (folder / path.name).exists():
                yield make_misplaced_file_finding(path, folder / path.name)


def list_spreadsheets_in_subfolders(folder: Path) -> list[Path]:
    """Return the spreadsheets in the folders of a folder."""
    return [
        path for inner in _list_subfolders(folder) for path in sorted(inner.iterdir()) if is_spreadsheet(path)
    ]


def find_unread_rules_file(folder: Path) -> Path | None:
    """Return the file that seems to hold a game's rules where they are not read: in a folder of it, or under another
    name."""
    deeper = [inner / "rules.py" for inner in _list_subfolders(folder) if (inner / "rules.py").is_file()]
    others = [path for path in sorted(folder.glob("*.py")) if _defines_build_function(path)]
    return next(iter([*deeper, *others]), None)


def _defines_build_function(path: Path) -> bool:
    try:
        return "def build(" in path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def _list_subfolders(folder: Path) -> list[Path]:
    """Return the folders of a game that are not games themselves and not hidden."""
    try:
        inner = [path for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] not in "._"]
    except OSError:
        return []
    return [path for path in inner[:_MOST_FOLDERS] if not (path / LAYOUTS).is_dir() and path.name != "rules"]
