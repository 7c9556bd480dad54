"""What people met who made a game of their own with the wheel alone: each was silence, noise, or a wrong place."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from playproof.database.errors import Finding, Where, merge_findings_differing_in_subject
from playproof.database.files import make_distinct_file_names
from playproof.database.vocabulary import VocabularySpec
from playproof.generator.type.fonts import FONT_FOLDER
from playproof.table.drawing_process import build_and_store_lobby_entry
from playproof.table.lobby import render_lobby_page_html
from playproof.table.sessions import ServerState
from tests.cli.conftest import change

Call = Callable[..., Any]


def lines(answer: Any) -> list[str]:
    """What a command says of files, without its progress."""
    return [line for line in (answer.out + answer.err).splitlines() if not line.startswith("playproof: ")]


def test_a_game_of_a_newer_format_is_refused_by_name(playproof: Call, game: Path) -> None:
    facts = game / "game.yaml"
    facts.write_text(facts.read_text("utf-8") + 'format: "2.0"\nwhatever: 3\n', "utf-8")
    for verb in ("lint", "build"):
        refused = playproof(verb, "lamp_walk")
        assert refused.status == 2
        assert "PP266 this game is of format 2.0, and this version of Playproof reads up to 1.0" in refused.err
        assert "whatever" not in refused.err  # it may well be a key of format 2.0


def test_the_bare_command_shows_its_help(playproof: Call) -> None:
    assert playproof() == playproof("--help")
    assert playproof().status == 0


def test_mutate_and_the_exact_bot_say_in_a_pipe_what_they_do(playproof: Call, game: Path) -> None:
    changed = playproof("prove", "mutate", "lamp_walk", "--number", "1")
    assert changed.err.startswith("playproof: mutating ...\n")
    played = playproof("simulate", "lamp_walk", "--games", "1", "--bot", "exact")
    assert played.err.startswith("playproof: playing 1 games ...\n")


def test_nothing_needs_a_system_that_forks(playproof: Call, game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows: no os.fork, and processes that are spawned."""
    monkeypatch.delattr(os, "fork")
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    changed = playproof("prove", "mutate", "lamp_walk", "--number", "2")
    assert (changed.status, "fork" in changed.err) == (0, False)
    (game / "errata").mkdir()
    change = "{component: '01', path: title, from: The Garden Gate, to: New}"
    erratum = f"version: '0.2'\ndate: '2026-01-02'\nnote: A name.\nchanges:\n  - {change}\n"
    (game / "errata" / "0.2.yaml").write_text(erratum, "utf-8")
    assert playproof("errata", "lamp_walk").status == 0
    assert playproof("build", "lamp_walk", "--force").status == 0


def test_refuted_sameness_shows_each_setting_and_its_value(playproof: Call, game: Path) -> None:
    claim = (
        "  alike: {ask: same, says: A1 does not matter., of: {ask: maximum, of: {number: coins, when: "
        "{outcome: win}}}, options: {rulings: {A1: [dark, glow]}}, expect: true}\n"
        "  lucky: {ask: same, says: A1 changes no luck., of: {ask: luck, of: {outcome: win}}, "
        "options: {rulings: {A1: [dark, glow]}}, expect: true}\n"
    )
    path = game / "claims.yaml"
    path.write_text(path.read_text("utf-8") + claim, "utf-8")
    answer = playproof("prove", "lamp_walk", "--claim", "lucky")
    assert answer.status == 1
    assert [line.strip() for line in answer.out.splitlines()[1:]] == [
        "expected yes",
        "A1=dark: 0.172222",
        "A1=glow: 0.422222",
    ]


