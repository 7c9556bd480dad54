"""The workshop: a save is seen at once, what is wrong is told, a click says where a part is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from playproof.cli.main import run_command_line_and_get_exit_status
from playproof.database.components import Component, Provenance
from playproof.database.errors import InputError, Where
from playproof.errata.claims import SavedGameClaims
from playproof.linting.whole_game import list_all_lint_findings_of_game
from playproof.table import edited_game
from playproof.table.edited_game import EditedGame
from playproof.table.sessions import ServerState
from playproof.table.web_app import TableApp
from playproof.verifier.questions.verdicts import Answer

Browser, Page, Running = Any, Any, Any
HOST = "testserver"


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A designer's own game in a folder."""
    monkeypatch.chdir(tmp_path)
    assert run_command_line_and_get_exit_status(["new", "mine"]) == 0
    return tmp_path / "mine"


def edited_of(game: Path) -> EditedGame:
    return EditedGame(str(game), lambda: list_all_lint_findings_of_game(str(game)), list)


@pytest.fixture
def client(game: Path) -> TestClient:
    site = TableApp(ServerState((), None), {HOST}, edited=edited_of(game))
    # Not entered: nothing is watched.
    return TestClient(site.app, base_url=f"http://{HOST}{site.lobby_at}")


def rename(game: Path, before: str, after: str) -> None:
    """Save another name for a card."""
    file = game / "paths.yaml"
    text = file.read_text(encoding="utf-8")
    assert before in text
    file.write_text(text.replace(before, after), encoding="utf-8")


def first_name(game: Path) -> str:
    found = re.search(r"title: ([A-Z][\w ]+)", (game / "paths.yaml").read_text(encoding="utf-8"))
    assert found
    return found[1]


def test_only_what_is_drawn_otherwise_has_changed(game: Path) -> None:
    edited = edited_of(game)
    edited.draw_faces_and_note_changed_components(list(edited.now.iter_printed_faces()))
    assert not edited.changed
    rename(game, first_name(game), "Altered")
    assert edited.reload_files_keeping_last_readable()
    edited.draw_faces_and_note_changed_components(list(edited.now.iter_printed_faces()))
    assert len(edited.changed) == 1
    (ident,) = edited.changed
    assert [face[0] for face in edited.list_faces_of_changed_components()] == [ident] * len(
        edited.list_faces_of_changed_components()
    )
    edited.make_present_state_the_baseline()
    edited.draw_faces_and_note_changed_components(list(edited.now.iter_printed_faces()))
    assert not edited.changed


def test_what_cannot_be_read_is_told_and_the_last_state_stays(game: Path) -> None:
    edited = edited_of(game)
    before = edited.now
    (game / "paths.yaml").write_text("components: {a: {\n", encoding="utf-8")
    assert not edited.reload_files_keeping_last_readable()
    assert edited.now is before
    assert "paths.yaml" in str(edited.findings[0].where.file)


@pytest.mark.parametrize("name", ["eila", "opale"])
def test_every_part_says_where_it_is_written(name: str) -> None:
    """Each text of a face has a layout's line, and each such line exists and writes an element."""
    edited = EditedGame(name, list, list)
    face = next(
        face
        for face in edited.now.iter_printed_faces()
        if edited.now.game.components[face[0]].kind in ("event", "card")
    )
    svg = edited.now.get_face_svg_or_empty(face)
    sources = set(re.findall(r'data-source="([^"]+)"', svg))
    assert len(sources) > 5
    places = {place for source in sources for place in source.split(" ")}
    for place in places:
        file, line, _ = place.rsplit(":", 2)
        assert int(line) <= len(Path(file).read_text(encoding="utf-8").splitlines())
        assert edited.read_yaml_lines_around_place(place) is not None
    assert any("cards/" in place for place in places)
    words = svg.count("aria-label=")
    traced = len(re.findall(r"<g [^>]*data-source", svg))
    assert words <= 4 * traced, "texts stand outside of what says its source"


def test_print_files_say_no_sources() -> None:
    """What is traced is for the workshop; faces that are printed carry no places of this machine."""
    from playproof.database.game import load_game
    from playproof.generator.layout.layout_renderer import LayoutRenderer
    from playproof.generator.svg import render_face_to_svg_text

    eila = load_game("eila")
    faces = [*map(LayoutRenderer(eila).draw_face_or_raise, eila.of_kind("goal"))]
    assert faces
    assert all("data-source" not in render_face_to_svg_text(face) for face in faces)


