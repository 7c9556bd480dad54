"""Playproof: write a tabletop game down once, then print it, play it and prove it.

    from playproof import Game, require, when, win         # what a designer's rules.py needs
    from playproof import Match, Variant, prove, simulate  # what a script needs

Each name is loaded when it is first used, so `import playproof` costs almost nothing. The words of rules come from
the stub of `language`, the others from the table below; docs/howto/python.md shows them at work.
"""

from pathlib import Path

import lazy_loader

_for_scripts, _, _tools = lazy_loader.attach(
    __name__,
    submod_attrs={
        "database.errors": ["InputError"],
        "database.game": ["load_game"],
        "database.lint": ["lint"],
        "generator.build.run": ["build"],
        "language.options": ["Options"],
        "referee.bots": ["make_bot"],
        "referee.errors": ["MoveError", "NotLegal"],
        "referee.recorded_games": ["judge"],
        "referee.match": ["Match"],
        "referee.simulate": ["simulate"],
        "referee.variant": ["Variant"],
        "referee.view": ["View"],
        "verifier.prove": ["prove"],
    },
)
_for_rules, _, _words = lazy_loader.attach_stub(
    f"{__name__}.language", str(Path(__file__).with_name("language") / "__init__.pyi")
)
__all__ = sorted([*_tools, *_words])


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    if name in _words:
        return _for_rules(name)
    try:
        return _for_scripts(name)
    except ModuleNotFoundError as error:
        from playproof.database.installation import CLONE, find_link_checked_out_as_text_file

        if (broken := find_link_checked_out_as_text_file()) is not None:
            raise ImportError(f"{broken} is a text file and not a link; {CLONE}", name=__name__) from error
        raise
    except AttributeError:
        from playproof.language.errors import RENAMED  # only a wrong name pays for this

        if name in RENAMED:
            raise ImportError(f"`{name}` is called `{RENAMED[name]}` now", name=__name__) from None
        raise
