"""One page that shows a whole game: its cards, its print files, its proved claims, a won game, and
a report of many games.

The page is complete in itself. Only its links lead to other files: the print files next to it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playproof.generator.png import embedded, png_pages
from playproof.language.registry import is_installed
from playproof.referee.plots import svg
from playproof.referee.simulation_report import as_json

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.referee.match import Match
    from playproof.referee.simulate import Result

_CARD_WIDTH = 250  # pixels of a picture in the page
_SHEET_WIDTH = 300


@dataclass
class Show:
    """The contents of the page. `faces` are (component id, file), `files` the print files,
    `answers` as in `prove --json`."""

    game: Game
    folder: Path
    chosen: str
    faces: Sequence[tuple[str, Path]] = ()
    files: Sequence[Path] = ()
    answers: Sequence[dict[str, Any]] = ()
    line: Match | None = None
    runs: Sequence[Result] = field(default_factory=tuple)


def page(show: Show) -> str:
    """Return the page as HTML."""
    title = escape(show.game.title)
    body = "".join(
        [
            _head(show),
            _section("Cut it out", _sheets(show)),
            _section("The cards", _cards(show)),
            _section("What is proved", _claims(show)),
            _section("A won game", _line(show)),
            _section("Many games", _runs(show)),
            _section("Your turn", _commands(show)),
            _foot(show),
        ]
    )
    screen = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8"><title>{title}</title>{screen}<style>{_STYLE}</style>'
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _section(title: str, body: str) -> str:
    return f"<section><h2>{escape(title)}</h2>{body}</section>" if body else ""


def _head(show: Show) -> str:
    facts = show.game.facts
    subtitle = facts.subtitle.get("en", "") if facts.subtitle else ""
    return (
        f"<header><h1>{escape(show.game.title)}</h1><p class='sub'>{escape(subtitle)}</p>"
        f"<p>{escape(facts.about.get('en', ''))}</p></header>"
    )


def _sheets(show: Show) -> str:
    figures = []
    for path in show.files:
        preview = next(iter(png_pages(path.read_bytes(), 50.0)))
        link = escape(path.relative_to(show.folder).as_posix())
        name = f"{path.parent.name}: {path.stem}" if path.parent.name != "print" else path.stem
        picture = embedded(preview, _SHEET_WIDTH, f"first page of {name}")
        caption = f"<figcaption><a href='{link}'>{escape(name)}</a></figcaption>"
        figures.append(f"<figure><a href='{link}'>{picture}</a>{caption}</figure>")
    return f"<p>Print files, fronts and backs aligned.</p><div class='sheets'>{''.join(figures)}</div>"


def _cards(show: Show) -> str:
    """Return every card's front; the kind with most cards comes first."""
    kinds = Counter(show.game.components[ident].kind for ident, _ in show.faces)
    pictures = []
    for ident, path in sorted(show.faces, key=lambda face: -kinds[show.game.components[face[0]].kind]):
        component = show.game.components[ident]
        words = f"{ident} {component.name}"
        pictures.append(f"<div class='card'>{embedded(path.read_bytes(), _CARD_WIDTH, words)}</div>")
    return f"<div class='cards'>{''.join(pictures)}</div>"


def _claims(show: Show) -> str:
    if not show.answers:
        return ""
    rows = "".join(_claim(answer) for answer in show.answers)
    return (
        "<p>Every answer has its evidence in a file that <code>playproof check</code> re-checks.</p>"
        "<table><thead><tr><th>Claim<th>Verdict<th>Answer<th>How<th>Seconds</tr></thead>"
        f"<tbody>{rows}</tbody></table>"
    )


def _claim(answer: dict[str, Any]) -> str:
    verdict = escape(str(answer["verdict"]))
    says = escape(str(answer.get("says") or answer["id"]))
    value = escape(_shown(answer.get("value")))
    method = escape(str(answer.get("method", "")))
    seconds = float(answer.get("seconds", 0))
    return (
        f"<tr><td>{says}<td><span class='verdict {verdict.lower()}'>{verdict}</span><td>{value}"
        f"<td>{method}<td class='n'>{seconds:.2f}</tr>"
    )


def _shown(value: Any) -> str:
    if isinstance(value, list | dict):
        return _many(value)
    return str({True: "yes", False: "no", None: ""}.get(value, value))


def _many(value: list[Any] | dict[str, Any]) -> str:
    return f"{len(value)} answers" if len(value) > 3 else ", ".join(map(str, value)) or "none"


def _line(show: Show) -> str:
    if show.line is None or show.line.ending is None:
        return ""
    rounds: dict[int | None, list[str]] = {}
    for step in show.line.steps:
        rounds.setdefault(step.round, []).append(step.text)
    parts = [
        f"<li><b>{'Round ' + str(number) if number is not None else 'The game'}</b> "
        f"{escape(' · '.join(words))}</li>"
        for number, words in rounds.items()
    ]
    return (
        f"<p>Found by the verifier, replayed move by move in the reference interpreter: "
        f"{len(show.line.steps)} steps to “{escape(show.line.ending.reason)}”. "
        "<a href='winning-line.txt'>The transcript</a> can be judged again.</p>"
        f"<ol>{''.join(parts)}</ol>"
    )


