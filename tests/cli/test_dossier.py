"""What `errata` makes to send out: posts, slips, pictures and data, each named with its digest."""

from __future__ import annotations

import doctest
import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from playproof.database import lint_errata
from playproof.database.game import load_game
from playproof.errata import consistency
from playproof.errata.changes import format_card_id_and_title_of_difference, list_sentences_on_card_difference
from playproof.errata.claims import ClaimComparison as Answers
from playproof.errata.dossier import ErratumDossier, ReplacedCopies
from playproof.errata.dossier_language import ENGLISH, DossierLanguage
from playproof.errata.dossier_page import list_sentences_on_unanswered_claims, render_dossier_html
from playproof.errata.dossier_pdfs import (
    list_rects_where_faces_differ_in_mm,
    list_slips_of_changed_cards,
    render_dossier_pdf,
)
from playproof.errata.play_comparison import PlayComparisonInSetting
from playproof.errata.print_differences import PrintDifferences, compare_everything_printed_of_versions
from playproof.errata.published_files import make_schema_of_erratum_json
from playproof.errata.versions import (
    ComponentDifference,
    list_changes_of_files_beside_components,
    list_component_differences,
    load_games_before_and_after_erratum,
)
from playproof.generator.build.run import Builder
from playproof.generator.build.version_changes import copy_piece_with_text_at_foot
from playproof.generator.scene import Group, build_rectangle_path
from playproof.generator.wording import get_words_by_key_or_english_ones
from playproof.lab.compare import ComparedFigure, VersionComparison, list_figure_names_with_units
from playproof.lab.estimates import Estimate
from playproof.referee.variant import Variant
from playproof.verifier.questions.verdicts import Answer, Verdict

Call = Callable[..., Any]
ROOT = Path(__file__).resolve().parent.parent.parent
ERRATUM = """version: "1.1"
date: 2026-11-20
note: The ferryman asked too much.
reason: Nobody came home.
printings:
  - {name: first, mark: no mark at all}
changes:
  - {component: "06", path: effects.1, from: {lose: {light: 2}}, to: {lose: {light: 1}}}
"""


