"""What a game's cards give and take, before anybody plays: as tables, with outliers named, and as a picture.

Cards are put together by kind, and by the names that `phase` in claims.yaml lists: a chapter, a deck, a board. What
counts as giving or taking is said by the designer's own worth table; without one, costs are taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from statistics import mean, pstdev
from textwrap import wrap
from typing import Any

from playproof.database.components import Component, iter_effects_nested_in_value
from playproof.database.game import Game
from playproof.database.source import read_yaml_file
from playproof.verifier.questions.card_rows import (
    CardRow,
    NumbersByName,
    build_rows_of_cards,
    compute_worth_of_printed_fields,
)

_FAR = 2.0
"""An outlier is further from the mean of its kind than so many standard deviations."""
_COLUMNS = 14
_INDENT, _GAP, _BAR = 2, 2, 24
_SUMS = 3  # what a part gives, what it takes, and the bar
_ROW, _LEFT, _ROOM = 22, 190, 210
INK, GIVES, TAKES = "#26242c", "#4a6fa5", "#b5482f"


@dataclass(frozen=True)
class PhaseBalance:
    """What the cards of one phase give and take together; `worths` names the worth of each row."""

    name: str
    number: int
    totals: NumbersByName
    gives: int
    takes: int
    worths: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class KindBalance:
    """The parts of one kind of card, and the rows whose worth is far from the others'."""

    kind: str
    unit: str
    columns: tuple[str, ...]
    parts: tuple[PhaseBalance, ...]
    outliers: tuple[tuple[str, int], ...]
    usual: float

    def format_balance_table_lines(self, max_width: int = 80) -> list[str]:
        """Return the table as text of at most `max_width` columns, with a bar for what each part gives and takes.
        Columns that find no room follow below, each row with its name again."""
        valued = any(part.worths for part in self.parts)
        head = ["", self.unit, *self.columns, *(["gives", "takes", ""] if valued else [])]
        most = max([1, *(max(part.gives, part.takes) for part in self.parts)])
        body = [
            [part.name, str(part.number), *(str(part.totals.get(c, "")) for c in self.columns)]
            + ([str(part.gives), str(part.takes), _format_give_and_take_bars(part, most)] if valued else [])
            for part in self.parts
        ]
        widths = [max(len(line[n]) for line in [head, *body]) for n in range(len(head))]
        lines = [self.kind]
        for columns in _split_columns_into_blocks_of_width(widths, max_width - _INDENT, _SUMS if valued else 1):
            for line in [head, *body]:
                row = _format_row_with_aligned_cells([line[n] for n in columns], [widths[n] for n in columns])
                lines.append(f"{'':{_INDENT}}{row}".rstrip())
        if self.outliers:
            far = ", ".join(f"{name} ({number})" for name, number in self.outliers)
            text = f"far from the usual worth of {self.usual:.1f}: {far}"
            lines += wrap(text, max_width, initial_indent="  ", subsequent_indent="    ")
        return lines


def _split_columns_into_blocks_of_width(
    widths: Sequence[int], max_width: int, trailing_columns: int
) -> list[list[int]]:
    """Return the columns of each block of a table: the first column, and as many others as find room. The last
    `trailing_columns` ones stay together."""
    end = len(widths) - trailing_columns
    groups = [[n] for n in range(1, end)] + [list(range(max(1, end), len(widths)))]
    blocks, used = [[0]], widths[0]
    for group in groups:
        wide = sum(_GAP + widths[n] for n in group)
        if used + wide > max_width and len(blocks[-1]) > 1:
            blocks.append([0])
            used = widths[0]
        blocks[-1] += group
        used += wide
    return blocks


def build_balance_of_card_kinds_with_numbers(game: Game) -> list[KindBalance]:
    """Return a table for each kind of card that has effects or whole numbers of its own, in the order of the files."""
    table, phase = _read_worth_table_and_phase_fields(game)
    kinds: dict[str, list[Component]] = {}
    for card in game.components.values():
        kinds.setdefault(card.kind, []).append(card)
    made = (_build_balance_of_kind_or_none(kind, cards, table, phase) for kind, cards in kinds.items())
    return [each for each in made if each is not None]


def _read_worth_table_and_phase_fields(game: Game) -> tuple[dict[str, int], list[str]]:
    """Return the worth table and the names of the phases that a game's claims.yaml gives."""
    path = game.folder / "claims.yaml"
    data: Any = read_yaml_file(path).data if path.is_file() else {}
    return dict(data.get("worth") or {}), [str(name) for name in data.get("phase") or []]


def _build_balance_of_kind_or_none(
    kind: str, cards: Sequence[Component], worth_table: NumbersByName, phase_fields: Sequence[str]
) -> KindBalance | None:
    by_option = any(card.options for card in cards)
    each = build_rows_of_cards(cards, "option" if by_option else "copy")
    columns = _choose_number_names_to_count(cards, each, phase_fields)
    if not columns:
        return None
    groups: dict[str, list[CardRow]] = {}
    for row in each:
        names = [str(row.texts.get(name, row.numbers.get(name, ""))) for name in phase_fields]
        groups.setdefault(", ".join(filter(None, names)) or kind, []).append(row)
    valued = {name: worth_table[name] for name in worth_table if any(name in row.numbers for row in each)}
    parts = tuple(_build_balance_of_phase(name, group, columns, valued) for name, group in groups.items())
    worths = [pair for part in parts for pair in part.worths]
    usual = mean(number for _, number in worths) if worths else 0.0
    spread = pstdev(number for _, number in worths) if worths else 0.0
    far = tuple(pair for pair in worths if spread and abs(pair[1] - usual) > _FAR * spread)
    return KindBalance(kind, "options" if by_option else "cards", columns, parts, far, usual)


