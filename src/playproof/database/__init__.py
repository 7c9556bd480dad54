"""Reads and checks `cards/` and `layouts/`: typed objects that know their file, line and column."""
