"""Raster pictures from files: checked before a scene refers to them, upright, with 8 bits a channel and in
sRGB, and masked by another picture. The errors of all pictures, SVG included, stand here."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from io import BytesIO
from math import ceil
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, NamedTuple

from playproof.database.errors import PICTURE_SUFFIXES as PICTURE_SUFFIXES
from playproof.generator.scene import Rect

if TYPE_CHECKING:
    from PIL.Image import Image as Picture


# -- svg errors ----------------------------------------------------------------------------------------------
# Why an SVG picture is not drawn.


class BadPicture(ValueError):
    """The file is not a picture that can be drawn safely and faithfully; the message says why."""


class PictureNotFound(BadPicture):
    """There is no such file."""


class NotDrawableAsVectors(BadPicture):
    """The picture has a part, named in the message, that the scene cannot hold. As pixels it can be drawn."""


# Raster pictures, checked before a scene refers to them: each is readable, not too large, and inside a
# folder.

MOST_PIXELS = 120_000_000  # an A3 sheet at 600 dpi is 70 million


def compose_accents_of_name(name: str) -> str:
    """Return a file's name with its accents part of their letters (Unicode annex 15): Macs write them apart."""
    return unicodedata.normalize("NFC", name)


class RasterPicture(NamedTuple):
    """A raster file and its size in pixels, upright. ``data`` is the picture as PNG if it was drawn from the file,
    ``reason`` why. ``remarks`` are what its print does not show of the file."""

    file: FilePath
    width: int
    height: int
    data: bytes = b""
    reason: str = ""
    remarks: tuple[PictureRemark, ...] = ()


def read_raster_picture_or_raise_if_broken(file: FilePath) -> RasterPicture:
    """Read the picture's size and decode it once. Raises BadPicture if it is broken or too
    large."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(file) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise BadPicture(f"{width} by {height} pixels, at most {MOST_PIXELS} are read")
            size = get_size_after_exif_rotation(image)
            if image.format == "JPEG":  # an eighth of its size shows as well whether all of the file is there
                image.draft(image.mode, (width // 8, height // 8))
            image.load()
            remarks = list_unprinted_features_or_raise(image)
    except BadPicture as error:
        raise BadPicture(f"{file.name}: {error}") from None
    except UnidentifiedImageError:
        raise BadPicture(f"{file.name} {_describe_unreadable_file(file)}; save the picture as PNG or JPEG") from None
    except Exception as error:  # Pillow raises many kinds for broken files; each means the same to the user
        raise BadPicture(f"{file.name} cannot be read as a picture: {error}") from None
    return RasterPicture(file, *size, remarks=tuple(remarks))


def _describe_unreadable_file(file: FilePath) -> str:
    """Return what is wrong with a file that is in no form that Pillow reads."""
    begin = file.read_bytes()[:12]
    if not begin:
        return "is empty"
    forms = {
        b"%PDF": "is a PDF file",
        b"8BPS": "is a Photoshop file",
        b"PK\x03\x04": "is an archive",
        b"\x1f\x8b": "is compressed",
    }
    if begin[4:8] == b"ftyp":
        return "is a HEIC photograph or a film, which cannot be read"
    return next((words for sign, words in forms.items() if begin.startswith(sign)), "is in no form of pictures")


def compute_crop_shares_to_cover_box(width: float, height: float, box: Rect, focus: tuple[float, float]) -> Rect:
    """Return the crop (in shares of a picture of this shape) that fills the box without stretching, its centre
    as near the focus as the picture allows."""
    wanted = box.width / box.height
    shape = width / height
    if shape > wanted:
        share = wanted / shape
        return Rect(min(max(focus[0] - share / 2, 0), 1 - share), 0, share, 1)
    share = shape / wanted
    return Rect(0, min(max(focus[1] - share / 2, 0), 1 - share), 1, share)


def fit_rectangle_centred_in_box(width: float, height: float, box: Rect) -> Rect:
    """Return the largest rectangle of this shape that fits into the middle of the box."""
    scale = min(box.width / width, box.height / height)
    x, y = box.centre
    return Rect(x - width * scale / 2, y - height * scale / 2, width * scale, height * scale)


# -- true pixels ---------------------------------------------------------------------------------------------
# The pixels of a raster file as its author sees them: upright, 8 bits a channel, in sRGB.

ORIENTATION = 0x0112  # the EXIF tag that says which way is up
UPRIGHT = (1, 0, 0, 1, 0, 0)
USUAL_GAMMA = 0.45455  # of sRGB, as PNG writes it
USUAL_PRIMARIES = (0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)  # white, red, green, blue: those of sRGB
ALIKE = 0.01
QUALITY = 92  # of a JPEG that is made anew
SAME = 3  # of 255: a profile that changes colours by less is sRGB's in another writing
# MPO is what telephones write: a JPEG with another picture, of depth or brightness, behind it.
PLAIN_MODES = {"PNG": ("1", "L", "LA", "P", "RGB", "RGBA"), "JPEG": ("L", "RGB"), "MPO": ("L", "RGB")}
SIXTEEN = ("I;16", "I;16B", "I;16L", "I;16N")
DRAWN_MODES = ("1", "L", "LA", "La", "P", "PA", "RGB", "RGBA", "RGBa", "RGBX", "CMYK", "YCbCr", "HSV", "LAB", *SIXTEEN)


class PictureRemark(NamedTuple):
    """What a picture's print does not show of its file, and the way out."""

    message: str
    hint: str


