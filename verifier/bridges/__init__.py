"""Ways out of Playproof: exports for planners and model checkers, a second solver, a cluster. The core imports none of
it."""
