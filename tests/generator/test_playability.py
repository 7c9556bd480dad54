"""Every check of playability fires on a game with its fault, and is silent on one without."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from PIL import Image

from playproof.database.errors import Finding, InputError
from playproof.database.game import list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from playproof.generator.build import build
from playproof.generator.build.export_jobs import build_function_writing_print_shop_files
from playproof.generator.build.run import Builder
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.playability import CHECKS, list_playability_problems_sorted_by_place
from playproof.generator.type.fonts import FONT_FOLDER
from tests.generator.makers import GAME, LAYOUT, VOCABULARY, make_game, make_layouts

CARD = """kind: card
components:
  a1:
    title: {en: First, fr: Premier}
    options:
      A: {do: [{gain: {food: 1}}], to: past}
"""
TOLD = """kind: card
components:
  a2:
    title: {en: Help, fr: Aide}
    text: {en: "+ :food: means that you take so many.", fr: "+ :food: tu en prends autant."}
"""
RULES = """title: {en: Rules}
sections: {play: {en: Play}}
rules:
  R1: {section: play, place: here, text: {en: "TEXT"}}
"""
BOX = "    - {shape: rect, box: bleed, fill: paper}\n"


def findings(
    folder: Path,
    layout: str = LAYOUT,
    *,
    card: str = CARD,
    told: str = TOLD,
    rule: str = "Take turns.",
    facts: str = "",
    build: str = "",
) -> list[str]:
    game = make_game(folder / "game", card, VOCABULARY)
    (game / "told.yaml").write_text(told, "utf-8")
    (game / "rulebook.yaml").write_text(RULES.replace("TEXT", rule), "utf-8")
    (game / "game.yaml").write_text(GAME.replace("components: []", facts or "components: []"), "utf-8")
    looks = make_layouts(folder / "looks", card=layout)
    if build:
        (looks / "build.yaml").write_text(build, "utf-8")
    loaded = load_game(game)
    return [
        f"{found.code} {found.message}"
        for found in list_playability_problems_sorted_by_place(loaded, LayoutRenderer(loaded, looks))
    ]


PLAIN = LAYOUT.replace("    - {shape: rect, box: trim, fill: paper}\n", "")


def test_a_game_that_can_be_played_is_silent(tmp_path: Path) -> None:
    assert findings(tmp_path, PLAIN) == []


def test_a_die_that_nobody_prints(tmp_path: Path) -> None:
    assert findings(tmp_path / "a", PLAIN, rule="Roll and move.") == ["PP518 R1 needs a die, and none is printed"]
    also = "also: [{thing: die, name: {en: one die}}]\ncomponents: []"
    assert findings(tmp_path / "b", PLAIN, rule="Roll and move.", facts=also) == []


def test_a_sign_and_an_icon_that_nothing_explains(tmp_path: Path) -> None:
    said = findings(tmp_path, PLAIN, told="kind: card\ncomponents:\n  a2: {title: {en: Food, fr: Repas}}\n")
    assert [line.split(",")[0] for line in said] == ["PP519 a1 shows :food:", "PP519 a1 shows +"]


def test_a_card_that_prints_its_name_beside_its_icon_explains_it(tmp_path: Path) -> None:
    icon = VOCABULARY.replace("      level:", "      icon: {type: icon, required: false}\n      level:")
    game = make_game(tmp_path / "game", CARD, icon)
    (game / "told.yaml").write_text("kind: card\ncomponents:\n  a2: {title: {en: Bread}, icon: food}\n", "utf-8")
    loaded = load_game(game)
    said = list_playability_problems_sorted_by_place(
        loaded, LayoutRenderer(loaded, make_layouts(tmp_path / "looks", card=PLAIN))
    )
    assert [found.message.split(",")[0] for found in said] == ["a1 shows +"]


def test_two_sets_of_one_look(tmp_path: Path) -> None:
    card = CARD.replace("    options:", "    count: 2\n    options:")
    facts = "components: [{name: {en: cards}, ids: [a1], count: 2, sets: 2}]"
    assert findings(tmp_path / "a", PLAIN, card=card, facts=facts) == ["PP520 a1 is in 2 sets and has 1 look"]
    told_apart = PLAIN.replace("kind: card\n", "kind: card\nvariants: resource\n")
    told_apart = told_apart.replace('"{title}"', '"{variant.name}"')
    told = TOLD.replace("    title", "    count: 2\n    title")
    assert findings(tmp_path / "b", told_apart, card=card, told=told, facts=facts) == []


def test_a_kind_that_no_product_holds(tmp_path: Path) -> None:
    build = "products:\n  rules: {book: rulebook}\n"
    assert findings(tmp_path, PLAIN, build=build) == ["PP517 a1 is printed by no product, nor are 1 more"]


def test_colour_that_ends_at_the_cut(tmp_path: Path) -> None:
    (said,) = findings(tmp_path / "a")
    assert said == "PP522 a1: its colour runs to the edge, and its layout has no bleed"
    bleeding = LAYOUT.replace("size: poker\n", "size: poker\nbleed: 3\n").replace("box: trim", "box: bleed")
    assert findings(tmp_path / "b", bleeding) == []


def test_copies_that_cannot_be_shared_out(tmp_path: Path) -> None:
    """Three pieces in the two colours of the resources."""
    layout = LAYOUT.replace("size: poker\n", "size: poker\nbleed: 3\nvariants: resource\n")
    three, two = (CARD.replace("    options", f"    count: {n}\n    options") for n in (3, 2))
    told = TOLD.replace("    title", "    count: 2\n    title")
    said = findings(tmp_path / "a", layout, card=three, told=told)
    assert "PP545 a1: 3 copies cannot be shared out among food, gold" in said
    assert not [one for one in findings(tmp_path / "b", layout, card=two, told=told) if one.startswith("PP545")]


@pytest.mark.parametrize("faces", [5, 7])
def test_a_die_with_too_few_or_too_many_faces(tmp_path: Path, faces: int) -> None:
    vocabulary = VOCABULARY + "      faces: {type: list, of: text, required: false}\n"
    card = f"kind: card\ncomponents:\n  d1: {{title: {{en: Die, fr: Dé}}, faces: [{', '.join('abcdefg'[:faces])}]}}\n"
    game = load_game(make_game(tmp_path / "game", card, vocabulary))
    die = "kind: card\nnet: die\nsize: [16, 16]\nfront: {elements: []}\n"
    said = [
        (f.code, f.message)
        for f in list_playability_problems_sorted_by_place(
            game, LayoutRenderer(game, make_layouts(tmp_path / "looks", a=die))
        )
    ]
    assert said.count(("PP503", f"d1: a die needs a field `faces` with six items, found {faces}")) == 1


def test_type_that_shouts_beside_type_that_whispers(tmp_path: Path) -> None:
    """Five titles, each twice as long as the one before it, in one style that shrinks until they fit."""
    cards = "kind: card\ncomponents:\n" + "".join(f"  c{k}: {{title: {{en: {'word ' * 2**k}}}}}\n" for k in range(5))
    layout = (
        "kind: card\nsize: poker\nstyles: {loud: {LOUD}}\n"
        'front: {elements: [{text: "{title}", style: loud, box: [6, 6, 50, 9]}]}\n'
    )
    loud, calm = (
        findings(tmp_path / name, layout.replace("{LOUD}", f"{{{sizes}}}"), card=cards)
        for name, sizes in (("loud", "size: 30, min: 6"), ("calm", "sizes: [9, 14, 6]"))
    )
    [found] = [line for line in loud if line.startswith("PP535")]
    assert found.startswith("PP535 card: texts in the style loud have ")
    assert found.endswith(" 4 sizes, 7.75 to 26 pt")
    assert not [line for line in calm if line.startswith("PP5")]


@pytest.mark.parametrize(("name", "lines"), [("fading", 1), ("figma", 0)])
def test_a_picture_that_is_printed_as_pixels_is_named_once(tmp_path: Path, name: str, lines: int) -> None:
    (tmp_path / "looks").mkdir()
    shutil.copy(Path(__file__).parent / "drawn" / f"{name}.svg", tmp_path / "looks" / "a.svg")
    layout = LAYOUT + "    - {image: a.svg, box: [30, 50, 20, 20]}\n"
    told = [line for line in findings(tmp_path, layout) if line.startswith("PP536")]
    message = "PP536 'filter' cannot be drawn as lines and areas, so the picture is printed as pixels, 600 to the inch"
    assert told == [message] * lines


def test_every_check_has_a_code() -> None:
    assert sorted((check.__doc__ or "").split(":")[0] for check in CHECKS) == [
        "PP506",
        "PP517",
        "PP518",
        "PP519",
        "PP520",
        "PP521",
        "PP522",
        "PP526",
        "PP534",
        "PP535",
        "PP536",
        "PP537",
        "PP538",
        "PP5xx",
        "PP630 to PP633",
    ]


@pytest.mark.parametrize("name", list_names_of_game_folders(CARDS))
def test_every_game_can_be_played_with_what_is_printed(name: str) -> None:
    game = load_game(name)
    assert [str(found) for found in list_playability_problems_sorted_by_place(game, LayoutRenderer(game))] == []


@pytest.mark.parametrize(
    ("ground", "ink", "lines"),
    [("#102040", "#222222", 1), ("#fbf4e4", "#222222", 0), ("#102040", "#ffffff", 0), ("#ffffff", "#f4f4f0", 1)],
)
@pytest.mark.parametrize("shape", ["rect", "ellipse"])
def test_dark_on_dark_is_told(tmp_path: Path, shape: str, ground: str, ink: str, lines: int) -> None:
    """Also on a shape that covers a part of the card: the letters stand inside the ring's hole, or on its edge."""
    layout = LAYOUT + (
        f'    - {{shape: {shape}, box: [0, 40, 50, 20], fill: "{ground}"}}\n'
        '    - {shape: ellipse, box: [2, 42, 6, 6], fill: "#888888"}\n'
        f'    - {{text: "Night Fall", box: [10, 46, 30, 8], style: {{size: 9, colour: "{ink}"}}}}\n'
    )
    told = [line for line in findings(tmp_path, layout) if line.startswith("PP537")]
    assert told == [f'PP537 a1, front: "Night Fall" is printed in {ink} on {ground}'] * lines