def _runs(show: Show) -> str:
    parts = []
    for run in show.runs:
        facts = as_json(run)
        seat = facts["seats"][0]
        low, high = seat["interval"]
        bots = escape(", ".join(facts["bots"]))
        parts.append(
            f"<div><h3>{bots}</h3><p>{facts['games']:,} games in {facts['seconds']} s; "
            f"won {100 * seat['win_rate']:.1f} % (95 % interval {100 * low:.1f} to {100 * high:.1f}), "
            f"{facts['decisions_per_game']:.0f} decisions per game.</p>{svg(run)}</div>"
        )
    return f"<div class='runs'>{''.join(parts)}</div>" if parts else ""


def _commands(show: Show) -> str:
    name, chosen = show.game.name, show.chosen
    folder = "" if is_installed(name) else f" --game {name}"
    place = f"{show.folder.parent.name}/{show.folder.name}"
    lines = [
        f"playproof play {name}{chosen}",
        f"playproof simulate {name}{chosen} --games 100000 --bot greedy",
        f"playproof judge{folder} {place}/winning-line.txt",
        f"playproof prove {name}",
        "playproof serve",
    ]
    return "<pre>" + escape("\n".join(lines)) + "</pre>"


def _foot(show: Show) -> str:
    facts = show.game.facts
    credit = "; ".join(f"{c.name}, {c.role.get('en', '')}" for c in facts.credits)
    return f"<footer><p>{escape(facts.notice.get('en', ''))}</p><p>{escape(credit)}</p></footer>"


def transcripts(answers: Iterable[dict[str, Any]]) -> list[list[int]]:
    """Return the ground actions of every line that comes to an event in the answers' evidence
    files."""
    files = [Path(answer["evidence"]) for answer in answers if answer.get("evidence")]
    settings = [s for file in files for s in json.loads(file.read_text(encoding="utf-8"))["settings"]]
    lines = [c for s in settings for c in s["certificates"] if c["kind"] == "transcript"]
    return [c["idents"] for c in lines if c["about"]["kind"] == "event"]


_STYLE = """
:root{--ink:#33241c;--soft:#6b5443;--paper:#fbf6ea;--card:#fff;--line:#dccdb2;--leaf:#3f6f33}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:17px/1.55 Georgia,"Iowan Old Style",serif}
header,section,footer{max-width:1080px;margin:0 auto;padding:1rem 1.5rem}
header{padding-top:3rem;text-align:center} header p{max-width:40rem;margin:.4rem auto}
h1{font-size:2.6rem;line-height:1.1;margin:0} .sub{color:var(--soft);font-style:italic}
h2{font-size:1.5rem;border-bottom:2px solid var(--line);padding-bottom:.25rem;margin:1.6rem 0 .8rem}
h3{margin:.2rem 0} a{color:var(--leaf)}
img{display:block;max-width:100%;height:auto}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(150px,1fr));gap:1rem;align-items:start}
.card img{width:100%;border-radius:5%/3.6%;box-shadow:0 1px 2px #0003,0 4px 12px #0002}
.sheets{display:flex;flex-wrap:wrap;gap:1rem} figure{margin:0;width:150px}
figcaption{font-size:.85rem;text-align:center}
figure img{border:1px solid var(--line);background:#fff}
table{border-collapse:collapse;width:100%;font-size:.92rem;background:var(--card)}
th,td{text-align:left;padding:.4rem .6rem;border-bottom:1px solid var(--line);vertical-align:top} .n{text-align:right}
.verdict{font:600 .8rem system-ui,sans-serif;padding:.1rem .45rem;border-radius:.3rem;border:1px solid currentColor}
.proven{color:#1f5c2a}.refuted{color:#9a2218}.unknown,.vacuous{color:#6b5443}
ol{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem .8rem 2.4rem}
ol li{margin:.3rem 0;list-style:none;margin-left:-1.2rem}
.runs{display:grid;grid-template-columns:repeat(auto-fit,minmax(320px,1fr));gap:1.5rem}
.runs svg{width:100%;height:auto;background:var(--card);border:1px solid var(--line);border-radius:.5rem}
pre{background:#2f241d;color:#f7ecd8;padding:1rem 1.2rem;border-radius:.5rem;overflow-x:auto;font-size:.9rem}
footer{color:var(--soft);font-size:.85rem;padding-bottom:3rem;border-top:1px solid var(--line);margin-top:2rem}
@media print{.cards{grid-template-columns:repeat(5,1fr)}}
"""
