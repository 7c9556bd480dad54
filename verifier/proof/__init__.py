"""Answers each kind of question and finds its proof. Nothing here is trusted: the kernel checks what it finds.

Start reading at `certify.py`, then at the module of a question: `reach.py`, `always.py`, `laws.py`, `length.py`,
`chances.py`, `worth.py`, `play_by_sight.py`, `best_play.py`, `counting.py`, `hidden_information.py`. `induction.py`
finds invariants."""
