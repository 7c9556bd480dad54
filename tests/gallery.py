"""`make gallery`: pictures of every product of every game, on one page."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from html import escape
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image

from playproof.cli.output import report_error_and_choose_exit_status
from playproof.database.game import list_names_of_game_folders, load_game
from playproof.errata.dossier import ErratumDossier
from playproof.errata.published_files import write_erratum_files_and_list_page_first
from playproof.errata.versions import list_component_differences, load_games_before_and_after_erratum
from playproof.generator.build import BuiltFile, build
from playproof.generator.exports.raster import iter_pdf_pages_as_png
from playproof.generator.preflight.colour_vision import SIMULATIONS, TO_XYZ, srgb_to_linear_light
from playproof.table.rulebook_games import RefereedGamePlayer

OUT = Path("output") / "gallery"
_MANY = 9  # pieces: fewer are told apart by their places
_RESOLUTION = 60  # dots per inch: a page of A4 is 500 pixels wide
_STYLE = (
    "body{font:16px sans-serif;margin:2em;background:#eee} h2{margin-top:2em} "
    "img{margin:.4em;box-shadow:0 1px 5px #888}"
)


def gallery(out: Path, games: Sequence[str]) -> Path:
    """Build the games on A4, in colour and with little ink, and show each sheet on one page.
    Returns the page's path."""
    parts = [part for game in games for sheet in (None, "lowink") for part in _shown(out, game, sheet)]
    parts += [part for game in games for part in _dossiers(out, game)]
    page = out / "index.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8><title>Gallery</title><style>{_STYLE}</style>{''.join(parts)}",
        encoding="utf-8",
    )
    return page


def _shown(out: Path, name: str, sheet: str | None) -> Iterator[str]:
    game = load_game(name)
    folder = out / (sheet or "colour") / name
    files = build(game, folder, papers=["A4"], sheet=sheet, plays=RefereedGamePlayer())
    for file in files:
        yield f"<h2>{escape(game.title)}: {escape(file.path.name)}</h2>"
        yield from _pictures(out, file.path)
        if sheet is None and file.cards >= _MANY and "print-me" not in file.path.stem:
            yield f"<h3>{escape(file.path.name)}, the first page as others see it</h3>"
            yield from _seen(out, file)


def _dossiers(out: Path, name: str) -> Iterator[str]:
    """Yield what is sent of each erratum that a game keeps: cards, words and slips. Claims and play are not asked."""
    for kept in load_game(name, errata=False).errata:
        old, new, erratum = load_games_before_and_after_erratum(name, kept.version)
        language = new.languages[0]
        dossier = ErratumDossier(old, new, erratum, language, list_component_differences(old, new, language))
        files = write_erratum_files_and_list_page_first(dossier, out / "errata" / name / erratum.version, ["A4"])
        title, where = escape(dossier.title), files[0].relative_to(out).as_posix()
        yield f'<h2><a href="{where}">{title}</a>: {escape(erratum.note.text(language))}</h2>'
        for file in files:
            if file.suffix == ".pdf":
                yield from _pictures(out, file)


def _pictures(out: Path, file: Path) -> Iterator[str]:
    """Write a picture for each page of a file next to it, and yield its HTML."""
    for number, png in enumerate(iter_pdf_pages_as_png(file.read_bytes(), _RESOLUTION), 1):
        path = file.with_name(f"{file.stem}-{number:02}.png")
        path.write_bytes(png)
        with Image.open(BytesIO(png)) as picture:
            width, height = picture.size
        where = path.relative_to(out).as_posix()
        yield f'<img src="{where}" width="{width}" height="{height}" loading="lazy" alt="page {number}">'


def _seen(out: Path, file: BuiltFile) -> Iterator[str]:
    """Write the first page of a file as people see it who lack red, green or blue cones, and in grey."""
    with Image.open(BytesIO(next(iter(iter_pdf_pages_as_png(file.path.read_bytes(), _RESOLUTION))))) as page:
        colours = np.asarray(page.convert("RGB"), dtype=np.float64) / 255
    for name, matrix in {**SIMULATIONS, "grey": np.tile(TO_XYZ[1], (3, 1))}.items():
        light = np.clip(srgb_to_linear_light(colours) @ matrix.T, 0, 1)
        seen = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
        path = file.path.with_name(f"{file.path.stem}-{name}.png")
        Image.fromarray((seen * 255).round().astype(np.uint8)).save(path)
        yield f'<img src="{path.relative_to(out).as_posix()}" loading="lazy" alt="{name}" title="{name}">'


def main() -> int:
    """Make the gallery of all games, print its path, and return the exit status."""
    try:
        print(gallery(OUT, list_names_of_game_folders()))
    except Exception as error:  # the same messages as the command line
        return report_error_and_choose_exit_status(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
