"""Why an SVG picture is not drawn."""

from __future__ import annotations


class BadPicture(ValueError):
    """The file is not a picture that can be drawn safely and faithfully; the message says why."""


class PictureNotFound(BadPicture):
    """There is no such file."""


class NotDrawableAsVectors(BadPicture):
    """The picture has a part, named in the message, that the scene cannot hold. As pixels it can be drawn."""
