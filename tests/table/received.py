"""What a browser makes of the changes of a page that it receives."""

from __future__ import annotations

import json
from collections.abc import Sequence

from playproof.table.web_exchange import split_html_into_diffable_parts


def applied(before: Sequence[str], change: str) -> list[str]:
    """Return the parts of a page after a change, as the browser's script does."""
    after: list[str] = []
    for op in json.loads(change):
        after += split_html_into_diffable_parts(op) if isinstance(op, str) else before[op[0] : op[0] + op[1]]
    return after
