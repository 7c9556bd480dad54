"""The verb calibrate: measure once the offset of a printer's backs, and store it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from playproof.cli.arguments import out_option

FLIPS = click.Choice(["long", "short"])


@click.command()
@click.option("--paper", default="A4", show_default=True, metavar="NAME")
@click.option("--landscape", is_flag=True, help="The sheet lies on its side.")
@click.option(
    "--flip",
    type=FLIPS,
    default="long",
    show_default=True,
    help="The edge on which the printer turns the sheet.",
)
@out_option(None)
@click.option(
    "--right", type=float, metavar="MM", help="Store: move backs this far to the right, seen from the back."
)
@click.option("--down", type=float, metavar="MM", help="Store: move backs down this far.")
def calibrate(
    paper: str, landscape: bool, flip: str, out: Path, right: float | None, down: float | None
) -> None:
    """Make the calibration sheet. With --right or --down, store what you read on it.

    The offset is stored in .playproof/printer.yaml. Every later build moves its backs by it.
    """
    from playproof.generator.pdf import Metadata, write_pdf
    from playproof.generator.sheets import load_printer, parse_paper as paper_named, save_printer
    from playproof.generator.sheets.calibration import build_calibration_pages
    from playproof.generator.sheets.geometry import Size
    from playproof.generator.sheets.printer import Printer, name_printing_way

    named = paper_named(paper)
    short, long = sorted((named.width, named.height))
    sheet = Size(long, short) if landscape else Size(short, long)
    edge: Literal["long", "short"] = "short" if flip == "short" else "long"
    name = name_printing_way(sheet, edge)
    if right is not None or down is not None:
        save_printer(Printer({**load_printer().offsets, name: (right or 0.0, down or 0.0)}))
        click.echo(f"stored   {name}: backs go {right or 0.0:g} mm right, {down or 0.0:g} mm down")
        return
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"calibration-{paper}-{name}.pdf"
    write_pdf(
        build_calibration_pages(sheet, edge), path, metadata=Metadata(title=f"Calibration, {paper}, {name}")
    )
    click.echo(f"made     {path}  (2 pages: print on both sides, turned on the {edge} edge)")
