"""Playproof: write a tabletop game down once, then print it, play it and prove it."""
