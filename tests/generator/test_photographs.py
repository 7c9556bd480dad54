"""Photographs: a JPEG stays the file that it is, and only one that is far too large is made smaller."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import pikepdf
import pypdfium2
import pytest
from PIL import Image as Pillow, ImageChops, ImageOps, ImageStat

from playproof.generator.art.picture_files import BadPicture, read_raster_picture_or_raise_if_broken
from playproof.generator.pdf import Metadata, PdfPartPool, render_pages_to_pdf_bytes
from playproof.generator.scene import Image, Page, Rect
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project

CROP = Rect(0.1, 0.25, 0.5, 0.5)
PLACE = Rect(5, 5, 40, 40)  # mm


@pytest.fixture
def photograph(tmp_path: Path) -> Callable[..., Path]:
    """Makes a JPEG with slow changes and an edge, as photographs have them."""

    def make(size: int = 800, turned: int = 1, mode: str = "RGB") -> Path:
        across, down = (Pillow.linear_gradient("L").resize((size, size)), Pillow.linear_gradient("L").rotate(90))
        picture = Pillow.merge("RGB", (across, down.resize((size, size)), Pillow.new("L", (size, size), 90)))
        picture.paste((250, 240, 20), (size // 4, size // 3, size // 2, size // 2))
        exif = Pillow.Exif()
        exif[0x112] = turned
        file = tmp_path / f"photo{size}-{turned}-{mode}.jpg"
        picture.convert(mode).save(file, quality=85, exif=exif if turned != 1 else b"")
        return file

    return make


def printed(file: Path, crop: Rect = CROP, **settings: Any) -> bytes:
    page = Page(50, 50, (), (Image(file, PLACE, crop),))
    return render_pages_to_pdf_bytes(
        [page], metadata=Metadata("photo"), pool=PdfPartPool(get_fonts_of_game_in_export_or_project(), **settings)
    )


class Stored(NamedTuple):
    """The one picture of a PDF."""

    filter: str
    space: str
    width: int
    raw: bytes


def only_image(data: bytes) -> Stored:
    with pikepdf.open(BytesIO(data)) as pdf:
        streams = [item for item in pdf.objects if isinstance(item, pikepdf.Stream)]
        (image,) = [stream for stream in streams if stream.get("/Subtype") == "/Image"]
        facts = str(image.Filter), str(image.ColorSpace), int(image.Width)
        return Stored(*facts, image.read_raw_bytes())


def pixels(data: bytes) -> Pillow.Image:
    return pypdfium2.PdfDocument(data)[0].render(scale=2).to_pil().convert("RGB")


@pytest.mark.parametrize(("mode", "turned"), [("RGB", 1), ("L", 1), ("RGB", 6), ("RGB", 7)])
def test_a_cropped_photograph_is_its_own_file(photograph: Callable[..., Path], mode: str, turned: int) -> None:
    """Also one that its EXIF part turns: the page turns it."""
    file = photograph(mode=mode, turned=turned)
    image = only_image(printed(file, picture_dpi=0))
    assert image.filter == "/DCTDecode"
    assert image.raw == file.read_bytes()


@pytest.mark.parametrize("turned", range(1, 9))
def test_a_turned_photograph_prints_upright(photograph: Callable[..., Path], turned: int) -> None:
    """As Pillow turns it, cropped where it is upright."""
    file = photograph(turned=turned)
    with Pillow.open(file) as opened:
        upright = ImageOps.exif_transpose(opened)
    size = upright.width
    box = (CROP.x * size, CROP.y * size, CROP.right * size, CROP.bottom * size)
    page = pypdfium2.PdfDocument(printed(file, picture_dpi=0))[0].render(scale=4 * 25.4 / 72).to_pil()
    seen = page.convert("RGB").crop((20, 20, 180, 180))
    meant = upright.crop(tuple(map(round, box))).resize(seen.size)
    assert max(ImageStat.Stat(ImageChops.difference(seen, meant)).mean) < 4


@pytest.mark.parametrize("turned", range(1, 9))
def test_scaled_turned_and_kept_photographs_look_alike(photograph: Callable[..., Path], turned: int) -> None:
    """Half the pixels, or all: the page is the same to the eye."""
    file = photograph(1600, turned)
    kept, scaled = printed(file, picture_dpi=0), printed(file, picture_dpi=150)
    assert only_image(scaled).filter == "/DCTDecode"
    assert len(scaled) < len(kept) / 2
    difference = ImageChops.difference(pixels(kept), pixels(scaled)).convert("L")
    assert sum(difference.histogram()[40:]) < 400, "pixels that differ clearly, at edges only"


def test_only_what_is_far_too_large_is_scaled(photograph: Callable[..., Path]) -> None:
    file = photograph(800)  # half of it on 40 mm: 254 dots to the inch
    assert only_image(printed(file, picture_dpi=200)).width == 800
    assert only_image(printed(file, picture_dpi=150)).width == pytest.approx(40 / 25.4 * 150, abs=3)


def test_a_print_shop_gets_inks_of_the_scaled_photograph(photograph: Callable[..., Path]) -> None:
    image = only_image(printed(photograph(1600), colour_space="cmyk", transparency=False, picture_dpi=300))
    assert image.space == "/DeviceCMYK"
    assert image.width == pytest.approx(40 / 25.4 * 300, abs=3)


def test_a_photograph_whose_end_is_missing_is_refused(photograph: Callable[..., Path]) -> None:
    file = photograph()
    assert read_raster_picture_or_raise_if_broken(file)[1:3] == (800, 800)
    file.write_bytes(file.read_bytes()[:-2000])
    with pytest.raises(BadPicture, match="truncated"):
        read_raster_picture_or_raise_if_broken(file)


def test_a_turned_photograph_has_its_upright_size(photograph: Callable[..., Path]) -> None:
    file = photograph()
    with Pillow.open(file) as opened:
        wide = opened.crop((0, 0, 800, 400))
    exif = Pillow.Exif()
    exif[0x112] = 6
    wide.save(file, exif=exif)
    assert read_raster_picture_or_raise_if_broken(file)[1:3] == (400, 800)


@pytest.mark.parametrize(
    ("begin", "says"),
    [(b"", "is empty"), (b"%PDF-1.7", "is a PDF file"), (b"\0\0\0\x18ftypheic", "HEIC"), (b"<html>", "in no form")],
)
def test_what_is_no_picture_is_named_with_the_way_out(begin: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "owl.png").write_bytes(begin)
    with pytest.raises(BadPicture, match=f"owl.png is .*{says.split()[-1]}.*save the picture as PNG or JPEG"):
        read_raster_picture_or_raise_if_broken(tmp_path / "owl.png")
