"""Find the cards that changed since a revision in git: `--changed-since REV`."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from pathlib import Path as FilePath

from playproof.database.errors import InputError, Where
from playproof.database.game import Game, load_game
from playproof.generator.build.fingerprint import canonical, of_component


def earlier(game: Game, revision: str) -> Game:
    """Return the game as it was at a revision. Raises InputError if git or the revision is missing,
    or if the game was not readable then."""
    folder = game.folder.resolve()
    top = FilePath(_git(folder, revision, "rev-parse", "--show-toplevel").decode().strip())
    inside = folder.relative_to(top.resolve()).as_posix()
    archive = _git(top, revision, "archive", "--format=tar", revision, "--", inside)
    with tempfile.TemporaryDirectory() as name:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            tar.extractall(name, filter="data")
        return load_game(FilePath(name) / inside)


def changed_from(before: Game, game: Game) -> tuple[str, ...]:
    """Return the ids of components that are new or print differently than in ``before``, in the
    game's order."""
    same_words = canonical(before.vocabulary.spec.model_dump()) == canonical(
        game.vocabulary.spec.model_dump()
    )
    old = {key: of_component(component) for key, component in before.components.items()}
    return tuple(
        key
        for key, component in game.components.items()
        if not same_words or old.get(key) != of_component(component)
    )


def _git(folder: FilePath, revision: str, *words: str) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=False)
    except OSError:
        raise InputError.of(
            "PP512", Where("--changed-since"), "git is needed to compare, and is missing"
        ) from None
    if done.returncode:
        complaint = done.stderr.decode("utf-8", "replace").strip().splitlines()
        message = f"git knows no {revision!r} of this game" + (f": {complaint[0]}" if complaint else "")
        raise InputError.of("PP512", Where("--changed-since"), message)
    return done.stdout
