"""Every game's state lies on its printed places: nothing missing, nothing beside the table, nothing hidden shown."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

import pytest

from playproof.cli.schemas import build_json_schemas_by_yaml_file_kind
from playproof.database.errors import InputError
from playproof.database.source import read_yaml_file
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import IDENTITY, Glyphs, Group, Node, Transform, Use
from playproof.generator.svg import render_face_to_svg_text
from playproof.language import CHANCE, Sees
from playproof.language.registry import list_bundled_game_names
from playproof.referee import Match, Variant
from playproof.referee.view import View, get_flags_of_cells_seat_may_see
from playproof.table import FacePictures, TableLayout, draw_table_scene_as_one_face
from playproof.table.piece_cache import PieceCache
from playproof.table.scene import Picture, Scene, TablePiece
from playproof.table.table_check import list_findings_on_table_yaml
from playproof.table.table_layout import iter_pieces_packed_in_rows, list_public_dice_throws_since_choice

# Every option that changes what lies on the table; a game that is added is covered under its defaults at once.
OPTIONS: dict[str, list[tuple[dict[str, str], dict[str, str]]]] = {
    "eila": [({}, {}), ({"chapter": "1"}, {})],
    "eurydice": [({}, {}), ({}, {"A11": "literal"})],
    "olith": [({}, {}), ({"players": "3"}, {"A13": "10"}), ({"players": "4"}, {"A13": "14", "A17": "own"})],
    "opale": [
        ({}, {}),
        ({"seashells": "yes"}, {}),
        ({"foreshadowing": "yes"}, {"A18": "open"}),
        ({}, {"A4": "bottom"}),
    ],
}
VARIANTS = [
    (name, options, rulings) for name in list_bundled_game_names() for options, rulings in OPTIONS.get(name, [({}, {})])
]
STEPS = 60


@cache
def spread_of(name: str, options: tuple[tuple[str, str], ...], rulings: tuple[tuple[str, str], ...]) -> TableLayout:
    return TableLayout(Variant(name, dict(options), dict(rulings)))


@pytest.fixture(params=VARIANTS, ids=lambda v: "-".join([v[0], *v[1].values(), *v[2].values()]))
def spread(request: pytest.FixtureRequest) -> TableLayout:
    name, options, rulings = request.param
    return spread_of(name, tuple(options.items()), tuple(rulings.items()))


def walk(spread: TableLayout, seed: int, steps: int = STEPS) -> Iterator[Sequence[int]]:
    """The states of a random game in which somebody acts, the start and the end."""
    match, dice = Match(spread.variant, seed), Random(seed)
    for _ in range(steps):
        match.settle()
        yield match.state
        if match.over:
            return
        match.apply(dice.choice(match.play.legal(match.state)))


def test_every_game_has_a_table_and_every_place_lies_on_it(spread: TableLayout) -> None:
    assert list_findings_on_table_yaml(spread.variant) == []


def test_what_lies_nowhere_says_why_and_lies_nowhere(spread: TableLayout) -> None:
    assert all(len(reason) > 20 for reason in spread.spec.off.values())
    told_by_a_title = {name for surface in spread.spec.surfaces.values() for name in surface.shows}
    assert not set(spread.spec.off) & (spread.list_names_of_shown_fields() - told_by_a_title)


@pytest.mark.parametrize("seed", [1, 2])
def test_everything_lies_on_the_table(spread: TableLayout, seed: int) -> None:
    for state in walk(spread, seed):
        for seat in [None, *range(spread.game.players)]:
            scene = spread.make_scene_seen_by_seat(state, seat)
            check_inside(scene)
            assert len({piece.key for piece in scene.pieces}) == len(scene.pieces)
            assert len({spot.key for spot in scene.spots}) == len(scene.spots)


def check_inside(scene: Scene) -> None:
    at = {surface.key: surface for surface in scene.surfaces}
    for piece in scene.pieces:
        surface = at[piece.surface]
        x, y = surface.x + piece.x, surface.y + piece.y
        assert x - piece.width / 2 >= -1, piece
        assert x + piece.width / 2 <= scene.width + 1, piece
        assert y - piece.height / 2 >= -1, piece
        assert y + piece.height / 2 <= scene.height + 1, piece
    for spot in scene.spots:
        assert 0 <= spot.x <= spot.x + spot.width <= at[spot.surface].width + 1e-6, spot
        assert 0 <= spot.y <= spot.y + spot.height <= at[spot.surface].height + 1e-6, spot


def test_nothing_that_a_seat_may_not_know_moves_a_piece(spread: TableLayout) -> None:
    """The scene of a seat is the same whatever the hidden cells hold."""
    dice = Random(3)
    for state in list(walk(spread, 3))[::10]:
        for seat in range(spread.game.players):
            seen = get_flags_of_cells_seat_may_see(spread.game, seat)
            bounds = [(f.lo, f.hi) for f in spread.game.fields for _ in range(f.size)]
            other = [v if s else dice.randint(*b) for v, s, b in zip(state, seen, bounds, strict=True)]
            assert spread.make_scene_seen_by_seat(other, seat) == spread.make_scene_seen_by_seat(state, seat)


def test_every_place_of_the_rules_is_seen_to_change(spread: TableLayout) -> None:
    """For each field that lies somewhere, some other value in some state of play gives another picture."""
    unseen = {
        f.name
        for f in spread.game.fields
        if f.name in spread.list_names_of_shown_fields() and f.sees is not Sees.NOBODY
    }
    for state in one_of_each_phase(spread):
        unseen -= {name for name in unseen if _changes(spread, state, name)}
        if not unseen:
            return
    raise AssertionError(f"nobody would notice {unseen}")


def one_of_each_phase(spread: TableLayout) -> Iterator[Sequence[int]]:
    """A late state in each phase that some random games come through, of those in which somebody acts."""
    met: dict[int, Sequence[int]] = {}
    for seed in range(4, 9):
        met |= {state[0]: state for state in walk(spread, seed, 250)}
    yield from met.values()


def _changes(spread: TableLayout, state: Sequence[int], name: str) -> bool:
    field = spread.game.get_field(name)
    state = list(state)
    if name.endswith("_cards"):  # a pile without cards shows none of them
        state[spread.game.get_field(name.replace("_cards", "_size")).offset] = 1
    before = spread.make_scene_seen_by_seat(state, 0)
    for cell in range(field.offset, field.offset + field.size):
        for value in {field.lo, min(field.lo + 1, field.hi), field.hi} - {state[cell]}:
            other = list(state)
            other[cell] = value
            try:
                if _picture(spread.make_scene_seen_by_seat(other, 0)) != _picture(before):
                    return True
            except (InputError, AssertionError):
                continue  # not a state of play: two cards in one place
    return False


def _picture(scene: Scene) -> tuple[object, ...]:
    titles = tuple(surface.title for surface in scene.surfaces)
    return (titles, *((p.surface, p.picture, p.x, p.y, p.turn, p.count) for p in scene.pieces))


@pytest.mark.parametrize(("name", "kinds", "number"), [("opale", ("card",), 100), ("eila", ("event", "habit"), 12)])
def test_no_card_is_lost_between_the_rules_and_the_table(name: str, kinds: tuple[str, ...], number: int) -> None:
    """Counted on the table, not in the state."""
    spread = spread_of(name, (), ())
    data = spread.variant.data
    for state in walk(spread, 5):
        for seat in range(spread.game.players):
            cards = [
                p
                for p in spread.make_scene_seen_by_seat(state, seat).pieces
                if data.components[p.picture.component].kind in kinds
            ]
            known_on_a_pile = sum(1 for p in cards if p.shows == ("top",))
            assert sum(p.count or 1 for p in cards) - known_on_a_pile == number


def test_own_hand_is_seen_from_the_front_and_the_others_from_the_back() -> None:
    spread = spread_of("opale", (), ())
    state = list(walk(spread, 6))[8]
    for seat in (0, 1):
        scene = spread.make_scene_seen_by_seat(state, seat)
        for surface in scene.surfaces:
            if surface.hand:
                sides = {piece.picture.side for piece in scene.list_pieces_on(surface)}
                assert sides == {"front" if surface.seat == seat else "back"}


def test_pictures_are_known_by_their_content() -> None:
    spread = spread_of("opale", (), ())
    faces = FacePictures(spread)
    card, back = Picture("B1-1"), Picture("B1-1", "back")
    assert faces.get_picture_hash_of_whole_face(card) == FacePictures(
        spread_of("opale", (("seashells", "yes"),), ())
    ).get_picture_hash_of_whole_face(card)
    assert faces.get_picture_hash_of_whole_face(card) != faces.get_picture_hash_of_whole_face(back)
    assert gzip.decompress(
        faces.draw_gzipped_svg_by_hash_or_none(faces.get_picture_hash_of_whole_face(card)) or b""
    ) == faces.draw_face_svg_legible_at_any_width(card)
    missing = faces.get_picture_hash_of_whole_face(Picture(card.component, "face-3"))
    assert faces.draw_gzipped_svg_by_hash_or_none(missing) is None
    assert b"<svg" in faces.draw_svg(card)


def test_every_picture_of_a_game_can_be_drawn() -> None:
    spread = spread_of("olith", (), ())
    faces = FacePictures(spread)
    pictures = {p.picture for state in walk(spread, 7, 60) for p in spread.make_scene_seen_by_seat(state, 0).pieces}
    assert len({faces.get_picture_hash_of_whole_face(picture) for picture in pictures}) > 20
    for side in range(6):
        assert faces.draw_svg(Picture("level-die", f"face-{side}"))


def test_many_pieces_share_a_box() -> None:
    card = TablePiece("k", "s", Picture("a"), "a", 0, 0, 60, 80)
    for count in range(1, 60):
        laid = list(iter_pieces_packed_in_rows([card] * count, (10, 20, 200, 90)))
        assert all(p.x - p.width / 2 >= 10 - 1e-6 and p.x + p.width / 2 <= 210 + 1e-6 for p in laid)
        assert all(p.y - p.height / 2 >= 20 - 1e-6 and p.y + p.height / 2 <= 110 + 1e-6 for p in laid)
        assert len({(p.x, p.y) for p in laid}) == count


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("hearts", "harts"), "PP621"),
        (("sometimes: [", "sometimes: [ownd, "), "PP621"),
        (("piece: heart", "piece: haert"), "PP624"),
        (("range(hearts)", "range(herts)"), "PP622"),
        (("at: [102 - 8.1", "ta: [102 - 8.1"), "PP204"),
        (("shows: [hearts]", "shows: [round]"), "PP626"),
        (("size: [105, 25]}\n\nscreens", "}\n\nscreens"), "PP623"),
        (("[past, future]]]]", "[past, futrue]]]]"), "PP627"),
    ],
)
def test_mistakes_are_named_at_their_place(tmp_path, change: tuple[str, str], code: str) -> None:  # type: ignore[no-untyped-def]
    spread = spread_of("eila", (), ())
    text = (spread.looks.folder / "table.yaml").read_text(encoding="utf-8")
    assert change[0] in text
    (tmp_path / "table.yaml").write_text(text.replace(*change), encoding="utf-8")
    looks = LayoutRenderer(spread.variant.data)
    looks.folder = tmp_path
    try:
        wrong = TableLayout(spread.variant, looks)
        wrong.make_scene_seen_by_seat(spread.variant.play.start())
        found = _missing_in(wrong)
    except InputError as error:
        found = [(f.code, str(f.where)) for f in error.findings]
    assert code in [code for code, _ in found]
    assert all("table.yaml" in where for _, where in found)


@pytest.mark.parametrize(
    ("change", "code", "hint"),
    [
        (("  die: {die", "  dies: {die"), "PP621", 'did you mean "die"?'),
        (("on: purse, at: [176", "on: prse, at: [176"), "PP627", 'did you mean "purse"?'),
        (("  removed: nobody", "  remvoed: nobody"), "PP621", 'did you mean "removed"?'),
        (("face-{pips - 1}", "face-{pisp - 1}"), "PP622", 'did you mean "pips"?'),
        (("face-{pips - 1}", "face-{pips}"), "PP622", "a die has face-0 to face-5"),
    ],
)
def test_lint_finds_what_shows_only_in_play(tmp_path, change: tuple[str, str], code: str, hint: str) -> None:  # type: ignore[no-untyped-def]
    """A throw is laid only when chance throws, and a name of `off` is never looked at."""
    spread = spread_of("eurydice", (), ())
    text = (spread.looks.folder / "table.yaml").read_text(encoding="utf-8")
    assert change[0] in text
    (tmp_path / "table.yaml").write_text(text.replace(*change, 1), encoding="utf-8")
    looks = LayoutRenderer(spread.variant.data)
    looks.folder = tmp_path
    assert (code, hint) in [(f.code, f.hint) for f in list_findings_on_table_yaml(spread.variant, looks)]


def _missing_in(spread: TableLayout) -> list[tuple[str, str]]:
    from playproof.table.table_check import _iter_findings_of_fields_shown_nowhere

    return [(f.code, str(f.where)) for f in _iter_findings_of_fields_shown_nowhere(spread)]


def test_a_seat_is_a_view_not_a_state() -> None:
    spread = spread_of("opale", (), ())
    state = next(walk(spread, 8))
    assert spread.make_scene_from_view(View.of(spread.game, state, 1)) == spread.make_scene_seen_by_seat(state, 1)


def test_the_whole_table_is_one_picture_for_paper(spread: TableLayout) -> None:
    scene = spread.make_scene_seen_by_seat(spread.variant.play.start(), 0)
    whole = draw_table_scene_as_one_face(spread, scene)
    assert (round(whole.width - 4, 6), round(whole.height - 4, 6)) == (scene.width, scene.height)
    assert render_face_to_svg_text(whole).count("<use") > 5
    first = scene.surfaces[0]
    part = draw_table_scene_as_one_face(spread, scene, [first.key])
    assert (round(part.width - 4, 6), round(part.height - 4, 6)) == (first.width, first.height)


# -- where things are printed ---------------------------------------------------------------------------------------


def printed(nodes: Sequence[Node], move: Transform = IDENTITY) -> Iterator[tuple[str, float, float]]:
    """The texts of a face and where their middles lie, in mm."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield (node.text, *move.apply(node.x + node.width / 2, node.y))
        elif isinstance(node, Group):
            yield from printed(node.children, node.transform.then(move))
        elif isinstance(node, Use):
            yield from printed(node.symbol.children, node.transform.then(move))


