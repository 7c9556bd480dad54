"""Answers and evidence of earlier runs: on claims in two versions of a game (`errata`, the workshop), on claims under
other choices (`prove depends`), and on changed games (`prove mutate`). `prove` asks everything anew, and `check` has no
part in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import z3

from playproof.database.game import require_game_folder
from playproof.language.registry import get_name_recorded_for_game, has_rules_but_no_cards
from playproof.language.result_store import ResultStore
from playproof.verifier.kernel.evidence import EvidenceFile, parse_evidence_file_text
from playproof.verifier.kernel.strict_json import Unreadable, to_canonical_json_text


def open_answer_store(*premises: Any) -> ResultStore:
    """Return the store of the answers that rest on some premises and on the version of Z3."""
    return ResultStore(z3.get_version_string(), *premises, to_json_text=to_canonical_json_text)


def list_possible_evidence_folders_of_game(game_ref: str, output_folder: Path) -> tuple[Path, ...]:
    """Return the folders with evidence of a game: where `prove` writes it below `output_folder`, and the game's own."""
    written = output_folder / get_name_recorded_for_game(game_ref) / "evidence"
    return (written,) if has_rules_but_no_cards(game_ref) else (written, require_game_folder(game_ref) / "evidence")


def read_nearest_evidence_or_none(folders: Iterable[Path], claim_id: str) -> EvidenceFile | None:
    """Return the evidence of a claim in the first of the folders that has any which can be read."""
    for folder in folders:
        try:
            return parse_evidence_file_text((folder / f"{claim_id}.json").read_text("utf-8"))
        except (OSError, ValueError, Unreadable):
            continue
    return None
