"""`--watch`: build again whenever a card or a layout is saved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath

from playproof.database.errors import InputError
from playproof.database.source import keep_parsed
from playproof.generator.build.press import PICTURES
from playproof.generator.build.run import Builder

Built = Callable[[Builder], None]
Wrong = Callable[[InputError], None]
Changed = Callable[[Builder, Sequence[str]], None]
TOGETHER, QUIET = (
    60,
    10,
)  # ms: saves count as one change for at most the first time, or until none comes for the second


def watch(
    start: Callable[[], Builder],
    built: Built,
    wrong: Wrong,
    stop: threading.Event | None = None,
    changed: Changed | None = None,
) -> None:
    """Call ``built`` with a builder now and after every change. Call ``wrong`` with the error if a
    save breaks something.

    Before ``built``, call ``changed`` with the ids of the components that now print differently. A
    caller can show their faces at once, while sheets and booklets take their time.

    ``start`` makes the builder, and makes a new one when a layout changes. When a card changes, the
    existing builder reads it and draws that card alone. Returns when ``stop`` is set or the user
    interrupts.
    """
    import watchfiles

    keep_parsed()
    builder = _attempt(start, built, wrong)
    if builder is None:
        return
    cards, looks = builder.press.game.folder.resolve(), builder.press.looks.folder.resolve()
    folders = {cards, looks, looks.parent / "icons", looks.parent / "motifs"}
    watched = [each for each in folders if each.is_dir()]
    for changes in watchfiles.watch(*watched, stop_event=stop, debounce=TOGETHER, step=QUIET):
        paths = [FilePath(path).resolve() for _, path in changes]
        if all(path.is_relative_to(cards) and not _shows(path, looks) for path in paths):
            _again(builder, built, wrong, changed)
        else:
            builder = _attempt(start, built, wrong) or builder


def _shows(path: FilePath, looks: FilePath) -> bool:
    """Return whether a file is of the looks: a layout or what it needs, or a picture anywhere."""
    return path.is_relative_to(looks) or path.suffix.lower() in PICTURES


def _attempt(start: Callable[[], Builder], built: Built, wrong: Wrong) -> Builder | None:
    try:
        builder = start()
        built(builder)
    except InputError as error:
        wrong(error)
        return None
    return builder


def _again(builder: Builder, built: Built, wrong: Wrong, changed: Changed | None) -> None:
    try:
        others = builder.reload()
        if changed is not None and others:
            changed(builder, others)
        built(builder)
    except InputError as error:
        wrong(error)
