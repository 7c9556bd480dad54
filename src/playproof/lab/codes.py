"""The codes of what is wrong with a run's log or a question to it."""

from __future__ import annotations

from playproof.database.errors import Finding, InputError, Where

CODES = {
    "PP820": "a folder holds another run, or no run",
    "PP821": "two runs cannot be one",
    "PP822": "a question that the database cannot answer",
    "PP823": "two versions that cannot be compared",
    "PP824": "a target that the game cannot have",
    "PP825": "a recorded game of another setting than the report",
}


def build_input_error_of_one_finding(code: str, where: object, message: str, hint: str = "") -> InputError:
    """Return the error for one thing that is wrong."""
    return InputError([Finding(code, Where(str(where), 0, 0), message, hint)])
