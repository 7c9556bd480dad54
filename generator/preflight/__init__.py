"""Preflight: checks a finished file as a print shop does, before the shop does.

    findings = preflight(Path("deck.pdf"), profile("drivethrucards"))

Every rule is one function in a table (`standard`, `shop`, `canvas`), with its code and its source.
No findings are no proof: docs/reference/printing.md says what the rules cannot see.
"""

from playproof.generator.preflight.apply_rules import RULES, preflight_file
from playproof.generator.preflight.colour_vision import Swatch, find_look_alikes

__all__ = ["RULES", "Swatch", "find_look_alikes", "preflight_file"]
