"""The pages: made where they can be, built without a warning, with a search that needs no network."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from playproof.cli.verbs.write import list_names_of_cookbook_games
from playproof.database.game import list_names_of_game_folders, load_game
from tests.docs.beliefs import beliefs_page, reasons, spoken
from tests.docs.made import codes, codes_page, cookbook_index, cookbook_page, fields_page, python_page
from tests.generator import art_pages

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


PAGES: dict[str, Callable[[], str]] = {
    "reference/python.md": python_page,
    "reference/fields.md": fields_page,
    "reference/codes.md": codes_page,
    "reference/art.md": art_pages.page,
    "maintain/rules-and-beliefs.md": beliefs_page,
    "cookbook/index.md": cookbook_index,
    **{f"cookbook/{name}.md": partial(cookbook_page, name) for name in list_names_of_cookbook_games()},
}


@pytest.mark.parametrize("name", list_names_of_game_folders())
def test_each_rule_has_a_belief_or_a_reason(name: str) -> None:
    silent = {rule for rule, claims in spoken(load_game(name)).items() if not claims}
    assert silent == set(reasons(name))


@pytest.mark.parametrize(("page", "make"), PAGES.items())
def test_page_is_what_the_code_says(page: str, make: Callable[[], str], request: pytest.FixtureRequest) -> None:
    path, text = DOCS / page, make()
    if request.config.getoption("--renew"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "run `make renew` and read the difference"


def test_every_code_in_use_has_its_meaning_on_one_page() -> None:
    sources = [
        *(ROOT / "src" / "playproof").rglob("*.py"),
        *ROOT.glob("generator/**/*.py"),
        *ROOT.glob("verifier/**/*.py"),
    ]
    used = {code for path in sources for code in re.findall(r"\"(PP\d{3})\"", path.read_text("utf-8"))}
    assert used <= codes().keys()


def test_every_game_of_the_cookbook_has_a_page_and_no_page_has_none() -> None:
    pages = {path.stem for path in (DOCS / "cookbook").glob("*.md")} - {"index"}
    assert pages == set(list_names_of_cookbook_games())


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it: a broken link or an orphan page is an error."""
    out = tmp_path_factory.mktemp("site")
    words = ["-q", "-W", "--keep-going", "-b", "html", "-d", str(tmp_path_factory.mktemp("trees")), str(DOCS), str(out)]
    done = subprocess.run([sys.executable, "-m", "sphinx", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return out


MAINTAINERS = {"maintain", "decisions", "architecture.md"}
"""Folders and a page that are read in the repository, and would answer a user's search on the site."""


def test_every_page_for_users_is_on_the_site_and_no_other(site: Path) -> None:
    pages = [path.relative_to(DOCS) for path in DOCS.rglob("*.md")]
    wanted = {page.with_suffix(".html") for page in pages if page.parts[0] not in MAINTAINERS}
    assert len(wanted) > 40
    shown = {path.relative_to(site) for path in site.rglob("*.html")}
    assert shown - wanted == {Path("genindex.html"), Path("search.html")}
    assert wanted <= shown


ANSWERS = {
    "install": "howto/faq.html#install",
    "emoji": "howto/faq.html#emoji",
    "conditional": "howto/faq.html#conditional",
    "difficulty": "howto/playtest-lab.html",
    "balance": "howto/playtest-lab.html",
    "coop": "howto/faq.html#coop",
    "bleed": "howto/faq.html#bleed",
}


@pytest.fixture(scope="module")
def tab() -> Iterator[Any]:
    """A page of Debian's Chromium, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


@pytest.mark.needs("chromium")
@pytest.mark.parametrize(("word", "answer"), ANSWERS.items())
def test_the_search_answers_what_people_ask(tab: Any, site: Path, word: str, answer: str) -> None:
    """What a reader sees: the page of the search is opened, and the answer is among its first three lines."""
    tab.goto(f"{(site / 'search.html').as_uri()}?q={word}")
    tab.wait_for_selector("#search-results ul.search li a")
    found = tab.eval_on_selector_all("#search-results ul.search li > a", "all => all.map(a => a.href)")
    assert answer in [address.removeprefix(f"{site.as_uri()}/") for address in found[:3]]


@pytest.mark.needs("chromium")
def test_no_page_of_the_reference_is_wider_than_a_phone(tab: Any, site: Path) -> None:
    before = tab.viewport_size
    tab.set_viewport_size({"width": 390, "height": 844})
    wide = []
    for page in sorted((site / "reference").glob("*.html")):
        tab.goto(page.as_uri(), wait_until="domcontentloaded")
        if tab.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(page.stem)
    tab.set_viewport_size(before)
    assert not wide


def test_no_page_of_the_site_names_what_is_not_on_it(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert "decisions/" not in index
    assert "maintain/" not in index


def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    loads = re.compile(r"""<(?:script|link|img)\b[^>]*(?:src|href)=["'](?:https?:)?//""")
    styles = re.compile(r"url\(\s*[\"']?(?:https?:)?//")
    assert not [p.name for p in site.rglob("*.html") if loads.search(p.read_text(encoding="utf-8"))]
    assert not [p.name for p in site.rglob("*.css") if styles.search(p.read_text(encoding="utf-8"))]
