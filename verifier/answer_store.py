"""Answers of earlier runs: on claims in two versions of a game (`errata`, the workshop), on claims under other choices
(`prove depends`), and on changed games (`prove mutate`). `prove` asks everything anew, and `check` has no part in it.
"""

from __future__ import annotations

from typing import Any

import z3

from playproof.language.result_store import ResultStore
from playproof.verifier.kernel.strict_json import to_canonical_json_text


def open_answer_store(*premises: Any) -> ResultStore:
    """Return the store of the answers that rest on some premises and on the version of Z3."""
    return ResultStore(z3.get_version_string(), *premises, to_json_text=to_canonical_json_text)
