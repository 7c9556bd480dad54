"""Sheets of paper: the place of every face, and the marks that help to print, cut, fold and assemble.

    pages = impose_pieces(pieces, read_plan("home", target_paper=paper), title="Events", printer=load_printer())

Plans are data (`layouts/sheets`), papers too (`layouts/papers.yaml`). Start reading at `plan.py`, then `imposition.py`.
Sheets do not draw cards."""

from playproof.generator.sheets.boards import impose_board, split_board_into_tiles
from playproof.generator.sheets.imposition import can_fit_on_paper, impose_pieces
from playproof.generator.sheets.pieces import Piece, group_by_size, select_ids
from playproof.generator.sheets.plan import Paper, Plan, list_plan_names, parse_paper, read_papers, read_plan
from playproof.generator.sheets.printer import (
    Printer,
    load_printer as load_printer,
    save_printer as save_printer,
)

__all__ = [
    "Paper",
    "Piece",
    "Plan",
    "Printer",
    "can_fit_on_paper",
    "group_by_size",
    "impose_board",
    "impose_pieces",
    "list_plan_names",
    "load_printer",
    "parse_paper",
    "read_papers",
    "read_plan",
    "save_printer",
    "select_ids",
    "split_board_into_tiles",
]
