"""`--watch`: build again whenever a card or a layout is saved."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path as FilePath

from playproof.database.errors import InputError
from playproof.database.source import enable_parse_cache
from playproof.generator.build.press import PICTURES
from playproof.generator.build.run import Builder

OnBuilt = Callable[[Builder], None]
OnError = Callable[[InputError], None]
OnChanged = Callable[[Builder, Sequence[str]], None]
# ms: saves count as one change for at most the first time, or until none comes for the second
TOGETHER, QUIET = (60, 10)


def watch_and_rebuild(
    create_builder: Callable[[], Builder],
    on_built: OnBuilt,
    on_error: OnError,
    stop: threading.Event | None = None,
    on_changed: OnChanged | None = None,
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

    enable_parse_cache()
    builder = _try_to_build(create_builder, on_built, on_error)
    if builder is None:
        return
    cards, looks = builder.press.game.folder.resolve(), builder.press.looks.folder.resolve()
    folders = {cards, looks, looks.parent / "icons", looks.parent / "motifs"}
    watched = [each for each in folders if each.is_dir()]
    for changes in watchfiles.watch(*watched, stop_event=stop, debounce=TOGETHER, step=QUIET):
        paths = [FilePath(path).resolve() for _, path in changes]
        if all(path.is_relative_to(cards) and not _is_layout_or_picture(path, looks) for path in paths):
            _rebuild_changed_cards(builder, on_built, on_error, on_changed)
        else:
            builder = _try_to_build(create_builder, on_built, on_error) or builder


def _is_layout_or_picture(path: FilePath, looks: FilePath) -> bool:
    """Return whether a file is of the looks: a layout or what it needs, or a picture anywhere."""
    return path.is_relative_to(looks) or path.suffix.lower() in PICTURES


def _try_to_build(
    create_builder: Callable[[], Builder], on_built: OnBuilt, on_error: OnError
) -> Builder | None:
    try:
        builder = create_builder()
        on_built(builder)
    except InputError as error:
        on_error(error)
        return None
    return builder


def _rebuild_changed_cards(
    builder: Builder, on_built: OnBuilt, on_error: OnError, on_changed: OnChanged | None
) -> None:
    try:
        others = builder.reload_game()
        if on_changed is not None and others:
            on_changed(builder, others)
        on_built(builder)
    except InputError as error:
        on_error(error)
