"""build and preflight from the command line, on the small game that `new` writes."""

import json
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from playproof.linting.whole_game import list_all_lint_findings_of_game

Call = Callable[..., Any]


@pytest.fixture
def game(playproof: Call, tmp_path: Path) -> Path:
    playproof("new", "lamp_walk", "--in", tmp_path)
    return tmp_path / "lamp_walk"


def test_build_makes_files_and_then_leaves_them_alone(playproof: Call, game: Path, tmp_path: Path) -> None:
    first = json.loads(playproof("build", game, "--out", tmp_path / "out", "--json").out)["files"]
    assert {Path(file["path"]).parent.name for file in first} == {"A4", "Letter"}
    assert all(file["rebuilt"] and file["pages"] and file["cards"] == 6 for file in first)
    assert all(Path(file["path"]).read_bytes().startswith(b"%PDF") for file in first)
    again = json.loads(playproof("build", game, "--out", tmp_path / "out", "--json").out)["files"]
    assert not any(file["rebuilt"] for file in again)


def test_one_paper_some_cards_and_pictures(playproof: Call, game: Path, tmp_path: Path) -> None:
    answer = playproof(
        "build",
        game,
        "--out",
        tmp_path / "out",
        "--paper",
        "A4",
        "--only",
        "02-03",
        "--format",
        "pdf",
        "--format",
        "svg",
        "--json",
    )
    names = sorted(Path(file["path"]).name for file in json.loads(answer.out)["files"])
    assert names == ["02.back.svg", "02.front.svg", "03.back.svg", "03.front.svg", "path-selection-en.pdf"]


def test_files_for_a_shop_and_a_table(playproof: Call, game: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    answer = playproof("build", game, "--out", out, "--vendor", "drivethrucards", "--table", "vassal", "--json")
    assert answer.status == 0
    paths = [file["path"] for file in json.loads(answer.out)["files"]]
    assert str(out / "lamp_walk" / "tables" / "vassal" / "lamp_walk.vmod") in paths
    shop = out / "lamp_walk" / "vendors" / "drivethrucards" / "path-en.pdf"
    assert str(shop) in paths
    ready = playproof("build", "preflight", shop, "--profile", "drivethrucards", "--json")
    assert json.loads(ready.out) == {"ok": True, "findings": []}
    assert ready.status == 0


def test_what_a_shop_does_not_make_is_listed_with_its_reason(playproof: Call, tmp_path: Path) -> None:
    """Every product is either in a file or in the list: nothing vanishes without a word."""
    answer = playproof("build", "eila", "--out", tmp_path, "--paper", "A4", "--vendor", "drivethrucards", "--json")
    told = json.loads(answer.out)
    made = {Path(file["path"]).stem.rpartition("-")[0] for file in told["files"] if "vendors" in file["path"]}
    missing = {one["product"] for one in told["left_out"]}
    assert made == {"cards", "order"}  # the order lists what the shop gets
    assert made - {"order"} | missing == {"cards", "boards", "tokens", "story", "stand", "box", "rulebook", "credits"}
    assert all(one["why"] for one in told["left_out"])
    listed = (tmp_path / "eila" / "vendors" / "drivethrucards" / "left-out.txt").read_text(encoding="utf-8")
    assert all(f"{product}: " in listed for product in missing)
    assert "16 x 16 mm" in listed


def test_what_a_virtual_table_does_not_get_is_listed_with_its_reason(playproof: Call, tmp_path: Path) -> None:
    """Paper that holds or stands for nothing on a screen, and dice where the program's documents leave them open."""
    made, tables = {}, ("tabletop-playground", "vassal")
    options = [word for table in tables for word in ("--table", table)]
    answer = playproof("build", "eurydice", "--out", tmp_path, "--product", "box", *options)
    for table in tables:
        listed = (tmp_path / "eurydice" / "tables" / table / "left-out.txt").read_text(encoding="utf-8")
        assert all(f"left out {table}: {line}" in answer.err for line in listed.splitlines())
        made[table] = {line.partition(":")[0] for line in listed.splitlines()}
    paper = {"box", "stickers", "credits"}
    assert made == {"vassal": paper, "tabletop-playground": {*paper, "dice"}}


def test_preflight_names_what_a_shop_would_refuse(playproof: Call, game: Path, tmp_path: Path) -> None:
    playproof("build", game, "--out", tmp_path / "out", "--paper", "A4")
    sheet = tmp_path / "out" / "lamp_walk" / "print" / "A4" / "path-en.pdf"
    answer = playproof("build", "preflight", sheet, "--profile", "drivethrucards", "--json")
    assert answer.status == 1
    assert json.loads(answer.out)["findings"][0]["code"].startswith("PP5")


def test_mistakes_are_told_all_at_once_and_nothing_is_written(playproof: Call, game: Path, tmp_path: Path) -> None:
    cards = game / "paths.yaml"
    text = cards.read_text(encoding="utf-8")
    wrong = text.replace("gain: {light: 1}", "gain: {lihgt: 1}").replace("title: A Cold Wind", "titel: A Cold Wind")
    cards.write_text(wrong, encoding="utf-8")
    answer = playproof("build", game, "--out", tmp_path / "out")
    assert answer.status == 2
    lines = answer.err.splitlines()
    assert any("paths.yaml:9:" in line and 'did you mean "light"?' in line for line in lines)
    assert any("paths.yaml:10:" in line and 'did you mean "title"?' in line for line in lines)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [["--paper", "A44"], ["--sheet", "none"], ["--only", "99"], ["--vendor", "nobody"], ["--table", "chess"]],
)
def test_unknown_choices_are_refused(playproof: Call, game: Path, tmp_path: Path, arguments: list[str]) -> None:
    answer = playproof("build", game, "--out", tmp_path / "out", *arguments)
    assert answer.status == 2
    assert "Traceback" not in answer.err


