"""Type: fonts, shaping, lines and paragraphs, all on HarfBuzz."""
