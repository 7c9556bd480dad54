"""What an archive of a game holds: its descriptions, its files, its evidence, and its Python as source."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import permutations
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError
from playproof.database.game import load_game as load_cards, require_game_folder
from playproof.database.installation import EXAMPLES
from playproof.generator.book.booklets import draw_faces_to_find_font_files_used
from playproof.generator.build import build as build_sheets
from playproof.generator.layout.layout_files import find_layout_folder_of_game
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.language.archive import (
    EVIDENCE,
    FOLDER,
    MANIFEST,
    ChosenSetting,
    DescriptionFolder,
    build_reproducible_archive_bytes,
)
from playproof.language.description import digest, write
from playproof.language.game import Game
from playproof.language.options import OptionError, Options
from playproof.language.registry import (
    build,
    get_name_recorded_for_game,
    has_rules_but_no_cards,
    is_game_recorded_under_name,
    list_example_game_names,
    load_cards_if_rules_need_them,
)
from playproof.referee.recorded_games import read_games_from_transcripts_or_json
from playproof.verifier.kernel.card_tally import encode_game_cards_as_json
from playproof.verifier.kernel.evidence import parse_evidence_file_text as read_evidence
from playproof.verifier.kernel.strict_json import Unreadable
from playproof.verifier.questions.claim_check import claim_to_question

SHEETS = "print"
"""The folder of an archive that holds print files."""
_LEFT_OUT = ("__pycache__", "output", FOLDER, EVIDENCE, SHEETS, "layouts")
_MOST_ORDERS = 64
"""An option that names several things is described in each order, if there are no more than this."""
_TRANSCRIPT = b"playproof transcript "


@dataclass(frozen=True)
class GameArchive:
    """A packed game: its bytes, its files by path, and the settings that it has a description for. `old` names
    evidence that is left out, because it is of other rules."""

    name: str
    data: bytes
    files: dict[str, bytes]
    settings: tuple[tuple[ChosenSetting, str], ...]
    old: tuple[str, ...] = ()


@dataclass
class _SettingDescriptions:
    """The settings of a game that are described so far."""

    ref: str
    cards: Any
    described: dict[str, tuple[ChosenSetting, str]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    usual: dict[str, str] = field(default_factory=dict)
    rulings: dict[str, str] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)

    def describe_setting_if_new_and_possible(self, options: Options) -> Game | None:
        """Add a setting, and return the game; None if it was asked for before, or if one option excludes
        another."""
        key = repr((sorted(options.values.items()), sorted(options.rulings.items())))
        if key in self._asked:
            return None
        self._asked.add(key)
        try:
            game = build(self.ref, options, self.cards)
        except OptionError:
            return None
        self.usual = {**options.usual, **self.usual}
        self.rulings = {**{ident: names[0] for ident, names in options.read.items()}, **self.rulings}
        data, name = write(game), digest(game)
        self.files[f"{FOLDER}/{name}.json"] = data
        if game.cards is not None:
            cards = encode_game_cards_as_json(game)
            self.files[f"{FOLDER}/{sha256(cards).hexdigest()}.json"] = cards
        setting = {kind: dict(sorted(chosen.items())) for kind, chosen in game.setting.items()}
        self.described.setdefault(repr(setting), (setting, name))
        return game


def build_game_archive(ref: str, *, evidence_folder: Path | None = None, papers: Sequence[str] = ()) -> GameArchive:
    """Return the archive of a game, with the evidence of a folder, and with print files for these papers. Runs its
    rules.

    It describes the default setting, each value of each option and ruling alone, and every setting that its
    claims ask about or its recorded games were played under.
    """
    folder = _require_game_folder_unless_example(ref)
    files = (
        {"rules.py": (EXAMPLES / f"{ref}.py").read_bytes()}
        if folder is None
        else dict(_iter_game_and_layout_files(folder))
    )
    settings = _SettingDescriptions(ref, None if has_rules_but_no_cards(ref) else load_cards_if_rules_need_them(ref))
    first = Options()
    game = settings.describe_setting_if_new_and_possible(first)
    assert game is not None, "no option excludes another if none is given"
    for options in (
        *_iter_settings_with_one_value_changed(first),
        *_iter_settings_of_claims(settings.cards),
        *_iter_settings_of_recorded_games(ref, folder),
    ):
        described = Options(options.values, options.rulings)
        settings.describe_setting_if_new_and_possible(described)
        for more in _iter_settings_with_few_list_orders(described):
            settings.describe_setting_if_new_and_possible(more)
    manifest = DescriptionFolder(
        Path(ref),
        game.name,
        str(getattr(settings.cards, "digest", "")),
        {"options": dict(sorted(settings.usual.items())), "rulings": dict(sorted(settings.rulings.items()))},
        tuple(settings.described.values()),
    )
    files |= settings.files
    files[f"{FOLDER}/{MANIFEST}"] = manifest.format_manifest_as_json_bytes()
    proofs, old = _split_evidence_files_and_old_file_names(evidence_folder, {name for _, name in manifest.settings})
    files |= proofs
    if papers:
        files |= dict(_iter_built_print_files_and_fonts(ref, papers))
    return GameArchive(
        get_name_recorded_for_game(ref),
        build_reproducible_archive_bytes(get_name_recorded_for_game(ref), files),
        files,
        tuple(manifest.settings),
        old,
    )


# -- settings -------------------------------------------------------------------------------------------------------


def _iter_settings_with_one_value_changed(default_options: Options) -> Iterator[Options]:
    """Yield each value of each option, and of each ruling, alone."""
    for name, values in default_options.choices.items():
        yield from (Options({name: value}) for value in values)
    for name, values in default_options.read.items():
        yield from (Options({}, {name: value}) for value in values)


def _iter_settings_with_few_list_orders(options: Options) -> Iterator[Options]:
    """Yield the setting with all that its options of several things can name, such as what is carried from one
    game of a campaign into the next."""
    for name, things in options.lists.items():
        orders = [order for count in range(len(things) + 1) for order in permutations(things, count)]
        if len(orders) <= _MOST_ORDERS and name not in options.values and not options.rulings:
            yield from (Options({**options.values, name: " ".join(o)}, options.rulings) for o in orders)


def _iter_settings_of_claims(cards: Any) -> Iterator[Options]:
    for claim in cards.claims.values() if cards is not None else ():
        for _, question in claim_to_question(claim).iter_labels_and_questions_by_setting():
            yield Options(
                {name: str(value) for name, value in question.values.items()},
                {name: str(value) for name, value in question.rulings.items()},
            )


def _iter_settings_of_recorded_games(ref: str, folder: Path | None) -> Iterator[Options]:
    """Yield the settings of the recorded games among a game's files."""
    for path in sorted(folder.rglob("*.txt")) if folder is not None else ():
        if not path.read_bytes().startswith(_TRANSCRIPT):
            continue
        try:
            written = read_games_from_transcripts_or_json(path)
        except InputError:  # one that nobody can read is packed as it is
            continue
        mine = (transcript for transcript in written if is_game_recorded_under_name(ref, transcript.game))
        yield from (Options(dict(t.options), dict(t.rulings)) for t in mine)