def test_preflight_of_nothing(playproof: Call, tmp_path: Path) -> None:
    assert playproof("build", "preflight", tmp_path / "none.pdf").status in (1, 2)
    assert playproof("build", "preflight", tmp_path, "--profile", "nobody").status == 2


@pytest.mark.parametrize(
    "arguments", [("--only", "01", "--changed-since", "HEAD"), ("--changed-since", "no-such-revision")]
)
def test_build_refuses_revisions_it_cannot_use(
    playproof: Call, game: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    answer = playproof("build", game, "--out", tmp_path / "out", *arguments)
    assert answer.status == 2
    assert "--changed-since" in answer.err
    assert not (tmp_path / "out").exists()


def test_build_notes_an_erratum_on_the_sheets(playproof: Call, game: Path, tmp_path: Path) -> None:
    plain, noted = (
        json.loads(playproof("build", game, "--out", tmp_path / str(n), "--paper", "A4", "--json", *more).out)["files"]
        for n, more in enumerate([(), ("--note", "erratum 1.1")])
    )
    assert Path(plain[0]["path"]).read_bytes() != Path(noted[0]["path"]).read_bytes()


def test_build_names_the_texts_a_language_lacks(playproof: Call, game: Path, tmp_path: Path) -> None:
    data = game / "game.yaml"
    data.write_text(data.read_text(encoding="utf-8").replace("languages: [en]", "languages: [en, fr]"), "utf-8")
    answer = playproof("build", game, "--out", tmp_path / "out", "--paper", "A4", "--language", "fr")
    assert answer.status == 0
    assert "PP238 warning" in answer.err
    assert "no fr text" in answer.err
    assert "PP238" not in playproof("build", game, "--out", tmp_path / "out", "--paper", "A4").err


def test_build_speaks_the_games_first_language(playproof: Call, game: Path, tmp_path: Path) -> None:
    data = game / "game.yaml"
    data.write_text(data.read_text(encoding="utf-8").replace("languages: [en]", "languages: [fr, en]"), "utf-8")
    made = json.loads(playproof("build", game, "--out", tmp_path / "out", "--paper", "A4", "--json").out)["files"]
    assert {Path(file["path"]).stem.rpartition("-")[2] for file in made} == {"fr"}


def test_a_folder_here_with_the_name_of_a_known_game_is_pointed_out(
    playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody copied a game, changed the copy, and printed the original."""
    playproof("new", "eila", "--in", tmp_path)
    monkeypatch.chdir(tmp_path)
    bundled, here = playproof("lint", "eila"), playproof("lint", "./eila")
    assert "write ./eila" in bundled.err
    assert (bundled.status, here.status) == (0, 0), "cards and rules are of one game"
    assert "own game" not in here.err


def test_what_changed_since_is_said_and_printed(playproof: Call, game: Path, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(game), "-c", "user.name=n", "-c", "user.email=e@x", *words], check=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-q", "-m", "first")
    answer = playproof("build", game, "--changed-since", "HEAD", "--out", tmp_path / "out")
    assert (answer.status, answer.out) == (0, "")
    assert "no card prints otherwise than at HEAD" in answer.err
    file = next(path for path in sorted(game.rglob("*.yaml")) if "He counts twice." in path.read_text("utf-8"))
    file.write_text(file.read_text("utf-8").replace("He counts twice.", "He counts thrice."), "utf-8")
    answer = playproof("build", game, "--changed-since", "HEAD", "--paper", "A4", "--out", tmp_path / "out", "--json")
    (made,) = json.loads(answer.out)["files"]
    assert made["cards"] == 1
    assert "He counts thrice." in answer.err


def deck(folder: Path, texts: dict[str, str]) -> Path:
    """A deck in a spreadsheet with one text for each card."""
    rows = [f"{ident},The {ident},forest,1,{text}" for ident, text in texts.items()]
    (folder / "cards.csv").write_text("\n".join(["id,title,realm,power,text", *rows, ""]))
    return folder


LONG = "so many words that no box holds them " * 20


def test_one_bad_card_stops_one_card_if_asked(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "zoo", "--kind", "cards", "--in", tmp_path)
    zoo = deck(tmp_path / "zoo", {"fox": "Runs.", "owl": LONG, "bear": "Sleeps.", "moth": "a :nothing: b"})
    out = tmp_path / "out"
    refused = playproof("build", zoo, "--out", out, "--paper", "A4")
    assert refused.status == 2
    assert not (out / "zoo").exists()
    assert "--keep-going leaves these out and prints the other 2" in refused.err
    answer = playproof("build", zoo, "--out", out, "--paper", "A4", "--keep-going")
    assert answer.status == 1
    assert "PP501 card owl" in answer.err
    assert "PP502 card moth" in answer.err
    (sheets,) = (out / "zoo" / "print" / "A4").glob("*.pdf")
    text = text_of(sheets)
    assert "The fox" in text
    assert "The owl" not in text
    assert "left out: owl, moth" in text
    deck(zoo, {"fox": "Runs.", "owl": "Sees.", "bear": "Sleeps.", "moth": "Flies."})
    whole = playproof("build", zoo, "--out", out, "--paper", "A4", "--keep-going")
    assert whole.status == 0
    assert "left out" not in text_of(sheets)
    assert "The owl" in text_of(sheets)


def test_if_no_card_can_be_drawn_nothing_is_written(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "zoo", "--kind", "cards", "--in", tmp_path)
    zoo = deck(tmp_path / "zoo", {f"c{n}": LONG for n in range(40)})
    answer = playproof("build", zoo, "--out", tmp_path / "out", "--paper", "A4", "--keep-going")
    assert answer.status == 2
    assert not (tmp_path / "out" / "zoo").exists()
    assert len(answer.err.splitlines()) < 8, answer.err


DECLARED = """title: {en: Zoo}
players: {min: 1, max: 2}
source: mine
sheets:
- {file: cards.csv, kind: card, defaults: {source: mine}}
"""
WORDS = """terms: {}
kinds:
  card:
    name: {en: Card}
    fields: {title: {type: words}, realm: {type: text}, power: {type: integer}, text: {type: words}}
"""
UNREADABLE_CARDS = {
    "a cell": ("fox,The fox,forest,lots,Runs.", "PP205", "fox"),
    "an id twice": ("owl,The owl,night,1,Sees.\nowl,The other,night,1,Too.", "PP209", "owl"),
    "no id": (",The bear,forest,1,Sleeps.", "PP265", "cards.csv row 4"),
    "a cell too many": ("bear,The bear,forest,1,Sleeps.,Long.", "PP261", "bear"),
}


@pytest.mark.parametrize("fault", UNREADABLE_CARDS)
def test_one_card_that_cannot_be_read_stops_one_card_if_asked(playproof: Call, tmp_path: Path, fault: str) -> None:
    row, code, name = UNREADABLE_CARDS[fault]
    playproof("new", "zoo", "--kind", "cards", "--in", tmp_path)
    zoo = deck(tmp_path / "zoo", {"fox": "Runs.", "owl": "Sees.", "bear": "Sleeps."})
    (zoo / "game.yaml").write_text(DECLARED)
    (zoo / "vocabulary.yaml").write_text(WORDS)
    title = "The " + re.findall(r"fox|owl|bear", row)[0]
    lines = (zoo / "cards.csv").read_text().splitlines()
    (zoo / "cards.csv").write_text("\n".join(row if title in line else line for line in lines))
    refused = playproof("build", zoo, "--out", tmp_path / "out", "--paper", "A4")
    assert (refused.status, (tmp_path / "out").exists()) == (2, False)
    assert "--keep-going leaves these out and prints the other 2" in refused.err
    answer = playproof("build", zoo, "--out", tmp_path / "out", "--paper", "A4", "--keep-going")
    assert answer.status == 1
    assert code in answer.err
    (sheets,) = (tmp_path / "out" / "zoo" / "print" / "A4").glob("*.pdf")
    text = text_of(sheets)
    assert f"left out: {name} ·" in text
    assert title not in text
    assert text.count("The ") == 2


def test_a_file_that_cannot_be_read_stops_its_cards_if_asked(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "zoo", "--kind", "cards", "--in", tmp_path)
    (tmp_path / "zoo" / "more.csv").write_bytes(b"id,title\nbat,\xff\xfe\n")
    (tmp_path / "zoo" / "cards.yaml").write_text("kind: card\ncomponents: {ant: {title: Ant\n")
    answer = playproof("build", tmp_path / "zoo", "--out", tmp_path / "out", "--paper", "A4", "--keep-going")
    assert answer.status == 1
    (sheets,) = (tmp_path / "out" / "zoo" / "print" / "A4").glob("*.pdf")
    assert "left out: cards.yaml, more.csv" in text_of(sheets)


def test_a_heading_that_names_nothing_stops_its_sheet(playproof: Call, tmp_path: Path) -> None:
    """Cards without what stands below it would be printed wrong."""
    playproof("new", "zoo", "--kind", "cards", "--in", tmp_path)
    zoo = deck(tmp_path / "zoo", {"fox": "Runs."})
    (zoo / "game.yaml").write_text(DECLARED)
    (zoo / "vocabulary.yaml").write_text(WORDS.replace("text: {type: words}", "text: {type: words, required: false}"))
    (zoo / "cards.csv").write_text((zoo / "cards.csv").read_text().replace(",text", ",txet"))
    answer = playproof("build", zoo, "--out", tmp_path / "out", "--paper", "A4", "--keep-going")
    assert (answer.status, (tmp_path / "out").exists()) == (2, False)


def test_what_only_a_shop_gets_is_remarked_on(playproof: Call, tmp_path: Path) -> None:
    playproof("new", "zoo", "--kind", "cards", "--in", tmp_path)
    zoo = deck(tmp_path / "zoo", {"fox": "Runs <br> away.", "owl": "Sees."})
    call = ["build", zoo, "--out", tmp_path / "out", "--paper", "A4", "--vendor", "makeplayingcards"]
    for options in ([], ["--only", "owl"]):
        answer = playproof(*call, *options)
        assert (answer.status, answer.err.count("PP631")) == (0, 1), answer.err


def test_shops_take_no_part_of_a_game(playproof: Call, game: Path) -> None:
    assert playproof("build", game, "--keep-going", "--vendor", "drivethrucards").status == 2


def text_of(pdf: Path) -> str:
    return subprocess.run(["pdftotext", pdf, "-"], check=True, capture_output=True, text=True).stdout


def test_lint_of_a_deck_in_which_nothing_fits_is_short_and_costs_no_more_than_twice(
    playproof: Call, tmp_path: Path
) -> None:
    playproof("new", "zoo", "--kind", "cards", "--in", tmp_path)
    seconds, findings = [], []
    for text in ("Runs away from all that bark.", "so many words " * 40):
        zoo = deck(tmp_path / "zoo", {f"c{n}": f"{n} {text}" for n in range(400)})
        start = process_time()
        findings = list_all_lint_findings_of_game(str(zoo), jobs=1)
        seconds.append(process_time() - start)
    assert len(findings) >= 400
    assert seconds[1] < 2 * seconds[0] + 0.3
    shown = playproof("lint", zoo).out.splitlines()
    assert 2 <= len(shown) <= 30, shown
    assert len(json.loads(playproof("lint", zoo, "--json").out)["findings"]) == len(findings)
