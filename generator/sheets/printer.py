"""How one home printer misplaces backs: the calibration sheet, and the offsets read off it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from playproof.database.errors import FindingCollector, Where, make_nearest_or_possible_words_hint
from playproof.database.files import write_file_atomically
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.yaml_models import StrictModel, validate_node_or_record_findings
from playproof.generator.scene import (
    BLACK,
    Node,
    Page,
    Rect,
    Stroke,
    build_circle_path,
    build_line_path,
    build_rectangle_path,
)
from playproof.generator.sheets.slots import Flip, Size, Slot, get_slot_on_back_behind_front_slot
from playproof.generator.type.shaping import BOLD, iter_lines_wrapped_to_width, typeset_anchored_text_line

# How one home printer misplaces backs: offsets read off the calibration sheet, in
# `.playproof/printer.yaml`.

FILE = Path(".playproof") / "printer.yaml"
LARGEST = 10.0  # mm; a printer that is off by more is not off, the paper was fed wrongly
WAYS = ("portrait-long", "portrait-short", "landscape-long", "landscape-short")


class OffsetSpec(StrictModel):
    """How far the backs of one way of printing are moved, in mm."""

    right: float = 0.0
    down: float = 0.0


class Printer(NamedTuple):
    """Offsets of backs by way of printing (orientation and flip), in millimetres right and down."""

    offsets: Mapping[str, tuple[float, float]] = MappingProxyType({})

    def get_back_offset_in_mm_or_zero(self, sheet: Size, flip: Flip) -> tuple[float, float]:
        """Return how far to move the backs of such a sheet; (0, 0) if nothing was measured."""
        return self.offsets.get(format_orientation_and_flip_name(sheet, flip), (0.0, 0.0))


def format_orientation_and_flip_name(sheet: Size, flip: Flip) -> str:
    """Return the name of a way of printing, such as `portrait-long`."""
    return f"{'portrait' if sheet.height >= sheet.width else 'landscape'}-{flip}"


def read_printer_offsets_or_empty(file: Path = FILE) -> Printer:
    """Return the stored offsets; none if the file does not exist. Raises InputError if the file is
    wrong."""
    if not file.exists():
        return Printer()
    node, collector = read_yaml_file(file), FindingCollector()
    if node.value is not None and not node.entries:
        collector.add_finding("PP546", node.where, f"expected offsets such as {WAYS[0]}, found {node.kind}")
    offsets = {}
    for name, entry in node.entries.items():
        if name not in WAYS:
            message, hint = f'"{name}" is not a way of printing', make_nearest_or_possible_words_hint(name, WAYS)
            collector.add_finding("PP546", entry.key_where, message, hint)
        offsets[name] = _parse_back_offset_and_note_mistakes(entry.node, collector)
    collector.raise_if_errors()
    return Printer(offsets)


def _parse_back_offset_and_note_mistakes(node: YamlNode, collector: FindingCollector) -> tuple[float, float]:
    spec = validate_node_or_record_findings(OffsetSpec, node, collector) or OffsetSpec()
    offset = spec.right, spec.down
    if max(map(abs, offset)) > LARGEST:
        message = f"expected at most {LARGEST:g} mm, found {offset[0]:g} and {offset[1]:g}"
        collector.add_finding("PP546", node.where, message)
    return offset


def write_printer_offsets_or_raise(printer: Printer, file: Path = FILE) -> None:
    """Write the offsets atomically."""
    collector = FindingCollector()
    for name, (right, down) in printer.offsets.items():
        if name not in WAYS or max(abs(right), abs(down)) > LARGEST:
            collector.add_finding("PP546", Where(file), f"{name}: right {right:g}, down {down:g} cannot be stored")
    collector.raise_if_errors()
    lines = ["# Backs are moved this far (mm, seen from the back); read it off the calibration sheet.\n"]
    lines += [f"{name}: {{right: {r:g}, down: {d:g}}}\n" for name, (r, d) in sorted(printer.offsets.items())]
    write_file_atomically(file, "".join(lines).encode())


# -- calibration ---------------------------------------------------------------------------------------------
# The calibration sheet: five crosses on the front, five scales on the back; a pin shows the offset.

FINE, BOLDER = Stroke(BLACK, 0.1), Stroke(BLACK, 0.25)
REACH = 5  # mm, the largest offset that can be read off
INSET = 30.0  # mm from the paper's edges to the outer crosses
HEADING, BODY, DIGIT = 14.0, 9.0, 6.0  # pt


def build_calibration_front_and_back(sheet: Size, flip: Flip) -> list[Page]:
    """Return front and back for one way of printing. No stored offset is applied, so the reading is
    the whole offset."""
    front = [
        node for x, y in compute_calibration_cross_positions(sheet) for node in _iter_calibration_cross_nodes(x, y)
    ]
    back = [
        node
        for x, y in compute_calibration_cross_positions(sheet)
        for node in _iter_calibration_scale_nodes(*_compute_back_point_behind_front_point(x, y, sheet, flip))
    ]
    name = format_orientation_and_flip_name(sheet, flip)
    return [
        Page(*sheet, (), (*front, *_build_calibration_instructions(sheet, name)), label="calibration front"),
        Page(*sheet, (), (*back, *_build_calibration_back_legend(sheet, name)), label="calibration back"),
    ]


def compute_calibration_cross_positions(sheet: Size) -> tuple[tuple[float, float], ...]:
    """Return the five crosses of the front: near the corners and in the middle, not symmetric, so
    that every flip shows."""
    right, bottom = sheet.width - INSET - 10, sheet.height - INSET
    corners = ((INSET, INSET), (right, INSET), (INSET, bottom), (right, bottom))
    return (*corners, (sheet.width / 2, sheet.height / 2))


def _compute_back_point_behind_front_point(x: float, y: float, sheet: Size, flip: Flip) -> tuple[float, float]:
    place = get_slot_on_back_behind_front_slot(Slot(Rect(x, y, 0, 0)), sheet, flip).trim
    return place.x, place.y


def _iter_calibration_cross_nodes(x: float, y: float) -> Iterator[Node]:
    yield build_line_path(x - 8, y, x + 8, y, FINE)
    yield build_line_path(x, y - 8, x, y + 8, FINE)
    yield build_circle_path(x, y, 2, stroke=FINE)


def _iter_calibration_scale_nodes(x: float, y: float) -> Iterator[Node]:
    """Yield a grid of millimetres about (x, y) with numbers at its ends."""
    yield build_rectangle_path(Rect(x - REACH, y - REACH, 2 * REACH, 2 * REACH), stroke=FINE)
    for step in range(-REACH, REACH + 1):
        stroke = BOLDER if step == 0 else FINE
        yield build_line_path(x + step, y - REACH, x + step, y + REACH, stroke)
        yield build_line_path(x - REACH, y + step, x + REACH, y + step, stroke)
    for step in (-REACH, 0, REACH):
        yield typeset_anchored_text_line(f"{step:+d}" if step else "0", x + step, y - REACH - 1, DIGIT, anchor="middle")
        yield typeset_anchored_text_line(
            f"{step:+d}" if step else "0", x - REACH - 1, y + step + 0.7, DIGIT, anchor="end"
        )
    yield typeset_anchored_text_line("right", x + REACH + 1, y + 0.7, DIGIT)
    yield typeset_anchored_text_line("down", x, y + REACH + 2.4, DIGIT, anchor="middle")


def _build_calibration_instructions(sheet: Size, printing_way: str) -> list[Node]:
    orientation, flip = printing_way.split("-")
    text = (
        f"Print this sheet and its back as you print cards: {orientation}, both sides, turned on the "
        f"{flip} edge, at 100\u00a0% (no fit to page).",
        "Push a pin through the middle of every cross.",
        "Turn the sheet. On the scales of the back, read where each hole is: right and down count up, "
        "left and up count down.",
        f"Write the mean of the five readings into {FILE.as_posix()}, for example:",
    )
    width = min(120.0, sheet.width - 2 * INSET - 20)
    x, y = (sheet.width - width) / 2, INSET + 22
    nodes: list[Node] = [typeset_anchored_text_line("Where do backs come out?", x, y, HEADING, font=BOLD)]
    y += 8
    for number, step in enumerate(text, 1):
        nodes.append(typeset_anchored_text_line(f"{number}.", x - 1.5, y, BODY, font=BOLD, anchor="end"))
        for words in iter_lines_wrapped_to_width(step, width, BODY):
            nodes.append(typeset_anchored_text_line(words, x, y, BODY))
            y += 4.2
        y += 1.2
    nodes.append(typeset_anchored_text_line(f"{printing_way}: {{right: 0.6, down: -0.4}}", x + 4, y, BODY, font=BOLD))
    return nodes


def _build_calibration_back_legend(sheet: Size, printing_way: str) -> list[Node]:
    text = f"Back of the calibration sheet · {printing_way} · read the holes here, in millimetres"
    return [typeset_anchored_text_line(text, sheet.width / 2, INSET + 22, BODY, anchor="middle")]
