"""Runs the rules over a file, or over every picture of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pikepdf
from PIL import Image

from playproof.database.errors import Finding, Where, make_path_relative_to_working_folder
from playproof.generator.preflight import pdfx_rules, shop_rules
from playproof.generator.preflight.pdf_file import open_pdf_for_preflight
from playproof.generator.preflight.rule_table import Rule
from playproof.generator.vendor_profiles import Profile

PICTURES = (".png", ".jpg", ".jpeg")

# One rule table a kind of subject, so the subject's type differs from rule to rule.
RULES: dict[str, Rule[Any]] = {**pdfx_rules.TABLE.rules, **shop_rules.TABLE.rules, **shop_rules.PICTURE_TABLE.rules}


def list_vendor_problems_in_file_or_folder(path: Path | str, profile: Profile) -> list[Finding]:
    """Return all errors of a PDF, a picture or a folder of pictures for this vendor. A finding's line number is the
    page number."""
    file = Path(path)
    where = Where(make_path_relative_to_working_folder(file))
    if file.is_dir():
        findings = []
        for picture in _list_pictures_below_folder(file):
            findings += _list_vendor_problems_in_picture(picture, profile)
        return findings or _list_error_if_folder_lacks_pictures(file, where)
    if file.suffix.lower() in PICTURES:
        return _list_vendor_problems_in_picture(file, profile)
    return _list_vendor_problems_in_pdf(file, profile, where)


def _list_vendor_problems_in_pdf(file: Path, profile: Profile, where: Where) -> list[Finding]:
    try:
        with open_pdf_for_preflight(file) as document:
            if not len(document.pdf.pages):
                return [Finding("PP560", where, "expected at least one page, found none")]
            return [
                *pdfx_rules.TABLE.list_findings_of_applicable_rules(document, profile, where),
                *shop_rules.TABLE.list_findings_of_applicable_rules(document, profile, where),
            ]
    except FileNotFoundError:
        return [Finding("PP560", where, "there is no such file")]
    except pikepdf.PasswordError:
        return [Finding("PP564", where, "expected a file without encryption, found one with a password")]
    except Exception as error:  # a damaged file may hold anything anywhere; no traceback may reach a user
        reason = " ".join(str(error).split())[:120]
        return [Finding("PP560", where, f"expected a PDF, found something that cannot be read: {reason}")]


def _list_vendor_problems_in_picture(file: Path, profile: Profile) -> list[Finding]:
    where = Where(make_path_relative_to_working_folder(file))
    try:
        with Image.open(file) as picture:
            picture.verify()
        with Image.open(file) as picture:
            return shop_rules.PICTURE_TABLE.list_findings_of_applicable_rules(picture, profile, where)
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        return [Finding("PP560", where, f"expected a picture, found something that cannot be read: {error}")]


def _list_pictures_below_folder(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.suffix.lower() in PICTURES)


def _list_error_if_folder_lacks_pictures(folder: Path, where: Where) -> list[Finding]:
    if _list_pictures_below_folder(folder):
        return []
    return [Finding("PP560", where, "expected pictures in this folder, found none")]