def test_a_chapter_explains_the_symbols(playproof: Call, game: Path) -> None:
    change(game / "rulebook.yaml", " + take, − lose so many Coins :gold: or so much Light :lantern:.", "")
    unexplained = [line for line in lines(playproof("lint", "lamp_walk")) if "PP519" in line]
    assert len(unexplained) == 4
    (game / "rulebook").mkdir()
    (game / "rulebook" / "1.md").write_text(
        "# Lamp Walk\n\nTake so many Coins :gold: for +, and lose so much Light :lantern: for −.\n", "utf-8"
    )
    assert "PP519" not in playproof("lint", "lamp_walk").out


def test_too_little_bleed_of_a_layout_is_one_finding(playproof: Call, game: Path) -> None:
    change(game / "layouts" / "path.yaml", "bleed: 3.2", "bleed: 1")
    answer = playproof("build", "lamp_walk", "--vendor", "makeplayingcards")
    [finding] = [line for line in answer.err.splitlines() if "PP551" in line]
    assert "01.front and 11 more: expected 3.048 mm of bleed, found 1" in finding


def test_only_findings_alike_are_put_together() -> None:
    place = Where("a.yaml")
    one, two = (Finding("PP551", place, "m", about=(name,)) for name in ("x", "y"))
    other, plain = Finding("PP551", place, "n", about=("z",)), Finding("PP550", place, "m")
    assert [f.about for f in merge_findings_differing_in_subject([one, plain, other, two])] == [("x", "y"), (), ("z",)]


@pytest.mark.parametrize("verb", [("lint",), ("build", "--paper", "A4")])
@pytest.mark.parametrize(
    ("file", "old", "new", "place"),
    [
        ("vocabulary.yaml", "icon: gold}", "icon: golld}", "vocabulary.yaml:5:45"),
        ("paths.yaml", "It never did close.", "It :golld: did.", "paths.yaml:6:43"),
        ("layouts/path.yaml", "{icon: lantern,", "{icon: golld,", "path.yaml:30:7"),
    ],
)
def test_an_unknown_icon_is_reported_where_it_is_written(
    playproof: Call, game: Path, verb: tuple[str, ...], file: str, old: str, new: str, place: str
) -> None:
    change(game / file, old, new)
    [line] = lines(playproof(verb[0], "lamp_walk", *verb[1:]))
    assert place in line
    assert 'did you mean "gold"?' in line


def test_an_icon_like_no_other_gets_no_list_of_others(playproof: Call, game: Path) -> None:
    change(game / "vocabulary.yaml", "icon: gold}", "icon: xylophone}")
    [line] = lines(playproof("lint", "lamp_walk"))
    assert "vocabulary.yaml:5:45: PP234" in line
    assert "one of:" not in line
    assert "layouts/icons/xylophone.svg" in line
    assert "`playproof docs icons xylophone` looks for one" in line


def test_a_word_alike_by_chance_is_no_hint(playproof: Call, game: Path) -> None:
    change(game / "vocabulary.yaml", "icon: gold}", "icon: goblet}")
    [line] = lines(playproof("lint", "lamp_walk"))
    assert "goblin" not in line
    assert "layouts/icons/goblet.svg" in line


def test_a_misspelt_field_is_no_function(playproof: Call, game: Path) -> None:
    change(game / "layouts/path.yaml", '"{id}"', '"{power}"')
    text = " ".join(lines(playproof("lint", "lamp_walk")))
    assert "power" in text
    assert "upper" not in text


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("title: The Old Well,", "title: The Old: Well,", "The Old: Well"),
        ("defaults: {source", "note: so: it is\ndefaults: {source", "so: it is"),
    ],
)
def test_a_colon_in_a_text_asks_for_quotes(playproof: Call, game: Path, old: str, new: str, text: str) -> None:
    change(game / "paths.yaml", old, new)
    [line] = lines(playproof("lint", "lamp_walk"))
    assert line.endswith(f'(a text with a colon needs quotes: "{text}")')


def test_other_mistakes_of_yaml_ask_for_no_quotes(playproof: Call, game: Path) -> None:
    change(game / "paths.yaml", "kind: path", "kind: [path")
    assert "quotes" not in playproof("lint", "lamp_walk").err


