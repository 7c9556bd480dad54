"""What an archive of a game holds: its descriptions, its files, and its Python as source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playproof.database.game import find_game
from playproof.database.places import EXAMPLES
from playproof.generator.layout.layout_files import layouts_of
from playproof.language.archive import packed
from playproof.language.described import FOLDER, MANIFEST, Described, Setting
from playproof.language.description import digest, write
from playproof.language.options import OptionError, Options
from playproof.language.registry import build, data_of, example_names, name_of, without_cards
from playproof.verifier.questions.claims import question_of

_LEFT_OUT = ("__pycache__", "output", FOLDER, "layouts")


@dataclass(frozen=True)
class Archive:
    """A packed game: its bytes, its files by path, and the settings that it has a description for."""

    name: str
    data: bytes
    files: dict[str, bytes]
    settings: tuple[tuple[Setting, str], ...]


def archive_of(ref: str) -> Archive:
    """Return the archive of a game: descriptions of its default setting, of each value of each option, and of
    every setting that its claims ask about. Runs its rules."""
    name, data = name_of(ref), None if without_cards(ref) else data_of(ref)
    usual = Options()
    first = build(ref, usual, data)
    files, settings = dict(_files(ref)), dict[str, tuple[Setting, str]]()
    for options in {repr((o.values, o.rulings)): o for o in _settings(data)}.values():
        try:
            game = build(ref, options, data)
        except OptionError:  # an option that another one excludes
            continue
        key = digest(game)
        files[f"{FOLDER}/{key}.json"] = write(game)
        settings.setdefault(repr(game.setting), (game.setting, key))
    described = Described(
        Path(ref),
        first.name,
        str(getattr(data, "digest", "")),
        {
            "options": dict(sorted(usual.usual.items())),
            "rulings": {ident: options[0] for ident, options in sorted(usual.read.items())},
        },
        tuple(settings.values()),
    )
    files[f"{FOLDER}/{MANIFEST}"] = described.as_bytes()
    return Archive(name, packed(name, files), files, tuple(settings.values()))


def _settings(data: Any) -> Iterator[Options]:
    """Yield the settings to describe, the default first."""
    yield Options()
    if data is None:
        return
    for name, switch in data.facts.options.items():
        yield from (Options({name: str(value)}) for value in switch.values)
    for claim in data.claims.values():
        for _, question in question_of(claim).variants():
            yield Options(
                {name: str(value) for name, value in question.values.items()},
                {name: str(value) for name, value in question.rulings.items()},
            )


def _files(ref: str) -> Iterator[tuple[str, bytes]]:
    """Yield a game's files by their paths in the archive."""
    if ref in example_names():
        yield "rules.py", (EXAMPLES / f"{ref}.py").read_bytes()
        return
    folder = Path(ref) if (Path(ref) / "rules.py").is_file() else find_game(ref)
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