def get_size_after_exif_rotation(opened: Picture) -> tuple[int, int]:
    """Return width and height as the picture is seen."""
    width, height = opened.size
    return (height, width) if _get_exif_orientation_or_1_if_upright(opened) >= 5 else (width, height)


def _get_exif_orientation_or_1_if_upright(opened: Picture) -> int:
    """Return how the picture lies, 1 if it is upright. Raises nothing: a broken EXIF part turns nothing."""
    if opened.format == "TIFF":
        return 1  # Pillow turns it, and has its size as it is seen
    try:
        turned = opened.getexif().get(ORIENTATION, 1)
    except Exception:  # Pillow raises many kinds for broken EXIF parts
        return 1
    return turned if isinstance(turned, int) and 2 <= turned <= 8 else 1


def get_pdf_matrix_of_exif_rotation(opened: Picture) -> tuple[int, int, int, int, int, int]:
    """Return the matrix that makes the picture upright where it fills a square from (0, 0) to (1, 1), y upwards, as in
    PDF."""
    return {
        2: (-1, 0, 0, 1, 1, 0), 3: (-1, 0, 0, -1, 1, 1), 4: (1, 0, 0, -1, 0, 1), 5: (0, -1, -1, 0, 1, 1),
        6: (0, -1, 1, 0, 0, 1), 7: (0, 1, 1, 0, 0, 0), 8: (0, 1, -1, 0, 1, 0),
    }.get(_get_exif_orientation_or_1_if_upright(opened), UPRIGHT)  # fmt: skip


def can_embed_file_bytes_unchanged(opened: Picture, *, allow_exif_rotation: bool = False) -> bool:
    """Return whether the file's bytes mean the same to everybody who draws a PNG or JPEG: nothing turns, converts or
    animates it. With ``allow_exif_rotation``, a turned one is embedded too."""
    modes = PLAIN_MODES.get(str(opened.format), ())
    return (
        opened.mode in modes
        and (allow_exif_rotation or _get_exif_orientation_or_1_if_upright(opened) == 1)
        and _count_frames_but_one_for_mpo(opened) == 1
        and not _has_profile_other_than_srgb(opened)
        and not _get_deviating_png_gamma_or_zero(opened)
        and "transparency" not in opened.info  # Pillow and others disagree on figures of less or more than 8 bits
    )


def _count_frames_but_one_for_mpo(opened: Picture) -> int:
    return 1 if opened.format == "MPO" else int(getattr(opened, "n_frames", 1))


def list_unprinted_features_or_raise(opened: Picture) -> list[PictureRemark]:
    """Return what the print of this picture leaves out. Raises BadPicture if its pixels cannot be printed."""
    if opened.mode not in DRAWN_MODES and not _is_16_bit_file_read_as_32(opened):
        raise BadPicture(
            f"its pixels are of a kind that cannot be printed ({opened.mode}: 32 bits a channel, or not colours); "
            "save it as PNG with 8 or 16 bits a channel"
        )
    remarks = []
    frames = _count_frames_but_one_for_mpo(opened)
    if frames > 1:
        remarks.append(
            PictureRemark(f"it has {frames} frames or pages; the first is printed", "save the one you want as PNG")
        )
    is_lab = opened.mode == "LAB"  # whose colours need no profile
    if not is_lab and _has_profile_other_than_srgb(opened) and _get_usable_profile_conversion_or_none(opened) is None:
        remarks.append(
            PictureRemark("its colour profile does not fit its pixels, or cannot be read", "convert it to sRGB")
        )
    if _has_unlike_primaries_without_profile(opened):
        remarks.append(
            PictureRemark("it names other primary colours than sRGB's, without a profile", "convert it to sRGB")
        )
    return remarks


