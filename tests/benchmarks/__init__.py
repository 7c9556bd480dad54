"""Measured claims. Each module has `run() -> list[Row]`; `python -m tests.benchmarks [NAME...]` runs them
and prints tables.

Ratios are paired: both sides run in turn in the same process or call, so that a slow moment slows
both.
"""