@pytest.fixture
def game(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A designer's folder with one erratum, and nothing remembered."""
    monkeypatch.setenv("PLAYPROOF_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    (tmp_path / "lamp_walk" / "errata").mkdir()
    write(tmp_path / "lamp_walk")
    return tmp_path / "lamp_walk"


def write(game: Path, text: str = ERRATUM) -> None:
    (game / "errata" / "1.1.yaml").write_text(text, "utf-8")


def files_in(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def printed(file: Path) -> str:
    with pypdfium2.PdfDocument(file) as document:
        return " ".join(page.get_textpage().get_text_bounded() for page in document)


def test_everything_is_sent_with_its_digest_and_nothing_else_changes(playproof: Call, game: Path) -> None:
    before = files_in(game)
    answer = playproof("errata", "lamp_walk", "--claim", "chance", "--games", "200", "--paper", "A4")
    assert answer.status == 1  # the chance is not what the claim says
    made = {name: data for name, data in files_in(game).items() if "__pycache__" not in name}
    assert made == {name: data for name, data in before.items() if "__pycache__" not in name}
    assert {path.name for path in game.parent.iterdir()} == {"lamp_walk", "output", "cache"}
    folder = game.parent / "output" / "lamp_walk" / "errata" / "1.1"
    data = json.loads((folder / "erratum.json").read_text("utf-8"))
    on_disk = {name: sha256(content).hexdigest() for name, content in files_in(folder).items()}
    sent = {file["name"]: file["sha256"] for file in data["files"]}
    assert sent == {name: digest for name, digest in on_disk.items() if name in sent}
    assert on_disk.keys() - sent.keys() == {"index.html", "post.md", "erratum.json"}
    [card] = data["cards"]
    assert (card["errataDate"], card["errataNotes"]) == ("2026-11-20", "The ferryman asked too much.")
    assert card["printableSlipUrl"] in sent
    assert (data["class"], data["before"], data["remove"]) == ("function", "none", {"06 The Ferryman": 1})
    page = (folder / "index.html").read_text("utf-8")
    assert "lose <del>2</del> <ins>1</ins> Light" in page
    assert all(f'href="{name}"' in page for name in sent)
    told = page + (folder / "post.md").read_text("utf-8")
    assert not [digest for digest in sent.values() if digest in told]  # programs find it in erratum.json
    assert "lose ~~2~~ **1** Light" in (folder / "post.md").read_text("utf-8")
    assert "lose 2 1 Light" in printed(folder / "post-A4-en.pdf")
    slips = printed(folder / "slips-A4-en.pdf")
    assert slips.count("The Ferryman") == 2  # what to glue it on; the card's own title is not in the slip
    assert slips.count("v1.1") == 1
    assert "no mark at all" in printed(folder / "post-A4-en.pdf")
    assert "Random players: wins: " in printed(folder / "post-A4-en.pdf")
    assert "Random players: wins: " in (folder / "post.md").read_text("utf-8")
    assert "worded like 06, and not changed: 01, 02, 03" in answer.out


def test_play_is_compared_by_cause(playproof: Call, game: Path) -> None:
    """Random players get home in 31 of 180 and 64 of 180 walks if they choose best, and less often at random; the
    figure is that of games with equal seeds, and its sign is certain."""
    answer = playproof("errata", "lamp_walk", "--claim", "winnable", "--games", "600", "--paper", "A4", "--json")
    facts = json.loads(answer.out)
    [wins, *_] = [f for play in facts["play"] for f in play["figures"] if f["name"] == "wins of player"]
    assert 0 < wins["difference"]["low"] < wins["difference"]["value"] < 64 / 180
    assert wins["a"] < 31 / 180 + 0.05
    assert facts["ladder"] == []  # random and greedy players alone are compared already, and each is told once
    page = game.parent / "output" / "lamp_walk" / "errata" / "1.1" / "post.md"
    assert "Random players: wins: " in page.read_text("utf-8")
    assert "Random alone" not in page.read_text("utf-8")


def test_an_old_card_with_its_slips_looks_like_the_new_one() -> None:
    """Of Olith's Mercenaries, the Heretic prints another number, and one icon less."""
    old, new, erratum = load_games_before_and_after_erratum("olith", "1.1")
    [heretic] = [each for each in list_component_differences(old, new) if each.id == "m5"]
    assert [(text.old, text.new) for text in heretic.texts] == [
        ("1 Power, 2 Wisdom, 1 mana of one kind of your choice", "1 Power, 1 Wisdom")
    ]
    before, after = (Builder(game, Path()) for game in (old, new))
    dossier = ErratumDossier(old, new, erratum, "en", (heretic,))
    cost, mark = list_slips_of_changed_cards(dossier, PrintDifferences(before, after, ()))
    assert cost.window.width < 20 < cost.window.height < 40  # all of the cost, and little else
    assert mark.window.height < 6
    [was], [now] = (
        side.press.build_pieces_of_components_or_raise([card], "en", with_errata_marks=False)
        for side, card in ((before, heretic.old), (after, heretic.new))
    )
    glued = [Group(cut.face.nodes, clip=build_rectangle_path(cut.window)) for cut in (cost, mark)]
    wanted = copy_piece_with_text_at_foot(now, dossier.mark).front
    assert list_rects_where_faces_differ_in_mm(was.front, wanted)
    assert not list_rects_where_faces_differ_in_mm(replace(was.front, nodes=(*was.front.nodes, *glued)), wanted)


def test_a_number_in_a_small_sign_is_cut_out_with_its_sign_and_a_card_that_prints_the_same_is_drawn_once() -> None:
    """Opale 1.2 makes ×5 of a Sorcerer ×3: only the 5 differs. How many cards lie on a spot, the spot does not say."""
    old, new, erratum = load_games_before_and_after_erratum("opale", "1.2")
    sorcerer, spot = (d for d in list_component_differences(old, new) if d.id in ("B4-1", "4"))
    before, after = (Builder(game, Path()) for game in (old, new))
    dossier = ErratumDossier(old, new, erratum, "en", (sorcerer, spot))
    number, _mark = list_slips_of_changed_cards(dossier, PrintDifferences(before, after, ()))
    [was], [now] = (
        side.press.build_pieces_of_components_or_raise([card], "en", with_errata_marks=False)
        for side, card in ((before, sorcerer.old), (after, sorcerer.new))
    )
    [digit] = list_rects_where_faces_differ_in_mm(was.front, now.front)
    assert number.window.width > digit.width + 0.5
    assert render_dossier_html(dossier, before, after, Path(), ()).count("<figure") == 3
    with pypdfium2.PdfDocument(render_dossier_pdf(dossier, before, after, "A4")) as document:
        text = document[0].get_textpage().get_text_bounded()
    assert (text.count("Before"), text.count("Now"), text.count("Prints as before")) == (1, 1, 1)


PATHS = [(1, -1), (2, -1), (3, -2), (0, 1), (0, -2), (2, -2)]
"""Coins and Light of the six cards."""


def best_chance(cards: list[tuple[int, int]], coins: int = 0, light: int = 4) -> float:
    """The chance of who chooses best: to go home with 5 Coins, or to walk on while Light and cards are left."""
    if coins >= 5 or light < 1 or not cards:
        return float(coins >= 5 and light >= 0)
    rest = [(card, cards[:i] + cards[i + 1 :]) for i, card in enumerate(cards)]
    turned = [(min(coins + c, 12), min(light + li, 4), others) for (c, li), others in rest]
    return sum(best_chance(others, c, li) if li >= 1 else 0.0 for c, li, others in turned) / len(cards)


def test_the_same_change_on_cards_worded_alike(playproof: Call, game: Path) -> None:
    """Of the family, only 03 costs 2 Light too. What the change is worth is computed here by another program."""
    alone, both = [*PATHS[:5], (2, -1)], [*PATHS[:2], (3, -1), *PATHS[3:5], (2, -1)]
    assert f"{best_chance(PATHS):.6f}" == f"{31 / 180:.6f}"
    quick = ("--games", "0", "--paper", "A4", "--claim", "chance", "--claim", "price")
    answer = playproof("errata", "lamp_walk", *quick)
    [line] = [line for line in answer.out.splitlines() if line.startswith("If 03 changed too, ")]
    assert line.endswith(f"({best_chance(both):.6g}, was {best_chance(alone):.6g}).")
    assert "Five Coins are enough" not in line
    told = [line for line in answer.out.splitlines() if line]
    assert len(told) == len(set(told)) < 20  # one page: nothing twice, and no line for a claim that holds
    assert not [line for line in told if "(as claimed)" in line]
    folder = game.parent / "output" / "lamp_walk" / "errata" / "1.1"
    facts = json.loads((folder / "erratum.json").read_text("utf-8"))["consistent"]
    assert (facts["fits"], list(facts["misfits"])) == (["03"], ["01", "02"])
    for text in ((folder / "post.md").read_text("utf-8"), (folder / "index.html").read_text("utf-8")):
        assert line in text
    assert "The same change does not fit 01" in printed(folder / "post-A4-en.pdf")
    write(game, ERRATUM[: ERRATUM.index("effects.1")] + "effects.2, to: {gain: {coin: 1}}}\n")
    old, _, more = load_games_before_and_after_erratum(game)
    assert consistency.build_family_change_for_relatives(str(game), old, more).fits == ("01", "02", "03")


def test_what_time_did_not_suffice_for_says_nothing_of_the_cards() -> None:
    """A claim about winning has bounds before it is asked to the end; many claims are counted, few are named."""
    won = Answer("gates", "winnable", "reach", "It can be won.", Verdict.PROVEN, True, None, 0.1, "", "")
    won = replace(won, of={"outcome": "win"})
    late = replace(won, verdict=Verdict.UNKNOWN, value=None)
    some = Answers((won,), (late,), waiting=("winnable",))
    same = consistency.FamilyChange(("03",), {}, None, some)
    assert some.list_sentences_on_changed_answers() != []
    assert same.list_sentences_on_claims_changed_beyond_erratum() == []
    assert list_sentences_on_unanswered_claims(ENGLISH, some) == [
        "Not asked to the end, because the time was up: winnable."
    ]
    many = replace(some, waiting=tuple("abcdefg"))
    assert list_sentences_on_unanswered_claims(ENGLISH, many) == [
        "Not asked to the end, because the time was up: 7 claims."
    ]


def test_a_card_without_a_copy_leaves_the_game(game: Path) -> None:
    write(game, ERRATUM[: ERRATUM.index("path: effects.1")] + "path: count, to: 0}\n")
    old, new, more = load_games_before_and_after_erratum(game)
    [left] = list_component_differences(old, new)
    assert list_sentences_on_card_difference(left, ENGLISH) == ["This card leaves the game."]
    assert left.is_shown_before_and_after == (True, False)
    printed = compare_everything_printed_of_versions(old, new, game.parent / "output")
    dossier = ErratumDossier(old, new, more, "en", (left,), rules_differ=False, printed=printed)
    assert dossier.class_from_changes == "function"
    assert (dossier.copies_to_remove, dossier.copies_to_add) == (
        [ReplacedCopies("Path card", "06 The Ferryman", 1)],
        [],
    )


def test_a_text_that_goes_is_gone(game: Path) -> None:
    old, new, _ = load_games_before_and_after_erratum(game)
    [moved] = list_component_differences(old, new)
    gone = replace(moved, texts=(replace(moved.texts[0], new=None),), changes=())
    assert list_sentences_on_card_difference(gone, ENGLISH) == ["effect is gone; it was “gain 2 Coins, lose 2 Light”"]


def test_handwritten_words_are_replaced_where_they_stand(playproof: Call, game: Path) -> None:
    assert doctest.testmod(consistency).failed == 0
    cards = game / "paths.yaml"
    words = "Take {} Coins, and lose {} Light."
    text = cards.read_text("utf-8")
    for title, coins, light in (("The Old Well", 3, 2), ("The Ferryman", 2, 2), ("A Purse in the Grass", 2, 1)):
        text = text.replace(f"title: {title},", f"title: {title}, text: {words.format(coins, light)!r},")
    cards.write_text(text, "utf-8")
    change = {"component": "06", "path": "text", "from": words.format(2, 2), "to": "Take 2 Coins. Lose 2 Light."}
    write(game, f"{ERRATUM[: ERRATUM.index('  - {component')]}  - {json.dumps(change)}\n")
    kinds = game / "vocabulary.yaml"
    kinds.write_text(
        kinds.read_text("utf-8").replace(
            "effects: effects", "effects: effects\n      text: {type: words, required: false}"
        ),
        "utf-8",
    )
    old, _, erratum = load_games_before_and_after_erratum(game)
    same = consistency.build_family_change_for_relatives(str(game), old, erratum)
    assert (same.fits, list(same.misfits)) == (("02", "03"), [])


CLASSES = [("typo", 1), ("clarification", 1), ("function", 0), ("balance", 0)]


@pytest.mark.parametrize(("kind", "status"), CLASSES)
def test_a_class_says_whether_play_changes(playproof: Call, game: Path, kind: str, status: int) -> None:
    write(game, f"class: {kind}\n{ERRATUM}")
    answer = playproof("errata", "lamp_walk", "--no-proof", "--games", "0", "--paper", "A4")
    assert answer.status == status
    assert ("errata/1.1.yaml:1:8: PP812" in answer.out) == bool(status)


def test_a_typo_is_known_by_its_words(playproof: Call, game: Path) -> None:
    words = '{component: "06", path: title, from: The Ferryman, to: The Ferrymen}'
    write(game, ERRATUM[: ERRATUM.index("  - {component")] + f"  - {words}\n")
    facts = playproof("errata", "lamp_walk", "--no-proof", "--paper", "A4", "--json").out
    assert json.loads(facts)["class"] == "typo"
    assert json.loads(facts)["play"] == []  # nothing differs in play


def test_a_translation_that_did_not_follow_is_named(playproof: Call, game: Path) -> None:
    cards = next(path for path in game.glob("*.yaml") if "The Ferryman" in path.read_text("utf-8"))
    text = cards.read_text("utf-8").replace("The Ferryman", "{en: The Ferryman, fr: Le passeur}")
    cards.write_text(text, "utf-8")
    facts = game / "game.yaml"
    facts.write_text(facts.read_text("utf-8").replace("languages: [en]", "languages: [en, fr]"), "utf-8")
    words = '{component: "06", path: title.en, from: The Ferryman, to: A Ferryman}'
    write(game, ERRATUM[: ERRATUM.index("  - {component")] + f"  - {words}\n")
    answer = playproof("errata", "lamp_walk", "--no-proof", "--games", "0", "--paper", "A4")
    assert "left behind: 06, title: changed in en, not in fr" in answer.out
    write(game, "languages: [en]\n" + (game / "errata" / "1.1.yaml").read_text("utf-8"))
    answer = playproof("errata", "lamp_walk", "--no-proof", "--games", "0", "--paper", "A4")
    assert "left behind" not in answer.out


def write_in_two_languages(game: Path) -> None:
    """A rulebook of one chapter in English and French, and a rule in both."""
    facts, rules = game / "game.yaml", game / "rulebook.yaml"
    facts.write_text(facts.read_text("utf-8").replace("languages: [en]", "languages: [en, fr]"), "utf-8")
    both = '{en: "Each turn either walk on or go home.", fr: "À chaque tour, avance ou rentre."}'
    text = rules.read_text("utf-8").replace('"Each turn either walk on or go home."', both)
    rules.write_text(text, "utf-8")
    for folder, sentence in (("", "Walk on or rest."), ("fr", "Avance ou repose-toi.")):
        chapter = game / "rulebook" / folder / "1-walk.md"
        chapter.parent.mkdir(exist_ok=True)
        chapter.write_text(f"# 1\n\n{sentence}\n", "utf-8")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_a_sentence_that_changed_in_one_language_stands_in_every_dossier(
    playproof: Call, game: Path, language: str
) -> None:
    write_in_two_languages(game)
    head = ERRATUM[: ERRATUM.index("  - {component")]
    sentence = "{file: rulebook/1-walk.md, from: Walk on or rest., to: Walk on or sleep.}"
    rule = "{file: rulebook, path: rules.R2.text.en, from: Each turn either walk on or go home., to: Walk on or go.}"
    write(game, f"{head}  - {sentence}\n  - {rule}\n")
    quick = ("--no-proof", "--games", "0", "--paper", "A4", "--language", language)
    answer = playproof("errata", "lamp_walk", *quick)
    said, changed, no = ("chapter", "changed", "not") if language == "en" else ("chapitre", "changé", "non")
    folder = game.parent / "output" / "lamp_walk" / "errata" / "1.1"
    post, pdf = (folder / "post.md").read_text("utf-8"), printed(folder / f"post-A4-{language}.pdf")
    assert "No card changes" not in answer.out + post + pdf
    assert "Aucune carte ne change" not in answer.out + post + pdf
    for text in ("Walk on or sleep.", "Walk on or go."):
        assert text in answer.out
    for text in (post, pdf):
        assert "rest." in text
        assert "sleep." in text
    for text in (answer.out, post, pdf):
        assert f"{said} 1-walk" in text
        assert ("(en)" in text) == (language == "fr")  # whoever reads English is not told that this is English
    behind = [line for line in answer.out.splitlines() if f"{changed} " in line and f"{no} " in line]
    assert len([line for line in behind if "1-walk" in line or "R2" in line]) == 2
    data = json.loads((folder / "erratum.json").read_text("utf-8"))
    assert data["translationsLeftBehind"] == ["rulebook/1-walk.md", "rulebook rules.R2.text"]
    french = "{file: rulebook/fr/1-walk.md, from: Avance ou repose-toi., to: Avance ou dors.}"
    write(game, f"{head}  - {sentence}\n  - {french}\n")
    answer = playproof("errata", "lamp_walk", *quick)
    assert ("Avance ou dors." in answer.out, "or sleep" in answer.out) == (language == "fr", language == "en")
    assert "1-walk: changed" not in answer.out


def test_texts_changed_by_several_errata_are_told_from_what_they_were(playproof: Call, game: Path) -> None:
    write_in_two_languages(game)
    sentence = "changes: [{file: rulebook/1-walk.md, from: Walk on or %s., to: Walk on or %s.}]\n"
    for version, old, new in (("1.1", "rest", "sleep"), ("1.2", "sleep", "dream"), ("1.3", "dream", "rest")):
        head = f'version: "{version}"\ndate: 2026-11-20\nnote: Words.\n'
        (game / "errata" / f"{version}.yaml").write_text(head + sentence % (old, new), "utf-8")

    def changes(new: str, old: bool | str) -> list[tuple[str, str]]:
        pair = list_changes_of_files_beside_components(load_game(game, errata=old), load_game(game, errata=new))
        return [(str(each.old and each.old.value), str(each.new and each.new.value)) for each in pair]

    assert changes("1.2", False) == [("Walk on or rest.", "Walk on or dream.")]
    assert changes("1.1", "1.2") == [("Walk on or dream.", "Walk on or sleep.")]
    assert changes("1.3", False) == []


def test_any_two_versions_and_the_history_of_a_card(playproof: Call, game: Path) -> None:
    undo = 'version: "1.2"\ndate: 2026-11-21\nnote: Back.\nundoes: "1.1"\n'
    (game / "errata" / "1.2.yaml").write_text(undo, "utf-8")
    quick = ("--no-proof", "--games", "0", "--paper", "A4")
    assert "lose 2 Light”, was “gain 2 Coins, lose 1 Light" in playproof("errata", "lamp_walk", *quick).out
    assert "No card changes." in playproof("errata", "lamp_walk", "--since", "none", *quick).out
    assert playproof("errata", "lamp_walk", "--since", "1.7", *quick).status == 2
    past = playproof("errata", "card", "lamp_walk", "the ferryman", "--history").out
    assert "\n  flavour: He counts twice.\n  effects: gain 2 Coins, " in past
    assert past.index("1.1 (2026-11-20)") < past.index("1.2 (2026-11-21)")
    assert 'there is no card "The Ferymen"' in playproof("errata", "card", "lamp_walk", "The Ferymen").err


def test_what_games_tell_is_told_in_the_language_of_the_page() -> None:
    """Figures by hand; a Frenchman writes 14,8 % and 1 200. A seat that the game names keeps its name."""
    wins = ComparedFigure("wins of player 2", "%", 0.01, 0.148, 0.1, Estimate(-0.048, -0.06, -0.03, 1200), "differs")
    rounds = ComparedFigure("rounds per game", "", 0.01, 6.5, 7.25, Estimate(0.75, 0.5, 1.0, 1200), "differs")
    named = replace(wins, name="wins of Blue", difference=Estimate(0.048, 0.03, 0.06, 1200))
    played = PlayComparisonInSetting("", "greedy", VersionComparison("a", "b", 1200, 1, [wins, replace(rounds), named]))
    assert played.describe_differing_figures_or_no_difference("en") == [
        "wins of player 2: 14.8 % before, 10.0 % after, lower by 4.8 points (-6.0 to -3.0)",
        "rounds per game: 6.50 before, 7.25 after, higher by 0.75 (+0.50 to +1.00)",
        "wins of Blue: 14.8 % before, 10.0 % after, higher by 4.8 points (+3.0 to +6.0)",
    ]
    assert played.describe_differing_figures_or_no_difference("fr") == [
        "victoires de joueur 2 : 14,8 % avant, 10,0 % désormais, en baisse de 4,8 points (de -6,0 à -3,0)",
        "manches par partie : 6,50 avant, 7,25 désormais, en hausse de 0,75 (de +0,50 à +1,00)",
        "victoires de Blue : 14,8 % avant, 10,0 % désormais, en hausse de 4,8 points (de +3,0 à +6,0)",
    ]
    none = PlayComparisonInSetting("", "random", VersionComparison("a", "b", 1200, 1, []))
    assert none.describe_differing_figures_or_no_difference("fr") == ["rien que 1 200 parties permettent de distinguer"]
    names = {name for game in ("eila", "opale") for name, _ in list_figure_names_with_units(Variant(game))}
    assert {n for n in names if not n.startswith("wins of ")} <= get_words_by_key_or_english_ones("errata", "fr").keys()


def test_every_language_has_all_words() -> None:
    for language in ("fr", "de"):
        assert (
            get_words_by_key_or_english_ones("errata", language).keys()
            == get_words_by_key_or_english_ones("errata", "en").keys()
        )
    assert (
        get_words_by_key_or_english_ones("errata", "fr")
        != get_words_by_key_or_english_ones("errata", "en")
        == get_words_by_key_or_english_ones("errata", "nl")
    )
    assert doctest.testmod(lint_errata).failed == 0


def test_the_schema_beside_the_pages_is_the_one_that_is_kept(request: pytest.FixtureRequest) -> None:
    path = ROOT / "docs" / "reference" / "dossier.schema.json"
    text = json.dumps(make_schema_of_erratum_json(), indent=1, ensure_ascii=False) + "\n"
    if request.config.getoption("--renew"):
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


def test_a_card_without_a_title_is_called_by_the_card_that_it_names() -> None:
    game = load_game("opale")
    difference = ComponentDifference("B3-1", None, game.components["B3-1"], (), ())
    assert format_card_id_and_title_of_difference(difference, "en", game) == "B3-1 Mother of Pearl"
    assert format_card_id_and_title_of_difference(difference, "fr", game) == "B3-1 Nacre"
    assert DossierLanguage("en", game).name_part_or_whole_of_game({}, "opale") == "Opale"
    assert (
        DossierLanguage("en", game).name_part_or_whole_of_game({"seashells": "yes"}, "opale")
        == "The game with Seashells"
    )


def test_what_an_earlier_run_sent_and_this_one_does_not_is_gone(playproof: Call, game: Path) -> None:
    """The picture of a card that no longer changes would go to the shop; what somebody else put there stays."""
    folder = game.parent / "out" / "lamp_walk" / "errata" / "1.1"
    other = ERRATUM.split("changes:")[0] + (
        'changes:\n  - {component: "05", path: effects.0, from: {lose: {light: 2}}, to: {lose: {light: 1}}}\n'
    )
    playproof("errata", game, "--out", "out", "--no-proof", "--games", "0", "--paper", "A4")
    assert (folder / "cards" / "06.front.png").is_file()
    (folder / "cards" / "own.png").write_bytes(b"own")
    write(game, other)
    answer = playproof("errata", game, "--out", "out", "--no-proof", "--games", "0", "--paper", "A4")
    assert answer.status != 2, answer.err
    assert {file.name for file in (folder / "cards").iterdir()} == {"05.front.png", "own.png"}


@pytest.mark.parametrize(
    ("changes", "code", "words"),
    [
        ("changes: [{component: '05', path: count, from: 1}]", "PP401", "write `to: 0`"),
        ("changes: [{component: '05', path: title, from: A Cold Wind, to: A Cold Wind}]", "PP405", "the same"),
        ("rulings: {A9: {becomes: stays, why: It is asked.}}", "PP407", 'no ruling "A9"'),
    ],
)
def test_an_erratum_that_can_do_nothing_is_refused(
    playproof: Call, game: Path, changes: str, code: str, words: str
) -> None:
    write(game, ERRATUM.split("changes:")[0] + changes + "\n")
    answer = playproof("errata", game, "--no-proof", "--games", "0")
    assert answer.status == 2
    assert code in answer.err
    assert words in answer.err


def test_a_card_that_comes_back_is_not_new(game: Path) -> None:
    write(game, ERRATUM[: ERRATUM.index("path: effects.1")] + "path: count, to: 0}\n")
    later = 'version: "1.2"\ndate: "2027-01-01"\nnote: Back.\nundoes: "1.1"\n'
    (game / "errata" / "1.2.yaml").write_text(later, "utf-8")
    old, new, _ = load_games_before_and_after_erratum(game, "1.2")
    [back] = list_component_differences(old, new)
    assert list_sentences_on_card_difference(back, ENGLISH) == ["This card is back in the game."]
    assert back.is_shown_before_and_after == (False, True)


def test_readers_are_told_names_and_not_keys(game: Path) -> None:
    speech = DossierLanguage("en", load_game(game))
    assert speech.format_text_with_icons_as_names("**2** Coins :gold: or a :lantern: Light, :old-key:.") == (
        "2 Coins or a Light, old key."
    )
    assert speech.format_text_with_icons_as_names("Pay 2 :gold:.") == "Pay 2 Coins."
    card = load_game(game).components["06"]
    assert speech.get_label_of_card_field("effects.1.lose.light", card) == "effect, no. 2, lose, light"
    assert speech.get_label_of_card_field("options.B.to", None) == "option B, to"
