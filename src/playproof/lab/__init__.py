"""The playtest lab: what many games say about a design, with intervals, causes and games that show it.

Start reading at `report.py`; `game_runner.py` plays, `estimates.py` gives intervals, `report_document.py` is what is
written as Markdown, HTML or PDF."""
