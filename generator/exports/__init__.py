"""Exports: files for print shops and for virtual tables, made from faces."""
