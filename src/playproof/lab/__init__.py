"""The playtest lab: what many games say about a design, with intervals, causes and games that show it."""