# -- files ----------------------------------------------------------------------------------------------------------


def _require_game_folder_unless_example(ref: str) -> Path | None:
    """Return the folder with a game's files; None for an example, which is one file."""
    if ref in list_example_game_names():
        return None
    return Path(ref) if (Path(ref) / "rules.py").is_file() else require_game_folder(ref)


def _iter_game_and_layout_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a game's files by their paths in the archive."""
    yield from _iter_visible_files_below(folder, "")
    looks = find_layout_folder_of_game(folder)
    if looks.is_dir():
        yield from _iter_visible_files_below(looks, "layouts/")


def _iter_visible_files_below(folder: Path, prefix: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        left_out = inside.parts[0] in _LEFT_OUT and not prefix
        hidden = any(part.startswith((".", "~")) or part == "__pycache__" for part in inside.parts)
        if path.is_file() and not path.is_symlink() and not left_out and not hidden:
            yield f"{prefix}{inside.as_posix()}", path.read_bytes()


def _split_evidence_files_and_old_file_names(
    folder: Path | None, digests: Iterable[str]
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return the evidence files of a folder that are about the described games, and the names of the others."""
    fresh, old, described = dict[str, bytes](), list[str](), set(digests)
    for path in sorted(folder.glob("*.json")) if folder is not None else ():
        data = path.read_bytes()
        try:
            about = {setting.digest for setting in read_evidence(data.decode()).settings}
        except (Unreadable, UnicodeDecodeError):
            about = {""}
        if about <= described:
            fresh[f"{EVIDENCE}/{path.name}"] = data
        else:
            old.append(path.name)
    return fresh, tuple(old)


def _iter_built_print_files_and_fonts(ref: str, papers: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield print files, and the shared fonts that they show with their licences."""
    cards = load_cards(ref)
    with tempfile.TemporaryDirectory(prefix="playproof-") as folder:
        for made in build_sheets(cards, Path(folder), papers=papers):
            path = Path(made.path)
            yield path.relative_to(folder).as_posix(), path.read_bytes()
    looks = LayoutRenderer(cards)
    own = find_layout_folder_of_game(cards.folder)
    for font in sorted(draw_faces_to_find_font_files_used(looks, cards.languages[0])):
        if own not in font.parents:
            yield f"{SHEETS}/fonts/{font.name}", font.read_bytes()
            for licence in (*font.parent.glob("*.txt"), *font.parent.glob("credits.yaml")):
                yield f"{SHEETS}/fonts/{licence.name}", licence.read_bytes()
