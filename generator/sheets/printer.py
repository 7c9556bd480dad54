"""How one home printer misplaces backs: offsets read off the calibration sheet, in
`.playproof/printer.yaml`.

portrait-long: {right: 0.6, down: -0.4}    # backs are moved this far, in mm, seen from the back
landscape-long: {right: 0.0, down: 0.8}
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from playproof.database.errors import FindingCollector, Where, did_you_mean
from playproof.database.field_types import StrictModel
from playproof.database.files import write_atomically
from playproof.database.source import YamlNode, read_yaml_file
from playproof.database.validation import validate_node
from playproof.generator.sheets.backs import Flip
from playproof.generator.sheets.geometry import Size

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

    def get_back_offset(self, sheet: Size, flip: Flip) -> tuple[float, float]:
        """Return how far to move the backs of such a sheet; (0, 0) if nothing was measured."""
        return self.offsets.get(name_printing_way(sheet, flip), (0.0, 0.0))


def name_printing_way(sheet: Size, flip: Flip) -> str:
    """Return the name of a way of printing, such as `portrait-long`."""
    return f"{'portrait' if sheet.height >= sheet.width else 'landscape'}-{flip}"


def load_printer(file: Path = FILE) -> Printer:
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
            message, hint = f'"{name}" is not a way of printing', did_you_mean(name, WAYS)
            collector.add_finding("PP546", entry.key_where, message, hint)
        offsets[name] = _parse_offset(entry.node, collector)
    collector.raise_if_errors()
    return Printer(offsets)


def _parse_offset(node: YamlNode, collector: FindingCollector) -> tuple[float, float]:
    spec = validate_node(OffsetSpec, node, collector) or OffsetSpec()
    offset = spec.right, spec.down
    if max(map(abs, offset)) > LARGEST:
        message = f"expected at most {LARGEST:g} mm, found {offset[0]:g} and {offset[1]:g}"
        collector.add_finding("PP546", node.where, message)
    return offset


def save_printer(printer: Printer, file: Path = FILE) -> None:
    """Write the offsets atomically."""
    collector = FindingCollector()
    for name, (right, down) in printer.offsets.items():
        if name not in WAYS or max(abs(right), abs(down)) > LARGEST:
            collector.add_finding(
                "PP546", Where(file), f"{name}: right {right:g}, down {down:g} cannot be stored"
            )
    collector.raise_if_errors()
    lines = ["# Backs are moved this far (mm, seen from the back); read it off the calibration sheet.\n"]
    lines += [f"{name}: {{right: {r:g}, down: {d:g}}}\n" for name, (r, d) in sorted(printer.offsets.items())]
    write_atomically(file, "".join(lines).encode())
