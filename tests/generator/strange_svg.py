"""SVG pictures of the kinds that drawing programs write, by a seed; and those that nobody draws, with the word that
must name them."""

# ruff: noqa: E501 (a picture reads best in one line)

from __future__ import annotations

from random import Random

from tests.generator.made_pictures import data_url, draw_picture

SVG_KINDS = (
    "plain", "classes", "symbols", "clipped", "masked", "patterns", "filtered", "markers", "curved text", "gradients",
    "nested", "overflowing", "inherited words", "inherited paint", "odd values", "held", "units", "switched", "text",
    "strokes", "measured by style", "moved", "clips that cross", "clip of a group", "symbol without a view box",
    "of another language", "linked words", "words of weights", "words in columns", "painted words", "short lines",
)  # fmt: skip
HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'


def draw_svg(kind: str, rng: Random) -> str:
    """A picture of a kind, 100 units wide and high."""

    def colour() -> str:
        return "#" + "".join(rng.choice("05af") for _ in range(3))

    def place() -> str:
        return f'x="{rng.randrange(5, 40)}" y="{rng.randrange(5, 40)}" width="{rng.randrange(30, 55)}" height="{rng.randrange(30, 55)}"'

    def shape(more: str = "") -> str:
        return rng.choice((
            f'<rect {place()} rx="{rng.randrange(9)}" fill="{colour()}" {more}/>',
            f'<circle cx="{rng.randrange(30, 70)}" cy="{rng.randrange(30, 70)}" r="{rng.randrange(15, 28)}" fill="{colour()}" {more}/>',
            f'<path d="M10 {rng.randrange(50, 90)}c20-60 40 20 70-{rng.randrange(10, 40)}l5 30z" fill="{colour()}" {more}/>',
            f'<polygon points="50,5 95,{rng.randrange(60, 95)} 5,90" fill="{colour()}" {more}/>',
        ))  # fmt: skip

    bodies = {
        "plain": lambda: shape() + shape('stroke="#000" stroke-width="3"'),
        "classes": lambda: f"<style>.a{{fill:{colour()}}} g > .b{{stroke:{colour()};stroke-width:4}}</style><g>"
        f'<rect class="a b" {place()}/><ellipse class="a" cx="50" cy="70" rx="30" ry="12" style="opacity:.5"/></g>',
        "symbols": lambda: f'<symbol id="s" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9" fill="{colour()}"/></symbol>'
        f'<defs><g id="g">{shape()}</g></defs><use xlink:href="#g"/><use href="#s" x="50" y="5" width="40" height="40"/>',
        "clipped": lambda: f'<clipPath id="c"><circle cx="50" cy="50" r="35"/></clipPath><g clip-path="url(#c)">{shape()}'
        f'<rect width="100" height="30" fill="{colour()}"/></g>',
        "masked": lambda: '<path d="M0 90 H 9 V 99 Z "/><linearGradient id="f"><stop stop-color="#fff"/><stop offset="1" stop-color="#000"/></linearGradient>'
        f'<mask id="m"><rect width="100" height="100" fill="url(#f)"/></mask><g mask="url(#m)">{shape()}{shape()}</g>',
        "patterns": lambda: f'<pattern id="p1" width="20" height="20" patternUnits="userSpaceOnUse"><circle cx="10" cy="10" r="7" fill="{colour()}"/>'
        '</pattern><pattern id="p2" xlink:href="#p1" patternTransform="rotate(30)"/><rect width="90" height="90" fill="url(#p2)"/>',
        "filtered": lambda: f'<filter id="f"><feGaussianBlur stdDeviation="3"/></filter><g filter="url(#f)">{shape()}</g>',
        "markers": lambda: f'<marker id="k" markerWidth="6" markerHeight="6" refX="3" refY="3"><circle cx="3" cy="3" r="3" fill="{colour()}"/></marker>'
        '<path d="M15 80L50 20L85 80" fill="none" stroke="#000" stroke-width="4" marker-start="url(#k)" marker-mid="url(#k)" marker-end="url(#k)"/>',
        "curved text": lambda: '<path id="c" d="M5 70Q50 5 95 70" fill="none"/><text font-family="Alegreya" font-size="18">'
        '<textPath xlink:href="#c">Bent words</textPath></text>',
        "gradients": lambda: f'<{rng.choice(("linearGradient", "radialGradient"))} id="f" spreadMethod="{rng.choice(("pad", "reflect"))}">'
        f'<stop stop-color="{colour()}" stop-opacity="{rng.choice((1, 0.3))}"/><stop offset=".8" stop-color="{colour()}"/>'
        "</RG>" f'<rect {place()} fill="url(#f)"/>',
        "nested": lambda: f'<svg x="10" y="10" width="70" height="50" viewBox="0 0 40 40"><rect width="50%" height="100%" fill="{colour()}"/>'
        f'<circle cx="50%" cy="50%" r="25%" fill="{colour()}"/></svg>',
        "overflowing": lambda: f'<circle cx="{rng.randrange(80, 120)}" cy="40" r="60" fill="{colour()}"/><g transform="rotate(30)">'
        f'<rect x="70" y="-50" width="20" height="190" fill="{colour()}"/></g>',
        "inherited words": lambda: f'<g font-family="Alegreya" style="font-size:{rng.randrange(18, 26)}px;font-weight:bold" text-anchor="middle">'
        f'<g fill="{colour()}" font-size="110%"><text x="50" y="40">Tea<tspan font-style="italic">V</tspan></text>'
        f'<text x="50" y="80"><tspan text-anchor="end">AV</tspan><tspan style="display:none">no</tspan></text></g></g>',
        "inherited paint": lambda: '<g fill="currentColor" clip-rule="evenodd"><clipPath id="c"><path d="M0 0H90V90H0Z M20 20H60V60H20Z"/></clipPath>'
        f'<g color="{colour()}"><rect width="90" height="90" clip-path="url(#c)"/><ellipse cx="75" cy="30" rx="{rng.randrange(8, 20)}"/></g></g>',
        "odd values": lambda: f'<rect id="a" {place()} rx="0" ry="20" fill="{colour()}"/><rect id="a" width="99" height="99" fill="red" display="none"/>'
        f'<use href="#a" x="9"/><path d="M20 80L80 60L20 40" fill="none" stroke="{colour()}" stroke-width="9" stroke-linecap="miter"/>'
        f'<svg viewBox="0 0 40 40"><circle cx="30" cy="30" r="8" fill="{colour()}"/></svg><linearGradient id="g" color="{colour()}"><stop stop-color="currentColor"/>'
        '<stop offset="1"/></linearGradient><rect x="60" width="30" height="20" fill="url(#g)"/>',
        "held": lambda: f'<image x="10" y="10" width="80" height="60" xlink:href="{data_url(draw_picture(rng))}"/>',
        "units": lambda: f'<rect x="2mm" y=".1in" width="12pt" height="50px" fill="{colour()}"/><circle cx="60%" cy="1.5cm" r="20%" fill="{colour()}"/>',
        "switched": lambda: f'<switch><rect requiredExtensions="urn:x" width="99" height="99" fill="red"/><g>{shape()}</g></switch>',
        "text": lambda: f'<text x="50" y="40" text-anchor="middle" font-family="Alegreya" font-size="20" fill="{colour()}">Two '
        '<tspan font-weight="bold">bold</tspan></text><text x="5" y="80" style="font:italic 16px Alegreya Sans, sans-serif">Slanted</text>',
        "strokes": lambda: f'<path d="M10 90L{rng.randrange(16, 30)} 15L40 90" fill="none" stroke="{colour()}" stroke-width="5"/>'
        f'<path d="M60 90L72 30L84 90" fill="none" stroke="#000" stroke-width="4" stroke-miterlimit="{rng.choice((1, 4, 12))}"/>',
        "measured by style": lambda: f'<rect style="x:10px;y:10px;width:{rng.randrange(30, 60)}px;height:40px;rx:4px;fill:{colour()}"/>'
        f"<circle style=\"cx:60px;cy:60px;r:25px;fill:{colour()}\"/>",
        "clips that cross": lambda: f'<clipPath id="c"><path d="M50 5L{rng.randrange(66, 74)} 85L5 35H95L30 85Z" clip-rule="evenodd"/>'
        f'<circle cx="50" cy="50" r="6"/></clipPath><rect width="99" height="99" fill="{colour()}" clip-path="url(#c)"/>',
        "clip of a group": lambda: f'<clipPath id="c"><g>{shape()}</g><use href="#u"/><circle id="u" cx="{rng.randrange(40, 60)}" cy="50" r="30"/></clipPath>'
        f'<rect width="99" height="99" fill="{colour()}" clip-path="url(#c)"/>',
        "symbol without a view box": lambda: f'<symbol id="s"><circle cx="4" cy="9" r="{rng.randrange(15, 30)}" fill="{colour()}"/></symbol>'
        '<use href="#s" x="40" y="30"/><use href="#s" x="5" y="60" width="20" height="20"/><svg x="60" width="30" height="50%"><rect x="50%" y="50%" width="99" height="99"/></svg>',
        "of another language": lambda: f'<style type="text/x-less">rect{{fill:red}}</style><rect {place()} fill="{colour()}"/>'
        '<o:rect xmlns:o="urn:o" x="0" y="0" width="99" height="99" fill="red"/>',
        "linked words": lambda: f'<text x="{rng.randrange(5, 20)}" y="50" font-family="Alegreya" font-size="30"><a href="page.html">Link</a></text>',
        "words of weights": lambda: f'<g font-family="Alegreya" font-size="{rng.randrange(18, 24)}" font-weight="bold"><text x="5" y="25">Bold <tspan font-weight="bolder">AVA</tspan></text>'
        '<text x="5" y="55" font-weight="heavy">Bold too</text><text x="5" y="85" font-weight="300">Regular</text></g>',
        "words in columns": lambda: f'<text font-family="Alegreya" font-size="12" text-anchor="{rng.choice(("middle", "end"))}"><tspan x="50" y="20">One </tspan>\n'
        '<tspan x="50" y="40" fill-rule="evenodd">and two</tspan> <tspan x="60" y="70" letter-spacing="6">LEFT</tspan>\n</text>',
        "painted words": lambda: f'<linearGradient id="f" x2="0" y2="1"><stop offset=".3" stop-color="{colour()}"/><stop offset=".7" stop-color="#fff"/></linearGradient>'
        '<text x="5" y="60" font-family="Alegreya" font-size="40" fill="url(#f)" stroke="#000">xxo</text>',
        "short lines": lambda: f'<path d="M20 20H20M60 50V50L60 50M30 80L70 80" stroke="{colour()}" stroke-width="{rng.randrange(9, 18)}" stroke-linecap="square"/>'
        '<path d="M5 40L90 45L20 30" fill="none" stroke="#000" stroke-width="6" stroke-linejoin="miter-clip" stroke-miterlimit="2"/>',
        "moved": lambda: f'<g transform="translate(20 10) rotate({rng.randrange(40)}) scale(.6 .8)"><g opacity=".6">{shape()}{shape()}</g></g>',
    }  # fmt: skip
    body = bodies[kind]()
    body = body.replace("</RG>", "</radialGradient>" if "<radialGradient" in body else "</linearGradient>")
    return f'{HEAD} viewBox="0 0 100 100" width="100" height="100">{body}</svg>'


