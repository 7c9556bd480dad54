"""Pictures in every kind and depth that strangers bring, each with what it shows: drawn by a seed, written anew."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from random import Random

from PIL import Image, ImageCms, ImageDraw, TiffImagePlugin
from PIL.Image import Transpose

SIDE = (192, 144)  # pixels; wider than high, so that one that lies on its side is seen

Write = Callable[[Image.Image, Path], Image.Image]
"""Writes an RGBA picture to a path, and returns what the file shows."""


def draw_picture(rng: Random, black: bool = False) -> Image.Image:
    """A few large flat shapes, see-through beside them; with `black`, one black shape, as marks of suits are."""
    picture = Image.new("RGBA", SIDE, (0, 0, 0, 0))
    pen = ImageDraw.Draw(picture)
    for _ in range(1 if black else rng.randrange(2, 5)):
        colour = (0, 0, 0) if black else tuple(rng.choice((0, 60, 128, 200, 255)) for _ in range(3))
        x, y = rng.randrange(16, 80), rng.randrange(12, 52)
        box = (x, y, x + rng.randrange(48, 100), y + rng.randrange(48, 84))
        rng.choice((pen.ellipse, pen.rectangle, partial(_triangle, pen)))(box, fill=(*colour, 255))
    return picture


def _triangle(pen: ImageDraw.ImageDraw, box: tuple[int, int, int, int], fill: tuple[int, ...]) -> None:
    left, top, right, bottom = box
    pen.polygon([(left, bottom), ((left + right) // 2, top), (right, bottom)], fill=fill)


def on_white(picture: Image.Image) -> Image.Image:
    rgba = picture.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba).convert("RGB")


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(
    size: tuple[int, int], depth: int, kind: int, rows: list[bytes], extra: bytes = b"", interlace: int = 0
) -> bytes:
    """A PNG file from packed rows, which Pillow does not write in every depth."""
    head = struct.pack(">IIBBBBB", *size, depth, kind, 0, 0, interlace)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def profile(curve: float, primaries: tuple[tuple[float, float, float], ...] = ()) -> bytes:
    """An ICC profile (version 2) with a gamma: of grey, or with the XYZ of red, green and blue."""
    tags = {b"desc": b"desc\0\0\0\0\0\0\0\5test\0" + b"\0" * 78, b"cprt": b"text\0\0\0\0none\0"}
    tags[b"wtpt"] = _xyz((0.9642, 1.0, 0.8249))
    gamma = b"curv\0\0\0\0\0\0\0\1" + struct.pack(">H", round(curve * 256))
    if primaries:
        for name, value in zip((b"rXYZ", b"gXYZ", b"bXYZ"), primaries, strict=True):
            tags[name] = _xyz(value)
        tags |= dict.fromkeys((b"rTRC", b"gTRC", b"bTRC"), gamma)
    else:
        tags[b"kTRC"] = gamma
    table, body, at = struct.pack(">I", len(tags)), b"", 128 + 4 + 12 * len(tags)
    for name, data in tags.items():
        table += name + struct.pack(">II", at + len(body), len(data))
        body += data + b"\0" * (-len(data) % 4)
    space = b"RGB " if primaries else b"GRAY"
    head = struct.pack(">I4sI4s4s4s", at + len(body), b"\0\0\0\0", 0x02400000, b"mntr", space, b"XYZ ")
    head += b"\0" * 12 + b"acsp" + b"\0" * 28 + struct.pack(">iii", 63190, 65536, 54061) + b"\0" * 48
    return head + table + body


def _xyz(value: tuple[float, ...]) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">iii", *(round(part * 65536) for part in value))


WIDE = ((0.797, 0.288, 0.0), (0.135, 0.712, 0.0), (0.031, 0.0, 0.825))  # about ProPhoto's red, green and blue


def _saved(form: str, mode: str, **options: object) -> Write:
    """The picture on white in one of Pillow's modes."""

    def write(picture: Image.Image, path: Path) -> Image.Image:
        shown = picture if mode in ("RGBA", "LA") else on_white(picture)
        made = shown.convert(mode, dither=Image.Dither.NONE)
        made.save(path, form, **options)
        return on_white(made.convert("RGBA"))

    return write


