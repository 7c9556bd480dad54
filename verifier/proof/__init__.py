"""Looks for reasons: invariants, ranks, sums and bounded searches; how each kind of question is
answered."""