_RECT = '<rect width="90" height="90" fill="#fff"/>'
NOBODY_DRAWS = {  # the picture's body, and what the message must name
    "flowed text": (
        f'{_RECT}<flowRoot><flowRegion><rect width="80" height="80"/></flowRegion><flowPara>All of it</flowPara></flowRoot>',
        "flowRoot",
    ),
    "flowed into a shape": (
        '<rect id="r" width="80" height="80" fill="none"/><text style="shape-inside:url(#r);font-family:Alegreya">words and words</text>',
        "shape-inside",
    ),
    "mesh": (
        '<meshgradient id="m" x="0" y="0"><meshrow><meshpatch><stop path="l 9 0"/></meshpatch></meshrow></meshgradient>'
        '<rect width="90" height="90" fill="url(#m)"/>',
        "meshgradient",
    ),
    "hatch": ('<hatch id="h" pitch="5"><hatchpath stroke="red"/></hatch><rect width="90" height="90" fill="url(#h)"/>', "hatch"),
    "page inside": ('<foreignObject width="90" height="90"><p xmlns="http://www.w3.org/1999/xhtml">a</p></foreignObject>', "foreignObject"),
    "variable": ('<style>:root{--c:red}</style><rect width="90" height="90" style="fill:var(--c)"/>', "var(--c)"),
    "computed": ('<rect width="calc(50% + 1px)" height="90"/>', "calc(50% + 1px)"),
    "cut by words": ('<rect width="90" height="90" clip-path="circle(40%)"/>', "circle(40%)"),
    "line of one width": ('<rect width="50" height="50" stroke="#000" vector-effect="non-scaling-stroke"/>', "vector-effect"),
    "path by style": ("<path style=\"d:path('M0 0h50v50z')\"/>", "'d'"),
    "no such part": ('<filter id="f"/><rect width="50" height="50" filter="url(#g)"/>', "'g'"),
    "letters nobody has": ('<text y="50" font-family="Alegreya" textLength="50">\u1200</text>', "\u1200"),
    "capitals by style": ('<text y="50" font-family="Alegreya" style="text-transform:uppercase">abc</text>', "text-transform"),
    "ground of a filter": (
        '<filter id="f"><feGaussianBlur in="BackgroundImage" stdDeviation="3"/></filter><rect width="50" height="50" filter="url(#f)"/>',
        "BackgroundImage",
    ),
    "picture of a part": ('<rect id="r" width="9" height="9"/><image width="50" height="50" href="#r"/>', "image"),
    "broken picture inside": ('<image width="50" height="50" href="data:image/png;base64,AAAA"/>', "picture inside"),
    "text with a shadow": ('<text y="50" font-family="Alegreya" style="text-shadow:1px 1px red">abc</text>', "text-shadow"),
    "stretched": ("STRETCHED", "preserveAspectRatio"),
    "colours of light": ('<rect width="50" height="50" fill="lab(50% 40 59)"/>', "lab(50% 40 59)"),
    "oklch in a sheet": ("<style>rect{fill:oklch(60% 0.1 200)}</style>" + _RECT, "oklch(60% 0.1 200)"),
    "languages": ('<switch><g systemLanguage="de"/><g systemLanguage="en"/></switch>', "systemLanguage"),
    "language of a reader": (
        f'<switch><rect systemLanguage="en" width="50" height="50"/>{_RECT}</switch>',
        "systemLanguage",
    ),
    "stops of a shape": (
        '<linearGradient id="g" href="#r"/><rect id="r" width="50" height="50" fill="url(#g)"/>',
        "no gradient",
    ),
    "share in a unit": (
        '<linearGradient id="g"><stop offset="5mm"/></linearGradient><rect width="50" height="50" fill="url(#g)"/>',
        "expected a number, found '5mm'",
    ),
    "unknown element": (f"{_RECT}<solidcolor/><sparkle/>", "sparkle"),
}  # fmt: skip


def nobodys(name: str) -> str:
    body, _ = NOBODY_DRAWS[name]
    if body == "STRETCHED":
        return f'{HEAD} viewBox="0 0 100 100" width="200" height="100" preserveAspectRatio="none">{_RECT}</svg>'
    return f'{HEAD} viewBox="0 0 100 100">{body}</svg>'
