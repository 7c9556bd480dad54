"""Estimates where no proof fits: of sizes, chances and scores. Nothing here is evidence; `kernel` reads none of it.

Start reading at `estimated_bounds.py`."""
