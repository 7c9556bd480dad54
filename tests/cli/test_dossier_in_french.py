"""A dossier in French has no English in it, for every erratum that the games keep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any, cast

import pypdfium2
import pytest

from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.errata.claims import ClaimComparison
from playproof.errata.consistency import FamilyChange, build_family_change_for_relatives
from playproof.errata.dossier import ErratumDossier
from playproof.errata.dossier_text import format_erratum_version_date_and_note
from playproof.errata.play_comparison import PlayComparisonInSetting, RungComparisonInSetting
from playproof.errata.published_files import write_erratum_files_and_list_page_first
from playproof.errata.versions import (
    get_errata_selector_of_game,
    list_component_differences,
    load_games_before_and_after_erratum,
)
from playproof.lab.compare import ComparedFigure, VersionComparison as Games, list_figure_names_with_units
from playproof.lab.estimates import Estimate
from playproof.lab.ladder import RungComparison
from playproof.referee.variant import Variant
from playproof.verifier.questions.verdicts import Answer, Verdict

FREQUENT = """
about after again against all also always and any are asked at be because been before beside best both brings by can
cannot card cards changed changes claim claims cost costs could decided discard draw drawn each either else ever
every fewest first for from game games gain gives greedy had has have holds how if in into is it its kernel known least
leaves less longer lose made makes mark may most never new no not nothing now of old once only open other out pay player
players printing proven random reads recorded refuted rounds sample same seat seeds shown so some still take takes text
than that the their them then there these they this those time to too turn turns two unknown was were what when where
which who wins with without won words would yes you your
"""
"""Frequent words of English that French does not have."""
KEPT = [
    (name, erratum.version) for name in list_names_of_game_folders() for erratum in load_game(name, errata=False).errata
]


def told(game: Game) -> ClaimComparison:
    """Every claim of a game with each way in which two answers can differ, one after the other."""
    truth = {"yes": (Verdict.PROVEN, True), "no": (Verdict.REFUTED, False), "?": (Verdict.UNKNOWN, None)}
    ways = [("yes", "no"), ("no", "yes"), ("no", "no"), ("yes", "?"), ("?", "yes"), ("yes", "yes")]
    before, after = list[Answer](), list[Answer]()
    for number, claim in enumerate(game.claims.values()):
        options = cast(dict[str, Any], claim.data.get("options") or {})
        for side, way in zip((before, after), ways[number % len(ways)], strict=True):
            verdict, value = truth[way]
            some: Any = value
            if claim.ask == "dead" and value is not None:
                some = []
            elif isinstance(claim.expect, int) and not isinstance(claim.expect, bool):
                some = claim.expect + number + len(side) * (side is after)
            elif isinstance(claim.expect, dict):
                some = dict.fromkeys(claim.expect, 1 + (side is after))
            answer = Answer(game.name, claim.id, claim.ask, claim.says, verdict, some, None, 0.1, "", "")
            bound = {"number": "rounds", "at least": 2, "at most": 4} if claim.ask == "minimum" else {}
            side.append(replace(answer, options=options, of=claim.data.get("of"), bound=bound))
    waiting = tuple(answer.id for answer in after[-2:])
    leaning = [replace(after[0], assumed=("bounds",)), *after[1:]]
    return ClaimComparison(tuple(before), tuple(leaning), (), waiting, tuple(a.id for a in after[:9]))


def played(game: Game) -> Iterator[tuple[str, Games]]:
    settings = [f"{n}={v}" for n, switch in game.facts.options.items() for v in switch.values]
    estimate = Estimate(-0.048, -0.06, -0.03, 1200)
    names = list_figure_names_with_units(Variant(game.name))
    for setting in ["", *settings]:
        figures = [ComparedFigure(name, unit, 0.01, 0.148, 0.1, estimate, "differs") for name, unit in names]
        yield setting, Games("a", "b", 1200, 1, figures)


def dossier_of(name: str, version: str) -> ErratumDossier:
    old, new, erratum = load_games_before_and_after_erratum(name, version)
    claims = told(new)
    games = [*played(new)]
    share = Estimate(0.5, 0.4, 0.6, 100)
    rungs = [
        RungComparisonInSetting(setting, RungComparison(bot, below, share, share, Estimate(0.1, 0.0, 0.2, 100)))
        for setting, _ in games
        for bot, below in (("random", None), ("greedy", "random"))
    ]
    same: FamilyChange = build_family_change_for_relatives(str(name), old, erratum)
    return ErratumDossier(
        old,
        new,
        erratum,
        "fr",
        list_component_differences(old, new, "fr"),
        claims=claims,
        played=tuple(PlayComparisonInSetting(s, bot, g) for s, g in games for bot in ("random", "greedy")),
        consistent=replace(same, claims=claims),
        ladder=tuple(rungs),
    )


def without_names(text: str, game: Game) -> str:
    """A text without file names, digests, and what stands in quotation marks because only files name it."""
    for ident in sorted(game.claims, key=len, reverse=True):
        text = text.replace(ident, "")
    return re.sub(r"`[^`]*`|[\w/.-]+\.(?:pdf|png|json)|\b[0-9a-f]{64}\b|«\s[^»]*\s»", " ", text)


@pytest.mark.parametrize(("name", "version"), KEPT)
def test_a_french_dossier_has_no_english_words(
    name: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # words are read here, no pictures
    for module, dots in (("changes", 36.0), ("published_files", 36.0), ("dossier_pdfs", 1.0)):
        monkeypatch.setattr(f"playproof.errata.{module}._DOTS", dots)
    dossier = dossier_of(name, version)
    assert get_errata_selector_of_game(dossier.new) == version
    assert "proposed" not in format_erratum_version_date_and_note(dossier.erratum, "fr")
    files = write_erratum_files_and_list_page_first(dossier, tmp_path, ["A4"])
    page = next(file for file in files if file.name == "index.html").read_text("utf-8")
    body = unescape(re.sub(r"<style>.*?</style>|<img[^>]*src=\"[^\"]*\"|<[^>]+>", " ", page, flags=re.DOTALL))
    texts = {"page": body, "post": next(f for f in files if f.suffix == ".md").read_text("utf-8")}
    for file in files:
        if file.name.startswith("post-"):
            with pypdfium2.PdfDocument(file) as document:
                texts["pdf"] = " ".join(sheet.get_textpage().get_text_bounded() for sheet in document)
    assert all("Prouvé" in text and "échantillon" in text for text in texts.values())
    assert all("que dans une autre langue" in texts[where] for where in ("page", "post"))
    for where, text in texts.items():
        words = re.findall(r"[^\W\d_]+", without_names(text, dossier.new).lower())
        english = sorted(set(words) & set(FREQUENT.split()))
        assert not english, where
