"""The report: its figures, its page that needs nothing else, and what the commands print."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from playproof.database.errors import InputError
from playproof.generator.scene import BLACK, Face, Rect, build_rectangle_path
from playproof.lab.card_worth import list_card_like_things_of_game, measure_causal_worth_of_cards_best_first
from playproof.lab.compare import (
    build_versions_for_each_option_value,
    list_sentences_of_comparison,
    parse_reference_to_version_or_raise,
    play_versions_until_settled_or_limit,
)
from playproof.lab.estimates import Estimate
from playproof.lab.game_runner import GameRunner
from playproof.lab.report import Report, ReportPlan, play_games_and_build_report, report_to_json_values
from playproof.lab.report_blocks import DataTable
from playproof.lab.report_document import build_report_document
from playproof.lab.report_page import PrintedGameRenderer, render_report_to_html_page, render_report_to_markdown
from playproof.lab.report_pdf import render_report_to_pdf
from playproof.language.machine.records import HELD, WITHHELD
from playproof.language.recorded_playouts import encode_who_wins_by_ending
from playproof.language.registry import list_bundled_game_names, list_example_game_names
from playproof.referee.batches import flag_games_won_by_each_seat_and_tied
from playproof.referee.simulate import replay, simulate
from playproof.referee.variant import Variant
from tests.cli.conftest import Answer, playproof

__all__ = ["Answer", "playproof"]
Call = Callable[..., Answer]
KING = Face("king", 40, 60, (build_rectangle_path(Rect(0, 0, 40, 60), BLACK),))


@pytest.fixture(scope="module")
def made() -> Report:
    bench = GameRunner(Variant("kuhn_poker"), ["random"], 4, 1)
    return play_games_and_build_report(bench, ReportPlan(3000, 300, 200))


class Page(HTMLParser):
    """The links, ids and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.drawn: set[str] = set()
        self.named = 0
        self.addresses: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids |= {values["id"] or ""} if "id" in values else set()
        self.named += "id" in values
        self.links |= {values["href"] or ""} if "href" in values else set()
        self.drawn |= {values["xlink:href"] or ""} if "xlink:href" in values else set()
        self.addresses |= {values["src"] or ""} if "src" in values else set()
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ("path", "use")
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_figures_are_those_of_simulate(made: Report) -> None:
    tally = simulate(Variant("kuhn_poker"), 3000, ["random"], 4, jobs=1).tally
    assert [seat.wins.value for seat in made.seats] == [wins / 3000 for wins in tally.wins]
    assert sum(end.share.value or 0 for end in made.endings) == pytest.approx(1)
    assert made.seats[0].exact is not None
    assert made.seats[0].exact.value == pytest.approx(9 / 16)
    assert sum(games for _, _, games in made.lengths) == 3000


def test_a_figure_names_a_game_that_shows_it(made: Report) -> None:
    variant = Variant("kuhn_poker")
    for seat, figure in enumerate(made.seats):
        assert figure.wins.game is not None
        assert replay(variant, ["random"], 4, figure.wins.game).returns()[seat] > 0
    for end in made.endings:
        assert end.share.game is not None
        match = replay(variant, ["random"], 4, end.share.game)
        assert match.ending is not None
        assert match.ending.reason == end.reason
    assert made.decisions.game is not None
    longest = replay(variant, ["random"], 4, made.decisions.game)
    assert len(longest.actions) - 2 == made.quantiles["decisions"][-1]


def test_the_page_needs_nothing_else_and_its_links_lead_somewhere(made: Report) -> None:
    printed, games = PrintedGameRenderer(made.bench), made.list_sorted_example_game_numbers()
    written = build_report_document(made)
    page = Page(
        render_report_to_html_page(written, {"king": KING}, printed.format_transcripts_and_forget_games(games), {})
    )
    assert not page.open
    assert page.links == {f"#game-{number}" for number in games}
    assert page.links | page.drawn <= {f"#{name}" for name in page.ids}
    assert len(page.ids) == page.named  # no two drawings share a name
    assert all(address.startswith("data:") for address in page.addresses)
    text = render_report_to_markdown(replace(written, title="<script>", summary=(*written.summary, "a < b")))
    assert text.startswith("# &lt;script>\n")
    assert "<" not in text
    assert "| king |" in text
    assert "The strongest card is king" in text
    assert json.loads(json.dumps(report_to_json_values(made)))["cards"][0]["word"] == "king"