def _choose_number_names_to_count(
    cards: Sequence[Component], rows: Sequence[CardRow], phase_fields: Sequence[str]
) -> tuple[str, ...]:
    """Return the names that the kind is counted by: those of its effects, or else its whole numbers."""
    effects = {
        effect.op for card in cards for value in card.fields.values() for effect in iter_effects_nested_in_value(value)
    }
    counts = Counter[str]()
    for row in rows:
        for name, number in row.numbers.items():
            op, _, term = name.partition(".")
            part_of_all = not term and any(other.startswith(f"{op}.") for other in row.numbers)
            if (
                number
                and not part_of_all
                and (op in effects if effects else _is_number_that_differs_between_cards(name, cards, phase_fields))
            ):
                counts[name] += 1
    return tuple(sorted(name for name, _ in counts.most_common(_COLUMNS)))


def _is_number_that_differs_between_cards(name: str, cards: Sequence[Component], phase_fields: Sequence[str]) -> bool:
    """Return whether a name is a whole number that tells the cards of a kind apart."""
    values = {card.get(name) for card in cards}
    return name not in phase_fields and len(values) > 1 and all(type(value) is int for value in values)


def _build_balance_of_phase(
    name: str, phase_rows: Sequence[CardRow], number_names: Iterable[str], worth_table: NumbersByName
) -> PhaseBalance:
    totals = {c: n for c in number_names if (n := sum(row.numbers.get(c, 0) * row.weight for row in phase_rows))}
    parts = [worth_table[key] * row.numbers.get(key, 0) * row.weight for row in phase_rows for key in worth_table]
    worths = (
        tuple((row.name, compute_worth_of_printed_fields(row.printed, worth_table)) for row in phase_rows)
        if worth_table
        else ()
    )
    gives, takes = sum(n for n in parts if n > 0), -sum(n for n in parts if n < 0)
    return PhaseBalance(name, sum(row.weight for row in phase_rows), totals, gives, takes, worths)


def _format_row_with_aligned_cells(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.ljust(width) if n == 0 else cell.rjust(width)
        for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return (" " * _GAP).join([first, *others])


def _format_give_and_take_bars(phase_balance: PhaseBalance, max_value: int) -> str:
    gives, takes = (
        "+" * round(_BAR * phase_balance.gives / max_value),
        "-" * round(_BAR * phase_balance.takes / max_value),
    )
    return f"{gives:>{_BAR}}|{takes:<{_BAR}}"


def draw_balances_as_svg(title: str, balances: Sequence[KindBalance]) -> str:
    """Return an SVG with two bars for each part: what it gives to the right, what it takes to the left of a line."""
    parts = [(table, part) for table in balances for part in table.parts if part.gives or part.takes]
    most = max([1, *(max(part.gives, part.takes) for _, part in parts)])
    middle, lines, y, kind = _LEFT + _ROOM, list[str](), 58, ""
    for table, part in parts:
        if table.kind != kind:
            kind, y = table.kind, y + (14 if kind else 0)
            lines.append(f'<text x="10" y="{y}" font-weight="bold">{escape(kind)}</text>')
            y += _ROW - 4
        gives, takes = _ROOM * part.gives / most, _ROOM * part.takes / most
        lines += [
            f'<text x="{_LEFT - 30}" y="{y + 12}" text-anchor="end">{escape(part.name)}</text>',
            f'<rect x="{middle - takes:.1f}" y="{y}" width="{takes:.1f}" height="{_ROW - 6}" fill="{TAKES}"/>',
            f'<rect x="{middle}" y="{y}" width="{gives:.1f}" height="{_ROW - 6}" fill="{GIVES}"/>',
            f'<text x="{middle - takes - 5:.1f}" y="{y + 12}" text-anchor="end">{part.takes}</text>',
            f'<text x="{middle + gives + 5:.1f}" y="{y + 12}">{part.gives}</text>',
        ]
        y += _ROW
    if not parts:
        why = "No `worth` in claims.yaml says what a card is worth, so there is nothing to draw."
        lines.append(f'<text x="10" y="{y + 12}">{why}</text>')
        y += _ROW
    width, height = middle + _ROOM + 50, y + 14
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-family="sans-serif" font-size="12" fill="{INK}"><rect width="{width}" height="{height}" fill="#ffffff"/>'
        f'<text x="10" y="22" font-size="15">{escape(title)}</text>'
        f'<text x="{middle - 8}" y="44" text-anchor="end" fill="{TAKES}">takes</text>'
        f'<text x="{middle + 8}" y="44" fill="{GIVES}">gives</text>'
    )
    line = f'<line x1="{middle}" x2="{middle}" y1="50" y2="{height - 8}" stroke="{INK}"/>'
    return "\n".join([head, *lines, line, "</svg>"]) + "\n"


def balances_to_json_rows(balances: Sequence[KindBalance]) -> list[Mapping[str, Any]]:
    """Return the tables for scripts."""
    return [
        {
            "kind": table.kind,
            "parts": [
                {
                    "name": part.name,
                    table.unit: part.number,
                    "totals": dict(part.totals),
                    "gives": part.gives,
                    "takes": part.takes,
                }
                for part in table.parts
            ],
            "outliers": dict(table.outliers),
        }
        for table in balances
    ]
