"""What an erratum replaces is decided by what is printed, and every later print tells its cards from the old ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.database.game import load_game
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.dossier import ErratumDossier
from playproof.errata.dossier_page import list_sentences_on_claim_counts
from playproof.errata.dossier_text import render_dossier_markdown
from playproof.errata.print_differences import compare_everything_printed_of_versions
from playproof.errata.versions import list_component_differences, load_games_before_and_after_erratum
from playproof.generator.build.run import Builder
from playproof.verifier.questions.verdicts import Answer, Verdict
from tests.cli.conftest import copy_game_without_errata

Call = Callable[..., Any]
MARK = "v1.2 · 2026-11-23"


def test_every_copy_that_prints_the_old_number_is_replaced(tmp_path: Path) -> None:
    """Opale 1.2 changes how many cards spots 3, 4, 6 and 8 have; all cards of a spot print that number."""
    old, new, erratum = load_games_before_and_after_erratum("opale", "1.2")
    printed = compare_everything_printed_of_versions(old, new, tmp_path)
    cards = {c.id for c in new.of_kind("card") if c.get("spot") in ("3", "4", "6", "8")}
    assert {part.id for part in printed.components} == cards
    assert {part.languages for part in printed.components} == {("en", "fr")}
    dossier = ErratumDossier(old, new, erratum, "en", list_component_differences(old, new), printed=printed)
    taken, put = (sum(part.count for part in parts) for parts in (dossier.copies_to_remove, dossier.copies_to_add))
    assert (taken, put) == tuple(sum(game.components[ident].count for ident in cards) for game in (old, new))
    assert {part.group for part in dossier.copies_to_remove} == {"Cards"}
    told = render_dossier_markdown(dossier, tmp_path, [])
    assert "* Cards: 2 × B3-1 Mother of Pearl, 3 × B3-2 Mother of Pearl, 2 × B3-3 Mother of Pearl" in told
    assert "### 3 Mother of Pearl (Spot)" in told
    assert "worded alike" not in told
    fresh = Builder(load_game("opale", "1.2"), tmp_path).press
    assert {
        c.id for c in fresh.game.components.values() if fresh.get_errata_mark_to_print_or_empty(c, "en") == MARK
    } == cards
    assert not [
        c.id
        for c in fresh.game.components.values()
        if fresh.get_errata_mark_to_print_or_empty(c, "en") not in ("", MARK)
    ]


def test_a_fresh_print_of_the_corrected_game_has_the_mark(tmp_path: Path) -> None:
    """Eila 1.1 is in use: H02 is printed with its mark, and no other card with one."""
    builder = Builder(load_game("eila"), tmp_path)
    habits = builder.press.game.of_kind("habit")
    pieces = builder.press.build_pieces_of_components_or_raise(habits, "en")
    bare = builder.press.build_pieces_of_components_or_raise(habits, "en", with_errata_marks=False)
    differing = [new.name for new, old in zip(pieces, bare, strict=True) if new.front != old.front]
    assert differing == ["H02"]
    jobs = builder.sheets.create_single_face_picture_jobs(habits, "en", ("png",))
    builder.update_output_folder_and_report_files(jobs, False, None)
    first = Builder(load_game("eila", errata=False), tmp_path / "first")
    first.update_output_folder_and_report_files(
        first.sheets.create_single_face_picture_jobs(first.press.game.of_kind("habit"), "en", ("png",)), False, None
    )
    same = {
        path.name: path.read_bytes() == (tmp_path / "first" / "png" / "en" / path.name).read_bytes()
        for path in (tmp_path / "png" / "en").glob("*.front.png")
    }
    assert {name for name, alike in same.items() if not alike} == {"H02.front.png"}


def test_copies_that_print_the_same_are_no_new_cards(make_lamp_walk: Path, tmp_path: Path) -> None:
    """Two Ferrymen more: nothing leaves the box, two come, and they need no mark to be told from the first."""
    old, new, erratum = load_games_before_and_after_erratum(make_lamp_walk)
    printed = compare_everything_printed_of_versions(old, new, tmp_path)
    dossier = ErratumDossier(old, new, erratum, "en", list_component_differences(old, new), printed=printed)
    assert dossier.copies_to_remove == []
    assert [(part.name, part.count) for part in dossier.copies_to_add] == [("06 The Ferryman", 2)]
    assert dossier.marks == ()
    assert "without this mark" not in render_dossier_markdown(dossier, tmp_path, [])


@pytest.fixture
def make_lamp_walk(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    folder = tmp_path / "lamp_walk" / "errata"
    folder.mkdir()
    text = 'version: "1.1"\ndate: 2026-11-20\nnote: More.\nchanges:\n  - {component: "06", path: count, to: 3}\n'
    (folder / "1.1.yaml").write_text(text, "utf-8")
    return tmp_path / "lamp_walk"


def test_a_number_of_set_up_is_found_on_all_that_prints_it(tmp_path: Path) -> None:
    """Deep Catch draws two cards: the number stands in game.yaml, and the reference sheet prints the token's words."""
    folder = copy_game_without_errata("opale", tmp_path)
    (folder / "errata" / "1.1.yaml").write_text(
        'version: "1.1"\ndate: 2026-11-22\nnote: {en: Fewer., fr: Moins.}\nchanges:\n'
        "  - {file: game, path: numbers.fetch, from: 3, to: 2}\n"
        "  - {component: fetch, path: text.en, from: 'Draw 3 cards, then discard 3.', "
        "to: 'Draw 2 cards, then discard 2.'}\n",
        "utf-8",
    )
    old, new, _ = load_games_before_and_after_erratum(folder)
    printed = compare_everything_printed_of_versions(old, new, tmp_path / "out")
    [sheet] = printed.components
    assert (sheet.id, sheet.languages) == ("turn-summary", ("en",))
    assert (sheet.count_copies_to_remove("en"), sheet.count_copies_to_remove("fr")) == (1, 0)
    dossier = ErratumDossier(old, new, new.errata[0], "fr", list_component_differences(old, new, "fr"), printed=printed)
    assert dossier.other_languages == ("en",)
    assert "Autre chose est à remplacer où le jeu est en en" in render_dossier_markdown(dossier, tmp_path, [])


