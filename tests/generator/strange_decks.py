"""Decks as strangers bring them, drawn by a seed: every layout element, words of eleven scripts, signs, pictures of all
kinds and depths, SVG of drawing programs. Nothing in them is anybody's; all is written anew."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from fontTools.feaLib.builder import addOpenTypeFeaturesFromString
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

from playproof.database.game import load_game
from playproof.generator.layout.layout_renderer import LayoutRenderer
from tests.generator.made_pictures import KINDS, write_picture
from tests.generator.strange_svg import SVG_KINDS, draw_svg

CARDS = 20  # in a deck, one of each side
SIZES: tuple[object, ...] = ("poker", "mini", "tarot", "square", "business", [50, 50], [80, 69.3], [31, 90])
SCRIPTS = {  # words in the letters of a script, and the family that draws them
    "latin": ("Żółć gęślą jaźń straße œuvre Übermut fjord æther", "alegreya"),
    "latin apart": ("x̄ siṅ e\u0301te\u0301 n\u0303andu\u0301 o\u0308de a\u030akra z\u0307ar", "alegreya"),
    "vietnamese": ("Quả cầu lửa thuộc về người thắng cuộc", "alegreya"),
    "greek": ("Ἐν ἀρχῇ ὁ παίκτης τραβάει κάρτα", "alegreya"),
    "cyrillic": ("Возьмите карту и сбросьте ёжика", "alegreya"),
    "hebrew": ("שָׁלוֹם קְלָף נִצָּחוֹן מִשְׂחָק תּוֹר", "alegreya"),
    "arabic": ("مُحَمَّد بِطَاقَة اِسحَب وَرَقَة فَوز", "drawn"),
    "thai": ("จั่ว การ์ด หนึ่งใบ แล้ว ทิ้ง", "drawn"),
    "devanagari": ("पत्ता खींचो और जीत जाओ", "drawn"),
    "kana": ("カードを いちまい ひく", "drawn"),
    "hangul": ("카드를 한 장 뽑는다", "drawn"),
}
ASCII = "Draw two cards, then discard one. Gain 3 :coin: and 2 :sword: if you own a castle; AV To We Ta."
SIGNS = (
    "2 × 3 − 1 ≥ ½",
    "Roll 2 * 3 * 4 dice",
    "*At game end, +3 VP",
    "f***ing",
    "50 % & more",
    "a\\nb",
    "**AVATAR** *fi ffl*",
)
FONT = "drawn-Regular.ttf"
MOOD = dict(
    zip(
        ("sky", "horizon", "far", "middle", "near", "light"),
        ("#9cc9e8", "#f2e2b8", "#8aa5a0", "#5f7d57", "#2e4630", "#fff4cf"),
        strict=True,
    )
)


@lru_cache(maxsize=1)
def make_font(path: Path) -> Path:
    """A font with a glyph for every letter of the scripts that no bundled font draws: marks that sit beside the pen by
    anchors and by pairs, to the left and the right, above and below."""
    rng = Random(63)
    chars = sorted(
        {char for words, family in SCRIPTS.values() if family == "drawn" for char in words} | set(" 0123456789")
    )
    names = {char: f"u{ord(char):04X}" for char in chars}
    marks = [names[char] for char in chars if _is_mark(char)]
    bases = [names[char] for char in chars if not _is_mark(char) and char != " "]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap({ord(char): name for char, name in names.items()})
    glyphs, metrics = {".notdef": _box(0, 0, 10, 10)}, {".notdef": (500, 0)}
    for char, name in names.items():
        width = 0 if _is_mark(char) else rng.randrange(380, 900)
        glyphs[name] = _glyph(rng, char, width)
        metrics[name] = (width, 0)
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(metrics)
    builder.setupHorizontalHeader(ascent=900, descent=-300)
    builder.setupNameTable({"familyName": "Drawn", "styleName": "Regular", "psName": "Drawn-Regular"})
    builder.setupOS2(sTypoAscender=900, sTypoDescender=-300, sCapHeight=680)
    builder.setupPost()
    addOpenTypeFeaturesFromString(builder.font, _features(rng, bases, marks))
    builder.save(path)
    return path


def _is_mark(char: str) -> bool:
    from unicodedata import category

    return category(char) in ("Mn", "Me")


def _box(left: int, bottom: int, right: int, top: int) -> Any:
    pen = TTGlyphPen(None)
    _contour(pen, [(left, bottom), (left, top), (right, top), (right, bottom)])
    return pen.glyph()


def _contour(pen: TTGlyphPen, points: list[tuple[int, int]]) -> None:
    pen.moveTo(points[0])
    for point in points[1:]:
        pen.lineTo(point)
    pen.closePath()


def _glyph(rng: Random, char: str, width: int) -> Any:
    """A letter: a stem with a bar at a height of its own. A mark: a small triangle at its anchor."""
    pen = TTGlyphPen(None)
    if char == " ":
        return pen.glyph()
    if _is_mark(char):
        x, y = rng.randrange(-120, 80), rng.randrange(-60, 120)
        _contour(pen, [(x, y), (x + 90, y + 140), (x + 180, y)])
        return pen.glyph()
    bar = rng.randrange(60, 600)
    _contour(pen, [(40, 0), (40, 680), (140, 680), (140, 0)])
    _contour(pen, [(140, bar), (140, bar + 90), (width - 40, bar + 90), (width - 40, bar)])
    return pen.glyph()


def _features(rng: Random, bases: list[str], marks: list[str]) -> str:
    lines = [f"markClass {mark} <anchor {rng.randrange(-60, 120)} {rng.randrange(-20, 60)}> @TOP;" for mark in marks]
    lines.append("feature mark {")
    lines += [
        f"  pos base {base} <anchor {rng.randrange(80, 400)} {rng.choice((-200, 700, 760))}> mark @TOP;"
        for base in bases
    ]
    lines += ["} mark;", "feature kern {"]
    for _ in range(150):
        one, other = rng.sample(bases, 2)
        lines.append(f"  pos {one} <{rng.randrange(-40, 40)} 0 {rng.randrange(-90, 40)} 0> {other} <0 0 0 0>;")
    seen: set[tuple[str, str]] = set()
    kept = []
    for line in lines:
        parts = line.split()
        pair = (parts[1], parts[-5]) if line.startswith("  pos u") else (line, "")
        if pair not in seen:
            seen.add(pair)
            kept.append(line)
    return "\n".join([*kept, "} kern;"])


def make_deck(folder: Path, seed: int) -> LayoutRenderer:
    """Write a deck into a new folder, and return its looks. The same seed gives the same deck."""
    rng = Random(seed)
    (folder / "layouts" / "fonts").mkdir(parents=True)
    (folder / "layouts" / "icons").mkdir()
    (folder / "p").mkdir()
    cached = make_font(folder.parent / FONT)
    (folder / "layouts" / "fonts" / FONT).write_bytes(cached.read_bytes())
    for name in ("my_gold", "Flyer", "2nd hand"):
        text = draw_svg("plain", rng)
        (folder / "layouts" / "icons" / f"{name}.svg").write_text(text, "utf-8")
    drawer = _Drawer(rng, folder)
    rows = [{"id": f"c{number}", "text": drawer.words()[0], "art": drawer.picture()} for number in range(CARDS)]
    elements = [element for row in rows for element in drawer.card(row["id"])]
    layout = {
        "kind": "card", "size": rng.choice(SIZES), "bleed": rng.choice((0, 2, 3)),
        "styles": {"text": {"family": "alegreya", "size": 9, "min": 3}},
        "moods": {"day": MOOD},
        "front": {"elements": elements},
    }  # fmt: skip
    # JSON is YAML
    (folder / "layouts" / "card.yaml").write_text(json.dumps(layout, ensure_ascii=False), "utf-8")
    with (folder / "cards.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", "text", "art"])
        writer.writeheader()
        writer.writerows(rows)
    return LayoutRenderer(load_game(folder))


class _Drawer:
    """Draws elements by one seed."""

    def __init__(self, rng: Random, folder: Path) -> None:
        self.rng, self.folder, self.number = rng, folder, 0

    def card(self, card: str) -> list[dict[str, Any]]:
        """The elements of one card."""
        kinds: list[Callable[[], dict[str, Any]]] = [
            self.text, self.text, self.text, self.image, self.image, self.shape, self.icon, self.frame, self.pattern,
            self.scene, self.grid, self.table, self.arrow, self.group, self.track, self.land,
        ]  # fmt: skip
        made = [self.ground()] if self.rng.random() < 0.6 else []
        made += [self.rng.choice(kinds)() for _ in range(self.rng.randrange(1, 5))]
        for element in made:
            if self.rng.random() < 0.2 and "grid" not in element:
                element["opacity"] = self.rng.choice((0.2, 0.5, 0.85))
            element["if"] = f"id == '{card}'"
        return made

    def colour(self) -> str:
        return "#" + "".join(self.rng.choice("0123456789abcdef") for _ in range(6))

    def fill(self) -> Any:
        if self.rng.random() < 0.6:
            return self.colour()
        gradient = {"colours": [self.colour() for _ in range(self.rng.randrange(2, 5))]}
        return gradient | self.rng.choice(({"radial": True}, {"angle": self.rng.randrange(360)}))

    def stroke(self) -> dict[str, Any]:
        dash = self.rng.choice(([], [1, 1], [2, 0.7, 0.5, 0.7]))
        style = {
            "cap": self.rng.choice(("butt", "round", "square")),
            "join": self.rng.choice(("miter", "round", "bevel")),
        }
        return {"colour": self.colour(), "width": self.rng.choice((0.2, 0.5, 1.3)), "dash": dash, **style}

    def box(self) -> dict[str, Any]:
        """A place well inside the smallest card."""
        rng = self.rng
        return {
            "x": rng.randrange(5, 9),
            "right": rng.randrange(5, 9),
            "y": rng.randrange(5, 20),
            "height": rng.randrange(14, 24),
        }

    def ground(self) -> dict[str, Any]:
        return {"shape": "rect", "box": self.rng.choice(("bleed", "trim", "safe")), "fill": self.fill()}

    def words(self) -> tuple[str, str]:
        rng = self.rng
        kind = rng.random()
        if kind < 0.25:
            return ASCII, "alegreya"
        if kind < 0.4:
            return " ".join(rng.sample(SIGNS, 2)), rng.choice(("alegreya", "alegreyasans"))
        words, family = rng.choice(list(SCRIPTS.values()))
        picked = " ".join(rng.sample(words.split(), min(3, len(words.split()))))
        marked = picked.partition(" ")
        return (f"**{marked[0]}** {marked[2]}" if rng.random() < 0.3 else picked), family

    def text(self) -> dict[str, Any]:
        rng = self.rng
        words, family = self.words()
        if rng.random() < 0.2:
            words += rng.choice((" :my_gold:", " :Flyer:", " :2nd hand:", " :bear: 3"))
        style = {
            "family": family, "size": rng.choice((7, 9, 14)), "min": 2, "colour": self.colour(),
            "bold": rng.random() < 0.2, "italic": rng.random() < 0.2, "hyphenate": rng.random() < 0.3,
            "align": rng.choice(("left", "centre", "right", "justify")),
            "valign": rng.choice(("top", "middle", "bottom")),
        }  # fmt: skip
        element = {"text": words.replace("{", "{{"), "box": self.box(), "style": style}
        return element | ({"rotate": rng.choice((90, 180, -7))} if rng.random() < 0.1 else {})

    def picture(self) -> str:
        """Write a picture, and return its name. Black ones of one size are many, as marks are in real decks."""
        rng = self.rng
        self.number += 1
        if rng.random() < 0.3:
            name = f"p/{self.number}.svg"
            (self.folder / name).write_text(draw_svg(rng.choice(SVG_KINDS), rng), "utf-8")
            return name
        black = rng.random() < 0.3
        kind = rng.choice(("rgba.png", "rgba.png", "grey-alpha.png")) if black else rng.choice(list(KINDS))
        stem, _, suffix = kind.rpartition(".")
        name = f"p/{'mark' if black else stem}-{self.number}.{suffix}"
        write_picture(kind, rng, self.folder / name, black)
        return name

    def image(self) -> dict[str, Any]:
        rng = self.rng
        made = {"image": self.picture(), "box": self.box(), "fit": rng.choice(("cover", "contain", "stretch"))}
        if "mark-" in made["image"]:
            return made | {"fit": "contain"}
        made |= rng.choice(({}, {}, {"crop": [0.05, 0.1, 0.9, 0.8]}, {"crop": ["0.05", "0", "1 - 0.05", "1"]}))
        if rng.random() < 0.4:
            return made | {"mask": self.mask()}
        return made | rng.choice(({}, {"radius": 3}, {"focus": [0.1, 0.8]}))

    def mask(self) -> str:
        """The name of a shape, a path, or a picture that hides: by what is see-through, or by what is dark."""
        rng = self.rng
        word = rng.choice(("ellipse", "circle", "hexagon", "M0.1 0 L1 0.2 Q0.7 0.6 0.9 1 L0 0.8 Z", "", "", ""))
        if word:
            return word
        self.number += 1
        kind = rng.choice(("rgba.png", "grey.png", "svg"))
        name = f"p/mask-{self.number}.{kind.rpartition('.')[2]}"
        if kind == "svg":
            (self.folder / name).write_text(draw_svg("plain", rng), "utf-8")
        else:
            write_picture(kind, rng, self.folder / name)
        return name

    def shape(self) -> dict[str, Any]:
        rng = self.rng
        shape = rng.choice(("rect", "ellipse", "polygon", "path", "line", "hexagon"))
        more: dict[str, Any] = {"rect": {"radius": rng.choice((0, 2))}}.get(shape, {})
        if shape == "polygon":
            more = {"points": [[round(rng.random(), 2), round(rng.random(), 2)] for _ in range(5)]}
        elif shape == "path":
            more = {"path": "M0 0 C0.5 -0.2 0.9 0.2 1 0 L0.8 1 Q0.5 0.5 0 1 Z"}
        return {"shape": shape, "box": self.box(), "fill": self.fill(), "stroke": self.stroke(), **more}

    def icon(self) -> dict[str, Any]:
        name = self.rng.choice(("bear", "crown", "castle", "dragon", "my_gold", "Flyer", "2nd hand"))
        return {"icon": name, "box": self.box()} | self.rng.choice(({}, {"colour": self.colour()}))

    def frame(self) -> dict[str, Any]:
        frame = self.rng.choice(("line", "double", "storybook"))
        return {"frame": frame, "box": {"inset": 4}, "colour": self.colour(), "width": self.rng.choice((0.3, 1))}

    def pattern(self) -> dict[str, Any]:
        pattern = self.rng.choice(("leaves", "diamonds", "waves", "dots", "spirals", "bricks"))
        return {"pattern": pattern, "box": self.box(), "colour": self.colour(), "ground": self.colour(), "size": 6}

    def scene(self) -> dict[str, Any]:
        return {"scene": str(self.rng.random()), "mood": "day", "box": self.box(), "radius": self.rng.choice((0, 3))}

    def grid(self) -> dict[str, Any]:
        each = [
            {"shape": "rect", "box": {"inset": 0.5}, "fill": self.fill()},
            {"text": "{item}", "style": {"size": 5, "min": 2}},
        ]
        return {"grid": "6", "box": self.box(), "columns": 3, "cells": self.rng.choice(("square", "hex")), "each": each}

    def table(self) -> dict[str, Any]:
        columns = [{"cell": "{item}"}, {"cell": "AV {item * 7}", "heading": "Sum", "share": 2}]
        style = {"family": "alegreya", "size": 5, "min": 3}
        for column in columns:
            column["style"] = style
        return {
            "table": "3",
            "box": self.box(),
            "columns": columns,
            "heading_style": style,
            "rule": self.stroke(),
            "pad": 0.3,
            "shade": self.colour(),
        }

    def arrow(self) -> dict[str, Any]:
        return {
            "arrow": [[0, 0.2], [0.5, 0.8], [1, 0.5]],
            "box": self.box(),
            "fill": self.fill(),
            "stroke": self.stroke(),
        }

    def group(self) -> dict[str, Any]:
        inner = [{"shape": "ellipse", "box": {"x": -3, "y": 2, "width": 14, "height": 20}, "fill": self.fill()}]
        return {"group": inner, "box": self.box(), "clip": True}

    def track(self) -> dict[str, Any]:
        each = [{"shape": "ellipse", "fill": self.fill()}]
        return {
            "track": "4",
            "box": self.box(),
            "points": [[0.1, 0.5], [0.5, 0.2], [0.9, 0.7]],
            "size": 4,
            "stroke": self.stroke(),
            "each": each,
        }

    def land(self) -> dict[str, Any]:
        return {
            "land": str(self.rng.random()),
            "box": self.box(),
            "fill": self.fill(),
            "stroke": self.stroke(),
            "water": self.colour(),
        }
