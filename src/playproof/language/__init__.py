"""The rules language: a game is a finite transition system of guarded actions, written once and
read four ways.

    from playproof.language import Game, goto, require, tie, when, win

`Game` declares fields, phases and actions; the verbs are used inside rule bodies; `Interpreter` is
the reference reading. docs/tutorial-rules.md teaches it on tic-tac-toe.

Each name is loaded when it is first used: whoever reads a game loads nothing that traces one.
"""

import lazy_loader

from playproof.language.errors import RENAMED

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    if name in RENAMED:
        raise ImportError(f"`{name}` is called `{RENAMED[name]}` now")
    return _load(name)
