"""A report as one HTML page that needs nothing else: figures, charts, printed faces, and the games that show them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from playproof.lab import charts, phrases
from playproof.lab.estimates import Estimate
from playproof.lab.report import Report
from playproof.lab.worth import Worth

ASSETS = Path(__file__).resolve().parent / "assets"
_MOST_CHOICES = 40
_FIGURES = (
    ("lead_changes", "Lead changes", "how often the lead passes to another side", False),
    ("drama", "Drama", "how far behind the later winner was while behind (0 to 1)", False),
    ("comeback", "Comeback", "the least chance that the later winner had", True),
    ("decided", "Decided after", "the part of the decisions after which the winner stays above 90 %", True),
    ("runaway", "Runaway", "how often a side that leads at half time wins", True),
)


def html(
    report: Report, faces: Mapping[str, str], transcripts: Mapping[int, str], pages: Mapping[int, str]
) -> str:
    """Return the page. `faces` maps a card's word to a picture, `transcripts` a game's number to its text, `pages` to
    the file in which it is replayed in pictures."""
    view = _View(report, faces, transcripts, pages)
    title = escape(f"{report.bench.variant.title}: playtest report")
    style = (ASSETS / "report.css").read_text(encoding="utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'\">"
        f"<title>{title}</title><style>{style}</style></head><body><main>{''.join(view.parts())}</main></body></html>\n"
    )


class _View:
    def __init__(
        self,
        report: Report,
        faces: Mapping[str, str],
        transcripts: Mapping[int, str],
        pages: Mapping[int, str],
    ) -> None:
        self.report, self.faces, self.transcripts, self.pages = report, faces, transcripts, pages

    def parts(self) -> Iterator[str]:
        yield self._head()
        yield self._seats()
        yield self._endings()
        yield self._decisions()
        yield self._tension()
        yield self._luck()
        if self.report.cards:
            yield self._cards()
        if self.report.choices:
            yield self._choices()
        if self.report.never or self.report.unmet:
            yield self._never()
        if self.report.rungs:
            yield self._ladder()
        yield self._games()
        yield self._method()

    def _head(self) -> str:
        report, variant = self.report, self.report.bench.variant
        chosen = [f"{k}: {v}" for k, v in {**variant.options, **variant.rulings}.items()]
        facts = [
            f"{report.games:,} games",
            f"bots: {', '.join(report.bench.bots)}",
            f"seed {report.bench.seed}",
            *chosen,
        ]
        sentences = "".join(f"<li>{escape(text)}</li>" for text in phrases.summary(report))
        return (
            f"<header><h1>{escape(variant.title)}</h1><p class=facts>{escape(' · '.join(facts))}</p>"
            f"<ul class=summary>{sentences}</ul></header>"
        )

    def _linked(self, text: str, estimate: Estimate | None) -> str:
        """Return the text of a figure as a link to a game that shows it."""
        game = estimate.game if estimate else None
        return self._to_game(escape(text), game)

    def _to_game(self, text: str, game: int | None) -> str:
        if game is None or game not in self.transcripts:
            return text
        return f'<a href="#game-{game}" title="game {game} shows this">{text}</a>'

    def _seats(self) -> str:
        exact = any(seat.exact for seat in self.report.seats)
        rows = [
            [
                escape(seat.name),
                escape(seat.bot),
                self._linked(phrases.share(seat.wins), seat.wins),
                *([escape(phrases.share(seat.exact, 2))] if exact else []),
                phrases.number(seat.score),
            ]
            for seat in self.report.seats
        ]
        heads = ["seat", "bot", "wins", *(["exactly"] if exact else []), "mean return"]
        ties = self._linked(phrases.share(self.report.ties), self.report.ties)
        begun = ""
        if self.report.starter is not None:
            begun = f" Who begins wins {phrases.points(self.report.starter)} points more than a fair share."
        return _section("Seats", _table(heads, rows) + f"<p>Ties: {ties}.{begun}</p>")

    def _endings(self) -> str:
        exact = any(end.exact for end in self.report.endings)
        rows = [
            [
                escape(end.reason),
                escape(end.kind),
                self._linked(phrases.share(end.share, 2), end.share),
                *([escape(phrases.share(end.exact, 2))] if exact else []),
            ]
            for end in self.report.endings
        ]
        shares = {end.reason: end.share.value or 0.0 for end in self.report.endings if end.share.value}
        drawn = charts.bars(shares, total=1.0) if len(shares) > 1 else ""
        heads = ["ending", "kind", "share of games", *(["exactly"] if exact else [])]
        return _section("Endings", drawn + _table(heads, rows))

    def _decisions(self) -> str:
        report = self.report
        names = ("least", "5 %", "25 %", "median", "75 %", "95 %", "most")
        rows = [[escape(name), *map(str, values)] for name, values in report.quantiles.items() if any(values)]
        text = (
            f"<p>{self._linked(phrases.number(report.decisions, 1), report.decisions)} decisions per game. "
            f"{phrases.share(report.forced)} of them are forced. Where there is a choice, a player has "
            f"{phrases.number(report.branching)} actions.</p>"
        )
        columns = [(_span(low, high), float(games)) for low, high, games in report.lengths]
        drawn = charts.columns(columns) if len(columns) > 1 else ""
        return _section("Length and choice", text + drawn + _table(["per game", *names], rows))

    def _tension(self) -> str:
        tension = self.report.tension
        rows = []
        for name, title, meaning, percent in _FIGURES:
            estimate: Estimate = getattr(tension, name)
            text = phrases.share(estimate) if percent else phrases.number(estimate)
            rows.append([title, self._linked(text, estimate), escape(meaning)])
        note = (
            f"<p class=note>From {tension.games:,} games, with {tension.playouts} random games from each position, all "
            "cards open. A lead counts if these games tell it apart from a tie. Drama and comeback are as these random "
            "games see them; fewer of them make both look greater.</p>"
        )
        drawn = "<h3>How open the game is</h3><p class=note>One less the distance between the first two sides.</p>"
        return _section(
            "Tension", _table(["", "mean per game", ""], rows) + drawn + charts.curve(tension.openness) + note
        )

    def _luck(self) -> str:
        leverage, law = self.report.leverage, self.report.law
        rows = [
            ["choices (K)", phrases.number(leverage.skill, 3), *([f"{law.skill:.4f}"] if law else [])],
            ["chance (L)", phrases.number(leverage.luck, 3), *([f"{law.luck:.4f}"] if law else [])],
        ]
        note = (
            "<p class=note>Between random players. K and L are the parts of the variance of who wins that fall at "
            "players' choices and at chance; S = (K − L) / (K + L).</p>"
        )
        drawn = charts.scale(leverage.index, "all luck", "all choice")
        heads = ["part of the variance", "", *(["exactly"] if law else [])]
        text = f"<p>S = {phrases.number(leverage.index)}</p>"
        return _section("Luck and choice", text + drawn + _table(heads, rows) + note)

    def _cards(self) -> str:
        cards = self.report.cards
        with_association = any(w.association and w.association.value is not None for w in cards)
        heads = ["", "card", "", "in hand, not kept out", "may use it, not never", "chance of it"]
        heads += ["won when held (no cause)"] if with_association else []
        rows = [self._card(worth, cards, with_association) for worth in cards]
        note = (
            "<p class=note>Each pair of games has one seed and the same bots "
            f"({escape(self.report.bench.players)}). One seat has the card as soon as chance can bring it, or chance "
            "keeps it away; or the seat never uses it while "
            f"it has another choice. {self.report.plan.pairs:,} pairs per card; percentage points of that seat's wins. "
            "Coloured cards count: at most 5 % of them are expected to be chance (Benjamini and Hochberg). "
            "“Won when held” compares seats that held the card with seats that did not. It is no cause: a card that "
            "stays in hand when a game goes badly looks weak.</p>"
        )
        return _section("Cards", note + _table(heads, rows, "cards"))

    def _card(self, worth: Worth, all_of: Sequence[Worth], with_association: bool) -> list[str]:
        picture = self.faces.get(worth.word, "")
        face = f'<img src="{picture}" alt="" loading="lazy">' if picture else ""
        association = [escape(phrases.points(worth.association))] if with_association else []
        return [
            face,
            f"<b>{escape(worth.word)}</b><br><small>{escape(worth.kind)}</small>",
            charts.interval(worth.effect, _reach(all_of), clear=worth.counts),
            self._to_game(escape(phrases.points(worth.held)), worth.game if worth.held else None),
            self._to_game(escape(phrases.points(worth.used)), None if worth.held else worth.game),
            _chance(worth.chance),
            *association,
        ]

    def _choices(self) -> str:
        choices = self.report.choices
        listed = choices if len(choices) <= _MOST_CHOICES else _both_ends(choices)
        rows = [
            [
                escape(worth.word),
                charts.interval(worth.effect, _reach(choices), clear=worth.counts),
                self._to_game(escape(phrases.points(worth.used)), worth.game),
                _chance(worth.chance),
            ]
            for worth in listed
        ]
        left = len(choices) - len(listed)
        more = f"<p class=note>{left} more lie between; the JSON has them all.</p>" if left else ""
        note = (
            "<p class=note>What a seat loses if it never takes this while it has another choice. Below zero: these "
            "players do better without it.</p>"
        )
        return _section(
            "Restricted play", note + _table(["never", "", "worth in points", "chance of it"], rows) + more
        )

    def _never(self) -> str:
        parts = []
        for title, names in (
            (f"Legal, and never chosen in {self.report.games:,} games", self.report.never),
            ("Never legal", self.report.unmet),
        ):
            if names:
                items = "".join(f"<li>{escape(name)}</li>" for name in names)
                parts.append(f"<h3>{title}</h3><ul class=names>{items}</ul>")
        return _section("Dead options", "".join(parts))

    def _ladder(self) -> str:
        rows = [
            [
                escape(rung.bot),
                escape(rung.against or "alone"),
                phrases.share(rung.wins),
                "" if rung.fair is None else f"{100 * rung.fair:.0f} %",
                phrases.number(rung.returns),
                {True: "stronger", False: "not told apart", None: ""}[rung.stronger],
                str(rung.wins.games),
            ]
            for rung in self.report.rungs
        ]
        heads = ["bot", "against", "share of games", "fair", "mean return", "", "games"]
        note = "<p class=note>Each seat as often; a tie is shared.</p>"
        return _section("Depth: a ladder of bots", _table(heads, rows) + note)

    def _games(self) -> str:
        parts = []
        for game, text in self.transcripts.items():
            page = self.pages.get(game)
            link = f' <a href="{escape(page)}">in pictures</a>' if page else ""
            parts.append(
                f'<details><summary>Game {game}{link}</summary><pre id="game-{game}">{escape(text)}</pre></details>'
            )
        return _section("Games that show it", "".join(parts))

    def _method(self) -> str:
        report = self.report
        text = (
            "<p>Intervals are 95 %: Wilson for shares, Student for means, Agresti and Min for pairs. Exact values "
            "come from all positions and hold for random players. Every game has its own seed: "
            f"<code>playproof simulate {escape(report.bench.variant.ref)} --seed {report.bench.seed} --replay N</code> "
            "plays game N again. What bots do says little about people who play better, or for other reasons.</p>"
        )
        return _section("How this was measured", text)


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _both_ends(choices: Sequence[Worth]) -> list[Worth]:
    half = _MOST_CHOICES // 2
    return [*choices[:half], *choices[-half:]]


def _reach(worths: Sequence[Worth]) -> float:
    """Return the value at the ends of the lines of intervals."""
    ends = [abs(end) for w in worths for end in (w.effect.low, w.effect.high) if end is not None]
    return max(ends, default=1.0) or 1.0


def _chance(chance: float) -> str:
    return "&lt; 0.0001" if chance < 0.0001 else f"{chance:.2g}"


def _section(title: str, content: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{content}</section>"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], kind: str = "") -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class=wide><table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
