"""Which icon may be meant by a name that is none."""

from __future__ import annotations

import re
from collections.abc import Collection

from playproof.database.errors import find_nearest_word

_PICTURE_SUFFIX = re.compile(r"\.(svg|png|jpe?g|webp)\Z", re.IGNORECASE)


def make_icon_hint(name: str, icons: Collection[str]) -> str:
    """Return a hint that names the nearest icon, or how to add one: a hundred names that are all unlike would help
    nobody. Of 260 words some are alike by chance, as goblet and goblin. A file's suffix, capitals and colons around
    the name do not count."""
    stem = _PICTURE_SUFFIX.sub("", name.strip(": ")).replace(" ", "-")
    near = find_nearest_word(stem, icons, min_similarity=0.75) or find_nearest_word(
        stem.replace("_", "-"), icons, min_similarity=0.75
    )
    draw_it = f"`playproof docs icons {stem}` looks for one; or draw it as layouts/icons/{stem}.svg"
    return f'did you mean "{near}"?' if near else draw_it
