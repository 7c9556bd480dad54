"""The stable codes of errors in a `table.yaml` (PP62x; the table of hundreds is in
database/errors.py)."""

from __future__ import annotations

CODES: dict[str, str] = {
    "PP621": "a table names a field or an action that the rules do not have",
    "PP622": "an expression of a table that cannot be worked out",
    "PP623": "a surface without a face and without a size",
    "PP624": "a table names a component that does not exist",
    "PP625": "a piece of the table that no layout draws",
    "PP626": "a field of the rules that lies nowhere on the table",
    "PP627": "a table names a surface that does not exist",
    "PP628": "a piece of the table that lies beside its surface",
    "PP629": "a title of the table without a language of the game, or in another (a warning)",
}
