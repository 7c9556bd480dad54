"""The codes of findings about sheets, profiles and exports (PP54x, PP55x).

The codes of preflight (PP56x to PP59x) stand beside their rules in `playproof.generator.preflight`.
"""

CODES: dict[str, str] = {
    "PP540": "there is no such paper, sheet or profile",
    "PP541": "a size that is zero, negative or not a number",
    "PP542": "the paper is too small for the card",
    "PP543": "cards of different sizes in one deck",
    "PP544": "a selection that matches nothing or cannot be read",
    "PP545": "a count of copies that is negative or too large",
    "PP546": "the printer's file is wrong",
    "PP547": "a back is missing, or differs in size from its front",
    "PP548": "a profile names a standard without its printing condition",
    "PP549": "nothing to print",
    "PP550": "the card's size is none of this vendor's products",
    "PP551": "the card has less bleed than this vendor needs",
    "PP552": "too many cards for one file of this vendor",
    "PP553": "two components with one name in an export",
    "PP555": "a file of an order that was not uploaded",
    "PP556": "a file of an order whose content is another",
    "PP557": "a file that is not of the order",
    "PP558": "a file of an order that was uploaded too often, or not often enough",
    "PP559": "an order manifest that cannot be read",
    "PP646": "a sheet plan that both folds its sheets and fixes places on them",
}
