"""Rules for vendors that take one picture per side."""

from __future__ import annotations

from collections.abc import Iterator

from PIL import Image

from playproof.generator.preflight.rule_table import Problem, RuleTable
from playproof.generator.profiles import Profile

TABLE: RuleTable[Image.Image] = RuleTable()


def applies_always(_: Profile) -> bool:
    """Rules for every profile."""
    return True


def takes_pictures(profile: Profile) -> bool:
    """Rules for vendors that take one picture per side."""
    return profile.file == "png"


@TABLE.register_rule("PP589", "the canvas has the vendor's pixels", "the profile's canvases", takes_pictures)
def check_canvas_size(picture: Image.Image, profile: Profile) -> Iterator[Problem]:
    canvases = {tuple(product.canvas): name for name, product in profile.products.items() if product.canvas}
    if picture.size not in canvases and picture.size[::-1] not in canvases:
        canvas_names = ", ".join(f"{name} {wide} x {high}" for (wide, high), name in canvases.items())
        actual = f"{picture.size[0]} x {picture.size[1]} px"
        yield Problem(None, f"expected a canvas of {profile.title}, found {actual}", canvas_names)


@TABLE.register_rule(
    "PP590", "the canvas is RGB", "help.thegamecrafter.com: CMYK images will be rejected", applies_always
)
def check_canvas_mode(picture: Image.Image, profile: Profile) -> Iterator[Problem]:
    if profile.colour == "rgb" and picture.mode not in ("RGB", "L", "P", "1"):
        yield Problem(None, f"expected an opaque RGB picture, found {picture.mode}")
