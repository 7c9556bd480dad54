"""Proves claims. Start reading at `prove.py`, and at `check.py` for confirming stored evidence.

`questions` reads claims; `search` finds lines of play; `proof` answers each kind of question and finds certificates;
`kernel` alone decides what a certificate shows. `estimates`, `analysis` and `bridges` stand apart from all of them."""