@pytest.mark.parametrize(("pixels", "said"), [(80, ["at 102 dots"]), (300, [])])
def test_a_picture_with_too_few_pixels_is_told(tmp_path: Path, pixels: int, said: list[str]) -> None:
    """80 pixels on 20 mm are 101.6 to the inch."""
    (tmp_path / "looks").mkdir()
    Image.new("RGB", (pixels, pixels), "teal").save(tmp_path / "looks" / "a.png")
    layout = LAYOUT + "    - {image: a.png, box: [30, 50, 20, 20]}\n"
    told = [line for line in findings(tmp_path, layout) if line.startswith("PP538")]
    assert told == [f"PP538 this picture is printed {words} to the inch" for words in said]


def test_a_picture_that_is_not_there_is_a_frame_until_it_comes(tmp_path: Path) -> None:
    """The build goes on, tells it each time, and takes the picture when it is there. A shop gets no frame. A picture
    that changes is printed anew, also one that only a layout names."""
    game = make_game(tmp_path / "game")
    layout = LAYOUT.replace("size: poker", "size: poker\nbleed: 3.2")
    looks = make_layouts(tmp_path / "looks", card=layout + '    - {image: "art/{id}.svg", box: [30, 50, 20, 20]}\n')
    drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z" fill="#{}"/></svg>'

    def built() -> tuple[int, int]:
        loaded, missing = load_game(game), list[Finding]()
        files = build(
            loaded, tmp_path / "out", looks=LayoutRenderer(loaded, looks), formats=("png",), missing=missing.append
        )
        return sum(file.rebuilt for file in files), len(missing)

    sides = len(load_game(game).components)
    assert built() == built() == (sides, sides)
    loaded = load_game(game)
    with pytest.raises(InputError, match=r"PP506 card a1: there is no picture 'art/a1.svg'"):
        build_function_writing_print_shop_files(
            Builder(loaded, tmp_path / "out", looks=LayoutRenderer(loaded, looks)), "makeplayingcards", "en"
        )
    (game / "art").mkdir()
    for ident in loaded.components:
        (game / "art" / f"{ident}.svg").write_text(drawing.format("a00"), "utf-8")
    assert [built(), built()] == [(sides, 0), (0, 0)]
    (game / "art" / "a1.svg").write_text(drawing.format("0a0"), "utf-8")
    assert built() == (sides, 0)


def test_a_font_of_ones_own_goes_to_shops_too(tmp_path: Path) -> None:
    """Its name has capitals and blanks, as a system's font menu shows it."""
    game = make_game(tmp_path / "game")
    layout = LAYOUT.replace("size: poker", "size: poker\nbleed: 3.2").replace("family: alegreya", "family: My Font")
    looks = make_layouts(tmp_path / "looks", card=layout + "back: {elements: [{text: Back}]}\n")
    (looks / "fonts").mkdir()
    for style, source in (("Regular", "Alegreya-Regular"), ("Bold", "Alegreya-Bold")):
        shutil.copy(FONT_FOLDER / f"{source}.ttf", looks / "fonts" / f"My Font-{style}.ttf")
    loaded = load_game(game)
    builder = Builder(loaded, tmp_path / "out", looks=LayoutRenderer(loaded, looks))
    made = build_function_writing_print_shop_files(builder, "makeplayingcards", "en")().paths
    assert made[0].exists()
