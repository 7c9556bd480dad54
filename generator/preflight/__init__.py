"""Preflight: checks a finished file as a print shop does, before the shop does.

    profile = read_vendor_profile_by_name_or_raise("drivethrucards")
    findings = list_vendor_problems_in_file_or_folder("deck.pdf", profile)

Every rule is one function in a table (`pdfx_rules`, `shop_rules`), with its code and its source. Start reading at
`apply_rules.py`. No findings are no proof: docs/reference/printing.md says what the rules cannot see."""

from playproof.generator.preflight.apply_rules import RULES, list_vendor_problems_in_file_or_folder
from playproof.generator.preflight.colour_vision import Swatch, list_findings_on_swatches_looking_alike

__all__ = ["RULES", "Swatch", "list_findings_on_swatches_looking_alike", "list_vendor_problems_in_file_or_folder"]
