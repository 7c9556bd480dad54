"""Preflight: looks at a finished file as a print shop does, before the shop does.

    findings = preflight(Path("deck.pdf"), profile("drivethrucards"))

Every rule is one function in a table (`standard`, `shop`, `canvas`), with its code and its source.
That nothing is found is no proof: what the rules cannot see is said in docs/reference/printing.md.
"""

from playproof.generator.preflight.apply_rules import RULES, preflight
from playproof.generator.preflight.vision import Swatch, look_alikes

__all__ = ["RULES", "Swatch", "look_alikes", "preflight"]
