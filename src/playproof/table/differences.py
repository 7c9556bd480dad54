"""What changed between two pages, so that a click costs a few hundred bytes and not the whole page.

A page is cut before each of its larger elements. A change is a list: text that is new, or `[first, count]` for parts of
the page before. It depends on nothing but the two pages, so it tells nobody more than they do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

_CUTS = re.compile(r'(?=<(?:section|g class="piece|rect class="spot|li|button|form|dt|p|/section|/main)\b)')


def parts(page: str) -> list[str]:
    """Return a page in parts that may stay as they are."""
    return [part for part in _CUTS.split(page) if part]


def difference(before: Sequence[str], after: Sequence[str]) -> str:
    """Return the change as JSON, `[text or [first, count], ...]`."""
    where: dict[str, int] = {}
    for at, part in enumerate(before):
        where.setdefault(part, at)
    ops: list[str | list[int]] = []
    for part in after:
        last = ops[-1] if ops else None
        follows = last[0] + last[1] if isinstance(last, list) else -1
        if isinstance(last, list) and follows < len(before) and before[follows] == part:
            last[1] += 1
        elif part in where:
            ops.append([where[part], 1])
        elif isinstance(last, str):
            ops[-1] = last + part
        else:
            ops.append(part)
    return json.dumps(ops, ensure_ascii=False, separators=(",", ":"))
