"""Vendors as data."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.generator.sheets.slots import Size
from playproof.generator.vendor_profiles import (
    list_sorted_names_of_vendor_profiles,
    read_vendor_profile_by_name_or_raise,
)

POKER = Size(63.5, 88.9)
DOTS = 300 / 25.4  # a millimetre


@pytest.mark.parametrize("name", list_sorted_names_of_vendor_profiles())
def test_every_profile_reads_and_names_its_sources(name: str) -> None:
    vendor = read_vendor_profile_by_name_or_raise(name)
    assert vendor.title
    assert all(source.what and source.address for source in vendor.sources)


def test_the_four_vendors_are_there() -> None:
    assert set(list_sorted_names_of_vendor_profiles()) >= {
        "home",
        "drivethrucards",
        "makeplayingcards",
        "thegamecrafter",
    }


def test_the_page_with_bleed_is_the_published_one() -> None:
    vendor = read_vendor_profile_by_name_or_raise("drivethrucards")
    assert (POKER.width + 2 * vendor.bleed) / 25.4 == pytest.approx(2.75)
    assert (POKER.height + 2 * vendor.bleed) / 25.4 == pytest.approx(3.75)
    assert (vendor.total_ink, vendor.order, vendor.standard) == (240, "back-front", "PDF/X-1a:2003")


@pytest.mark.parametrize("name", ["makeplayingcards", "thegamecrafter"])
def test_canvases_are_trim_and_bleed_at_300_dots(name: str) -> None:
    vendor = read_vendor_profile_by_name_or_raise(name)
    for product in vendor.products.values():
        assert product.canvas is not None
        for length, pixels in zip(product.trim, product.canvas, strict=True):
            assert (length + 2 * vendor.bleed) * DOTS == pytest.approx(pixels, abs=1)


def test_published_canvases() -> None:
    assert read_vendor_profile_by_name_or_raise("makeplayingcards").products["poker"].canvas == [822, 1122]
    shop = read_vendor_profile_by_name_or_raise("thegamecrafter").products
    assert shop["poker"].canvas == [825, 1125]
    # 5 x 5, 9 x 18, 18 x 18 and 24 x 14 inches, with 1/8 in of bleed on each side in the canvas.
    for name, inches in (
        ("quarter board or mat", (5, 5)),
        ("bifold board", (9, 18)),
        ("quad-fold board", (18, 18)),
        ("medium game mat", (24, 14)),
    ):
        assert tuple(round(length / 25.4, 3) for length in shop[name].trim) == inches
    assert {name for name, product in shop.items() if product.one_sided} == {
        "bifold board",
        "quad-fold board",
        "large quad-fold board",
        "medium six-fold board",
        "six-fold board",
        "medium game mat",
    }


def test_a_product_is_found_upright_and_on_its_side() -> None:
    vendor = read_vendor_profile_by_name_or_raise("thegamecrafter")
    for size in (POKER, POKER.swap_sides(), Size(63.45, 88.95)):
        product = vendor.find_nearest_size_product_or_none(size)
        assert product is not None
        assert vendor.get_name_of_own_product(product) == "poker"
    assert vendor.find_nearest_size_product_or_none(Size(62, 88)) is None


@pytest.mark.parametrize("name", ["thegamecrafter", "makeplayingcards", "drivethrucards"])
@pytest.mark.parametrize(("size", "product"), [((63, 88), "poker"), ((88, 63), "poker"), ((70, 120), "tarot")])
def test_a_size_within_a_millimetre_of_a_products_is_scaled_to_it(
    name: str, size: tuple[float, float], product: str
) -> None:
    vendor = read_vendor_profile_by_name_or_raise(name)
    near = vendor.find_nearest_size_product_or_none(Size(*size))
    assert near is not None
    assert vendor.get_name_of_own_product(near) == product


@pytest.mark.parametrize(("side", "product"), [(20, "medium square chit"), (18, None), (12, "small square chit")])
def test_a_millimetre_is_too_much_for_no_chit(side: float, product: str | None) -> None:
    vendor = read_vendor_profile_by_name_or_raise("thegamecrafter")
    near = vendor.find_nearest_size_product_or_none(Size(side, side))
    assert (near and vendor.get_name_of_own_product(near)) == product


def test_an_unknown_profile() -> None:
    with pytest.raises(InputError, match='did you mean "drivethrucards"'):
        read_vendor_profile_by_name_or_raise("drivethrucard")
    with pytest.raises(InputError, match="--vendor: PP540"):
        read_vendor_profile_by_name_or_raise("drivethrucard", option_in_message="--vendor")


def test_every_fault_of_a_profile_at_once(tmp_path: Path) -> None:
    text = (
        "title: X\nfile: gif\ncolour: rgb\norder: front-back\nbleed: -1\nsafe: 1\nresolution: 0\n"
        "standard: PDF/X-1a:2003\nproducts: {a: {trim: [1]}}\nleast_txt: 4\n"
    )
    (tmp_path / "odd.yaml").write_text(text)
    with pytest.raises(InputError) as error:
        read_vendor_profile_by_name_or_raise("odd", tmp_path)
    said = str(error.value)
    for part in (
        "value for `file`",
        "`bleed`: expected at least 0",
        "`resolution`: expected more than 0",
        "`products.a.trim`",
        "`least_txt`",
        'did you mean "least_text"?',
        "the field `sources`",
        "needs a printing condition",
    ):
        assert part in said
