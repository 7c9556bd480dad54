"""Text styles: specs that extend each other become `TextStyle` values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from playproof.database.errors import did_you_mean
from playproof.generator.layout.expression import ExpressionError, Template
from playproof.generator.layout.model import StyleSpec
from playproof.generator.scene import Colour
from playproof.generator.type.setting import TextStyle

PLAIN = TextStyle()
DIRECT = (
    "family", "size", "bold", "italic", "align", "valign", "leading", "gap", "balance", "hyphenate",
    "icon_scale",
)  # fmt: skip


class NoSuchName(ExpressionError):
    """A colour, style or part that the layout does not have."""

    code = "PP503"


class NoSuchFont(ExpressionError):
    """A font family that has no file."""

    code = "PP508"


def style_from(
    ref: str | StyleSpec,
    styles: Mapping[str, StyleSpec],
    colour: Callable[[Template], Colour],
    depth: int = 0,
) -> TextStyle:
    """Return the style of a name or an inline spec. Raises NoSuchName if a style does not exist or
    extends itself."""
    if isinstance(ref, str):
        if ref not in styles:
            if ref == "text":
                return PLAIN
            raise NoSuchName(f"there is no style {ref!r}", did_you_mean(ref, styles))
        spec = styles[ref]
    else:
        spec = ref
    if depth > 20:
        raise NoSuchName(f"the styles extend each other in a circle at {spec.extends!r}")
    base = style_from(spec.extends, styles, colour, depth + 1) if spec.extends else PLAIN
    changes: dict[str, Any] = {name: value for name in DIRECT if (value := getattr(spec, name)) is not None}
    if spec.size is not None or spec.min is not None:
        changes["steps"] = ()
    if spec.size is not None and spec.min is None:
        changes["min_size"] = None
    if spec.min is not None:
        changes["min_size"] = spec.min
    if spec.sizes is not None:
        steps = tuple(sorted(spec.sizes, reverse=True))
        changes |= {"size": steps[0], "min_size": steps[-1], "steps": steps}
    if spec.colour is not None:
        changes["colour"] = colour(spec.colour)
    if spec.features is not None:
        changes["features"] = tuple(spec.features)
    return base._replace(**changes)


def is_constant(ref: str | StyleSpec, styles: Mapping[str, StyleSpec]) -> bool:
    """Return whether a style that `style_from` could make is the same for every card: none of its
    colours has a hole."""
    spec = styles.get(ref) if isinstance(ref, str) else ref
    if spec is None:
        return True
    constant = spec.colour is None or spec.colour.constant
    return constant and (not spec.extends or is_constant(spec.extends, styles))
