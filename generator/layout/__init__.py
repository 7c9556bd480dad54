"""The layout language: YAML looks are read, checked and bound to components, which gives faces.

Start reading at `layout_files.py` (reading), then `layout_renderer.py` (drawing a face); each `draw_*.py` draws a kind
of element."""
