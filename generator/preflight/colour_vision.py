"""Checks whether colour-blind players can tell the colours apart, and everybody can on a grey
print.

Swatches of different shapes differ, whatever their colours: every source gives this advice (never
colour alone). Swatches of one shape, or without a shape, must differ in colour for people without
red, green or blue cones, and in lightness.

The swatches of a game are the colours and icons of its terms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.generator.art.icons import IconLibrary
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_files import LAYOUTS, find_layout_folder_of_game
from playproof.generator.scene import Colour, Face, Node, Symbol, Transform, Use

Vector = npt.NDArray[np.float64]

# Machado, Oliveira and Fernandes (2009), "A Physiologically-based Model for Simulation of Color
# Vision Deficiency", severity 1.0, on linear RGB.
SIMULATIONS: dict[str, Vector] = {
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
PEOPLE = {
    "protan": "people without red cones",
    "deutan": "people without green cones",
    "tritan": "people without blue cones",
}
# Linear sRGB to XYZ (IEC 61966-2-1), and its white (D65).
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = TO_XYZ.sum(axis=1)

# CIELAB distances. The palette of Okabe and Ito, made for all eyes, has 16.1 between its nearest
# two.
LEAST_DIFFERENCE = 15.0
LEAST_LIGHTNESS = 10.0
SAME_SHAPE = 0.85  # share of common ink above which two silhouettes count as one
SAME_HOLES = 0.6  # the same for the blank areas in and around them: less area, so edges weigh more
LEAST_HOLES = 0.02  # of the square; a sliver of blank is the soft edge
INKED = 200  # of 255; paler pixels are the soft edge
SILHOUETTE = 48  # px: an icon of 4 mm at 300 dots per inch

NOWHERE = Where("<palette>")


@dataclass(frozen=True, slots=True)
class Swatch:
    """A colour that means something, and the drawing that carries it (empty for plain areas of
    colour)."""

    name: str
    colour: Colour
    icon: tuple[Node, ...] = ()
    size: float = 10.0  # mm, the square the icon is drawn in
    where: Where = NOWHERE


def list_findings_on_swatches_looking_alike(palette: Sequence[Swatch]) -> list[Finding]:
    """Return a finding for each pair of swatches that some players, or a grey printer, cannot tell
    apart."""
    masks = dict(zip((s.name for s in palette if s.icon), _iter_cropped_icon_silhouettes(palette), strict=True))
    return [
        finding
        for first, second in combinations(palette, 2)
        if not _have_different_ink_or_holes(masks.get(first.name), masks.get(second.name))
        for finding in _find_colour_and_grey_confusions(first, second)
    ]


def _find_colour_and_grey_confusions(first: Swatch, second: Swatch) -> Iterator[Finding]:
    for kind in SIMULATIONS:
        difference = float(
            np.linalg.norm(colour_to_cielab_as_seen(first.colour, kind) - colour_to_cielab_as_seen(second.colour, kind))
        )
        if difference < LEAST_DIFFERENCE:
            message = f"{first.name} and {second.name} look alike to {PEOPLE[kind]}"
            measure = f"expected a difference of {LEAST_DIFFERENCE:g}, found {difference:.1f}"
            yield Finding("PP592", first.where, f"{message}: {measure}", "give them different shapes")
    lightness = abs(float(colour_to_cielab_as_seen(first.colour)[0] - colour_to_cielab_as_seen(second.colour)[0]))
    if lightness < LEAST_LIGHTNESS:
        message = f"{first.name} and {second.name} are one grey"
        measure = f"expected {LEAST_LIGHTNESS:g} of lightness between them, found {lightness:.1f}"
        yield Finding("PP593", first.where, f"{message}: {measure}", "give them different shapes", "warning")


def colour_to_cielab_as_seen(colour: Colour, colour_blindness: str = "") -> Vector:
    """Return the colour in CIELAB (D65), as most people see it or as people of that kind of colour
    blindness do."""
    light = srgb_to_linear_light(np.array([colour.red, colour.green, colour.blue]))
    if colour_blindness:
        light = np.clip(SIMULATIONS[colour_blindness] @ light, 0, 1)
    x, y, z = (_apply_cielab_curve(float(part)) for part in (TO_XYZ @ light) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def srgb_to_linear_light(colours: Vector) -> Vector:
    """Return sRGB values as amounts of light (IEC 61966-2-1)."""
    return np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)


def _apply_cielab_curve(share: float) -> float:
    """Apply CIE 15's curve: a cube root, straight near black."""
    return float(np.cbrt(share)) if share > (6 / 29) ** 3 else share / (3 * (6 / 29) ** 2) + 4 / 29