def test_a_save_touches_the_claims_about_what_it_changes(game: Path) -> None:
    """A title touches no claim; a lamp's price touches those about play, and a claim that no longer holds is named."""
    before = SavedGameClaims(str(game)).marks
    rename(game, first_name(game), "Altered")
    assert not SavedGameClaims(str(game)).list_claims_affected_since(before)
    rename(game, "{coin: 3}", "{coin: 2}")
    now, answers = SavedGameClaims(str(game)), list[Answer]()
    touched = now.list_claims_affected_since(before)
    assert "richest" in {question.id for question in touched}
    now.answer_touched_claims_in_processes(
        [question for question in touched if question.id == "richest"], before, game, 1, answers.append
    )
    # By hand: all coins of the cards are one fewer than the claim says.
    assert [(answer.verdict.value, answer.value, answer.expect) for answer in answers] == [("REFUTED", 5, 6)]


def test_a_save_on_top_of_a_newer_one_is_refused_and_both_texts_are_shown(client: TestClient, game: Path) -> None:
    edited = edited_of(game)
    card = next(iter(edited.now.game.components.values()))
    entry = edited_game.read_yaml_entry_of_component(card)
    assert entry is not None
    assert entry.text in (game / "paths.yaml").read_text(encoding="utf-8")
    mine, theirs = entry.text.replace(card.name, "Mine"), entry.text.replace(card.name, "Theirs")
    saving = f"workshop/card/{card.id}/save"
    headers = {"accept": "text/html"}
    sent = client.post(saving, data={"base": entry.digest, "text": theirs}, headers=headers, follow_redirects=False)
    assert sent.status_code == 303
    refused = client.post(saving, data={"base": entry.digest, "text": mine})
    assert refused.status_code == 409
    assert "Mine" in refused.text
    assert "Theirs" in refused.text
    assert "Theirs" in (file := (game / "paths.yaml").read_text(encoding="utf-8"))
    assert "Mine" not in file
    base = re.search(r'name="base" value="(\w+)"', refused.text)
    assert base
    assert client.post(saving, data={"base": base[1], "text": mine}).status_code == 200
    assert "Mine" in (game / "paths.yaml").read_text(encoding="utf-8")


def test_a_save_that_breaks_the_file_writes_nothing(game: Path) -> None:
    card = edited_of(game).now.game.components["01"]
    entry = edited_game.read_yaml_entry_of_component(card)
    assert entry is not None
    before = (game / "paths.yaml").read_bytes()
    two, more = '  "01": {title: A}\n  "02": {title: B}', '  "01": 1\n  new: 2'
    for text in ('  "01": [', "nothing: 1", two, more, "", '"01": 1'):
        with pytest.raises(InputError) as error:
            edited_game.replace_yaml_entry_or_raise_conflict(card, entry.digest, text)
        assert "paths.yaml" in str(error.value.findings[0].where)
        assert (game / "paths.yaml").read_bytes() == before


def test_an_entry_is_its_own_lines(tmp_path: Path) -> None:
    """Comments before the next entry, and the file's own ends of lines, stay as they are."""
    file = tmp_path / "a.yaml"
    text = "kind: k\r\ncomponents:\r\n\r\n  a:\r\n    x: 1\r\n\r\n  # Of b.\r\n  b: {x: 2}  # end\r\nlast: 1\r\n"
    file.write_bytes(text.encode())
    a, b = (Component(i, "k", i, 1, {}, Provenance(()), (), Where(file, 4)) for i in "ab")
    entry, other = edited_game.read_yaml_entry_of_component(a), edited_game.read_yaml_entry_of_component(b)
    assert entry is not None
    assert entry.text == "  a:\n    x: 1"
    assert other is not None
    assert other.text == "  b: {x: 2}  # end"
    edited_game.replace_yaml_entry_or_raise_conflict(a, entry.digest, "  a:\r\n    x: 3\r\n    y: 4\r\n")
    assert file.read_bytes() == text.replace("x: 1", "x: 3\r\n    y: 4").encode()
    # another's save of another entry is no conflict
    edited_game.replace_yaml_entry_or_raise_conflict(b, other.digest, "  b: {x: 5}")
    assert b"x: 3" in file.read_bytes()
    assert b"x: 5" in file.read_bytes()


def test_no_other_file_is_shown(client: TestClient, game: Path) -> None:
    secret = game.parent / "secret.yaml"
    secret.write_text("a: b\n", encoding="utf-8")
    inside = game / "paths.yaml"
    assert client.get("workshop/lines", params={"at": f"{inside}:3:1"}).status_code == 200
    for place in (f"{secret}:1:1", f"{game}/../secret.yaml:1:1", "/etc/passwd:1:1", f"{inside}", "x:1:1", ""):
        assert client.get("workshop/lines", params={"at": place}).status_code == 404
    for path in (
        "workshop/file/paths.yaml",
        "workshop/page/x.pdf/1.png",
        "workshop/card/none",
        "workshop/picture/none.svg",
        "workshop/face/none/front.svg",
        "workshop/sheet/..%2fsecret.yaml",
    ):
        assert client.get(path).status_code == 404