def _has_unlike_primaries_without_profile(opened: Picture) -> bool:
    primaries = opened.info.get("chromaticity")
    if not primaries or opened.info.get("icc_profile") or "srgb" in opened.info:
        return False
    pairs = zip(primaries, USUAL_PRIMARIES, strict=False)
    return any(abs(float(own) - usual) > ALIKE for own, usual in pairs)


def convert_first_frame_to_upright_srgb(opened: Picture, keep_cmyk: bool = False) -> Picture:
    """Return the first frame as L, RGB or RGBA; with ``keep_cmyk`` a CMYK picture as it is."""
    opened.seek(0)
    colours = picture = _convert_to_8_bits_with_alpha(opened)
    if not (picture.mode == "CMYK" and keep_cmyk):
        has_alpha = "A" in picture.getbands() and picture.mode != "LAB"  # whose A is a colour
        alpha = picture.getchannel("A") if has_alpha else None
        colours = _convert_colours_to_srgb(picture, opened)
        if alpha is not None:
            colours = colours.convert("RGB")
            colours.putalpha(alpha)
    turn = _build_orientation_transposes().get(_get_exif_orientation_or_1_if_upright(opened))
    return colours if turn is None else colours.transpose(turn)


def _build_orientation_transposes() -> dict[int, Any]:
    """Return what makes a picture upright, by its orientation."""
    from PIL.Image import Transpose

    return {
        2: Transpose.FLIP_LEFT_RIGHT, 3: Transpose.ROTATE_180, 4: Transpose.FLIP_TOP_BOTTOM,
        5: Transpose.TRANSPOSE, 6: Transpose.ROTATE_270, 7: Transpose.TRANSVERSE, 8: Transpose.ROTATE_90,
    }  # fmt: skip


def encode_jpeg_without_metadata(picture: Picture) -> bytes:
    """Return pixels, none of them see-through, as a JPEG file that says nothing but its pixels."""
    out = BytesIO()
    plain = picture if picture.mode in ("L", "RGB") else picture.convert("RGB")
    plain.save(out, "JPEG", quality=QUALITY, icc_profile=None, exif=b"")
    return out.getvalue()


def encode_png_without_metadata(picture: Picture) -> bytes:
    """Return pixels as a PNG file that says nothing but its pixels."""
    out = BytesIO()
    plain = picture if picture.mode in ("L", "RGB", "RGBA") else picture.convert("RGB")
    plain.info = {}
    plain.save(out, "PNG", compress_level=4)
    return out.getvalue()


def _is_16_bit_file_read_as_32(opened: Picture) -> bool:
    return opened.mode == "I" and opened.format in ("PNG", "PPM")