def lies_on(spread: TableLayout, piece: TablePiece, component: str, text: str) -> bool:
    """Whether a piece lies where its face says this."""
    face = spread.looks.draw_face_or_raise(spread.variant.data.components[component])
    return any(abs(x - piece.x) < 5 and abs(y - piece.y) < 12 for said, x, y in printed(face.nodes) if said == text)


def with_cells(spread: TableLayout, *cells: tuple[str, int, int]) -> list[int]:
    state = list(spread.variant.play.start())
    for name, cell, value in cells:
        state[spread.game.get_field(name).offset + cell] = value
    return state


@pytest.mark.parametrize("points", [-4, -1, 0, 1, 10, 20])
def test_a_combat_marker_stands_on_its_number(points: int) -> None:
    """The board is drawn from its layout, the marker laid by the table: both must mean the same squares."""
    spread = spread_of("olith", (), ())
    state = with_cells(
        spread, ("target", 0, 1), ("ap", 0, points), ("ap", 1, points), ("loyalty", 0, 1), ("loyalty", 1, 3)
    )
    markers = [p for p in spread.make_scene_seen_by_seat(state, 0).pieces if "ap" in p.shows]
    assert len(markers) == 2
    assert all(lies_on(spread, marker, "board", str(points).replace("-", "−")) for marker in markers)


