"""Art from files: SVG pictures and icons become scene nodes; raster pictures are checked before use.

Start reading at `svg_read.py` for vectors, at `picture_files.py` for pixels; `scenery` draws worlds."""