def _grey(depth: int, clear: bool = False) -> Write:
    """Grey of 1, 2, 4 or 16 bits, in which one level is see-through if `clear`."""

    def write(picture: Image.Image, path: Path) -> Image.Image:
        plain, most = on_white(picture).convert("L"), 2**depth - 1
        data, width = plain.tobytes(), SIDE[0]
        levels = [[round(part / 255 * most) for part in data[at : at + width]] for at in range(0, len(data), width)]
        if depth == 16:
            rows = [struct.pack(f">{len(row)}H", *row) for row in levels]
        else:
            rows = [_packed(row, depth) for row in levels]
        missing = min(min(row) for row in levels)
        extra = chunk(b"tRNS", struct.pack(">H", missing)) if clear else b""
        path.write_bytes(png(SIDE, depth, 0, rows, extra))
        shown = Image.new("L", SIDE)
        shown.putdata([255 if clear and level == missing else level * 255 // most for row in levels for level in row])
        return shown.convert("RGB")

    return write


def _packed(row: list[int], depth: int) -> bytes:
    bits = "".join(f"{level:0{depth}b}" for level in row)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


def _deep(channels: str) -> Write:
    """16 bits a channel: RGB, RGBA or LA."""

    def write(picture: Image.Image, path: Path) -> Image.Image:
        made = (picture if "A" in channels else on_white(picture)).convert(channels)
        data, width = made.tobytes(), SIDE[0] * len(channels)
        rows = [b"".join(bytes((part, part)) for part in data[at : at + width]) for at in range(0, len(data), width)]
        path.write_bytes(png(SIDE, 16, {"RGB": 2, "LA": 4, "RGBA": 6}[channels], rows))
        return on_white(made.convert("RGBA"))

    return write


def _interlaced(picture: Image.Image, path: Path) -> Image.Image:
    """Adam7: the picture in seven passes."""
    plain = on_white(picture)
    rows = []
    for x0, y0, dx, dy in (
        (0, 0, 8, 8),
        (4, 0, 8, 8),
        (0, 4, 4, 8),
        (2, 0, 4, 4),
        (0, 2, 2, 4),
        (1, 0, 2, 2),
        (0, 1, 1, 2),
    ):
        for y in range(y0, SIDE[1], dy):
            rows.append(b"".join(bytes(plain.getpixel((x, y))) for x in range(x0, SIDE[0], dx)))
    path.write_bytes(png(SIDE, 8, 2, rows, interlace=1))
    return plain


def _colour_key(depth: int) -> Write:
    """RGB in which one colour is see-through."""

    def write(picture: Image.Image, path: Path) -> Image.Image:
        flat = Image.new("RGBA", SIDE, (1, 2, 3, 255))
        plain = Image.alpha_composite(flat, picture).convert("RGB")
        data, width = plain.tobytes(), SIDE[0] * 3
        wide = 2 if depth == 16 else 1
        rows = [b"".join(bytes((part,)) * wide for part in data[at : at + width]) for at in range(0, len(data), width)]
        key = struct.pack(">HHH", *(part * 257 if depth == 16 else part for part in (1, 2, 3)))
        path.write_bytes(png(SIDE, depth, 2, rows, chunk(b"tRNS", key)))
        return on_white(picture)

    return write


def _palette(clear: bool) -> Write:
    def write(picture: Image.Image, path: Path) -> Image.Image:
        flat = Image.alpha_composite(Image.new("RGBA", SIDE, (10, 250, 130, 255)), picture).convert("RGB")
        made = flat.quantize(16, dither=Image.Dither.NONE)
        ground = made.getpixel((0, 0))
        shown = made.convert("RGB")
        if not clear:
            made.save(path, "PNG")
            return shown
        made.save(path, "PNG", transparency=bytes(255 if index != ground else 0 for index in range(16)))
        mask = Image.frombytes("L", SIDE, bytes(0 if index == ground else 255 for index in made.tobytes()))
        shown.putalpha(mask)
        return on_white(shown)

    return write


def _turned(orientation: int) -> Write:
    """A photograph whose file says how the telephone was held."""
    lying = {
        1: None, 2: Transpose.FLIP_LEFT_RIGHT, 3: Transpose.ROTATE_180, 4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE, 6: Transpose.ROTATE_90, 7: Transpose.TRANSVERSE, 8: Transpose.ROTATE_270,
    }[orientation]  # fmt: skip

    def write(picture: Image.Image, path: Path) -> Image.Image:
        plain = on_white(picture)
        exif = Image.Exif()
        exif[0x0112] = orientation
        made = plain if lying is None else plain.transpose(lying)
        form = {".png": "PNG", ".webp": "WEBP", ".avif": "AVIF", ".tif": "TIFF"}.get(path.suffix, "JPEG")
        more: dict[str, object] = {"tiffinfo": {0x0112: orientation}} if form == "TIFF" else {"exif": exif}
        made.save(path, form, quality=95, **({"subsampling": 0} if form == "JPEG" else {}), **more)
        return plain

    return write


def _write_lab_colour_tiff(picture: Image.Image, path: Path) -> Image.Image:
    """Colours as they are measured, one of whose channels is called A."""
    plain = on_white(picture)
    srgb, lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    made = ImageCms.profileToProfile(plain, srgb, lab, outputMode="LAB")
    assert made is not None
    made.info = {}
    made.save(path, "TIFF")
    return plain


def _profiled(form: str, data: bytes, mode: str = "RGB") -> Write:
    """Colours in a profile of their own. What it shows comes from the profile's definition, not from a library."""

    def write(picture: Image.Image, path: Path) -> Image.Image:
        made = on_white(picture).convert(mode)
        made.save(path, form, icc_profile=data, **({"quality": 95, "subsampling": 0} if form == "JPEG" else {}))
        if mode == "L":
            return made.point([_encoded((value / 255) ** 1.0) for value in range(256)]).convert("RGB")
        colours = {colour for _, colour in made.getcolors(1 << 16) or ()}
        meant = {colour: _wide_in_srgb(colour) for colour in colours}
        shown = Image.new("RGB", SIDE)
        shown.putdata([meant[colour] for colour in made.get_flattened_data()])
        return shown

    return write


def _encoded(light: float) -> int:
    """Light from 0 to 1 as sRGB writes it."""
    light = min(1.0, max(0.0, light))
    return round(255 * (12.92 * light if light <= 0.0031308 else 1.055 * light ** (1 / 2.4) - 0.055))


def _wide_in_srgb(colour: tuple[int, ...]) -> tuple[int, ...]:
    """A colour of the profile WIDE with gamma 1.8, in sRGB: XYZ by definition (D50), then sRGB's matrix for D50."""
    light = [(part / 255) ** 1.8 for part in colour]
    x, y, z = (sum(WIDE[of][axis] * light[of] for of in range(3)) for axis in range(3))
    red = 3.1338561 * x - 1.6168667 * y - 0.4906146 * z
    green = -0.9787684 * x + 1.9161415 * y + 0.0334540 * z
    blue = 0.0719453 * x - 0.2289914 * y + 1.4052427 * z
    return tuple(map(_encoded, (red, green, blue)))


def _gamma(picture: Image.Image, path: Path) -> Image.Image:
    """A PNG whose numbers are light itself (gamma 1)."""
    plain = on_white(picture)
    data, width = plain.tobytes(), SIDE[0] * 3
    rows = [data[at : at + width] for at in range(0, len(data), width)]
    path.write_bytes(png(SIDE, 8, 2, rows, chunk(b"gAMA", struct.pack(">I", 100000))))
    return plain.point([round(255 * (value / 255) ** (1 / 2.2)) for value in range(256)] * 3)


def _frames(form: str) -> Write:
    def write(picture: Image.Image, path: Path) -> Image.Image:
        first = on_white(picture)
        others = [Image.new("RGB", SIDE, colour) for colour in ("red", "blue")]
        first.save(path, form, save_all=True, append_images=others, **({"lossless": True} if form == "WEBP" else {}))
        with Image.open(path) as opened:
            return on_white(opened.convert("RGBA"))

    return write


def _inked(form: str, **options: object) -> Write:
    """Inks, which Photoshop writes the other way round into a JPEG."""

    def write(picture: Image.Image, path: Path) -> Image.Image:
        plain = on_white(picture)
        plain.convert("CMYK").save(path, form, **options)
        return plain

    return write


def _deep_map(picture: Image.Image, path: Path) -> Image.Image:
    """A grey map of 16 bits (PGM)."""
    plain = on_white(picture).convert("L")
    body = b"".join(struct.pack(">H", level * 257) for level in plain.get_flattened_data())
    path.write_bytes(b"P5 %d %d 65535\n" % SIDE + body)
    return plain.convert("RGB")


def _deep_tiff(picture: Image.Image, path: Path) -> Image.Image:
    plain = on_white(picture).convert("L")
    deep = Image.new("I;16", SIDE)
    deep.putdata([level * 257 for level in plain.get_flattened_data()])
    deep.save(path, "TIFF")
    return plain.convert("RGB")


KINDS: dict[str, Write] = {
    "rgb.png": _saved("PNG", "RGB"),
    "rgba.png": _saved("PNG", "RGBA"),
    "palette.png": _palette(False),
    "palette-clear.png": _palette(True),
    "grey.png": _saved("PNG", "L"),
    "grey-alpha.png": _saved("PNG", "LA"),
    "one-bit.png": _saved("PNG", "1"),
    "one-bit-clear.png": _grey(1, clear=True),
    "two-bits.png": _grey(2),
    "two-bits-clear.png": _grey(2, clear=True),
    "four-bits-clear.png": _grey(4, clear=True),
    "grey16.png": _grey(16),
    "grey16-clear.png": _grey(16, clear=True),
    "rgb16.png": _deep("RGB"),
    "rgba16.png": _deep("RGBA"),
    "grey-alpha16.png": _deep("LA"),
    "interlaced.png": _interlaced,
    "colour-key.png": _colour_key(8),
    "colour-key16.png": _colour_key(16),
    "gamma.png": _gamma,
    "turned.png": _turned(6),
    "profile.png": _profiled("PNG", profile(1.8, WIDE)),
    "profile-grey.png": _profiled("PNG", profile(1.0), "L"),
    "animated.png": _frames("PNG"),
    "plain.jpg": _saved("JPEG", "RGB", quality=95, subsampling=0),
    "progressive.jpeg": _saved("JPEG", "RGB", quality=95, subsampling=0, progressive=True),
    "grey.JPG": _saved("JPEG", "L", quality=95, subsampling=0),
    "inks.jpg": _inked("JPEG", quality=95, subsampling=0),
    "profile.jpg": _profiled("JPEG", profile(1.8, WIDE)),
    **{f"turned{number}.jpg": _turned(number) for number in range(1, 9)},
    **{f"turned{number}.tif": _turned(number) for number in (3, 6)},
    "turned8.webp": _turned(8),
    "turned5.avif": _turned(5),
    "laboratory.tif": _write_lab_colour_tiff,
    "plain.webp": _saved("WEBP", "RGB", lossless=True),
    "clear.webp": _saved("WEBP", "RGBA", lossless=True),
    "animated.webp": _frames("WEBP"),
    "plain.gif": _saved("GIF", "P"),
    "animated.gif": _frames("GIF"),
    "plain.bmp": _saved("BMP", "RGB"),
    "plain.tif": _saved("TIFF", "RGB", compression="tiff_lzw"),
    "clear.tiff": _saved("TIFF", "RGBA"),
    "grey16.tif": _deep_tiff,
    "inks.tif": _inked("TIFF"),
    "pages.tif": _frames("TIFF"),
    "plain.avif": _saved("AVIF", "RGB", quality=95),
    "clear.avif": _saved("AVIF", "RGBA", quality=95),
    "deep.pgm": _deep_map,
    "plain.ppm": _saved("PPM", "RGB"),
    "plain.jp2": _saved("JPEG2000", "RGB"),
    "plain.ico": _saved("ICO", "RGBA", sizes=[SIDE]),
}

FRAMES = ("animated.png", "animated.webp", "animated.gif", "pages.tif")


def write_picture(name: str, rng: Random, path: Path, black: bool = False) -> Image.Image:
    """Write a picture of a kind, and return what it shows on white."""
    return KINDS[name](draw_picture(rng, black), path)


def float_tiff(path: Path) -> None:
    """A file of measurements, which no printer can show."""
    Image.new("F", SIDE, 0.5).save(path, "TIFF")


def data_url(picture: Image.Image) -> str:
    from base64 import b64encode

    out = BytesIO()
    picture.save(out, "PNG")
    return f"data:image/png;base64,{b64encode(out.getvalue()).decode()}"


assert TiffImagePlugin  # Pillow's reader of TIFF is part of what is tried
