"""Playproof: write a tabletop game down once, then print it, play it and prove it.

    from playproof import Game, require, when, win         # what a designer's rules.py needs
    from playproof import Match, Variant, prove, simulate  # what a script needs

Each name is loaded when it is first used, so `import playproof` costs almost nothing. The names are those
of the stub beside this file; docs/howto/python.md shows them at work.
"""

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    try:
        return _load(name)
    except AttributeError:
        from playproof.language.errors import RENAMED  # only a wrong name pays for this

        if name in RENAMED:
            raise ImportError(f"`{name}` is called `{RENAMED[name]}` now", name=__name__) from None
        raise