def words_of(data: bytes) -> str:
    """The words of a PDF, without the spaces and ends of lines between them."""
    sheets = pypdfium2.PdfDocument(data)
    text = "".join(sheet.get_textpage().get_text_bounded() for sheet in sheets)
    return "".join(text.split())


def test_the_sheet_says_what_the_page_says(made: Report) -> None:
    written = build_report_document(made)
    text = words_of(render_report_to_pdf(written, {"king": KING}, "A4"))
    tables = [block for section in written.sections for block in section.blocks if isinstance(block, DataTable)]
    cells = [cell for table in tables for row in table.rows for cell in row]
    numbered = [cell.text + str("" if cell.game is None else cell.game) for cell in cells]
    titles = [section.title for section in written.sections]
    for words in (*written.summary, *written.facts, *titles, *numbered):
        assert "".join(words.split()) in text, words
    king = next(worth for worth in made.cards if worth.word == "king")
    assert text.count(f"{100 * (king.effect_of_holding_or_using.value or 0):+.1f}") == 3  # summary, table, and the card


def test_every_kind_of_figure_of_a_run_names_a_game(made: Report) -> None:
    """Those of a card name a game in which the change decides."""
    named = [figure for figure in made.iter_estimates_with_example_games() if figure.value]
    assert len(named) > 20
    assert all(figure.game is not None and figure.game < 3000 for figure in named)
    for worth in made.cards:
        assert worth.held is not None
        assert worth.held.game is not None
        first = worth.held.game
        bench, things = made.bench, list_card_like_things_of_game(made.bench.variant)
        thing = next(thing for thing in things if thing.word == worth.word)
        marks, cells = (
            thing.build_array_marking_deals_and_uses(bench.variant.game.ground),
            thing.build_array_of_holding_cells_by_seat(2),
        )
        arms = [
            bench.play_games_with_change_for_one_seat(first + 1, arm, marks, cells).won[first]
            for arm in (HELD, WITHHELD)
        ]
        assert arms == ([1, 0] if (worth.held.value or 0) >= 0 else [0, 1])


def test_words_of_a_page_are_escaped(made: Report) -> None:
    made.seats[0].name, before = "<script>alert(1)</script>", made.seats[0].name
    try:
        assert "<script" not in render_report_to_html_page(build_report_document(made), {}, {}, {})
    finally:
        made.seats[0].name = before


@pytest.mark.parametrize("name", [*list_bundled_game_names(), *list_example_game_names()])
def test_wins_are_counted_as_the_referee_counts_them(name: str) -> None:
    """Compiled records have their own way to say who won: it must be the tally's, in every game."""
    game, random = Variant(name).game, np.random.default_rng(1)
    kinds, team = encode_who_wins_by_ending(game)
    endings = random.integers(0, len(game.endings) + 1, 300)
    returns = random.integers(-2, 3, (300, game.players))
    won, _ = flag_games_won_by_each_seat_and_tied(game, endings, returns)
    for seat in range(game.players):
        others = [s for s in range(game.players) if team[s] != team[seat]]
        ahead = np.all([returns[:, seat] > returns[:, s] for s in others] or [[True] * 300], axis=0)
        kind = kinds[endings]
        assert (won[seat] == ((kind == 2) | ((kind == 1) & ahead))).all()


def test_a_greedy_run_and_its_record_are_one_game() -> None:
    bench = GameRunner(Variant("tic_tac_toe"), ["greedy", "random"], 2, 1)
    finals = [
        record.states[record.steps[:, 0] == k][-1].tolist()
        for record in bench.play_and_iter_game_records(range(12))
        for k in range(len(record.numbers))
    ]
    if bench.can_play_compiled:
        assert [final[1] for final in finals] == bench.play_games_in_compiled_code_or_raise(0, 12).endings.tolist()
    match = replay(Variant("tic_tac_toe"), ["random"], 2, 5)
    record = next(GameRunner(Variant("tic_tac_toe"), ["random"], 2, 1).play_and_iter_game_records([5]))
    assert record.states.tolist() == match.states


