"""A whole game in one HTML file: every moment of the table with its pictures, the log, a slider.
The file needs nothing else.

Each step stores only what changed on the table, so that a long game stays small.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from playproof.generator.html_page import render_standalone_html_page
from playproof.referee.match import Match
from playproof.referee.notation import seat_names
from playproof.referee.text_table import format_title_round_and_actor
from playproof.referee.view import View
from playproof.table.faces import FacePictures
from playproof.table.panels import describe_ending_with_results_or_empty
from playproof.table.scene import Picture, Scene
from playproof.table.session_seats import PERSON
from playproof.table.table_layout import TableLayout, list_public_dice_throws_since_choice

_MOST_ON_ONE = 1_000  # pieces on a surface
ASSETS = Path(__file__).resolve().parent / "assets"


def render_replay_page_html(
    match: Match, layout: TableLayout, seat: int | None = None, faces: FacePictures | None = None
) -> str:
    """Return the game as a page. `seat` shows it as one seat saw it; None shows all hands, as
    the referee sees them. `faces` draws the pictures, if several pages share them."""
    faces = faces or FacePictures(layout)
    pictures: dict[Picture, int] = {}
    scenes = [
        layout.make_scene_from_view(View.of(match.game, state, seat), list_public_dice_throws_since_choice(match, step))
        for step, state in enumerate(match.states)
    ]
    steps, before = [], dict[str, Any]()
    last = len(scenes) - 1 if match.over else None  # where nothing is hidden any more
    for number, scene in enumerate(scenes):
        now = _map_keys_to_placements_numbering_pictures(scene, pictures)
        changed = {key: value for key, value in now.items() if before.get(key) != value}
        gone = [key for key in before if key not in now]
        events = match.heard(number - 1, seat) if number else []
        steps.append(
            {
                "head": format_title_round_and_actor(match.play, match.states[number], match.variant.title),
                "put": changed,
                "gone": gone,
                "log": [[event.who, event.words] for event in events],
                "scores": _list_score_texts_by_seat(
                    match, layout.make_scene_seen_by_seat(match.states[-1]) if number == last else scene
                ),
            }
        )
        before = now
    drawn = [base64.b64encode(faces.draw_svg(picture)).decode() for picture in pictures]
    width, height = max(s.width for s in scenes), max(s.height for s in scenes)
    data = {
        "width": width,
        "height": height,
        "pictures": drawn,
        "steps": steps,
        "seats": _list_seat_names_with_bots(match),
        "end": describe_ending_with_results_or_empty(match, seat_names(match.game)),
    }
    return _render_replay_page_from_data(match.variant.title, data)


def _list_seat_names_with_bots(match: Match) -> list[str]:
    """Return who sits where: the seat's name, and the bot that plays it."""
    names, who = seat_names(match.game), dict(enumerate(match.seats))
    return [f"{name} ({who[seat]})" if who.get(seat, PERSON) != PERSON else name for seat, name in enumerate(names)]


def _list_score_texts_by_seat(match: Match, scene: Scene) -> list[str]:
    """Return each seat's scores in words."""
    return [
        ", ".join(f"{score.value} {score.title}" for score in scene.scores if score.seat == seat)
        for seat in range(match.game.players)
    ]


def _map_keys_to_placements_numbering_pictures(scene: Scene, picture_numbers: dict[Picture, int]) -> dict[str, Any]:
    """Return surfaces and pieces by key: [layer, picture or title, x, y, width, height, turn,
    count, name], in mm."""

    def of(picture: Picture) -> int:
        return picture_numbers.setdefault(picture, len(picture_numbers))

    places: dict[str, Any] = {}
    for s in scene.surfaces:
        ground = of(s.picture) if s.picture else s.title
        places[f"s {s.key}"] = [0, ground, *_round_lengths_to_two_digits(s.x, s.y, s.width, s.height), 0, 0, s.title]
    at = {surface.key: surface for surface in scene.surfaces}
    for number, surface in enumerate(scene.surfaces):
        # Each surface has its own layers: a new piece on one moves nothing on the others.
        for order, p in enumerate(scene.list_pieces_on(surface), 1 + _MOST_ON_ONE * number):
            x, y = at[p.surface].x + p.x - p.width / 2, at[p.surface].y + p.y - p.height / 2
            place = _round_lengths_to_two_digits(x, y, p.width, p.height)
            places[f"p {p.key}"] = [order, of(p.picture), *place, p.turn, p.count or 0, p.name]
    return places


def _round_lengths_to_two_digits(*lengths: float) -> list[float]:
    return [round(length, 2) for length in lengths]


def _render_replay_page_from_data(title: str, data: Mapping[str, Any]) -> str:
    style, script = ((ASSETS / name).read_text(encoding="utf-8") for name in ("replay.css", "replay.js"))
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    body = (
        '<header><h1 id="head"></h1><p id="said" role="status"></p><ul id="seats" aria-label="seats"></ul></header>'
        '<main><svg id="felt" role="img" aria-label="the table"></svg><ol id="log"></ol></main>'
        '<footer><button id="back" aria-label="one step back">◀</button>'
        '<button id="play" aria-label="play">▶▶</button><button id="on" aria-label="one step on">▶</button>'
        '<input id="at" type="range" min="0" value="0" aria-label="step"><output id="step"></output></footer>'
        f'<script type="application/json" id="game">{text}</script>'
    )
    return render_standalone_html_page(f"{title}: a game", body, style, script=script)