def _iter_cropped_icon_silhouettes(palette: Sequence[Swatch]) -> Iterator[npt.NDArray[np.bool_]]:
    """Yield where each icon has ink, cropped to the ink, so that place and size do not count as
    shape."""
    faces = [Face(swatch.name, swatch.size, swatch.size, swatch.icon) for swatch in palette if swatch.icon]
    if not faces:
        return
    for picture in render_faces_at_exact_pixels(faces, (4 * SILHOUETTE, 4 * SILHOUETTE)):
        inked = np.asarray(picture).min(axis=2) < INKED
        rows, columns = np.flatnonzero(inked.max(axis=1)), np.flatnonzero(inked.max(axis=0))
        if not len(rows):
            yield np.zeros((SILHOUETTE, SILHOUETTE), dtype=bool)
            continue
        down = np.linspace(rows[0], rows[-1], SILHOUETTE).astype(int)
        across = np.linspace(columns[0], columns[-1], SILHOUETTE).astype(int)
        yield inked[np.ix_(down, across)]


def _have_different_ink_or_holes(first: npt.NDArray[np.bool_] | None, second: npt.NDArray[np.bool_] | None) -> bool:
    """Return whether the silhouettes differ in their ink or in their holes (a white mark on a
    coloured card)."""
    if first is None or second is None:
        return (first is None) != (second is None)
    if _compute_shared_part_of_joined_areas(first, second) < SAME_SHAPE:
        return True
    holes = np.logical_or(~first, ~second).mean() > LEAST_HOLES
    return bool(holes) and _compute_shared_part_of_joined_areas(~first, ~second) < SAME_HOLES


def _compute_shared_part_of_joined_areas(first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_]) -> float:
    """Return the common share of two areas; 1 if both are empty."""
    together = np.logical_or(first, second).sum()
    return float(np.logical_and(first, second).sum() / together) if together else 1.0


def list_findings_on_terms_looking_alike(game: Game) -> list[Finding]:
    """Return findings for the terms of one group (resources, zones, colours of backs ...) that some
    players cannot tell apart."""
    symbols = IconLibrary(find_layout_folder_of_game(game.folder) / "icons", LAYOUTS / "icons")
    groups = [build_swatches_of_term_group(game, group, symbols) for group in game.vocabulary.terms]
    findings = [finding for group in groups for finding in list_findings_on_swatches_looking_alike(group)]
    return sorted(findings, key=lambda finding: (finding.code, finding.message))


def build_swatches_of_term_group(game: Game, group: str, icons: Mapping[str, Symbol]) -> list[Swatch]:
    """Return the coloured terms of a group as swatches, with their icons if they have any."""
    where = Where(game.folder / "vocabulary.yaml")
    swatches = []
    for name, term in game.vocabulary.group(group).items():
        colour, icon = term.spec.colour, term.icon
        if colour is None:
            continue
        drawing, size = _get_icon_at_origin_and_side_of_its_square(icons[icon]) if icon in icons else ((), 10.0)
        swatches.append(
            Swatch(f"{group} {name}", Colour.parse_hex_or_cmyk_colour_or_raise(colour), drawing, size, where)
        )
    return swatches


def _get_icon_at_origin_and_side_of_its_square(symbol: Symbol) -> tuple[tuple[Node, ...], float]:
    """Return the icon, moved to the origin, and the side of the square that holds it."""
    box = symbol.bounds
    return (Use(symbol, Transform.move(-box.x, -box.y)),), max(box.width, box.height)
