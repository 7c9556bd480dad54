"""Exports: files for print shops and for virtual tables, made from faces.

Start reading at `vendor.py` for shops, at `virtual_table.py` for what all virtual tables share."""
