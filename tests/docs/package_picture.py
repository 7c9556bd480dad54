"""The picture of docs/architecture.md: each package above those that it imports, drawn from the imports.

An arrow is left out where a way of other arrows says the same. A new package needs its column here; its row follows.
"""

from collections.abc import Mapping, Set as AbstractSet
from html import escape

COLUMNS = {
    "cli": 2,
    "errata": 2,
    "mutation": 3,
    "archives": 0,
    "lab": 1,
    "linting": 3,
    "table": 1,
    "verifier": 3,
    "referee": 2,
    "cards": 3,
    "examples": 4,
    "generator": 0,
    "language": 2,
    "database": 1,
}
WIDTH, HEIGHT = 110, 30  # of a box, in pixels
STEP, RISE = 140, 66  # from column to column, from row to row
INK, PAPER, LINE = "#222222", "#eef3f8", "#6b7c8d"

Imports = Mapping[str, AbstractSet[str]]


def find_rows(imports: Imports) -> dict[str, int]:
    """The row of each package, 0 for one that imports nothing: one more than the highest that it imports."""
    rows: dict[str, int] = {}

    def row_of(package: str) -> int:
        if package not in rows:
            rows[package] = max((1 + row_of(below) for below in imports[package] - {package}), default=0)
        return rows[package]

    for package in imports:
        row_of(package)
    return rows


def find_direct_imports(imports: Imports) -> list[tuple[str, str]]:
    """The pairs that no way over a third package connects."""
    return [
        (upper, lower)
        for upper in imports
        for lower in sorted(imports[upper] - {upper})
        if not any(lower in imports[other] for other in imports[upper] - {upper, lower})
    ]


def draw_packages(imports: Imports) -> str:
    """The picture as SVG."""
    rows = find_rows(imports)
    top = max(rows.values())
    places = {package: (20 + STEP * COLUMNS[package], 14 + RISE * (top - rows[package])) for package in imports}
    width, height = 40 + STEP * max(COLUMNS.values()) + WIDTH, 28 + RISE * top + HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14">',
        "<title>The packages of Playproof, each above those that it imports</title>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0 0 L8 4 L0 8 Z" fill="{LINE}"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for upper, lower in find_direct_imports(imports):
        (x1, y1), (x2, y2) = places[upper], places[lower]
        lines.append(
            f'<line x1="{x1 + WIDTH // 2}" y1="{y1 + HEIGHT}" x2="{x2 + WIDTH // 2}" y2="{y2}" '
            f'stroke="{LINE}" stroke-width="1.4" marker-end="url(#tip)"/>'
        )
    for package, (x, y) in places.items():
        lines.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="{PAPER}" stroke="{INK}"/>')
        lines.append(
            f'<text x="{x + WIDTH // 2}" y="{y + 20}" text-anchor="middle" fill="{INK}">{escape(package)}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])
