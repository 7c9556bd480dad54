"""A page in one HTML file: a report, an erratum, a game to watch."""

from __future__ import annotations

import base64
import hashlib
from html import escape


def render_standalone_html_page(
    title: str, body_html: str, style: str, *, script: str = "", language: str = "en"
) -> str:
    """Return a page that loads nothing, and runs no script but `script`, which stands behind `body_html`."""
    runs = f"; script-src {_make_content_policy_hash_source(script)}" if script else ""
    policy = f"default-src 'none'; img-src data:; style-src {_make_content_policy_hash_source(style)}{runs}"
    scripts = f"<script>{script}</script>" if script else ""
    return (
        f'<!doctype html><html lang="{escape(language)}"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{style}</style></head><body>{body_html}{scripts}</body></html>\n"
    )


def _make_content_policy_hash_source(script_or_style: str) -> str:
    """Return the name of this script or style in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script_or_style.encode()).digest()).decode()}'"
