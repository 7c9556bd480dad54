"""A game as a file: the traced description as canonical JSON, one row a line.

    data = write(game)        the file's bytes
    game = read(data)         the game again, without any of its Python
    digest(game)              the SHA-256 of the file, by which evidence and recorded games name the game

docs/maintain/description.md describes the format.
"""

from playproof.language.description.file_rows import VERSION, DescriptionError
from playproof.language.description.reader import read
from playproof.language.description.writer import compute_digest_of_rules_part, digest, write

__all__ = ["VERSION", "DescriptionError", "compute_digest_of_rules_part", "digest", "read", "write"]
