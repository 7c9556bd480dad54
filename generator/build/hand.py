"""Which cards of a game lie in the hand that its showcase picture shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from playproof.database.components import Component

if TYPE_CHECKING:
    from playproof.generator.build.press import Press
    from playproof.generator.build.products import Product

MOST = 7  # cards in the hand
SMALLEST, LARGEST = 50.0, 125.0  # mm, the height of what is held in a hand


def choose_hand_cards(
    press: Press, products: Sequence[tuple[Product, Sequence[Component]]]
) -> list[Component]:
    """Return up to seven cards of one size: the size that most cards have, and cards from all through the decks.
    Boards, tokens and what is folded are in nobody's hand."""
    by_size: dict[tuple[float, float], dict[str, Component]] = {}
    for product, cards in products:
        if product.tiled or product.cut_out or product.stickers:
            continue
        for card in cards:
            layout = press.looks.find_layout(card)
            if layout is None or layout.net is not None or layout.outline is not None:
                continue
            if layout.width <= layout.height and SMALLEST <= layout.height <= LARGEST:
                by_size.setdefault((layout.width, layout.height), {})[card.id] = card
    if not by_size:
        return []
    cards_of_size = [*max(by_size.values(), key=len).values()]
    count = min(MOST, len(cards_of_size))
    return [cards_of_size[(2 * number + 1) * len(cards_of_size) // (2 * count)] for number in range(count)]
