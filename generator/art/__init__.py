"""Art from files: SVG pictures and icons as scene nodes, raster pictures checked before use."""
