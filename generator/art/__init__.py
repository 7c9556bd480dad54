"""Art from files: SVG pictures and icons become scene nodes; raster pictures are checked before
use."""