def _convert_to_8_bits_with_alpha(opened: Picture) -> Picture:
    """Return the picture with 8 bits a channel, and what is see-through as a channel."""
    from PIL import Image, ImageChops

    if opened.mode in SIXTEEN or _is_16_bit_file_read_as_32(opened):
        import numpy

        deep = numpy.asarray(opened.convert("I"), dtype=numpy.int64).clip(0, 65535)
        grey = Image.fromarray(((deep + 128) // 257).astype(numpy.uint8))
        clear = opened.info.get("transparency")
        if isinstance(clear, int):
            grey.putalpha(Image.fromarray(numpy.where(deep == clear, 0, 255).astype(numpy.uint8)))
        return grey
    clear = opened.info.get("transparency")
    if opened.mode in ("1", "L", "RGB") and isinstance(clear, int | tuple) and opened.format == "PNG":
        depth = _read_png_bit_depth_or_8(opened)  # before Pillow reads the pixels, and closes the file
        plain = opened.convert("RGB" if opened.mode == "RGB" else "L")
        levels = [_scale_level_to_8_bits(part, depth) for part in ((clear,) if isinstance(clear, int) else clear)]
        bands = zip(plain.split(), levels, strict=False)
        others = [band.point(lambda value, level=level: 0 if value == level else 255) for band, level in bands]
        mask = others[0]
        for other in others[1:]:
            mask = ImageChops.lighter(mask, other)
        plain.info = {}
        plain.putalpha(mask)
        return plain
    if "transparency" in opened.info or opened.mode in ("PA", "RGBa", "La"):
        return opened.convert("RGBA")
    return opened.convert({"1": "L", "P": "RGB", "RGBX": "RGB"}.get(opened.mode, opened.mode))


def _read_png_bit_depth_or_8(opened: Picture) -> int:
    """Return the bits of a channel of a PNG file. Pillow scales pixels to 8, and leaves the see-through colour as it
    was; once it has read the pixels, the file is closed."""
    file = getattr(opened, "fp", None)
    if file is None or file.closed:
        name = getattr(opened, "filename", "")
        data = FilePath(name).read_bytes()[:25] if name else b""
        return data[24] if len(data) == 25 else 8
    at = file.tell()
    file.seek(24)
    depth = file.read(1)
    file.seek(at)
    return depth[0] if depth else 8


def _scale_level_to_8_bits(level: int, depth: int) -> int:
    return level >> 8 if depth == 16 else level * 255 // (2**depth - 1)


def _convert_colours_to_srgb(picture: Picture, original_picture: Picture) -> Picture:
    """Return the colours without what is see-through, in sRGB."""
    conversion = (
        _get_usable_profile_conversion_or_none(original_picture)
        if _has_profile_other_than_srgb(original_picture)
        else None
    )
    if conversion is not None:
        from PIL import ImageCms

        plain = picture.convert(conversion.mode)
        converted = ImageCms.applyTransform(plain, conversion.transform)
        assert converted is not None  # only a picture that is changed in place gives none
        return converted
    if picture.mode == "LAB":
        return _convert_lab_to_srgb(picture)
    colours = picture if picture.mode in ("L", "RGB") else picture.convert("L" if picture.mode == "LA" else "RGB")
    if gamma := _get_deviating_png_gamma_or_zero(original_picture):
        scale = USUAL_GAMMA / gamma
        table = [round(255 * (value / 255) ** scale) for value in range(256)]
        colours = colours.point(table * len(colours.getbands()))
    return colours


def _convert_lab_to_srgb(picture: Picture) -> Picture:
    from PIL import ImageCms

    lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
    converted = ImageCms.profileToProfile(picture, lab, srgb, outputMode="RGB")
    assert converted is not None  # as above
    return converted


def _get_deviating_png_gamma_or_zero(opened: Picture) -> float:
    """Return the gamma of a PNG that has another than sRGB's and no profile, else 0."""
    gamma = opened.info.get("gamma")
    if not gamma or "srgb" in opened.info or opened.info.get("icc_profile"):
        return 0.0
    return float(gamma) if abs(gamma - USUAL_GAMMA) > ALIKE else 0.0


class _ProfileConversion(NamedTuple):
    """How a colour profile is read: Pillow's mode of its colours, the way to sRGB, and whether that changes any."""

    mode: str
    transform: Any
    changes: bool


def _has_profile_other_than_srgb(opened: Picture) -> bool:
    """Return whether the file has a colour profile by which its colours are others than in sRGB."""
    profile = opened.info.get("icc_profile")
    if not profile:
        return False
    reading = _parse_colour_profile_or_none(profile)
    return reading is None or reading.changes or not _is_profile_mode_of_picture(reading, opened)


def _get_usable_profile_conversion_or_none(opened: Picture) -> _ProfileConversion | None:
    """Return the way from the file's own colours to sRGB, None if its profile cannot be used."""
    reading = _parse_colour_profile_or_none(opened.info["icc_profile"])
    return reading if reading is not None and _is_profile_mode_of_picture(reading, opened) else None


def _is_profile_mode_of_picture(reading: _ProfileConversion, opened: Picture) -> bool:
    grey = opened.mode in ("1", "L", "LA", "La", "I", *SIXTEEN)
    return (opened.mode == "CMYK") == (reading.mode == "CMYK") and (reading.mode != "L" or grey)


@lru_cache(maxsize=32)
def _parse_colour_profile_or_none(profile_bytes: bytes) -> _ProfileConversion | None:
    """Return how a profile is read, None if it cannot be. What it changes is tried on some colours: names lie."""
    from PIL import Image, ImageChops, ImageCms

    modes = {"GRAY": "L", "RGB ": "RGB", "CMYK": "CMYK"}
    try:
        profile = ImageCms.ImageCmsProfile(BytesIO(profile_bytes))
        mode = modes[profile.profile.xcolor_space]
        transform = ImageCms.buildTransform(profile, ImageCms.createProfile("sRGB"), mode, "RGB")
        tried = (
            Image.linear_gradient("L")
            if mode == "L"
            else Image.frombytes("RGB", (8, 8), _build_64_sample_rgb_colours())
        )
        read = ImageCms.applyTransform(tried if mode != "CMYK" else tried.convert("CMYK"), transform)
    except (ImageCms.PyCMSError, OSError, KeyError, ValueError):
        return None
    assert read is not None  # only a picture that is changed in place gives none
    bands = ImageChops.difference(read, tried.convert("RGB")).split()
    return _ProfileConversion(mode, transform, any(sum(band.histogram()[SAME + 1 :]) for band in bands))


def _build_64_sample_rgb_colours() -> bytes:
    """Return 64 colours: each of red, green and blue in four steps."""
    steps = (0, 85, 170, 255)
    return bytes(part for red in steps for green in steps for blue in steps for part in (red, green, blue))


# -- masking -------------------------------------------------------------------------------------------------
# Pixels of which another picture says what is see-through: torn edges, brush strokes, vignettes.

LEAST_DPI = 300.0  # dots to the inch of the masked picture: its edge is as fine as print shops ask for
MOST_DPI = 450.0  # more is not seen


def render_masked_crop_to_png(
    picture: RasterPicture, crop_shares: Rect, mask: RasterPicture, mask_crop_shares: Rect, size_mm: tuple[float, float]
) -> bytes:
    """Return the ``crop_shares`` of a picture as PNG, see-through where the ``mask_crop_shares`` of a mask are.

    Both are shares of their pictures; ``size_mm`` is that of the place they fill, in mm. A mask shows as much as it is
    opaque; one that is opaque everywhere shows as much as it is bright.
    """
    from PIL import ImageChops
    from PIL.Image import Resampling

    pixels = _crop_to_nearest_pixels(_load_upright_srgb_pixels(picture), crop_shares).convert("RGBA")
    dots = min(pixels.width / size_mm[0], pixels.height / size_mm[1]) * 25.4
    wanted = dots if LEAST_DPI <= dots <= MOST_DPI else LEAST_DPI
    target = (max(1, ceil(size_mm[0] / 25.4 * wanted)), max(1, ceil(size_mm[1] / 25.4 * wanted)))
    pixels = pixels.resize(target, Resampling.LANCZOS)
    alpha = _crop_to_nearest_pixels(
        _convert_mask_to_opacity_levels(_load_upright_srgb_pixels(mask)), mask_crop_shares
    ).resize(target, Resampling.LANCZOS)
    pixels.putalpha(ImageChops.multiply(pixels.getchannel("A"), alpha))
    return encode_png_without_metadata(pixels)


def _load_upright_srgb_pixels(picture: RasterPicture) -> Picture:
    from PIL import Image

    with Image.open(BytesIO(picture.data) if picture.data else picture.file) as opened:
        return convert_first_frame_to_upright_srgb(opened)


def _convert_mask_to_opacity_levels(mask: Picture) -> Picture:
    """Return how much of a picture a mask shows, as grey."""
    if "A" in mask.getbands():
        alpha = mask.getchannel("A")
        if alpha.getextrema() != (255, 255):
            return alpha
    return mask.convert("RGB").convert("L")


def _crop_to_nearest_pixels(picture: Picture, crop_shares: Rect) -> Picture:
    """Return the pixels that lie in a crop, as nearly as whole pixels can."""
    width, height = picture.size
    left, top = round(crop_shares.x * width), round(crop_shares.y * height)
    right, bottom = (max(left + 1, round(crop_shares.right * width)), max(top + 1, round(crop_shares.bottom * height)))
    return picture.crop((left, top, right, bottom))
