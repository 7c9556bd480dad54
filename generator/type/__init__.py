"""Type: fonts, shaping, lines and paragraphs, all on HarfBuzz.

Start reading at `typesetter.py`; `markup.py` reads the words, `shaping.py` shapes them, `lines.py` breaks them."""
