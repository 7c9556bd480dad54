"""Sheets of paper: the place of every face, and the marks that help to print, cut, fold and assemble.

    plan = read_sheet_plan_by_name_or_raise("home", target_paper=paper)
    pages = impose_pieces_on_pages(pieces, plan, title="Events", printer=read_printer_offsets_or_empty())

Plans are data (`layouts/sheets`), papers too (`layouts/papers.yaml`). Start reading at `plan.py`, then `imposition.py`.
Sheets do not draw cards."""

from playproof.generator.sheets.boards import build_pages_of_tiled_board, split_board_into_tiles_or_raise
from playproof.generator.sheets.imposition import can_fit_on_paper, impose_pieces_on_pages
from playproof.generator.sheets.pieces import Piece, group_pieces_by_trimmed_size, select_ids_named_in_text_or_raise
from playproof.generator.sheets.plan import (
    Paper,
    Plan,
    list_sorted_names_of_sheet_plans,
    parse_paper_name_or_size_or_raise,
    read_papers_by_name_or_raise,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.printer import (
    Printer,
    read_printer_offsets_or_empty as read_printer_offsets_or_empty,
    write_printer_offsets_or_raise as write_printer_offsets_or_raise,
)

__all__ = [
    "Paper",
    "Piece",
    "Plan",
    "Printer",
    "build_pages_of_tiled_board",
    "can_fit_on_paper",
    "group_pieces_by_trimmed_size",
    "impose_pieces_on_pages",
    "list_sorted_names_of_sheet_plans",
    "parse_paper_name_or_size_or_raise",
    "read_papers_by_name_or_raise",
    "read_printer_offsets_or_empty",
    "read_sheet_plan_by_name_or_raise",
    "select_ids_named_in_text_or_raise",
    "split_board_into_tiles_or_raise",
    "write_printer_offsets_or_raise",
]
