"""What an archive of a game holds: its descriptions, its files, its evidence, and its Python as source."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError
from playproof.database.game import find_game, load_game as load_cards
from playproof.database.places import EXAMPLES
from playproof.generator.book.file_usage import fonts_of_faces
from playproof.generator.build import build as build_sheets
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.layout_files import layouts_of
from playproof.language.archive import EVIDENCE, packed
from playproof.language.described import FOLDER, MANIFEST, Descriptions, Setting
from playproof.language.description import digest, write
from playproof.language.game import Game
from playproof.language.options import OptionError, Options
from playproof.language.registry import build, data_of, example_names, is_recorded_as, name_of, without_cards
from playproof.referee.games_file import read_all
from playproof.verifier.kernel.evidence import read as read_evidence
from playproof.verifier.kernel.strict import Unreadable
from playproof.verifier.questions.claims import question_of

SHEETS = "print"
"""The folder of an archive that holds print files."""
_LEFT_OUT = ("__pycache__", "output", FOLDER, EVIDENCE, SHEETS, "layouts")
_MOST_ORDERS = 64
"""An option that names several things is described in each order, if there are no more than this."""
_TRANSCRIPT = b"playproof transcript "


@dataclass(frozen=True)
class Archive:
    """A packed game: its bytes, its files by path, and the settings that it has a description for. `old` names
    evidence that is left out, because it is of other rules."""

    name: str
    data: bytes
    files: dict[str, bytes]
    settings: tuple[tuple[Setting, str], ...]
    old: tuple[str, ...] = ()


@dataclass
class _Settings:
    """The settings of a game that are described so far."""

    ref: str
    cards: Any
    described: dict[str, tuple[Setting, str]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    usual: dict[str, str] = field(default_factory=dict)
    rulings: dict[str, str] = field(default_factory=dict)
    _asked: set[str] = field(default_factory=set)

    def describe(self, options: Options) -> Game | None:
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
        setting = {kind: dict(sorted(chosen.items())) for kind, chosen in game.setting.items()}
        self.described.setdefault(repr(setting), (setting, name))
        return game


def archive_of(ref: str, *, evidence: Path | None = None, sheets: Sequence[str] = ()) -> Archive:
    """Return the archive of a game, with the evidence of a folder, and with print files for these papers. Runs its
    rules.

    It describes the default setting, each value of each option and ruling alone, and every setting that its
    claims ask about or its recorded games were played under.
    """
    folder = _folder(ref)
    files = {"rules.py": (EXAMPLES / f"{ref}.py").read_bytes()} if folder is None else dict(_files(folder))
    settings = _Settings(ref, None if without_cards(ref) else data_of(ref))
    first = Options()
    game = settings.describe(first)
    assert game is not None, "no option excludes another if none is given"
    for options in (*_alone(first), *_of_claims(settings.cards), *_recorded(ref, folder)):
        described = Options(options.values, options.rulings)
        settings.describe(described)
        for more in _in_each_order(described):
            settings.describe(more)
    manifest = Descriptions(
        Path(ref),
        game.name,
        str(getattr(settings.cards, "digest", "")),
        {"options": dict(sorted(settings.usual.items())), "rulings": dict(sorted(settings.rulings.items()))},
        tuple(settings.described.values()),
    )
    files |= settings.files
    files[f"{FOLDER}/{MANIFEST}"] = manifest.as_bytes()
    proofs, old = _evidence(evidence, {name for _, name in manifest.settings})
    files |= proofs
    if sheets:
        files |= dict(_sheets(ref, sheets))
    return Archive(name_of(ref), packed(name_of(ref), files), files, tuple(manifest.settings), old)


# -- settings -------------------------------------------------------------------------------------------------------


def _alone(first: Options) -> Iterator[Options]:
    """Yield each value of each option, and of each ruling, alone."""
    for name, values in first.choices.items():
        yield from (Options({name: value}) for value in values)
    for name, values in first.read.items():
        yield from (Options({}, {name: value}) for value in values)


def _in_each_order(options: Options) -> Iterator[Options]:
    """Yield the setting with all that its options of several things can name, such as what is carried from one
    game of a campaign into the next."""
    for name, things in options.lists.items():
        orders = [order for count in range(len(things) + 1) for order in permutations(things, count)]
        if len(orders) <= _MOST_ORDERS and name not in options.values and not options.rulings:
            yield from (Options({**options.values, name: " ".join(o)}, options.rulings) for o in orders)


def _of_claims(cards: Any) -> Iterator[Options]:
    for claim in cards.claims.values() if cards is not None else ():
        for _, question in question_of(claim).variants():
            yield Options(
                {name: str(value) for name, value in question.values.items()},
                {name: str(value) for name, value in question.rulings.items()},
            )


def _recorded(ref: str, folder: Path | None) -> Iterator[Options]:
    """Yield the settings of the recorded games among a game's files."""
    for path in sorted(folder.rglob("*.txt")) if folder is not None else ():
        if not path.read_bytes().startswith(_TRANSCRIPT):
            continue
        try:
            written = read_all(path)
        except InputError:  # one that nobody can read is packed as it is
            continue
        mine = (transcript for transcript in written if is_recorded_as(ref, transcript.game))
        yield from (Options(dict(t.options), dict(t.rulings)) for t in mine)


# -- files ----------------------------------------------------------------------------------------------------------


def _folder(ref: str) -> Path | None:
    """Return the folder with a game's files; None for an example, which is one file."""
    if ref in example_names():
        return None
    return Path(ref) if (Path(ref) / "rules.py").is_file() else find_game(ref)


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a game's files by their paths in the archive."""
    yield from _below(folder, "")
    looks = layouts_of(folder)
    if looks.is_dir():
        yield from _below(looks, "layouts/")


def _below(folder: Path, prefix: str) -> Iterator[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        left_out = inside.parts[0] in _LEFT_OUT and not prefix
        hidden = any(part.startswith((".", "~")) or part == "__pycache__" for part in inside.parts)
        if path.is_file() and not path.is_symlink() and not left_out and not hidden:
            yield f"{prefix}{inside.as_posix()}", path.read_bytes()


def _evidence(folder: Path | None, digests: Iterable[str]) -> tuple[dict[str, bytes], tuple[str, ...]]:
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


def _sheets(ref: str, papers: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield print files, and the shared fonts that they show with their licences."""
    cards = load_cards(ref)
    with tempfile.TemporaryDirectory(prefix="playproof-") as folder:
        for made in build_sheets(cards, Path(folder), papers=papers):
            path = Path(made.path)
            yield path.relative_to(folder).as_posix(), path.read_bytes()
    looks = Looks(cards)
    own = layouts_of(cards.folder)
    for font in sorted(fonts_of_faces(looks, cards.languages[0])):
        if own not in font.parents:
            yield f"{SHEETS}/fonts/{font.name}", font.read_bytes()
            for licence in (*font.parent.glob("*.txt"), *font.parent.glob("credits.yaml")):
                yield f"{SHEETS}/fonts/{licence.name}", licence.read_bytes()
