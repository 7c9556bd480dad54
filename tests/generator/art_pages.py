"""`python -m tests.generator.art_pages`: draw docs/images/art-*.png and cards.png, and write docs/reference/art.md.

The pictures are made by the press from a game of four sheets, so they show what a layout gets by each name.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

from PIL import Image, ImageDraw

from playproof.database.errors import FindingCollector
from playproof.database.game import load_game
from playproof.generator.art.scenery import read_worlds_by_name_and_note_mistakes
from playproof.generator.build.press import Press
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.layout.model import FrameSpec, PatternSpec

DOCS = Path(__file__).resolve().parents[2] / "docs"
_GAME = """
title: {en: The art}
version: "1.0"
players: {min: 1, max: 1}
languages: [en]
about: {en: every picture by its name}
source: playproof
components: []
"""
_BASE = """
colours: {ink: "#2a2622", paper: "#fbf7ee", edge: "#d8cfbd", deep: "#315a6b"}
moods:
  forest: {sky: "#8cc6e8", horizon: "#fdf0c4", far: "#a9cf8f", middle: "#6ba456", near: "#3d6b34", light: "#fff6c9"}
  mountains: {sky: "#21466f", horizon: "#a9cbe6", far: "#5f90bd", middle: "#38688f", near: "#183653", light: "#eaf5ff",
    night: true, world: mountains}
  sea: {sky: "#0f5c66", horizon: "#bdeae0", far: "#5db3ad", middle: "#2f8c8c", near: "#0f4d52", light: "#f2fff8",
    world: sea}
  seabed: {sky: "#2a7f8e", horizon: "#b5e2dc", far: "#6fb9bb", middle: "#3d8d97", near: "#0b303b", light: "#eaf8f2",
    world: seabed}
  underworld: {sky: "#3d3354", horizon: "#d9b7a8", far: "#94789a", middle: "#6b5579", near: "#352a44", light: "#fff0da",
    night: true, world: underworld}