@pytest.mark.parametrize("nights", [1, 4, 6])
def test_a_token_of_time_lies_on_its_night(nights: int) -> None:
    spread = spread_of("eila", (), ())
    tokens = [
        p
        for p in spread.make_scene_seen_by_seat(with_cells(spread, ("round", 0, nights + 1)), 0).pieces
        if p.shows == ("round",)
    ]
    assert len(tokens) == nights
    assert all(lies_on(spread, token, "goal-0", str(n + 1)) for n, token in enumerate(tokens))


@pytest.mark.parametrize("mana", [0, 3, 10])
def test_mana_lies_on_its_number(mana: int) -> None:
    spread = spread_of("olith", (), ())
    state = with_cells(spread, ("loyalty", 0, 1), ("mana", 0, mana), ("mana", 1, mana), ("mana", 2, mana))
    cubes = [
        p for p in spread.make_scene_seen_by_seat(state, 0).pieces if p.shows == ("mana",) and p.surface == "mat.0"
    ]
    assert len(cubes) == 3
    assert all(lies_on(spread, cube, "soul-mat", str(mana)) for cube in cubes)


# -- the schema for editors -----------------------------------------------------------------------------------------


def wrong(value: object, schema: dict[str, Any], whole: dict[str, Any]) -> str:
    """What a schema (its words that `table.yaml` needs) says against a value; "" for nothing."""
    if "$ref" in schema:
        return wrong(value, whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "anyOf" in schema:
        said = [wrong(value, one, whole) for one in schema["anyOf"]]
        return "" if "" in said else "; ".join(said)
    kinds = schema.get("type", [])
    is_a = {"object": dict, "array": list, "string": str, "number": (int, float), "boolean": bool, "null": type(None)}
    if kinds and not any(isinstance(value, is_a[kind]) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return f"{value!r} is no {kinds}"
    if isinstance(value, dict):
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        missing = [name for name in schema.get("required", ()) if name not in value]
        said = [f"{name} is missing" for name in missing]
        said += [
            wrong(inner, known.get(name, more if isinstance(more, dict) else {}), whole)
            if name in known or more
            else f"{name} is unknown"
            for name, inner in value.items()
        ]
        return next(filter(None, said), "")
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            return f"{len(value)} items"
        return next(filter(None, (wrong(one, schema.get("items", {}), whole) for one in value)), "")
    return ""


@pytest.mark.parametrize("name", list_bundled_game_names())
def test_the_schema_accepts_the_tables_there_are_and_no_misspelling(name: str) -> None:
    schema = build_json_schemas_by_yaml_file_kind()["table"]
    table = read_yaml_file(LAYOUTS / name / "table.yaml").data
    assert wrong(table, schema, schema) == ""
    table["places"][0]["shwos"] = table["places"][0].pop("shows")
    assert "shows is missing" in wrong(table, schema, schema)
    table["places"][0]["shows"] = table["places"][0]["shwos"]
    assert "shwos is unknown" in wrong(table, schema, schema)


# -- dice -----------------------------------------------------------------------------------------------------------


def test_dice_lie_as_they_fell_until_somebody_acts() -> None:
    spread = spread_of("eurydice", (), ())
    match, dice, seen = Match(spread.variant, 5), Random(2), 0
    while not match.over:
        if match.actor == CHANCE:
            match.take_chance_action_of_seed_or_raise()
        else:
            match.apply(dice.choice(match.play.legal(match.state)))
        scene = spread.make_scene_from_view(
            View.of(match.game, match.state, 0), list_public_dice_throws_since_choice(match)
        )
        dice_there = [p for p in scene.pieces if p.key.startswith("throw.")]
        rolled = [step.text for step in match.steps[-1:] if step.text.startswith("the die shows")]
        if rolled:
            seen += 1
            assert dice_there[0].picture.side == f"face-{int(rolled[0][-1]) - 1}"
        if match.steps[-1].actor != CHANCE:
            assert not dice_there
    assert seen


def test_scores_stand_by_the_names_and_hidden_ones_do_not(spread: TableLayout) -> None:
    scene = spread.make_scene_seen_by_seat(spread.variant.play.start(), 0)
    assert {score.seat for score in scene.scores} == set(range(spread.game.players))
    for state in walk(spread, 3, 30):
        for score in spread.make_scene_seen_by_seat(state, 0).scores:
            assert score.value not in ("", "None")


def test_what_chance_does_in_secret_is_no_throw() -> None:
    spread = spread_of("opale", (), ())
    match = Match(spread.variant, 5)
    match.settle()
    assert len(match.steps) > 5
    assert all(throw.action != "draw" for throw in list_public_dice_throws_since_choice(match))


def test_what_is_remembered_is_what_would_be_worked_out_anew(spread: TableLayout) -> None:
    """Tables of several games by turns, seen from every side: the memory gives what a fresh one gives."""
    matches = [Match(spread.variant, seed) for seed in (1, 2)]
    dice = Random(3)
    for _ in range(6):
        for match in matches:
            match.settle()
            if not match.over:
                match.apply(dice.choice(match.play.legal(match.state)))
            for seat in [None, *range(match.game.players)]:
                view = View.of(match.game, match.state, seat)
                remembered = spread.make_scene_from_view(view)
                fresh = PieceCache(spread.game, spread.spec.let)
                known, spread._kept = spread._kept, fresh
                try:
                    assert spread.make_scene_from_view(view) == remembered
                finally:
                    spread._kept = known
