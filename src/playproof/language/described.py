"""A game's folder that holds descriptions in place of rules, as an archive brings it: nothing in it is run.

descriptions/settings.json      which description is of which setting
descriptions/DIGEST.json        a description, named by the SHA-256 of its bytes
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from playproof.database.source import read_plain_file
from playproof.language.description import DescriptionError, read
from playproof.language.description.parsed import MOST_BYTES, JsonNode, parse_json_file
from playproof.language.errors import Place
from playproof.language.game import Game
from playproof.language.options import OptionError, Options

CODE = "PP371"
VERSION = 1
FOLDER = "descriptions"
MANIFEST = "settings.json"
RULES = ("rules.py", "rules/__init__.py")
_MOST_SETTINGS = 1_000
_DIGEST = re.compile(r"[0-9a-f]{64}")
ChosenSetting = Mapping[str, Mapping[str, str]]
"""`options` and `rulings` by name, without those that have their default."""


@dataclass(frozen=True)
class DescriptionFolder:
    """The descriptions of a folder. `cards` is the digest of the cards that they were made with, "" for a
    game without cards; `usual` holds the default of each option and ruling; `settings` pairs each
    setting with the digest of its description."""

    folder: Path
    name: str
    cards: str
    usual: ChosenSetting
    settings: Sequence[tuple[ChosenSetting, str]]

    def load_game_for_options(self, options: Options, cards: Any) -> Game:
        """Return the game under a setting. Raises OptionError if there is no description of it, and
        DescriptionError if a file is wrong or the cards are others than it was made with."""
        wanted = self._normalize_setting(options)
        self._record_available_choices(options)
        digest = next((digest for setting, digest in self.settings if setting == wanted), None)
        if digest is None:
            raise OptionError(
                f"the archive of `{self.name}` has no description for {_format_setting(wanted)}; it has those for "
                f"{', '.join(_format_setting(setting) for setting, _ in self.settings)}; add --trust to run its rules, "
                "which are Python, if you trust who wrote them"
            )
        if str(getattr(cards, "digest", "")) != self.cards:
            raise self._make_description_error(
                "the cards are others than the descriptions were made with",
                "if you asked for other cards, add --trust to run the rules; else ask for the archive again",
            )
        game = read(self._read_description_bytes(digest), f"{FOLDER}/{digest[:12]}.json")
        if (game.name, game.setting) != (self.name, wanted):
            raise self._make_description_error(f"the description {digest[:12]} is of another game or setting")
        return game

    def _record_available_choices(self, options: Options) -> None:
        """Note what may be chosen, as rules do that ask for it: the default first, then what is described. An option
        whose default is no text names several things, and offers no list of values."""
        for kind, noted in (("options", options.choices), ("rulings", options.read)):
            for name, usual in self.usual[kind].items():
                values = (setting[kind][name] for setting, _ in self.settings if name in setting[kind])
                options.asked.add(name)
                if usual:
                    noted[name] = tuple(dict.fromkeys((usual, *values)))
        options.usual.update(self.usual["options"])

    def _normalize_setting(self, options: Options) -> ChosenSetting:
        setting = {"options": options.values, "rulings": options.rulings}
        for kind, values in setting.items():
            for name in values:
                if name not in self.usual[kind]:
                    names = ", ".join(self.usual[kind]) or "none"
                    raise OptionError(f"`{self.name}` does not know {name}; its {kind} are {names}")
        return {
            kind: {n: str(v) for n, v in sorted(values.items()) if self.usual[kind][n] != str(v)}
            for kind, values in setting.items()
        }

    def _read_description_bytes(self, digest: str) -> bytes:
        file = self.folder / FOLDER / f"{digest}.json"
        try:
            data = read_plain_file(file, MOST_BYTES)
        except OSError as error:
            raise self._make_description_error(
                f"{file.name} cannot be read: {error.strerror or error}"
            ) from None
        if sha256(data).hexdigest() != digest:
            raise self._make_description_error(f"{file.name} does not have the digest that it is named by")
        return data

    def _make_description_error(
        self, message: str, hint: str = "ask for the archive again"
    ) -> DescriptionError:
        return DescriptionError(CODE, message, hint, Place(f"{self.folder.name}/{FOLDER}", 1))

    def format_manifest(self) -> bytes:
        """Return the manifest as a file."""
        rows = [{**setting, "description": digest} for setting, digest in self.settings]
        manifest = {
            "playproof-archive": VERSION,
            "game": self.name,
            "cards": self.cards,
            "usual": self.usual,
            "settings": rows,
        }
        return (json.dumps(manifest, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def load_description_folder(ref: str) -> DescriptionFolder | None:
    """Return the descriptions of a game's folder; None if it has none, or has rules. Raises DescriptionError."""
    folder = Path(ref)
    manifest = folder / FOLDER / MANIFEST
    if not manifest.is_file() or any((folder / rules).is_file() for rules in RULES):
        return None
    whole = parse_json_file(read_plain_file(manifest, MOST_BYTES), str(manifest))
    version, name, cards, usual, settings = whole.list_mapping_values(
        "playproof-archive", "game", "cards", "usual", "settings"
    )
    if version.value != VERSION or version.value is True:
        version.raise_expected(f"version {VERSION} of archives")
    made = list[tuple[ChosenSetting, str]]()
    for node in settings.list_items(_MOST_SETTINGS, 1):
        made.append(_parse_setting_row(node))
        if made[-1][0] in (setting for setting, _ in made[:-1]):
            node.raise_expected("each setting once")
    return DescriptionFolder(folder, name.read_text(), cards.read_text(), usual.read_setting(), made)


def _parse_setting_row(node: JsonNode) -> tuple[ChosenSetting, str]:
    options, rulings, description = node.list_mapping_values("options", "rulings", "description")
    if not _DIGEST.fullmatch(description.read_text()):
        description.raise_expected("the digest of a description")
    return {"options": options.read_text_mapping(), "rulings": rulings.read_text_mapping()}, description.value


def _format_setting(setting: ChosenSetting) -> str:
    chosen = [f"{name}={value}" for values in setting.values() for name, value in values.items()]
    return " ".join(chosen) or "the defaults"
