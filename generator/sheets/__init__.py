"""Sheets of paper: the place of every face, and the marks that help to print, cut, fold and
assemble.

    pages = impose(pieces, plan("home", on=paper("Letter")), title="Events", printer=load_printer())
    pages = impose_board(piece, plan("board"))

Plans are data (`layouts/sheets`), papers too (`layouts/papers.yaml`). `plan.low_ink` is for the
maker of the faces; sheets do not draw cards.
"""

from playproof.generator.sheets.boards import impose_board, tiled
from playproof.generator.sheets.impose import fits, impose
from playproof.generator.sheets.paper import Paper, paper, papers
from playproof.generator.sheets.pieces import Piece, by_size
from playproof.generator.sheets.plan import Plan, plan, plans
from playproof.generator.sheets.printer import Printer, load as load_printer, save as save_printer
from playproof.generator.sheets.selection import select

__all__ = [
    "Paper",
    "Piece",
    "Plan",
    "Printer",
    "by_size",
    "fits",
    "impose",
    "impose_board",
    "load_printer",
    "paper",
    "papers",
    "plan",
    "plans",
    "save_printer",
    "select",
    "tiled",
]
