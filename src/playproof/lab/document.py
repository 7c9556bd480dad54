"""A report as a document: sections of sentences, tables, charts and cards. A page, a sheet of paper and a Markdown file
set the same document."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from playproof.database.errors import as_typed
from playproof.generator.scene import Face
from playproof.lab import charts, phrases
from playproof.lab.estimates import Estimate
from playproof.lab.report import Report
from playproof.lab.worth import Worth

_MOST_CHOICES = 40


@dataclass(frozen=True, slots=True)
class DataCell:
    """A few words. `game` is the number of a game that shows them; `chart` stands in their place."""

    text: str = ""
    game: int | None = None
    chart: Face | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph. A note says how to read the figures beside it."""

    parts: tuple[DataCell, ...]
    note: bool = False


@dataclass(frozen=True, slots=True)
class Title:
    """A title inside a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Names:
    """A list of short texts."""

    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table: a row of heads, and rows of cells."""

    heads: tuple[str, ...]
    rows: tuple[tuple[DataCell, ...], ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A card's printed face, by the word for the card and its component, with a label over the lower edge."""

    word: str
    component: str | None
    label: Face
    game: int | None


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards beside each other. Those without a printed face are left out: a table has them too."""

    cards: tuple[Card, ...]


Block: TypeAlias = Text | Title | Names | DataTable | Face | Cards


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report under its title."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report: its title, what was played, the findings in sentences, and the sections."""

    title: str
    facts: tuple[str, ...]
    summary: tuple[str, ...]
    sections: tuple[Section, ...]

    @property
    def cards(self) -> Iterator[Card]:
        """The cards whose faces it shows."""
        for section in self.sections:
            for block in section.blocks:
                yield from block.cards if isinstance(block, Cards) else ()


def document(report: Report) -> Document:
    """Return a report as a document."""
    variant = report.bench.variant
    chosen = [f"{name}: {value}" for name, value in {**variant.options, **variant.rulings}.items()]
    facts = [
        f"{report.games:,} games",
        f"bots: {', '.join(report.bench.bots)}",
        f"seed {report.bench.seed}",
        *chosen,
    ]
    parts: dict[str, Callable[[Report], Iterator[Block]]] = {
        **({"How hard it is": _ladder} if report.alone else {"Seats": _seats}),
        "Endings": _endings,
        "Length and choice": _decisions,
        **({"Where it is decided": _decided} if report.alone else {"Tension": _tension}),
        "Luck and choice": _luck,
        "Cards": _cards,
        "Restricted play": _choices,
        "Dead options": _never,
        **({} if report.alone else {"Depth: a ladder of bots": _ladder}),
        "Games of people": _people,
        "How this was measured": _method,
    }
    made = [Section(title, tuple(write(report))) for title, write in parts.items()]
    sections = tuple(section for section in made if section.blocks)
    return Document(
        f"{variant.title}: playtest report", tuple(facts), tuple(phrases.summary(report)), sections
    )


def _figure(words: Callable[..., str], estimate: Estimate | None, *more: int) -> DataCell:
    """Return the words for an estimate, with its game."""
    if estimate is None or estimate.value is None:
        return DataCell(words(estimate, *more))
    return DataCell(words(estimate, *more), estimate.game)


def _plain(*texts: str) -> tuple[DataCell, ...]:
    return tuple(DataCell(text) for text in texts)


def _note(text: str) -> Text:
    return Text((DataCell(text),), note=True)


def _seats(report: Report) -> Iterator[Block]:
    if report.bench.for_score:
        rows = [(*_plain(seat.name, seat.bot), _figure(phrases.number, seat.score)) for seat in report.seats]
        yield DataTable(("seat", "bot", "mean score"), tuple(rows))
        return
    exact = any(seat.exact for seat in report.seats)
    rows = [
        (
            *_plain(seat.name, seat.bot),
            _figure(phrases.share, seat.wins),
            *(_plain(phrases.share(seat.exact, 2)) if exact else ()),
            _figure(phrases.number, seat.score),
        )
        for seat in report.seats
    ]
    yield DataTable(("seat", "bot", "wins", *(["exactly"] if exact else []), "mean return"), tuple(rows))
    text = [DataCell("Ties: "), _figure(phrases.share, report.ties), DataCell(".")]
    if report.starter is not None:
        text += [DataCell(" Who begins wins "), _figure(phrases.points, report.starter)]
        text.append(DataCell(" points more than a fair share."))
    yield Text(tuple(text))


def _endings(report: Report) -> Iterator[Block]:
    exact = any(end.exact for end in report.endings)
    shares = {end.reason: end.share.value for end in report.endings if end.share.value}
    if len(shares) > 1:
        yield charts.bars(shares, total=1.0)
    rows = [
        (
            *_plain(end.reason, end.kind),
            _figure(phrases.share, end.share, 2),
            *(_plain(phrases.share(end.exact, 2)) if exact else ()),
        )
        for end in report.endings
    ]
    yield DataTable(("ending", "kind", "share of games", *(["exactly"] if exact else [])), tuple(rows))


def _decisions(report: Report) -> Iterator[Block]:
    yield Text(
        (
            _figure(phrases.number, report.decisions, 1),
            DataCell(" decisions per game. "),
            _figure(phrases.share, report.forced),
            DataCell(" of them are forced. Where there is a choice, a player has "),
            _figure(phrases.number, report.branching),
            DataCell(" actions."),
        )
    )
    columns = [(_span(low, high), float(games)) for low, high, games in report.lengths]
    if len(columns) > 1:
        yield charts.columns(columns)
    heads = ("per game", "least", "5 %", "25 %", "median", "75 %", "95 %", "most")
    quantiles = [(name, values) for name, values in report.quantiles.items() if any(values)]
    yield DataTable(heads, tuple(_plain(name, *map(str, values)) for name, values in quantiles))


def _tension(report: Report) -> Iterator[Block]:
    if report.bench.for_score:
        yield _note(
            "Tension, luck and choice are about who wins. Here nobody can: one side plays for a score."
        )
        return
    tension = report.tension
    rows = (
        ("Lead changes", phrases.number, tension.lead_changes, "how often the lead passes to another side"),
        ("Drama", phrases.number, tension.drama, "how far behind the later winner was while behind (0 to 1)"),
        ("Comeback", phrases.share, tension.comeback, "the least chance that the later winner had"),
        ("Decided after", phrases.share, tension.decided, "of the decisions, the winner stays above 90 %"),
        ("Runaway", phrases.share, tension.runaway, "how often a side that leads at half time wins"),
    )
    cells = tuple(
        (DataCell(title), _figure(words, value), DataCell(meaning)) for title, words, value, meaning in rows
    )
    yield DataTable(("", "mean per game", ""), cells)
    yield Title("How open the game is")
    yield _note("One less the distance between the first two sides.")
    yield charts.curve(tension.openness)
    yield _note(
        f"From {tension.games:,} games, with {tension.playouts} random games from each position, all cards open. A "
        "lead counts if these games tell it apart from a tie. Drama and comeback are as these random games see them; "
        "fewer of them make both look greater."
    )


def _decided(report: Report) -> Iterator[Block]:
    """Where a game against nobody is decided."""
    tension = report.tension
    if report.bench.for_score:
        yield _note(
            "Where a game is decided is about winning. Here nobody can: the player plays for a score."
        )
        return
    rows = (
        (
            "Open until",
            phrases.share,
            tension.open_until,
            "of the decisions of a lost game; then less than 1 in 10 wins",
        ),
        ("First losing turn", phrases.number, tension.losing_turn, "the decision after which that is so"),
        ("Narrow escape", phrases.share, tension.comeback, "the least chance on the way to a win"),
        (
            "Decided after",
            phrases.share,
            tension.decided,
            "of the decisions: the outcome stays above 90 % sure",
        ),
    )
    cells = tuple(
        (DataCell(title), _figure(words, value), DataCell(meaning)) for title, words, value, meaning in rows
    )
    yield DataTable(("", "mean per game", ""), cells)
    if tension.fading:
        yield Title("The chance to win in lost games")
        yield charts.curve(tension.fading)
    yield _note(
        f"From {tension.games:,} games of {report.bench.players}, with {tension.playouts} random games from each "
        "position. Players who think find chances where random games find none."
    )


def _luck(report: Report) -> Iterator[Block]:
    if report.bench.for_score:
        return
    leverage, law = report.leverage, report.law
    if leverage.index.value is None:
        yield _note("Players at random win too seldom, or too often, to tell luck from choice.")
    else:
        yield Text((DataCell("S = "), _figure(phrases.number, leverage.index)))
        yield charts.scale(leverage.index, "all luck", "all choice")
    exact = [f"{law.skill:.4f}", f"{law.luck:.4f}"] if law else []
    rows = (
        (DataCell("choices (K)"), _figure(phrases.number, leverage.skill, 3), *_plain(*exact[:1])),
        (DataCell("chance (L)"), _figure(phrases.number, leverage.luck, 3), *_plain(*exact[1:])),
    )
    yield DataTable(("part of the variance", "", *(["exactly"] if law else [])), rows)
    yield _note(
        "Between random players. K and L are the parts of the variance of who wins that fall at players' choices and "
        "at chance; S = (K − L) / (K + L)."
    )


# -- cards and choices --------------------------------------------------------------------------------------------


def _cards(report: Report) -> Iterator[Block]:
    cards, scores = report.cards, report.bench.for_score
    if not cards:
        yield _note(_why_no_cards(report))
        return
    if report.alone:
        yield from _events(report)
        return
    verb = "scored" if scores else "won"
    yield _note(
        f"Each pair of games has one seed and the same bots ({report.bench.players}). One seat has the card as soon as "
        "chance can bring it, or chance keeps it away; or the seat never uses it while it has another choice. "
        f"{report.plan.pairs:,} pairs per card; {phrases.counted(report)} of that seat. Coloured cards count: at most "
        f"5 % of them are expected to be chance (Benjamini and Hochberg). “{verb.title()} when held” compares seats "
        "that held the card with seats that did not. It is no cause: a card that stays in hand when a game goes badly "
        "looks weak."
    )
    reach = reach_of(cards)
    yield Cards(tuple(Card(w.word, w.component, label_of(w, reach, scores), w.effect.game) for w in cards))
    held = any(w.association and w.association.value is not None for w in cards)
    heads = ("card", "", "in hand, not kept out", "may use it, not never", "chance of it")
    rows = [
        (
            DataCell(worth.name, strong=True),
            DataCell(chart=charts.interval(worth.effect, reach, clear=worth.counts)),
            _figure(phrases.points, worth.held, scores),
            _figure(phrases.points, worth.used, scores),
            DataCell(_chance(worth.chance)),
            *((_figure(phrases.points, worth.association, scores),) if held else ()),
        )
        for worth in cards
    ]
    yield DataTable((*heads, *([f"{verb} when held (no cause)"] if held else [])), tuple(rows))


def _why_no_cards(report: Report) -> str:
    """Return why no card is measured, and what to write."""
    if not any(phase.chance for phase in report.bench.variant.game.phases):
        return "Chance does nothing in this game, so no card comes and none is measured."
    if not report.dealt:
        return (
            "No card is known. A card is what chance takes from a zone, or a component: write the deck as a Bag or a "
            "Deck and deal with its draw(), or name the parameter's values after components (labels=)."
        )
    return (
        f"Chance deals {report.dealt} cards, but to deal another changed no game: each comes where it must, or plays "
        "the same."
    )


def _events(report: Report) -> Iterator[Block]:
    """The worth of cards that come to whoever plays alone, or together: first, as they fall, last."""
    cards, scores = report.cards, report.bench.for_score
    yield _note(
        f"Each pair of games has one seed and the same bots ({report.bench.players}). A card comes as soon as chance "
        "can bring it; or as the cards fall; or it is kept away as long as another can come, so that it comes last or "
        f"never. {report.plan.pairs:,} pairs per card; {phrases.counted(report)}. Coloured cards count: at most 5 % of "
        "them are expected to be chance (Benjamini and Hochberg). A card stands apart if its interval lies off that of "
        f"the mean of the others, both widened for {len(cards)} looks (Bonferroni)."
    )
    reach = reach_of(cards)
    yield Cards(tuple(Card(w.word, w.component, label_of(w, reach, scores), w.effect.game) for w in cards))
    used = any(worth.used for worth in cards)
    heads = (
        "card",
        "",
        "first, not last or never",
        "first, not as they fall",
        "as they fall, not last or never",
    )
    rows = [
        (
            DataCell(worth.name, strong=True),
            DataCell(chart=charts.interval(worth.effect, reach, clear=worth.counts)),
            _figure(phrases.points, worth.held, scores),
            _figure(phrases.points, worth.early, scores),
            _figure(phrases.points, worth.late, scores),
            *((_figure(phrases.points, worth.used, scores),) if used else ()),
            DataCell({1: "too strong?", -1: "too weak?", 0: ""}[worth.apart]),
        )
        for worth in cards
    ]
    yield DataTable(
        (*heads, *(["may use it, not never"] if used else []), "apart from the others"), tuple(rows)
    )


def label_of(worth: Worth, reach: float, for_score: bool) -> Face:
    """Return what a card is worth, to lie on its printed face."""
    effect, held = worth.effect, worth.association
    below = ""
    if held is not None and held.value is not None:
        below = (
            f"{'scored' if for_score else 'won'} when held {phrases.moved(held.value, for_score)} (no cause)"
        )
    return charts.label(
        phrases.moved(effect.value or 0.0, for_score), effect, reach, below, clear=worth.counts
    )


def _choices(report: Report) -> Iterator[Block]:
    choices = report.choices
    if not choices:
        return
    who = (
        "is lost by never taking this while there"
        if report.alone
        else "a seat loses if it never takes this while it"
    )
    yield _note(
        f"What {who} {'is' if report.alone else 'has'} another choice. Below zero: these players do better without it."
    )
    listed = choices if len(choices) <= _MOST_CHOICES else _both_ends(choices)
    reach = reach_of(choices)
    rows = [
        (
            DataCell(worth.name),
            DataCell(chart=charts.interval(worth.effect, reach, clear=worth.counts)),
            _figure(phrases.points, worth.used, report.bench.for_score),
            DataCell(_chance(worth.chance)),
        )
        for worth in listed
    ]
    yield DataTable(("never", "", "worth in points", "chance of it"), tuple(rows))
    if len(choices) > len(listed):
        yield _note(f"{len(choices) - len(listed)} more lie between; the JSON has them all.")


def _never(report: Report) -> Iterator[Block]:
    for title, names in (
        (f"Legal, and never chosen in {report.games:,} games", report.never),
        ("Never legal", report.unmet),
    ):
        if names:
            yield Title(title)
            yield Names(tuple(names))


# -- depth and method -----------------------------------------------------------------------------------------------


def _ladder(report: Report) -> Iterator[Block]:
    if report.alone:
        yield from _ladder_alone(report)
        return
    if not report.rungs:
        return
    if report.bench.for_score:
        scores = [
            _plain(rung.bot, phrases.number(rung.returns), str(rung.returns.games)) for rung in report.rungs
        ]
        yield DataTable(("bot", "mean score", "games"), tuple(scores))
        return
    rows = [
        _plain(
            rung.bot,
            rung.against or "alone",
            phrases.share(rung.wins),
            "" if rung.fair is None else f"{100 * rung.fair:.0f} %",
            phrases.number(rung.returns),
            {True: "stronger", False: "not told apart", None: ""}[rung.stronger],
            str(rung.wins.games),
        )
        for rung in report.rungs
    ]
    yield DataTable(("bot", "against", "share of games", "fair", "mean return", "", "games"), tuple(rows))
    seats = report.bench.variant.game.players
    top = report.rungs[-1]
    team = report.bench.variant.game.team_of(0)
    bots = ",".join(top.bot if seat in team else top.against or top.bot for seat in range(seats))
    yield _note(
        f"Each seat as often; a tie is shared. To see a game of the last rung: {replayed(report, bots, '0')}"
    )


def _ladder_alone(report: Report) -> Iterator[Block]:
    """Who plays by chance, with care, by search, and as well as can be."""
    scores, seat = report.bench.for_score, report.seats[0]
    rungs = [rung for rung in report.rungs if rung.bot != report.bench.bots[0]]
    mine = seat.score if scores else (seat.exact or seat.wins)
    words = phrases.number if scores else phrases.share
    rows = [
        (*_plain(phrases.player_of(seat.bot), seat.bot), _figure(words, mine), *_plain(f"{report.games:,}"))
    ]
    rows += [
        _plain(
            phrases.player_of(rung.bot),
            rung.bot,
            words(rung.returns if scores else rung.wins),
            str(rung.wins.games),
        )
        for rung in rungs
    ]
    order = [rung.bot for rung in report.rungs]
    rows.sort(key=lambda row: order.index(row[1].text) if row[1].text in order else -1)
    best = report.best
    if best is not None:
        rows.append(_plain("best play", "all there are", phrases.best_cell(best, scores), ""))
    yield DataTable(("player", "bot", "mean score" if scores else "wins", "games"), tuple(rows))
    if best is not None and best.words and best.value is None:
        yield _note(f"Best play: {best.words}.")
    if report.rungs:
        bots = ",".join(report.rungs[-1].bot for _ in report.seats)
        yield _note(f"To see a game of the strongest player: {replayed(report, bots, '0')}")


def _people(report: Report) -> Iterator[Block]:
    people = report.people
    if people is None:
        return
    yield Text(
        _plain(
            f"{people.games} games, {people.finished} of them finished. These players are {people.place()}."
        )
    )
    figures = {
        **(
            {f"score of {name}": phrases.number(score) for name, score in people.scores.items()}
            if report.bench.for_score
            else {f"wins of {name}": phrases.share(wins) for name, wins in people.wins.items()}
        ),
        "decisions": phrases.number(people.decisions, 1),
        "minutes": phrases.number(people.minutes, 1),
        **{f"survey: {question}": phrases.number(mean) for question, mean in people.survey.items()},
        **{f"games with {n}: {w}": str(c) for n, counts in people.tags.items() for w, c in counts.items()},
    }
    yield DataTable(("", "mean per game"), tuple(_plain(*row) for row in figures.items()))
    if people.thinking:
        yield Title("How long people think")
        each = [
            _plain(t.of, f"{t.median:.1f} s", f"{t.most:.1f} s", str(t.decisions)) for t in people.thinking
        ]
        yield DataTable(("", "median", "nine of ten at most", "decisions"), tuple(each))
    yield Title("What players give away per decision")
    rows = [("people", people.given, ""), *((s.bot, s.given, s.people) for s in people.standings)]
    words = {
        "better": "people give away less",
        "worse": "people give away more",
        "alike": "not told apart",
        "": "",
    }
    cells = tuple(_plain(name, phrases.share(loss), words[verdict]) for name, loss, verdict in rows)
    yield DataTable(("who", "per cent of the range of returns", ""), cells)
    yield _note(
        "At each decision a search says what each choice is worth; the rest to the best one is given away. The search "
        "errs, but alike for everybody. Each bot plays against itself."
    )


def _method(report: Report) -> Iterator[Block]:
    yield Text(
        _plain(
            "Intervals are 95 %: Wilson for shares, Student for means, Agresti and Min for pairs. Exact values come "
            "from all positions and hold for random players. Every game has its own seed; this plays game N again: "
            f"{replayed(report, ','.join(report.bench.bots), 'N')}. What bots do says little about people who play "
            "better, or for other reasons."
        )
    )


def replayed(report: Report, bots: str, number: str) -> str:
    """Return the command that plays a game again."""
    variant = report.bench.variant
    chosen = [f"--option {name}={value}" for name, value in variant.options.items()]
    chosen += [f"--ruling {name}={value}" for name, value in variant.rulings.items()]
    words = ["playproof simulate", as_typed(variant.ref), *chosen, f"--bot {bots}"]
    return " ".join([*words, f"--seed {report.bench.seed} --replay {number}"])


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def _both_ends(choices: Sequence[Worth]) -> list[Worth]:
    half = _MOST_CHOICES // 2
    return [*choices[:half], *choices[-half:]]


def reach_of(worths: Sequence[Worth]) -> float:
    """Return the value at the ends of the lines of intervals."""
    ends = [abs(end) for w in worths for end in (w.effect.low, w.effect.high) if end is not None]
    return max(ends, default=1.0) or 1.0


def _chance(chance: float) -> str:
    return "< 0.0001" if chance < 0.0001 else f"{chance:.2g}"
