"""What the lobby shows of a game: its title, its options, its picture. Worked out once an edition and kept on disk, so
that a lobby of four games neither reads cards nor draws."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError
from playproof.database.places import PACKAGE
from playproof.language import RulesError
from playproof.language.build_inputs import are_inputs_unchanged, compute_input_digests
from playproof.language.cache import ensure_cache_folder
from playproof.language.options import OptionError
from playproof.language.registry import UnknownGame
from playproof.referee.game_summary import write_json_if_possible
from playproof.referee.variant import Variant
from playproof.table.drawn_table import make_cut_face
from playproof.table.outlines import shorten_svg_outlines
from playproof.table.placing import NoTable, TableLayout

_VERSION = "1"


@dataclass(frozen=True)
class LobbySetting:
    """A question with several answers: an option of a game, or a ruling. `values` are names with their words."""

    name: str
    about: str
    values: tuple[tuple[str, str], ...]
    default: str


@dataclass(frozen=True)
class LobbyEntry:
    """A game in the lobby. `error` says why it cannot be played; then nothing else is told of it. `cover` is its
    compressed picture."""

    title: str
    about: str = ""
    least: int = 1
    most: int = 1
    options: tuple[LobbySetting, ...] = ()
    rulings: tuple[LobbySetting, ...] = ()
    cover: bytes = b""
    error: str = ""


def build_and_store_entry(ref: str, read_files: Iterable[str]) -> LobbyEntry:
    """Return what the lobby shows of a game, and keep it on disk beside the digests of the files in `read`, which is
    filled while they are read."""
    try:
        entry = _build_entry(Variant(ref))
    except (InputError, OptionError, RulesError, UnknownGame) as error:
        return LobbyEntry(ref, error=str(error))
    with suppress(OSError):
        stored = {**asdict(entry), "cover": b64encode(entry.cover).decode()}
        cache = str(ensure_cache_folder())  # other code writes there all the time
        sources = compute_input_digests(path for path in read_files if not path.startswith(cache))
        write_json_if_possible(_compute_entry_path(ref), {"made_from": sources, "entry": stored})
    return entry


def read_stored_entry(ref: str) -> LobbyEntry | None:
    """Return the entry on disk if nothing that it was made from has changed."""
    try:
        stored = json.loads(_compute_entry_path(ref).read_bytes())
        if not are_inputs_unchanged(stored["made_from"]):
            return None
        values: dict[str, Any] = stored["entry"]
        for name in ("options", "rulings"):
            values[name] = tuple(_setting_from_json(value) for value in values[name])
        return LobbyEntry(**{**values, "cover": b64decode(values["cover"])})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _setting_from_json(stored: dict[str, Any]) -> LobbySetting:
    values = tuple((str(name), str(words)) for name, words in stored["values"])
    return LobbySetting(stored["name"], stored["about"], values, stored["default"])


def _compute_entry_path(ref: str) -> Path:
    described = json.dumps([_VERSION, str(PACKAGE), sys.version, os.getcwd(), ref])
    return (
        ensure_cache_folder() / f"playproof_lobby_{hashlib.sha256(described.encode()).hexdigest()[:24]}.json"
    )


def _build_entry(variant: Variant) -> LobbyEntry:
    data, game = variant.data, variant.game
    facts = getattr(data, "facts", None)
    declared = facts.options if facts else {}
    if facts and (data.folder / "game.yaml").is_file():
        least, most = facts.players.min, facts.players.max
    else:
        # Cards of a spreadsheet alone say nothing of players, so there the rules are asked.
        offered = variant.list_setting_values().get("players", ()) if facts else ()
        counts = [int(number) for number in offered if number.isdigit()] or [game.players]
        least, most = min(counts), max(counts)
    options = [
        LobbySetting(
            name,
            switch.about.get("en", name),
            _pair_values_with_themselves(map(str, switch.values)),
            str(switch.default),
        )
        for name, switch in declared.items()
    ]
    if most > least and "players" not in declared:
        options.insert(
            0,
            LobbySetting(
                "players",
                "players",
                _pair_values_with_themselves(map(str, range(least, most + 1))),
                str(least),
            ),
        )
    rulings = [
        LobbySetting(ruling.id, ruling.question, tuple(ruling.options.items()), ruling.default)
        for ruling in getattr(data, "rulings", {}).values()
        if len(ruling.options) > 1
    ]
    about = facts.about.get("en", "") if facts else ""
    cover = gzip.compress(draw_game_cover(variant), 9, mtime=0)
    return LobbyEntry(variant.title, about, least, most, tuple(options), tuple(rulings), cover)


def _pair_values_with_themselves(values: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((value, value) for value in values)


def draw_game_cover(variant: Variant) -> bytes:
    """Return the first printed face of a game's table as SVG, or a tile with the game's title if it has none. Raises
    InputError."""
    from playproof.generator.svg import render_face_to_svg

    with suppress(NoTable):
        spread = TableLayout(variant)
        for surface in spread.make_scene(variant.play.start(), 0).surfaces:
            if surface.picture is not None:
                return shorten_svg_outlines(
                    render_face_to_svg(make_cut_face(spread, surface.picture))
                ).encode()
    size = min(14.0, 240 / len(variant.title))  # so that a long title fits
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 80"><rect width="160" height="80" fill="#2f4a3f"/>'
        f'<text x="80" y="45" text-anchor="middle" font-family="serif" font-size="{size:.1f}" fill="#fbf4e4">'
        f"{escape(variant.title)}</text></svg>"
    ).encode()
