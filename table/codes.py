"""The stable codes of what is wrong with a `table.yaml` (PP58x; the table of hundreds is in database/errors.py)."""

from __future__ import annotations

CODES: dict[str, str] = {
    "PP581": "a table names a field that the rules do not have",
    "PP582": "an expression of a table that cannot be worked out",
    "PP583": "a surface without a face and without a size",
    "PP584": "a table names a component that does not exist",
    "PP585": "a piece of the table that no layout draws",
    "PP586": "a field of the rules that lies nowhere on the table",
}
