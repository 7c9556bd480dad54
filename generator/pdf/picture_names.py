"""Names of pictures as text: one font per name, with one glyph that draws nothing and stands for
the whole name.

Every PDF reader finds the name: it is searched, copied and read aloud in the picture's place and at
its width. By the standard an /ActualText would do the same (PDF 32000-1, 14.9.4), but readers skip
one that holds no text or lose its place. They take letters squeezed into one another for print
struck twice.
"""

from __future__ import annotations

import hashlib

from playproof.generator.pdf.objects import Name, PdfFileBuilder, Raw, Reference, Stream, compress_stream

# Readers guess the size of a Type 3 font by its x, which in letters is half as wide as the type is
# large; and by a glyph's width what gap after it is a space. Both come out right for an x as wide
# as its font, at half the size of the type beside it (tried with PDFium and Poppler on the cards of
# Playproof).
CODE, GLYPH = "78", "x"
SIZE = 0.5  # of the type beside it
BOX = (0, -500, 1000, 1800)  # thousandths of that, so as deep and as high as letters commonly are


def build_name_font_id(name: str) -> str:
    """Return the name of the font in content streams, the same in every file."""
    return "N" + hashlib.sha256(name.encode()).hexdigest()[:10]


def put_name_font(name: str, document: PdfFileBuilder, place: Reference) -> None:
    """Put at `place` the Type 3 font (9.6.5) whose one glyph stands for the name."""
    glyph = Stream({}, f"{BOX[2]} 0 {' '.join(map(str, BOX))} d1".encode())
    text = f"{CMAP_START}1 beginbfchar\n<{CODE}> <{name.encode('utf-16-be').hex()}>\nendbfchar{CMAP_END}"
    document.fill_object(
        place,
        {
            "Type": Name("Font"),
            "Subtype": Name("Type3"),
            "FontBBox": BOX,
            "FontMatrix": Raw(b"[0.001 0 0 0.001 0 0]"),
            "CharProcs": {GLYPH: document.add_object(glyph)},
            "Encoding": {"Type": Name("Encoding"), "Differences": [int(CODE, 16), Name(GLYPH)]},
            "FirstChar": int(CODE, 16),
            "LastChar": int(CODE, 16),
            "Widths": [BOX[2]],
            "Resources": {},
            "ToUnicode": document.add_object(compress_stream(text.encode())),
        },
    )


CMAP_START = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
1 begincodespacerange <00> <ff> endcodespacerange
"""
CMAP_END = """
endcmap CMapName currentdict /CMap defineresource pop end end
"""