# -- commands -------------------------------------------------------------------------------------------------------


def test_the_commands_write_and_refuse(playproof: Call, tmp_path: Path) -> None:
    run, out = tmp_path / "run", tmp_path / "out"
    assert playproof("simulate", "nim", "--games", "30", "--out", run).status == 0
    again = playproof("simulate", "nim", "--games", "30", "--out", run)
    assert (again.status, "--resume" in again.err) == (2, True)
    counted = playproof("log", "query", run, "select count(*) n from games", "--json")
    assert json.loads(counted.out)["rows"] == [{"n": 30}]
    assert "results" in playproof("log", "query", run).out
    assert "30 games" in playproof("log", "merge", tmp_path / "all", run).out
    few = ["--games", "60", "--pairs", "20", "--ladder", "none"]
    told = playproof("report", "nim", *few, "--out", out)
    assert told.status == 0, told.err
    assert sorted(path.name for path in (out / "nim" / "report").iterdir()) == [
        "index.html",
        "report.json",
        "report.md",
        "report.pdf",
    ]
    assert json.loads(playproof("report", "nim", *few, "--json").out)["games"] == 60
    for words, wrong in (
        (["simulate", "nim", "--first", "4"], "--out FOLDER"),
        (["report", "nim", "--bot", "mcts:5"], "compiled code"),
        (["report", "nim", "--ladder", "nobody"], "PP804"),
        (["compare", "nim", "kuhn_poker:oops"], "PP823"),
        (["compare", "nim", "three_suits"], "expected 2 seats"),
        (["compare", "nim"], "--sweep NAME"),
    ):
        answer = playproof(*words)
        assert (answer.status, wrong in answer.err) == (2, True), answer.err


# -- comparisons ----------------------------------------------------------------------------------------------------


def test_versions_are_told_apart_or_alike() -> None:
    plain, same = (parse_reference_to_version_or_raise("kuhn_poker", 0, 1) for _ in range(2))
    alike = play_versions_until_settled_or_limit(plain, same, 60_000)
    assert {figure.settled for figure in alike.figures} == {"alike"}
    assert alike.games < 60_000
    other = play_versions_until_settled_or_limit(plain, parse_reference_to_version_or_raise("leduc_poker", 0, 1), 5_000)
    decisions = next(figure for figure in other.figures if figure.name == "decisions per game")
    assert (decisions.settled, decisions.b > decisions.a) == ("differs", True)
    assert "B is higher" in decisions.format_comparison_sentence()
    assert re.search(r"at most 5 %", list_sentences_of_comparison(other)[0])


def test_a_sweep_takes_every_other_value_of_an_option() -> None:
    versions = build_versions_for_each_option_value("opale:A18=open", "foreshadowing", 0, 1)
    assert [version.text for version in versions] == ["opale:A18=open", "opale:A18=open,foreshadowing=yes"]
    assert [version.bench.variant.options for version in versions] == [{}, {"foreshadowing": "yes"}]
    with pytest.raises(InputError, match=r"PP823.*no option or ruling `foreshadow`"):
        build_versions_for_each_option_value("opale", "foreshadow", 0, 1)


def test_bots_are_versions() -> None:
    result = play_versions_until_settled_or_limit(
        parse_reference_to_version_or_raise("tic_tac_toe", 1, 1),
        parse_reference_to_version_or_raise("tic_tac_toe:bot=exact+random", 1, 1),
        300,
    )
    wins = result.figures[0]
    assert (wins.name, wins.settled, wins.b > 0.9) == ("wins of player 1", "differs", True)
    assert isinstance(wins.difference, Estimate)


def test_a_things_worth_needs_a_change_that_reaches_it() -> None:
    bench = GameRunner(Variant("kuhn_poker"), ["random"], 0, 1)
    thing = list_card_like_things_of_game(bench.variant)[0]
    thing.deals, thing.uses = [], []
    assert measure_causal_worth_of_cards_best_first(bench, [thing], 10) == []
