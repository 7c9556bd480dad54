"""Two calls of each command, with which its help begins; `mygame` is the game that `playproof new mygame` writes.

tests/cli/test_help.py holds them to the options of their command, and to the claims of that game.
"""

from __future__ import annotations

from inspect import cleandoc

import click

EXAMPLES = {
    "new": ("new mygame", "new mygame --kind cards"),
    "sheet": ("sheet export mygame cards.xlsx", "sheet import mygame cards.xlsx --check"),
    "sheet export": ("sheet export mygame cards.xlsx", "sheet export mygame sheets --format tsv"),
    "sheet import": ("sheet import mygame cards.xlsx --check", "sheet import mygame cards.xlsx --watch"),
    "sheet fetch": ("sheet fetch mygame", "sheet fetch mygame --json"),
    "sheet ids": ("sheet ids mygame", "sheet ids mygame --json"),
    "icons": ("icons", "icons attack"),
    "lint": ("lint mygame", "lint mygame --json"),
    "workshop": ("workshop mygame", "workshop mygame --lan"),
    "migrate": ("migrate mygame", "migrate mygame game.txt --write"),
    "build": ("build mygame --paper A4", "build mygame --only 01-03 --watch"),
    "preflight": (
        "preflight output/mygame/print/A4/path-en.pdf",
        "preflight deck.pdf --profile thegamecrafter",
    ),
    "calibrate": ("calibrate --paper A4", "calibrate --right 0.6 --down -0.4"),
    "play": ("play mygame", "play mygame --seed 7 --bot greedy"),
    "serve": ("serve mygame", "serve mygame --lan"),
    "replay": ("replay game.txt", "replay game.txt --game mygame --out game.html"),
    "judge": ("judge game.txt", "judge game.txt --game mygame --check"),
    "prove": ("prove mygame", "prove mygame --claim winnable --claim richest"),
    "check": ("check --game mygame output/mygame/evidence/winnable.json", "check mygame.zip"),
    "depends": ("depends mygame --claim richest", "depends mygame --choice A1"),
    "whatif": ("whatif mygame --claim winnable", "whatif mygame --claim winnable --cards"),
    "automaton": ("automaton mygame", "automaton mygame chance --out card.md"),
    "mutate": ("mutate mygame", "mutate mygame --number 200"),
    "ledger": ("ledger mygame", "ledger mygame --picture ledger.svg"),
    "simulate": ("simulate mygame --games 100000 --bot greedy", "simulate mygame --games 10000 --check"),
    "report": ("report mygame", "report mygame --games 20000"),
    "compare": ("compare mygame mygame:A1=glow", "compare mygame --sweep A1"),
    "tune": ("tune mygame --target target.yaml", "tune mygame --target target.yaml --tries 20"),
    "query": ("query run", 'query run "SELECT count(*) FROM games"'),
    "merge": ("merge whole part1 part2", "merge whole part1 part2 part3 --json"),
    "errata": ("errata mygame", "errata mygame --no-proof"),
    "card": ("card mygame 03", 'card mygame "The Old Well" --history'),
    "pack": ("pack mygame", "pack mygame --sheets --paper A4"),
    "unpack": ("unpack mygame.zip", "unpack mygame.zip --in games"),
    "pddl": ("pddl mygame --claim winnable", "pddl mygame --claim winnable --out problem"),
    "jani": ("jani mygame --claim chance", "jani mygame --claim chance --out model"),
    "demo": ("demo", "demo --out shown"),
    "docs": ("docs", "docs --path"),
}


def add_examples(name: str, command: click.Command) -> None:
    """Let the help of a command, and of each command below it, begin with its two examples."""
    lines = "\n".join(f"  $ playproof {words}" for words in EXAMPLES[name])
    command.help = f"\b\n{lines}\n\n{cleandoc(command.help or '')}"
    for word, inner in command.commands.items() if isinstance(command, click.Group) else ():
        inner.short_help = inner.get_short_help_str(100)
        add_examples(f"{name} {word}", inner)
