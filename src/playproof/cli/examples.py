"""Two calls of each command, with which its help begins; `mygame` is the game that `playproof new mygame` writes.

tests/cli/test_help.py holds them to the options of their command, and to the claims of that game.
"""

from __future__ import annotations

from inspect import cleandoc

import click

EXAMPLES = {
    "new": ("new mygame", "new mygame --sheet cards.xlsx"),
    "sheet": ("sheet export mygame cards.xlsx", "sheet import mygame cards.xlsx --check"),
    "sheet export": ("sheet export mygame cards.xlsx", "sheet export mygame sheets --format tsv"),
    "sheet import": ("sheet import mygame cards.xlsx --check", "sheet import mygame cards.xlsx --watch"),
    "sheet fetch": ("sheet fetch mygame", "sheet fetch mygame --json"),
    "sheet ids": ("sheet ids mygame", "sheet ids mygame --json"),
    "docs icons": ("docs icons", "docs icons attack"),
    "lint": ("lint mygame", "lint mygame --json"),
    "workshop": ("workshop mygame", "workshop mygame --lan"),
    "build": ("build mygame --paper A4", "build mygame --only 01-03 --watch"),
    "build preflight": (
        "build preflight output/mygame/print/A4/path-en.pdf",
        "build preflight deck.pdf --profile thegamecrafter",
    ),
    "build calibrate": ("build calibrate --paper A4", "build calibrate --right 0.6 --down -0.4"),
    "play": ("play mygame", "play mygame --seed 7 --bot greedy"),
    "serve": ("serve mygame", "serve mygame --lan"),
    "log replay": ("log replay game.txt", "log replay game.txt --game mygame --out game.html"),
    "log judge": ("log judge game.txt", "log judge game.txt --game mygame --check"),
    "prove": ("prove mygame", "prove mygame --claim winnable --claim richest"),
    "check": ("check --game mygame output/mygame/evidence/winnable.json", "check mygame.zip"),
    "prove depends": ("prove depends mygame --claim richest", "prove depends mygame --choice A1"),
    "prove whatif": ("prove whatif mygame --claim winnable", "prove whatif mygame --claim winnable --cards"),
    "prove automaton": ("prove automaton mygame", "prove automaton mygame chance --out card.md"),
    "prove mutate": ("prove mutate mygame", "prove mutate mygame --number 200"),
    "prove ledger": ("prove ledger mygame", "prove ledger mygame --picture ledger.svg"),
    "simulate": ("simulate mygame --games 100000 --bot greedy", "simulate mygame --games 10000 --check"),
    "report": ("report mygame", "report mygame --games 20000"),
    "compare": ("compare mygame mygame:A1=glow", "compare mygame --sweep A1"),
    "compare tune": (
        "compare tune mygame --target target.yaml",
        "compare tune mygame --target target.yaml --tries 20",
    ),
    "log query": ("log query run", 'log query run "SELECT count(*) FROM games"'),
    "log merge": ("log merge whole part1 part2", "log merge whole part1 part2 part3 --json"),
    "errata": ("errata mygame", "errata mygame --no-proof"),
    "errata card": ("errata card mygame 03", 'errata card mygame "The Old Well" --history'),
    "export archive": ("export archive mygame", "export archive mygame --sheets --paper A4"),
    "export unpack": ("export unpack mygame.zip", "export unpack mygame.zip --in games"),
    "export pddl": (
        "export pddl mygame --claim winnable",
        "export pddl mygame --claim winnable --out problem",
    ),
    "export jani": ("export jani mygame --claim chance", "export jani mygame --claim chance --out model"),
    "demo": ("demo", "demo --out shown"),
    "log": ("log judge game.txt", 'log query run "SELECT count(*) FROM games"'),
    "export": ("export archive mygame", "export pddl mygame --claim winnable"),
    "docs": ("docs", "docs --path"),
}


def add_examples_to_help(name: str, command: click.Command) -> None:
    """Let the help of a command, and of each command below it, begin with its two examples."""
    lines = "\n".join(f"  $ playproof {words}" for words in EXAMPLES[name])
    command.help = f"\b\n{lines}\n\n{cleandoc(command.help or '')}"
    for word, inner in command.commands.items() if isinstance(command, click.Group) else ():
        inner.short_help = inner.get_short_help_str(100)
        add_examples_to_help(f"{name} {word}", inner)
