"""The scene: a picture as immutable values in millimetres, y downwards.

A layout makes a scene once; the generator's modules pdf, svg and png only draw it. A `Face` is one
side of one component; its origin is the top-left corner of its trim.
"""

from playproof.generator.scene.affine import IDENTITY, Rect, Transform
from playproof.generator.scene.colour import BLACK, WHITE, Colour
from playproof.generator.scene.nodes import (
    MITER,
    Command,
    Face,
    Glyphs,
    Group,
    Image,
    LinearGradient,
    Node,
    Page,
    Paint,
    Passage,
    Path,
    Pieces,
    Placement,
    RadialGradient,
    Role,
    Shape,
    Spoken,
    Stop,
    Stroke,
    Symbol,
    Use,
)
from playproof.generator.scene.shapes import KAPPA, circle, cuts_corners, ellipse, line, polygon, rectangle
from playproof.generator.scene.units import MM_PER_PT, PT_PER_MM, Mm, Pt, mm_to_pt, pt_to_mm

__all__ = [
    "BLACK",
    "IDENTITY",
    "KAPPA",
    "MITER",
    "MM_PER_PT",
    "PT_PER_MM",
    "WHITE",
    "Colour",
    "Command",
    "Face",
    "Glyphs",
    "Group",
    "Image",
    "LinearGradient",
    "Mm",
    "Node",
    "Page",
    "Paint",
    "Passage",
    "Path",
    "Pieces",
    "Placement",
    "Pt",
    "RadialGradient",
    "Rect",
    "Role",
    "Shape",
    "Spoken",
    "Stop",
    "Stroke",
    "Symbol",
    "Transform",
    "Use",
    "circle",
    "cuts_corners",
    "ellipse",
    "line",
    "mm_to_pt",
    "polygon",
    "pt_to_mm",
    "rectangle",
]