def test_one_claim_is_one_claim(tmp_path: Path) -> None:
    old, new, erratum = load_games_before_and_after_erratum("eila", "1.1")
    answer = Answer("eila", "x", "reach", "It can be won.", Verdict.PROVEN, True, None, 0.1, "", "")
    dossier = ErratumDossier(old, new, erratum, "en", (), claims=ClaimComparison((), (answer,)))
    assert "confirmed by the kernel: 1 claim. Refuted in the same way: 0." in list_sentences_on_claim_counts(dossier)[1]


def test_a_card_that_its_heading_names_is_called_by_it_once(playproof: Call, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    playproof("new", "deck", "--kind", "cards")
    (tmp_path / "deck" / "cards.csv").write_text("Name,Cost,Text\nRed Fox,1,Run.\nOld Heron,2,Wait.\n", "utf-8")
    layout = tmp_path / "deck" / "layouts" / "card.yaml"
    lines = [line for line in layout.read_text("utf-8").splitlines(keepends=True) if "{realm}" not in line]
    layout.write_text("".join(lines).replace("{title}", "{name}").replace("{power}", "{cost}"), "utf-8")
    (tmp_path / "deck" / "errata").mkdir()
    change = "{component: red-fox, path: name, from: Red Fox, to: Grey Fox}"
    text = f'version: "1.1"\ndate: 2026-11-20\nnote: x\nchanges:\n  - {change}\n'
    (tmp_path / "deck" / "errata" / "1.1.yaml").write_text(text, "utf-8")
    told = playproof("errata", "deck", "--paper", "A4")
    assert told.status == 0
    assert "\nred-fox Grey Fox\n  name reads “Grey Fox”, was “Red Fox”\n\n" in told.out
    assert "take out of your box: cards: 1 × Red Fox\n" in told.out
    assert "worded like" not in told.out
    assert playproof("errata", "card", "deck", "grey fox").out.startswith("red-fox Grey Fox\n")