def test_cards_alike_are_read_once(playproof: Call, game: Path) -> None:
    path = game / "paths.yaml"
    card = '{title: The Old Well, flavour: "Wishes, mostly.", effects: [{gain: {coin: 3}}, {lose: {light: 2}}]}'
    path.write_text(path.read_text("utf-8") + f'  "07": {card}\n  "08": {card}\n', "utf-8")
    answer = playproof("play", "lamp_walk", stdin="?old well\n")
    assert answer.out.count("The Old Well (path") == 1


def test_a_transcript_of_another_machine_is_judged(
    playproof: Call, game: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A game was recorded in a folder that does not exist here; the cards lie elsewhere."""
    playproof("play", game, "--keep", tmp_path / "record.txt", stdin="walk on\n")
    assert str(tmp_path) not in (tmp_path / "record.txt").read_text("utf-8")
    elsewhere = tmp_path / "else" / "where"
    elsewhere.mkdir(parents=True)
    shutil.move(game, elsewhere / "lamp_walk")
    judged = playproof("log", "judge", "--json", "--game", elsewhere / "lamp_walk", tmp_path / "record.txt")
    assert judged.status == 0
    assert json.loads(judged.out)


def test_the_documented_new_card_leaves_nothing_wrong(playproof: Call, game: Path) -> None:
    """docs/howto/new-game.md, Add a card: its three edits, taken from the page."""
    page = (Path(__file__).parents[2] / "docs" / "howto" / "new-game.md").read_text("utf-8")
    section = page.partition("## Add a card")[2].partition("\n## ")[0]
    card, count, rule = (block.partition("\n")[2].partition("```")[0] for block in section.split("```yaml")[1:])
    path = game / "paths.yaml"
    path.write_text(path.read_text("utf-8") + card, "utf-8")
    change(game / "game.yaml", "count: 6, numbers: [01-06]", count.partition("path, ")[2].partition("}")[0])
    old = next(line for line in (game / "rulebook.yaml").read_text("utf-8").splitlines() if " R1:" in line)
    change(game / "rulebook.yaml", f"{old}\n", rule.partition("rules:\n")[2])
    assert lines(playproof("lint", "lamp_walk")) == ["no errors in lamp_walk"]


def test_a_claim_that_cannot_be_understood_keeps_no_other_from_its_answer(playproof: Call, game: Path) -> None:
    """A word that no schema has, a key that no question has, and a name that the rules do not have."""
    whole = {claim["id"] for claim in json.loads(playproof("prove", "lamp_walk", "--json").out)["claims"]}
    change(game / "claims.yaml", "winnable: {ask: reach", "winnable: {ask: raech")
    change(game / "claims.yaml", "losable: {ask: reach", "losable: {answer: no, ask: reach")
    change(game / "claims.yaml", "{number: coins, when", "{number: cions, when")
    answer = playproof("prove", "lamp_walk", "--json")
    told = json.loads(answer.out)
    assert {claim["id"] for claim in told["claims"]} == whole - {"winnable", "losable", "richest"}
    assert [finding["code"] for finding in told["findings"]] == ["PP206", "PP703", "PP702"]
    assert (answer.status, [answer.err.count(code) for code in ("PP206", "PP703", "PP702")]) == (2, [1, 1, 1])
    assert playproof("prove", "lamp_walk", "--claim", "winnable").status == 2
    assert "PROVEN   price" in playproof("prove", "lamp_walk", "--claim", "price").out


def test_a_seat_may_be_called_by_its_name(playproof: Call, game: Path) -> None:
    change(game / "rules.py", "    s = g.state", '    g.fact(seats=["Mole"])\n    s = g.state')
    (game / "claims.yaml").write_text(
        "claims:\n  named: {ask: luck, says: x, of: {outcome: win, seat: mole}, expect: 31/180}\n"
        "  other: {ask: luck, says: x, of: {outcome: win, seat: Vole}}\n",
        "utf-8",
    )
    answer = playproof("prove", "lamp_walk")
    assert answer.out.split()[:2] == ["PROVEN", "named"]
    assert "claims.yaml:3:10: PP7" in answer.err
    assert "claims.yaml:3:10: PP7" in playproof("lint", "lamp_walk").out
    evidence = "output/lamp_walk/evidence/named.json"
    assert playproof("check", evidence, "--game", "lamp_walk").status == 0


def test_a_command_stops_only_for_what_it_needs(playproof: Call, game: Path) -> None:
    """Claims that cannot be read stop neither printing nor playing; a build is made whole or not at all."""
    change(game / "claims.yaml", "winnable: {ask: reach", "winnable: {ask: raech")
    place, left_out = "claims.yaml:5:19: PP206", "claims.yaml is left out; `playproof lint lamp_walk`"
    for call in ("play lamp_walk", "prove ledger lamp_walk", "build lamp_walk --paper A4"):
        answer = playproof(*call.split(), stdin="q\n")
        assert (answer.status, answer.err.count(place), left_out in answer.err) == (0, 1, True)
    answer = playproof("export", "archive", "lamp_walk", "--out", "x.zip")
    assert (answer.status, answer.err.count(place)) == (2, 1)
    linted = playproof("lint", "lamp_walk")
    assert (linted.status, linted.out.count("PP")) == (1, 1)  # no rule is blamed for claims that cannot be read
    change(game / "claims.yaml", "raech, says", "reach, says")
    change(game / "layouts" / "path.yaml", "size: poker", "size: [61, 87]")
    built = playproof("build", "lamp_walk", "--vendor", "drivethrucards", "--table", "tabletop-simulator", "--json")
    assert built.status == 2
    assert {finding["code"] for finding in json.loads(built.out)["findings"]} == {"PP550"}
    assert not Path("output/lamp_walk/print/Letter").exists()  # all or nothing
    assert playproof("build", "lamp_walk", "--vendor", "drivethrucard", "--table", "vassal").status == 2
    assert not Path("output/lamp_walk/tables").exists()


SHEET = """id,title (en),title (de),text (en),text (de),water,kind,where,copies
leak,A Leak,Ein Leck,Add 1.,Nimm 1.,1,crisis,bow,4
pump,The Pump,Die Pumpe,Remove 2.,Gib 2.,-2,help,stern,3
"""
BAILING = """from playproof import EVERYBODY, Game, Options, win


def build(options: Options) -> Game:
    g = Game("tide", players=2)

    @g.action(g.phase("act", 0), "bail", rule="T1")
    def bail() -> None:
        win("dry", winner=EVERYBODY, rule="T1")

    return g
"""


def test_cards_of_a_table_in_two_languages_with_rules_beside_them(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headings may be words that Playproof uses itself, nobody said how many play, and two languages stay apart."""
    monkeypatch.chdir(tmp_path)
    playproof("new", "tide", "--kind", "cards")
    (tmp_path / "tide" / "cards.csv").write_text(SHEET, "utf-8")
    (tmp_path / "tide" / "rules.py").write_text(BAILING, "utf-8")
    layout = tmp_path / "tide" / "layouts" / "card.yaml"
    refused = playproof("build", "tide")
    assert "there is no field 'realm' here (one of: id, kind, count, name, title, text, water, where," in refused.err
    layout.write_text(
        layout.read_text("utf-8").replace("{power}", "{water}").replace("{realm}", "{kind} {where}"), "utf-8"
    )
    linted = playproof("lint", "tide")
    assert linted.status == 0
    assert "PP350" not in linted.out
    both = ("--language", "en", "--language", "de", "--vendor", "makeplayingcards", "--table", "playingcards-io")
    assert playproof("build", "tide", "--paper", "A4", *both).status == 0
    written = sorted(path.relative_to("output").as_posix() for path in Path("output").rglob("*.pcio"))
    assert written == [f"tide/tables/playingcards-io/{language}/tide.pcio" for language in ("de", "en")]
    shop = Path("output", "tide", "vendors", "makeplayingcards")
    assert playproof("build", "preflight", "--order", shop / "order-de.json", shop).out.startswith("complete: ")
    assert playproof("build", "preflight", "--order", shop / "order-de.json", shop / "card-en").status == 1
    playproof("build", "tide", "--format", "svg", "--only", "pump")
    assert "help stern" in (Path("output") / "tide" / "svg" / "en" / "pump.front.svg").read_text("utf-8")


def test_the_lobby_asks_the_rules_how_many_play_if_a_table_holds_the_cards(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    playproof("new", "tide", "--kind", "cards")
    rules = BAILING.replace("players=2)", 'players=options.number("players", range(2, 4), 2))')
    rules = rules.replace("build(options: Options)", "build(options: Options, data: object)")
    (tmp_path / "tide" / "rules.py").write_text(rules, "utf-8")
    lobby = render_lobby_page_html(ServerState(["./tide"], None), [build_and_store_lobby_entry("./tide", [])], "/host/")
    players = lobby.partition('<select name="option-players">')[2].partition("</select>")[0]
    assert [option[:1] for option in players.replace(" selected", "").split("<option>")[1:]] == ["2", "3"]


def test_files_and_a_terminal_as_on_windows(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CRLF, a byte order mark, paths with backslashes, and a terminal of 256 letters, where a message has another."""
    monkeypatch.chdir(tmp_path)
    here = tmp_path
    playproof("new", "tide", "--kind", "cards")
    table, layout = here / "tide" / "decks" / "cards.csv", here / "tide" / "layouts" / "card.yaml"
    table.parent.mkdir()
    (here / "tide" / "cards.csv").rename(table)
    head = "front:\n  elements:\n"
    change(layout, head, f"{head}    - {{image: 'art\\fox.svg'}}\n")
    picture = here / "tide" / "art" / "fox.svg"
    picture.parent.mkdir()
    picture.write_text('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9"/></svg>', "utf-8")
    facts = (
        "title: Tide\nplayers: {min: 1, max: 2}\n"
        "sheets: [{file: 'decks\\cards.csv', kind: card, defaults: {source: mine}}]"
    )
    (here / "tide" / "game.yaml").write_text(facts, "utf-8")
    for file in (table, layout, here / "tide" / "game.yaml"):
        text = file.read_text("utf-8").replace("The Fox", "The F\u00f3x")
        file.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert lines(playproof("lint", "tide")) == ["no errors in tide"]
    table.write_bytes(table.read_bytes().replace("\u00f3".encode(), "\u65e5".encode()))
    words = [sys.executable, "-m", "playproof", "lint", "tide"]
    narrow = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp1252", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, env=narrow, capture_output=True, check=False)
    assert (done.returncode, b"no glyph for '?' (U+65E5)" in done.stdout) == (1, True)


def test_a_picture_in_a_folder_and_a_rule_that_goes_on_after_the_end(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    playproof("new", "tide", "--kind", "cards")
    folder = tmp_path / "tide"
    (folder / "pictures").mkdir()
    (folder / "pictures" / "fox.svg").write_text("<svg/>", "utf-8")
    change(folder / "layouts" / "card.yaml", "front:\n  elements:", 'front:\n  elements:\n    - {image: "{id}.svg"}')
    linted = playproof("lint", "tide").out
    assert "card fox: there is no picture 'fox.svg'; but there is 'pictures/fox.svg'" in linted
    assert "card owl: there is no picture 'owl.svg' (a crossed" in linted
    late = BAILING.replace("players=2)", 'players=1)\n    s = g.state\n    g.integer("water", 0, 1)')
    late = late.replace("EVERYBODY, Game, Options, win", "Game, Options, lose, when")
    act = 'with when(s.water == 1):\n            lose("sunk")\n        s.water += 1'
    late = late.replace('win("dry", winner=EVERYBODY, rule="T1")', act)
    (folder / "rules.py").write_text(late, "utf-8")
    answer = playproof("play", "tide", stdin="1\n1\n")
    assert "the rule gives 2 (a rule goes on after `win` or `lose`: write what follows it under" in answer.err


def test_a_vocabulary_needs_no_terms() -> None:
    assert VocabularySpec.model_validate({"kinds": {}}).terms == {}


def test_ids_that_no_other_system_takes_still_name_files_of_their_own(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows keeps names for devices, and takes small and capital letters for the same; no id leaves the folder."""
    monkeypatch.chdir(tmp_path)
    playproof("new", "deck", "--kind", "cards")
    ids = ("con", "a", "A", "b/c", "../../../evil", "/evil")
    cards = "id,title,realm,power,text\n" + "".join(f"{ident},The Fox,forest,3,Look.\n" for ident in ids)
    (tmp_path / "deck" / "cards.csv").write_text(cards, "utf-8")
    made = playproof("build", "deck", "--format", "svg")
    assert (made.status, "a fault of playproof" in made.err) == (0, False)
    files = sorted(path.name for path in Path("output", "deck", "svg", "en").glob("*.front.svg"))
    assert files == sorted(f"{name}.front.svg" for name in make_distinct_file_names(ids).values())
    assert len({name.casefold() for name in files}) == 6
    assert not [name for name in files if name.startswith("con.")]
    assert [path.name for path in tmp_path.iterdir() if "evil" in path.name] == []
    refused = playproof("new", "con")
    assert (refused.status, "write `con_game`" in refused.err, Path("con").exists()) == (2, True, False)


def test_a_font_of_a_single_file_needs_no_cut_in_its_name(playproof: Call, game: Path) -> None:
    fonts = game / "layouts" / "fonts"
    fonts.mkdir()
    shutil.copyfile(FONT_FOLDER / "Merienda-Bold.ttf", fonts / "My Fair Font.ttf")
    change(game / "layouts" / "path.yaml", "title: {family: almendra, bold: true,", "title: {family: My Fair Font,")
    assert playproof("build", "lamp_walk", "--paper", "A4").status == 0
    (game / "errata").mkdir()
    (game / "errata" / "1.1.yaml").write_text(
        "version: '1.1'\ndate: 2026-11-20\nclass: balance\nnote: Kinder.\nreason: Dear.\nchanges:\n"
        "  - {component: '06', path: effects.1, from: {lose: {light: 2}}, to: {lose: {light: 1}}}\n",
        "utf-8",
    )
    sent = playproof("errata", "lamp_walk", "--no-proof", "--games", "0")
    assert sent.status == 0, sent.err


@pytest.mark.parametrize(("ask", "hint"), [("ends", "(`ask: always` with `of: ends`"), ("floor", "(`ask: minimum`")])
def test_a_question_in_other_words_gets_the_words_of_the_house(
    playproof: Call, game: Path, ask: str, hint: str
) -> None:
    claims = f"claims:\n  mine:\n    ask: {ask}\n    says: Play ends.\n"
    (game / "claims.yaml").write_text(claims, "utf-8")
    refused = playproof("prove", "lamp_walk")
    assert f'claims.yaml:3:10: PP206 expected a known value for `claims.mine.ask`, found "{ask}" {hint}' in refused.err


def test_wrong_rules_hide_no_mistake_of_the_layouts(playproof: Call, game: Path) -> None:
    change(game / "layouts" / "path.yaml", "size: 18, min: 10, colour: paper, align: centre", "align: center")
    with (game / "rules.py").open("a", encoding="utf-8") as rules:
        rules.write("\n\nbuild = lambda options, data: Game('lamp_walk', players=1)\n")
    linted = playproof("lint", "lamp_walk")
    assert linted.status == 2
    assert "layouts/path.yaml" in linted.err
    assert "lamp_walk/rules.py:" in linted.err


def test_whoever_only_prints_and_plays_needs_neither_solver_nor_compiler(
    playproof: Call, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are half of an installation. Whoever needs them later is told their names."""
    program = (
        "import sys; sys.modules |= dict.fromkeys(('z3', 'llvmlite')); from playproof.cli.main import main; main()"
    )

    def light(*words: str) -> subprocess.CompletedProcess[str]:
        call = [sys.executable, "-c", program, *words]
        return subprocess.run(call, capture_output=True, text=True, input="quit\n", timeout=120, check=False)

    for words in ("lint", "build --paper A4", "play", "simulate --games 5"):
        verb, *options = words.split()
        answer = light(verb, "lamp_walk", *options)
        assert answer.returncode == 0, answer.stderr
    asked = light("prove", "lamp_walk")
    assert asked.returncode == 2
    assert "PP801 this command needs z3-solver (pip install z3-solver)" in asked.stderr


WINNING = """\
claims:
  few-coins: {ask: minimum, says: Five Coins are enough., of: {number: coins, when: {outcome: win}}}
  most-left: {ask: minimum, says: So little is left to gather., of: {number: "100 - 20 * coins", when: {outcome: win}}}
"""
RICHER = """\
version: "1.1"
date: 2026-11-20
note: There is more to find.
changes:
  - {component: "01", path: effects.0, from: {gain: {coin: 1}}, to: {gain: {coin: 3}}}
  - {component: "03", path: effects.1, from: {lose: {light: 2}}, to: {lose: {light: 1}}}
"""


def test_how_soon_a_game_is_won_names_what_the_claim_counts(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said "rounds" of whatever was counted, and nothing of a second claim of this kind."""
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    (tmp_path / "lamp_walk" / "errata").mkdir()
    (tmp_path / "lamp_walk" / "errata" / "1.1.yaml").write_text(RICHER, "utf-8")
    claims = tmp_path / "lamp_walk" / "claims.yaml"
    claims.write_text(WINNING, "utf-8")
    told = playproof("errata", "lamp_walk", "--games", "0").out
    assert "Lamp Walk can still be won, in 5 coins at best." in told
    assert "So little is left to gather" in told
    claims.unlink()
    assert "No claim was asked: the game has none." in playproof("errata", "lamp_walk", "--games", "0").out


def test_a_claim_whose_settings_a_version_lacks_is_named_with_its_place(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The card that a claim carries along left the game: errata said so of no file."""
    monkeypatch.chdir(tmp_path)
    playproof("new", "lamp_walk")
    folder = tmp_path / "lamp_walk"
    rules = (folder / "rules.py").read_text("utf-8")
    begin = '    glow = options.ruling("A1", "dark", ["glow"]) == "glow"\n'
    assert begin in rules
    asks = '    options.several("carried", [card.id for card in cards])\n'
    (folder / "rules.py").write_text(rules.replace(begin, begin + asks), "utf-8")
    claim = 'claims:\n  light: {ask: reach, says: It helps., of: {outcome: win}, options: {carried: "06"}}\n'
    (folder / "claims.yaml").write_text(claim, "utf-8")
    (folder / "errata").mkdir()
    gone = (
        'version: "1.1"\ndate: 2026-11-20\nnote: He left.\nchanges: [{component: "06", path: count, from: 1, to: 0}]\n'
    )
    (folder / "errata" / "1.1.yaml").write_text(gone, "utf-8")
    refused = playproof("errata", "lamp_walk", "--games", "0")
    assert refused.status == 2
    assert "claims.yaml:2:10: PP408 claim `light` asks under settings" in refused.err
