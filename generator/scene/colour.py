"""Colours on the screen and in ink."""

from __future__ import annotations

from typing import NamedTuple

NEUTRAL = (
    0.17  # between the strongest and the weakest of red, green, blue: below, the eye calls a dark colour grey
)
DARK = 0.14  # luminance of type that is read as dark on light
SOLID = 0.04  # luminance of what is printed as solid black


class Colour(NamedTuple):
    """A colour as sRGB (0..1), and as CMYK (0..1) if the author gave ink values.

    ``cmyk`` wins in a CMYK document; without it `to_cmyk` converts.
    """

    red: float
    green: float
    blue: float
    cmyk: tuple[float, float, float, float] | None = None

    @classmethod
    def parse(cls, text: str) -> Colour:
        """Parse ``#rgb``, ``#rrggbb`` or ``cmyk(c m y k)`` in percent. Raises ValueError for other
        text.

        >>> Colour.parse("#ff0000").red
        1.0
        """
        word = text.strip()
        if word.startswith("#"):
            return cls._from_hex(word[1:])
        if word.startswith("cmyk(") and word.endswith(")"):
            parts = word[5:-1].replace(",", " ").split()
            values = [float(part.rstrip("%")) / 100 for part in parts]
            if len(values) == 4 and all(0 <= value <= 1 for value in values):
                return cls.from_cmyk(*values)
        raise ValueError(f"not a colour: {text!r}")

    @classmethod
    def _from_hex(cls, digits: str) -> Colour:
        if len(digits) == 3:
            digits = "".join(digit * 2 for digit in digits)
        if len(digits) != 6:
            raise ValueError(f"not a colour: '#{digits}'")
        red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
        return cls(red, green, blue)

    @classmethod
    def from_cmyk(cls, cyan: float, magenta: float, yellow: float, black: float) -> Colour:
        """Return an ink colour; its screen colour is the plain subtractive mixture."""
        screen = [(1 - ink) * (1 - black) for ink in (cyan, magenta, yellow)]
        return cls(screen[0], screen[1], screen[2], (cyan, magenta, yellow, black))

    def to_cmyk(self, limit: float = 2.4) -> tuple[float, float, float, float]:
        """Return cyan, magenta, yellow and black, 0..1, their sum at most ``limit``.

        Full grey replacement (all common grey becomes black ink) keeps small type in one ink;
        240 % is the tightest vendor limit known to us.
        """
        if self.cmyk is not None:
            return self.cmyk
        black = 1 - max(self.red, self.green, self.blue)
        if black >= 1:
            return (0.0, 0.0, 0.0, 1.0)
        light = 1 - black
        screen = (self.red, self.green, self.blue)
        cyan, magenta, yellow = (max(0.0, (light - part) / light) for part in screen)
        total = cyan + magenta + yellow
        scale = min(1.0, (limit - black) / total) if total else 1.0
        return (cyan * scale, magenta * scale, yellow * scale, black)

    def to_type_cmyk(self, limit: float = 2.4) -> tuple[float, float, float, float]:
        """Return the inks for type of this colour: dark greys are black ink alone.

        Small letters of several screened plates blur if one plate is slightly out of place. Inks
        that the author gave, and colours that are visibly not grey, stay as they are.
        """
        parts = (self.red, self.green, self.blue)
        neutral = max(parts) - min(parts) < NEUTRAL and self.luminance < DARK
        if self.cmyk is not None or not neutral:
            return self.to_cmyk(limit)
        if self.luminance < SOLID:
            return (0.0, 0.0, 0.0, 1.0)
        light = 1.055 * self.luminance ** (1 / 2.4) - 0.055
        return (0.0, 0.0, 0.0, 1 - light)

    def mix_with(self, other: Colour, share: float) -> Colour:
        """Return this colour with ``share`` (0..1) of the other mixed in, in sRGB."""
        keep = 1 - share
        return Colour(
            self.red * keep + other.red * share,
            self.green * keep + other.green * share,
            self.blue * keep + other.blue * share,
        )

    @property
    def luminance(self) -> float:
        """The relative luminance, 0..1 (WCAG 2.2)."""
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (self.red, self.green, self.blue)
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    @property
    def hex(self) -> str:
        """The colour as ``#rrggbb``."""
        return "#" + "".join(f"{round(part * 255):02x}" for part in (self.red, self.green, self.blue))


BLACK = Colour(0, 0, 0)
WHITE = Colour(1, 1, 1)