def test_strangers_see_nothing_of_it(game: Path) -> None:
    site = TableApp(ServerState((), None), {HOST}, edited=edited_of(game))
    stranger = TestClient(site.app, client=("192.168.1.9", 5000), follow_redirects=False)
    without_key = TestClient(site.app)
    for path in ("workshop", "workshop/card/1", "workshop/lines?at=x:1:1", "workshop/face/1/front.svg"):
        assert stranger.get(f"{site.lobby_at}{path}").status_code == 403
        assert without_key.get(f"/host/guess/{path}").status_code == 404
        assert without_key.get(f"/{path}").status_code == 404
    for path in ("workshop/keep", "workshop/card/01/save"):
        assert stranger.post(f"{site.lobby_at}{path}").status_code == 403
        assert without_key.post(f"/host/guess/{path}").status_code == 404
    assert client_without_workshop().get("workshop").status_code == 404


def client_without_workshop() -> TestClient:
    site = TableApp(ServerState((), None), {HOST})
    return TestClient(site.app, base_url=f"http://{HOST}{site.lobby_at}")


def source_of(page: Page, click: Callable[[], None]) -> None:
    """Click until the source is shown: a click on what a push replaces at that moment is lost."""
    for _ in range(20):
        click()
        page.wait_for_timeout(1000)
        if page.locator("#source pre").is_visible():
            return
    raise AssertionError("no click shows the source")


def test_a_save_is_seen_in_the_browser(serving: Callable[..., Running], browser: Browser, game: Path) -> None:
    lobby = serving(str(game), "--out", str(game.parent / "out"), verb="workshop").lobby
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(120_000)  # other work may take the machine
    page, wrong = context.new_page(), list[str]()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    page.goto(f"{lobby}workshop")
    page.wait_for_selector(".busy:empty", state="attached")
    count = page.locator(".shelf figure").count()
    name = first_name(game)
    page.locator("#search").fill(name)
    page.wait_for_function("document.querySelectorAll('.shelf figure:not([hidden])').length < " + str(count))
    page.locator("#search").fill("")
    rename(game, name, "Altered")
    page.wait_for_selector(".changed img[alt=old]")
    assert page.locator(".changed img").count() == 2
    assert page.locator(".changed img[alt=new]").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    page.wait_for_selector("#files a[href$='.pdf']", state="attached")
    (game / "layouts" / "broken.yaml").write_text("kind: nothing\n", encoding="utf-8")
    page.wait_for_selector("#findings button[data-place*=broken]")
    source_of(page, lambda: page.locator("#findings button[data-place*=broken]").first.click())
    (game / "layouts" / "broken.yaml").unlink()
    page.wait_for_selector("#findings:not(:has(button[data-place*=broken]))")
    page.locator(".changed a.pair").first.click()
    source_of(page, lambda: page.locator("figure.live [data-source]").last.dispatch_event("click"))
    assert re.search(r"\.yaml:\d+:\d+", page.locator("#source p").first.inner_text())
    page.goto(f"{lobby}workshop/card/03")
    page.wait_for_selector("#claims:has-text('none of')")
    rename(game, "{coin: 3}", "{coin: 4}")  # more than the game allows
    page.wait_for_selector("#findings button[data-place*='paths.yaml:8:']")
    assert "expected at most 3, found 4" in page.locator("#findings").inner_text()
    rename(game, "{coin: 4}", "{coin: 2}")
    page.wait_for_selector("#claims .refuted:has-text('richest')")
    other = context.new_page()
    other.goto(page.url)
    for each, coins in ((page, "{coin: 1}"), (other, "{coin: 3}")):
        each.locator("#edit summary").click()
        each.locator("#entry").fill(each.locator("#entry").input_value().replace("{coin: 2}", coins))
    page.locator("#edit button").click()
    other.locator(".stale").wait_for()
    assert "{coin: 3}" in other.locator("#entry").input_value()  # nobody's text goes when another saves
    other.locator("#edit button").click()
    assert "{coin: 1}" in other.locator("#theirs").inner_text()
    assert "{coin: 3}" in other.locator("#entry").input_value()
    other.close()
    page.locator("#eyes").select_option("see-deutan")
    seen = page.locator("figure.live svg").first.evaluate("svg => getComputedStyle(svg).filter")
    assert "see-deutan" in seen
    context.close()
    assert [text for text in wrong if "409" not in text] == []
