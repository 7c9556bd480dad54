"""Answers each kind of question, and finds its proof: invariants, ranks and sums."""
