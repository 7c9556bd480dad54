"""Common component sizes: trim in millimetres, as print shops and sleeve makers name them."""

SIZES: dict[str, tuple[float, float]] = {
    "poker": (63.5, 88.9),
    "euro-poker": (63.0, 88.0),
    "bridge": (57.15, 88.9),
    "tarot": (69.85, 120.65),
    "tarot-eu": (70.0, 120.0),
    "mini": (44.45, 63.5),
    "mini-eu": (44.0, 68.0),
    "mini-us": (41.0, 63.0),
    "standard-eu": (59.0, 92.0),
    "standard-us": (56.0, 87.0),
    "skat": (58.9, 90.7),
    "business": (88.9, 50.8),
    "square": (70.0, 70.0),
    "jumbo": (88.9, 139.7),
    "a4": (210.0, 297.0),
    "a5": (148.0, 210.0),
    "a6": (105.0, 148.0),
    "letter": (215.9, 279.4),
    "half-letter": (139.7, 215.9),
}
