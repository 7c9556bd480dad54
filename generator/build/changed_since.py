"""Find the cards that changed since a revision in git: `--changed-since REV`."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.database.errors import InputError, Where
from playproof.database.game import Game, load_game
from playproof.generator.build.fingerprint import hash_component, hash_files, to_canonical_text
from playproof.generator.build.press import iter_picture_files


class GameAtRevision(NamedTuple):
    """A game as it was at a revision, and a hash of the layouts and pictures that its folder had there."""

    game: Game
    looks: str


def hash_layouts_and_pictures(game: Game) -> str:
    """Return a hash of the layouts and pictures in a game's folder. Which sheets they go to is no matter."""
    folder = game.folder / "layouts"
    own = [path for path in folder.rglob("*") if path.is_file() and path.name != "build.yaml"]
    return hash_files({*own, *iter_picture_files(game.folder)})


def load_game_at_revision(game: Game, revision: str) -> GameAtRevision:
    """Return the game as it was at a revision. Raises InputError if git or the revision is missing,
    or if the game was not readable then."""
    folder = game.folder.resolve()
    top = FilePath(_run_git(folder, revision, "rev-parse", "--show-toplevel").decode().strip())
    inside = folder.relative_to(top.resolve()).as_posix()
    archive = _run_git(top, revision, "archive", "--format=tar", revision, "--", inside)
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            if hasattr(tarfile, "data_filter"):  # Python 3.11.4 and later; git's own archive needs no filter
                tar.extraction_filter = tarfile.data_filter
            tar.extractall(name)
        before = load_game(FilePath(name) / inside)
        return GameAtRevision(before, hash_layouts_and_pictures(before))


def list_changed_components(before: GameAtRevision, game: Game) -> tuple[str, ...]:
    """Return the ids of components that are new or print differently than in ``before``, in the
    game's order. If a layout or a picture that several cards may show is another, all count."""
    words = (to_canonical_text(each.vocabulary.spec.model_dump()) for each in (before.game, game))
    same_words = len({*words}) == 1 and before.looks == hash_layouts_and_pictures(game)
    old = {key: hash_component(component) for key, component in before.game.components.items()}
    return tuple(
        key
        for key, component in game.components.items()
        if not same_words or old.get(key) != hash_component(component)
    )


def _run_git(folder: FilePath, revision: str, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except OSError:
        raise InputError.from_single_finding(
            "PP512", Where("--changed-since"), "git is needed to compare, and is missing"
        ) from None
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().splitlines()
        message = f"git knows no {revision!r} of this game" + (f": {complaint[0]}" if complaint else "")
        raise InputError.from_single_finding("PP512", Where("--changed-since"), message)
    return done.stdout