"""
_NAME = '- {text: "{title}", box: {x: 0.5, right: 0.5, bottom: 0.4, height: 4.2}, style: name}'
_NAMED = "styles: {name: {family: alegreyasans, size: 8, min: 5, colour: ink, align: centre, valign: middle}}"
_GROUND = "- {shape: rect, fill: paper, stroke: {colour: edge, width: 0.2}}"
_DENSITY = 5.0  # pixels a millimetre
_COLOURS = 48  # of the picture of icons, which are many and mostly black: so it is small
_CARDS = (
    ("eila", "114"),
    ("eila", "117"),
    ("opale", "B1-1"),
    ("opale", "B2-2"),
    ("olith", "power-brannoc"),
    ("olith", "a323"),
    ("eurydice", "2-2"),
    ("eurydice", "3-4"),
)
_CARDS_IN_A_ROW = 4
_POKER = (63.5, 88.9)  # mm
_CARD_DENSITY = 4.33  # pixels a millimetre
_GAP = 26  # pixels
_TABLE, _SHADOW = (237, 234, 226), (219, 214, 203)
_FACES = {
    "icon": ([17, 16], ['- {icon: "{title}", box: {x: 3, right: 3, y: 1, height: 10}}']),
    "motif": (
        [22, 22],
        ['- {scene: s, mood: forest, motif: "{title}", view: portrait, box: {x: 1, right: 1, y: 1, height: 16}}'],
    ),
    "font": (
        [90, 16],
        ['- {text: "Draw 2, then discard 1. ÀÉŒ", box: {x: 3, right: 3, y: 1, height: 10}, style: SAMPLE}'],
    ),
    "frame": ([34, 26], ['- {frame: NAME, colour: deep, box: {x: 3, right: 3, y: 3, height: 18}}']),
    "pattern": ([34, 26], ['- {pattern: NAME, colour: deep, box: {x: 3, right: 3, y: 3, height: 18}, size: 6}']),
    "world": (
        [46, 36],
        ['- {scene: "WORLD", mood: WORLD, motif: lantern-flame, view: VIEW, box: {x: 1, right: 1, y: 1, height: 30}}'],
    ),
}  # fmt: skip


def icons() -> list[str]:
    """Return the names of the icons that every game may use."""
    return sorted(path.stem for path in (LAYOUTS / "icons").glob("*.svg"))


def motifs() -> list[str]:
    """Return the names of the silhouettes that every game may use."""
    return sorted(path.stem for path in (LAYOUTS / "motifs").glob("*.svg"))


def fonts() -> list[str]:
    """Return the families of type that every game may use."""
    return sorted({path.stem.split("-")[0].lower() for path in (LAYOUTS / "fonts").glob("*.ttf")})


def frames() -> list[str]:
    """Return the kinds of border."""
    return list(get_args(FrameSpec.model_fields["frame"].annotation))


def patterns() -> list[str]:
    """Return the patterns for backs."""
    return list(get_args(PatternSpec.model_fields["pattern"].annotation))


def worlds() -> list[str]:
    """Return each world with each of its views: `forest: portrait`."""
    read = read_worlds_by_name_and_note_mistakes((LAYOUTS / "worlds",), FindingCollector())
    return [f"{name}: {view}" for name, world in sorted(read.items()) for view in world.views]


SHEETS: dict[str, tuple[Callable[[], list[str]], int, str]] = {
    "icon": (icons, 14, "Icons: `icon: heart`, and `:heart:` in a text; `colour:` gives black ones a colour"),
    "motif": (motifs, 10, "Motifs: `scene: {..., motif: owl}`"),
    "font": (fonts, 2, "Families of type: `style: {family: alegreya}`"),
    "frame": (frames, 6, "Frames: `frame: storybook`"),
    "pattern": (patterns, 6, "Patterns: `pattern: leaves`"),
    "world": (worlds, 5, "Worlds and their views: a mood's `world: forest`, and `view: portrait`"),
}
"""By kind: the names, how many stand in a row of the picture, and the heading."""


def page() -> str:
    """Return docs/reference/art.md."""
    lines = [
        "# Icons, motifs, fonts, frames and worlds",
        "",
        "Every game may use these by name, and put its own beside them, in the folders `icons`, `motifs`, `fonts` and",
        "`worlds` of its layouts. Its credits page names who drew what it uses; [layouts](layouts.md) says how each is",
        "placed.",
    ]
    for kind, (names, _, heading) in SHEETS.items():
        lines += ["", f"## {heading}", "", f"![{kind}s by name](../images/art-{kind}.png)", ""]
        lines += [", ".join(f"`{name}`" for name in names()) + "."]
    return "\n".join(lines) + "\n"


def draw(folder: Path) -> None:
    """Draw each kind's sheet into docs/images. `folder` is for the game that is printed."""
    for kind, (names, columns, _) in SHEETS.items():
        made = [_picture(folder / f"{kind}-{n}", kind, name) for n, name in enumerate(names())]
        width, height = made[0].size
        rows = -(-len(made) // columns)
        sheet = Image.new("RGB", (width * min(columns, len(made)), height * rows), "white")
        for n, picture in enumerate(made):
            sheet.paste(picture, (n % columns * width, n // columns * height))
        colours = _COLOURS if kind == "icon" else 128
        sheet.quantize(colours, dither=Image.Dither.NONE).save(DOCS / "images" / f"art-{kind}.png", optimize=True)


def draw_cards() -> None:
    """Draw docs/images/cards.png: two cards of each game, cut out and laid on a table."""
    width, height = (round(side * _CARD_DENSITY) for side in _POKER)
    rows = -(-len(_CARDS) // _CARDS_IN_A_ROW)
    table = Image.new("RGB", (_CARDS_IN_A_ROW * (width + _GAP) + _GAP, rows * (height + _GAP) + _GAP), _TABLE)
    cut = Image.new("L", (4 * width, 4 * height))
    ImageDraw.Draw(cut).rounded_rectangle((0, 0, 4 * width - 1, 4 * height - 1), 52, fill=255)
    cut = cut.resize((width, height), Image.Resampling.LANCZOS)
    for n, (name, card) in enumerate(_CARDS):
        press = Press(game := load_game(name), looks=LayoutRenderer(game))
        face = press.draw_face_or_none_and_note_problems(
            game.components[card], "front", "en", collector := FindingCollector()
        )
        collector.raise_if_errors()
        (picture,) = render_faces_at_exact_pixels([face], (width, height), fonts=press.looks.fonts)
        place = (_GAP + n % _CARDS_IN_A_ROW * (width + _GAP), _GAP + n // _CARDS_IN_A_ROW * (height + _GAP))
        table.paste(_SHADOW, (place[0] + 2, place[1] + 5), cut)
        table.paste(picture, place, cut)
    table.save(DOCS / "images" / "cards.png", optimize=True)


def _picture(folder: Path, kind: str, name: str) -> Image.Image:
    """Return the face of one thing as the press draws it."""
    size, elements = _FACES[kind]
    world, _, view = name.partition(": ")
    drawn = "\n    ".join([_GROUND, *elements, _NAME])
    drawn = drawn.replace("NAME", name).replace("WORLD", world).replace("VIEW", view or "land")
    drawn = drawn.replace("SAMPLE", f"{{family: {name}, size: 15, min: 8, colour: ink, valign: middle, align: centre}}")
    folder.mkdir(parents=True)
    (folder / "game.yaml").write_text(_GAME, "utf-8")
    (folder / "vocabulary.yaml").write_text(
        "terms: {}\neffects: {}\nkinds: {thing: {name: {en: Thing}, id: t1, fields: {title: words}}}\n", "utf-8"
    )
    (folder / "things.yaml").write_text(f'kind: thing\ncomponents:\n  t1: {{title: {{en: "{name}"}}}}\n', "utf-8")
    (folder / "layouts").mkdir()
    layout = f"kind: thing\nsize: {size}\n{_BASE}\n{_NAMED}\nfront:\n  elements:\n    {drawn}\n"
    (folder / "layouts" / "thing.yaml").write_text(layout, "utf-8")
    game = load_game(folder)
    press = Press(game, looks=LayoutRenderer(game, folder / "layouts"))
    face = press.draw_face_or_none_and_note_problems(
        game.components["t1"], "front", "en", collector := FindingCollector()
    )
    collector.raise_if_errors()
    pixels = (round(size[0] * _DENSITY), round(size[1] * _DENSITY))
    (picture,) = render_faces_at_exact_pixels([face], pixels, fonts=press.looks.fonts)
    return picture


if __name__ == "__main__":
    with TemporaryDirectory() as scratch:
        draw(Path(scratch))
    draw_cards()
    (DOCS / "reference" / "art.md").write_text(page(), encoding="utf-8")
