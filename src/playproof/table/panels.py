"""What stands beside the table on a page: what can be done, the story, proposals, the log, time,
notes, the table in words, and the end of the game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from html import escape
from itertools import groupby, permutations
from zlib import crc32

from playproof.referee.match import Match
from playproof.referee.notation import use_an_before_capital_vowels
from playproof.referee.text_table import NumberedChoice, iter_choices_grouped_by_shared_words
from playproof.referee.transcript import (
    describe_next_campaign_game_or_empty,
    get_next_game_of_campaign_or_none,
    iter_titles_and_paragraphs_of_story,
)
from playproof.table.bot_processes import TURNS, ChanceBounds, WinChances
from playproof.table.scene import Picture, Scene, Score, Surface
from playproof.table.session_records import LogLine
from playproof.table.table_view import REMEMBERED, PageContext, ReaderKey, render_table_change_form

# What stands beside the felt: what can be done, the story, proposals, the log, time, notes, the table in
# words.

_LOG = 60  # lines of the log on a page; the transcript has all lines
_RECALLED = 6  # lines of what the others did
_TAKEN_BACK = 5  # lines of what going back would take back
_MOST_ORDERED = 4  # things whose orders are all offered
_FEW = 8  # choices: what each does stands below it


def render_action_choices_panel_html(context: PageContext, target_keys_by_action: Mapping[int, Sequence[str]]) -> str:
    answer = f'<p class="said" role="alert">{escape(context.reply)}</p>' if context.reply else ""
    questions = f"{_render_verdict_form_or_empty_html(context)}{_render_may_i_or_empty_html(context)}"
    if not context.moves:
        return f'<section class="deed idle" id="deed" tabindex="-1">{questions}{answer}</section>'
    choices = [NumberedChoice(number, move) for number, move in enumerate(context.moves, 1)]
    does = _explain_available_moves_by_action(context, target_keys_by_action)
    below = _keep_each_explanation_once_at_last_use(does)
    groups = "".join(
        _render_choice_group_buttons_html(kind.heading, kind.choices, kind.own, target_keys_by_action, does, below)
        for kind in iter_choices_grouped_by_shared_words(context.session.variant.game, choices)
    )
    few = " few" if len(choices) <= _FEW else ""
    return (
        f'<section class="deed{few}" id="deed" tabindex="-1" aria-label="what you can do"><form method="post" '
        f'action="{escape(context.base)}/move"><input type="hidden" name="version" value="{context.session.version}">'
        f'<input type="hidden" name="position" value="'
        f'{context.session.make_run_id_and_match_digest_for_seat(context.seat)}">'
        f'{groups}</form><div id="menu" hidden></div>{questions}{answer}</section>'
    )


def render_campaign_story_or_empty_html(context: PageContext) -> str:
    """Return the pages told before the game, until a person has chosen; after a win, its ending and what follows."""
    match = context.session.match
    if not context.now or context.session.verdicts:
        return ""
    begun = any(step.actor in context.session.people_seats for step in match.steps)
    chapters = (
        iter_titles_and_paragraphs_of_story(match, "after")
        if match.over
        else ()
        if begun
        else iter_titles_and_paragraphs_of_story(match, "before")
    )
    texts = "".join(
        f"<h2>{escape(title)}</h2>{_render_story_page_or_empty_html(context, title)}"
        f"{''.join(f'<p>{escape(text)}</p>' for text in lines)}"
        for title, lines in chapters
    )
    texts += _render_next_game_or_empty_html(context)
    return f'<section class="story">{texts}</section>' if texts else ""


def _render_story_page_or_empty_html(context: PageContext, page_title: str) -> str:
    """Return the printed page of this title as a picture that a click enlarges; "" if none is printed. Its words
    follow it as text."""
    if context.layout is None or context.pictures is None:
        return ""
    page = next((c for c in context.layout.components.values() if c.name == page_title), None)
    if page is None or context.layout.looks.find_layout_for_component_or_none(page, context.layout.language) is None:
        return ""
    address = f"/face/{context.pictures.get_picture_hash_of_whole_face(Picture(page.id))}.svg"
    picture = f'<img src="{address}" alt="{escape(page_title)}, as printed">'
    return f'<a class="page" href="{address}" target="_blank">{picture}</a>'


def _render_next_game_or_empty_html(context: PageContext) -> str:
    """Return the button that begins the game that follows, with a choice of order where there is one."""
    after = get_next_game_of_campaign_or_none(context.session.match)
    if after is None or context.seat is None:
        return ""
    first, order = after.things[: after.ordered], ""
    if 1 < len(first) <= _MOST_ORDERED and not context.session.following:
        ways = "".join(
            f'<option value="{escape(" ".join(way))}">{escape(", ".join(way))}</option>' for way in permutations(first)
        )
        order = f'<label>in this order <select name="order">{ways}</select></label>'
    text = "Next chapter" if after.won else "Begin again"
    go_on = render_table_change_form(context, "next", f"{order}<button>{text}</button>")
    return f"<p>{escape(describe_next_campaign_game_or_empty(context.session.match))}.</p>{go_on}"


def _render_may_i_or_empty_html(context: PageContext) -> str:
    """Return a line to ask whether something is allowed. With paper, it can also report what is
    not among the offers."""
    session = context.session
    if not context.now or context.seat is None or not session.needs_action_from(context.seat):
        return ""
    tell = (
        f'<button formaction="{escape(context.base)}/say">it happened</button>'
        if session.reported_match is not None
        else ""
    )
    return (
        '<div class="ask">'
        + render_table_change_form(
            context,
            "may",
            (
                '<input name="words" maxlength="120" aria-label="may I do this? words of an action" '
                f'placeholder="may I …?"><button>may I?</button>{tell}'
            ),
        )
        + "</div>"
    )


def _render_verdict_form_or_empty_html(context: PageContext) -> str:
    """With paper: return the question how the game ended, if that depends on cards nobody
    reported."""
    if not context.now or context.seat is None or not (verdicts := context.session.verdicts):
        return ""
    buttons = "".join(f'<button name="verdict" value="{escape(text)}">{escape(text)}</button>' for text in verdicts)
    return (
        "<p>Cards that nobody told decide this. Count them: how did it end?</p>"
        f"{render_table_change_form(context, 'decide', buttons)}"
    )


def _explain_available_moves_by_action(context: PageContext, targets: Mapping[int, Sequence[str]]) -> dict[int, str]:
    """Return what each choice does in words, by its number: what is printed where it leads, else what it names prints
    or its rules say; nothing for a game without printed cards."""
    if context.layout is None or context.scene is None:
        return {}
    explain = context.layout.card_words.explain_move_in_words_or_empty
    prints = {spot.key: spot.prints for spot in context.scene.spots if spot.prints}
    words = {}
    for move in context.moves:
        there = dict.fromkeys(prints[key] for key in targets.get(move.ident, ()) if key in prints)
        words[move.ident] = "\n".join(there) or explain(move)
    return {ident: text for ident, text in words.items() if text}


def _keep_each_explanation_once_at_last_use(explanations: Mapping[int, str]) -> dict[int, str]:
    """Return what stands below which choice: what it does, each text once, below the last choice that does it. Readers
    of screens read it with each, and a script shows it beside where there is no room below."""
    last = {text: ident for ident, text in explanations.items()}
    return {ident: text for text, ident in last.items()}


def _render_explanation_or_empty_html(text: str | None) -> str:
    if text is None:
        return ""
    return f'<small class="does" aria-hidden="true" id="{_make_explanation_id(text)}">{escape(text)}</small>'


def _make_explanation_id(explanation: str) -> str:
    return f"does-{crc32(explanation.encode()):08x}"


def _render_choice_group_buttons_html(
    group_heading: str,
    choices: Sequence[NumberedChoice],
    button_labels: Sequence[str],
    target_keys_by_action: Mapping[int, Sequence[str]],
    explanation_by_action: Mapping[int, str],
    below: Mapping[int, str],
) -> str:
    buttons = "".join(
        f'<button name="move" value="{c.move.ident}" data-at="'
        f'{escape(" ".join(target_keys_by_action.get(c.move.ident, ())))}" '
        f'data-text="{escape(use_an_before_capital_vowels(c.move.text))}"'
        f"{_make_aria_label_attribute(text, use_an_before_capital_vowels(c.move.text))}"
        f"{_make_aria_describedby_attribute(explanation_by_action.get(c.move.ident))}>"
        f"{escape(text)}</button>{_render_explanation_or_empty_html(below.get(c.move.ident))}"
        for c, text in zip(choices, button_labels, strict=True)
    )
    return f'<p class="kind">{f"<span>{escape(group_heading)}</span>" if group_heading else ""}{buttons}</p>'


def _make_aria_describedby_attribute(explanation: str | None) -> str:
    return f' aria-describedby="{_make_explanation_id(explanation)}"' if explanation else ""


def _make_aria_label_attribute(label: str, full_text: str) -> str:
    return "" if label == full_text else f' aria-label="{escape(full_text)}"'


def render_pending_proposal_or_empty_html(context: PageContext) -> str:
    session, pending = context.session, context.session.proposal
    if pending is None or not context.now:
        return ""
    what = {"undo": f"go back to step {pending.step}", "branch": f"play on from step {pending.step} at a new table"}
    text = f"{session.format_person_and_seat_name(pending.by)} asks to {what[pending.kind]}"
    gone = _render_steps_undone_by_going_back_html(context, pending.step) if pending.kind == "undo" else ""
    waits = [
        session.format_person_and_seat_name(n)
        for n in session.people_seats
        if n not in pending.agreed and session.tokens[n]
    ]
    buttons = ""
    if context.seat is not None and context.seat not in pending.agreed:
        buttons = render_table_change_form(
            context, "agree", '<button name="yes" value="1">agree</button><button name="yes" value="0">no</button>'
        )
    return (
        f'<section class="proposal" role="alert"><p>{escape(text)}. Waiting for {escape(", ".join(waits))}.</p>'
        f"{gone}{buttons}</section>"
    )


def _render_steps_undone_by_going_back_html(context: PageContext, target_step: int) -> str:
    """Return what going back to a step takes back, as the reader heard it, and whether chance has acted since."""
    session = context.session
    heard = [
        (n + 1, line)
        for n in range(target_step, len(session.match.steps))
        for line in session.list_log_lines_of_step_as_heard(n, context.seat)
        if line.actor >= 0
    ]
    rows = "".join(_iter_log_row_html_merging_repeats(context, heard[:_TAKEN_BACK]))
    rest = len(heard) - _TAKEN_BACK
    more = f"<p>and {rest} more</p>" if rest > 0 else ""
    return (
        f"<p>This takes back:</p><ol>{rows}</ol>{more}<p>{_describe_chance_seen_since_step(context, target_step)}</p>"
    )


def _describe_chance_seen_since_step(context: PageContext, step_count: int) -> str:
    """Return whether cards or dice were seen after a step, and what going back to it does about that."""
    session = context.session
    if not session.has_chance_acted_since(step_count):
        seen = "Neither cards nor dice came since."
        over = " The game is over and anybody may read its seed, so chance is drawn anew from there."
        return f"{seen}{over}" if session.needs_new_seed_when_going_back(step_count) else seen
    anew = " They are drawn anew from there." if session.needs_new_seed_when_going_back(step_count) else ""
    return f"Cards or dice were seen since.{anew}"


def render_branch_link_or_empty_html(context: PageContext) -> str:
    """Return where play goes on, with the reader's own address there and nobody else's."""
    if not context.session.branches or not context.now:
        return ""
    branch = context.session.branches[-1]
    token = "" if context.seat is None else branch.tokens[context.seat]
    own = f' <a href="/t/{escape(branch.ident)}/{escape(token)}">your seat there</a>' if token else ""
    what = (
        (
            "The next game is"
            if get_next_game_of_campaign_or_none(context.session.match) is None
            else "The campaign goes on"
        )
        if branch.ident == context.session.following
        else f"Play goes on from step {branch.step}"
    )
    return f'<section class="branch"><p>{what} at a new table.{own}</p></section>'


def render_log_html(context: PageContext) -> str:
    session = context.session
    steps = session.match.steps
    last = len(steps) if context.step is None else context.step
    first = max(0, last - _LOG)
    lines = (
        (n + 1, line)
        for n in range(last - 1, first - 1, -1)
        for line in reversed(session.list_log_lines_of_step_as_heard(n, context.seat))
    )
    rows = "".join(_iter_log_row_html_merging_repeats(context, lines))
    whole = (
        f'<p><a href="{escape(context.base)}/transcript.txt">transcript</a></p>'
        if _can_show_transcript_without_leaking(context)
        else ""
    )
    return (
        '<section class="log"><h2>What happened</h2><ol reversed tabindex="0" '
        f'aria-label="what happened, the latest first" aria-live="polite">{rows}</ol>{whole}</section>'
    )


def _iter_log_row_html_merging_repeats(
    context: PageContext, numbered_lines: Iterable[tuple[int, LogLine]]
) -> Iterator[str]:
    """Yield lines of the log. Those that read alike and follow each other are one line with their number."""
    for heard, alike in groupby(numbered_lines, key=lambda line: line[1]):
        numbers = [number for number, _ in alike]
        yield _render_log_row_html(
            context.memory, numbers[0], heard, context.session.get_seat_colour(heard.actor), len(numbers)
        )


@lru_cache(maxsize=REMEMBERED)
def _render_log_row_html(_: ReaderKey, step_number: int, log_line: LogLine, colour: int, times: int) -> str:
    who = f"<b>{escape(log_line.who)}:</b> " if log_line.who else ""
    hue = f"hue-{colour}" if log_line.actor >= 0 else "nobody"
    often = f" ×\N{NO-BREAK SPACE}{times}" if times > 1 else ""
    return f'<li value="{step_number}" class="of-{log_line.actor} {hue}">{who}{escape(log_line.words)}{often}</li>'


def _can_show_transcript_without_leaking(context: PageContext) -> bool:
    """Return whether a transcript may be given. It holds every card, so nothing may be hidden or
    the game must be over."""
    return context.session.match.over or not context.session.has_hidden_fields


def render_recap_or_empty_html(context: PageContext) -> str:
    """Return what the others did since the reader's last choice, in order, when the reader must choose."""
    session = context.session
    if not context.now or context.seat is None or context.reader is None or not session.needs_action_from(context.seat):
        return ""
    last = len(session.match.steps)
    own = session.find_step_before_last_action_of_seat(context.seat)
    first = max(0 if own is None else own + 1, last - _LOG)
    lines = (
        (n + 1, line)
        for n in range(first, last)
        for line in session.list_log_lines_of_step_as_heard(n, context.seat)
        if line.actor >= 0 and line.actor != context.seat
    )
    others = list(_iter_log_row_html_merging_repeats(context, lines))
    return (
        f'<section class="recap"><h2>Since your last choice</h2><ol>{"".join(others[-_RECALLED:])}</ol></section>'
        if others
        else ""
    )


def render_history_controls_or_empty_html(context: PageContext) -> str:
    session = context.session
    last = len(session.match.steps)
    if not last:
        return ""
    here = last if context.step is None else context.step
    ask = ""
    if context.seat is not None:
        own = session.find_step_before_last_action_of_seat(context.seat)
        if context.now and own is not None:
            ask += render_table_change_form(
                context,
                "propose",
                f'<input type="hidden" name="kind" value="undo"><input type="hidden" name="step" value="{own}">'
                f'<button title="{_describe_chance_seen_since_step(context, own)}">undo my last choice</button>',
            )
        if not context.now:
            for kind, text in (("undo", "go back to here"), ("branch", "play on from here, at a new table")):
                about = f' title="{_describe_chance_seen_since_step(context, here)}"' if kind == "undo" else ""
                ask += render_table_change_form(
                    context,
                    "propose",
                    f'<input type="hidden" name="kind" value="{kind}"><input type="hidden" '
                    f'name="step" value="{here}"><button{about}>{text}</button>',
                )
    return (
        f'<section class="time"><h2>Time</h2><form method="get" action="{escape(context.base)}" class="slider">'
        f'<label>step <input type="range" name="at" min="0" max="{last}" value="{here}"></label>'
        f"<output>{here}/{last}</output><button>show</button></form>{ask}</section>"
    )


def render_notes_html(context: PageContext) -> str:
    called = {
        context.session.get_declared_seat_name(n): context.session.format_person_and_seat_name(n)
        for n in context.session.people_seats
    }
    rows = "".join(
        f"<li><b>{escape(called.get(note.who, note.who))}</b> after {note.step}: {escape(note.text)}</li>"
        for note in context.session.latest_notes
    )
    write = render_table_change_form(
        context,
        "note",
        '<input name="text" maxlength="300" aria-label="a note" placeholder="write a note"><button>note</button>',
    )
    return f'<section class="notes"><h2>Notes</h2><ul>{rows}</ul>{write}</section>'


def render_table_in_words_html(scene: Scene | None) -> str:
    """Return the same table in words."""
    if scene is None:
        return ""
    surfaces = [
        (surface.title, ", ".join(_iter_counted_piece_names_on_surface(scene, surface)) or "nothing")
        for surface in scene.surfaces
    ]
    parts = "".join(f"<dt>{escape(title)}</dt><dd>{escape(text)}</dd>" for title, text in surfaces)
    return f'<details class="words"><summary>The table in words</summary><dl>{parts}</dl></details>'


def render_printed_rules_or_empty_html(context: PageContext, target_keys_by_action: Mapping[int, Sequence[str]]) -> str:
    """Return the rules that the faces on the table print, in letters that can be read without a mouse: on a small
    screen, sheets and small cards show bars. What the choices name comes first, unless it stands below them; alike
    faces stand once."""
    scene, layout = context.scene, context.layout
    if scene is None or layout is None:
        return ""
    targets = {key for keys in target_keys_by_action.values() for key in keys}
    named = [piece.picture for piece in scene.pieces if piece.key in targets]
    others = [piece.picture for piece in scene.pieces if piece.key not in targets]
    others += [surface.picture for surface in scene.surfaces if surface.picture is not None]
    pictures = [*others, *named] if len(context.moves) <= _FEW else [*named, *others]
    texts = dict.fromkeys(layout.card_words.format_printed_rules_or_empty(picture) for picture in pictures)
    parts = "".join(_render_printed_words_of_face_html(text) for text in texts if text)
    if not parts:
        return ""
    return f'<details class="words" id="printed"><summary>The printed words</summary><dl>{parts}</dl></details>'


def _render_printed_words_of_face_html(title_and_lines: str) -> str:
    title, *lines = title_and_lines.split("\n")
    return f"<dt>{escape(title)}</dt><dd>{'<br>'.join(map(escape, lines))}</dd>"


def _iter_counted_piece_names_on_surface(scene: Scene, surface: Surface) -> Iterator[str]:
    counted: dict[str, int] = {}
    for piece in scene.list_pieces_on(surface):
        where = next((w for w in piece.words[1:] if w != piece.name), "")
        text = f"{piece.name} ({where})" if where else piece.name
        counted[text] = counted.get(text, 0) + (piece.count or 1)
    for text, count in counted.items():
        yield text if count == 1 else f"{count} × {text}"


# -- end panel -----------------------------------------------------------------------------------------------
# The end of a game beside the felt: how it ended, the scores, what decided it, and what to do next.

_WIDE, _HIGH = 280, 90  # of the curve of chances, in pixels


def describe_ending_with_results_or_empty(
    match: Match, seat_names_to_show: Sequence[str], scores: Sequence[Score] = ()
) -> str:
    """Return how a game ended and for whom how, the best first; "" while it runs. `scores` are said too where three or
    more play: `Ada 1st, 8 tokens; Bo 2nd, 5 tokens`."""
    reached, returns = match.ending, match.returns()
    if reached is None:
        return ""
    sentence = f"The game is over: {reached.reason}."
    if together := _describe_result_shared_by_all(match):
        return f"{sentence} {together[0].upper()}{together[1:]}."
    if len(returns) > 2:
        results = [
            ", ".join(
                [
                    f"{seat_names_to_show[seat]} {describe_seat_result(match, seat)}",
                    *(f"{s.value} {s.title}" for s in scores if s.seat == seat),
                ]
            )
            for seat in list_seats_best_first(match)
        ]
        return f"{sentence} {'; '.join(results)}."
    if len(returns) > 1:
        results = [
            f"{seat_names_to_show[seat]} {describe_seat_result(match, seat)}" for seat in list_seats_best_first(match)
        ]
        return f"{sentence} {', '.join(results)}."
    return f"{sentence} Score {returns[0]}." if reached.kind == "scores" else sentence


def summarize_results_of_all_seats(match: Match, names: Sequence[str]) -> str:
    """Return who won a finished game in a few words: `blue won, Bo lost`, `you lost` where one plays, or what they
    scored."""
    reached, returns = match.ending, match.returns()
    if together := _describe_result_shared_by_all(match):
        return together
    if len(returns) > 1:
        return ", ".join(f"{names[seat]} {describe_seat_result(match, seat)}" for seat in list_seats_best_first(match))
    if reached is not None and reached.kind == "scores":
        return f"you scored {returns[0]}"
    return {"won": "you won", "lost": "you lost"}.get(describe_seat_result(match, 0), "neither won nor lost")


def _describe_result_shared_by_all(match: Match) -> str:
    """Return `all won` or `both lost` where several play and all have won or lost together, else ""."""
    seats, result = len(match.returns()), describe_seat_result(match, 0)
    shared = seats > 1 and all(describe_seat_result(match, seat) == result for seat in range(1, seats))
    return f"{'both' if seats == 2 else 'all'} {result}" if shared and result in ("won", "lost") else ""


def list_seats_best_first(match: Match) -> list[int]:
    """Return the seats of a finished game, the best first."""
    returns = match.returns()
    return sorted(range(len(returns)), key=lambda seat: -returns[seat])


def describe_seat_result(match: Match, seat: int) -> str:
    """Return a seat's result in a finished game: a word where one or two play or all have won or lost together, else
    its place, with what it scored. Scores of 1 and -1 say who won."""
    reached, returns = match.ending, match.returns()
    value = returns[seat]
    scored = reached is None or (reached.kind == "scores" and (sum(returns) != 0 or max(returns) > 1))
    if reached is not None and reached.kind in ("win", "loss") and len(set(returns)) == 1:
        return "won" if reached.kind == "win" else "lost"
    if len(returns) > 2 or (scored and len(returns) > 1):
        if len(returns) == 2 and len(set(returns)) == 1:
            return f"tied with {value}"
        place = _format_english_ordinal(1 + sum(other > value for other in returns))
        shared = " together" if returns.count(value) > 1 else ""
        return f"{place}{shared}{f' with {value}' if max(map(abs, returns)) > 1 or len(returns) == 2 else ''}"
    if scored:
        return str(value)
    return "won" if value > 0 else "lost" if value < 0 else "tied"


def _format_english_ordinal(number: int) -> str:
    """
    >>> [_format_english_ordinal(n) for n in (1, 2, 3, 4, 11, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd']
    """
    teens = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teens else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def render_finished_game_or_empty_html(context: PageContext) -> str:
    """Return the panel of a finished game; "" while it runs, and while nobody has said how it ended."""
    session = context.session
    if not session.match.over or session.verdicts:
        return ""
    base = escape(context.base)
    names = [session.format_person_and_seat_name(seat) for seat in range(len(session.seats))]
    links = [f'<a href="{base}/transcript.txt" download>save as a recorded game</a>']
    if context.scene is not None:
        links.insert(0, f'<a href="{base}/replay.html" download>a replay to share</a>')
    again = ""
    if context.now and context.seat is not None and get_next_game_of_campaign_or_none(session.match) is None:
        turned = ", seats turned" if len(session.seats) > 1 else ""
        again = render_table_change_form(context, "next", f"<button>play again{turned}</button>")
    reached = session.match.ending
    why = "" if reached is None else f"<p>{escape(reached.reason)}</p>"
    return (
        f'<section class="end"><h2>The game is over: '
        f"{escape(summarize_results_of_all_seats(session.match, names))}.</h2>"
        f"{why}{_render_results_table_or_empty_html(context)}"
        f"{_render_win_chances_or_empty_html(context)}<p>{' · '.join(links)}</p>{again}</section>"
    )


def _render_results_table_or_empty_html(context: PageContext) -> str:
    """Return each seat's result with its parts, the best first."""
    session = context.session
    if len(session.seats) < 2:
        return ""
    rows, has_scores = "", bool(context.final_scores)
    for seat in list_seats_best_first(session.match):
        parts = ", ".join(f"{score.value} {score.title}" for score in context.final_scores if score.seat == seat)
        scored = f"<td>{escape(parts)}</td>" if has_scores else ""
        rows += (
            f'<tr><th scope="row" class="hue-{session.get_seat_colour(seat)}">'
            f"{escape(session.format_person_and_seat_name(seat))}</th>"
            f"<td>{describe_seat_result(session.match, seat)}</td>{scored}</tr>"
        )
    columns = "".join(f'<th scope="col">{title}</th>' for title in ("player", "result", "scored")[: 2 + has_scores])
    return f"<table><thead><tr>{columns}</tr></thead><tbody>{rows}</tbody></table>"


def _render_win_chances_or_empty_html(context: PageContext) -> str:
    """Return the curve of chances with the steps that changed them most; a promise while it is computed."""
    session = context.session
    chances = session.chances
    if chances is None:
        soon = "the curve of chances is being computed; it comes here by itself"
        return f"<p><small>{soon}</small></p>" if session.reported_match is None else ""
    turning = "".join(
        f'<li><a href="{escape(context.base)}?at={after}" data-step="{after}">step {after}</a>: '
        f"{escape(_describe_what_was_done_at_step(context, after))}{escape(change)}</li>"
        for after, change in _list_steps_and_greatest_chance_changes(context, chances)
    )
    text = (
        f"{chances.playouts} games by {chances.player} players from each of {len(chances.steps)} moments: "
        f"a chance of 50% is right within {100 * chances.margin_of_even_chance:.0f} points"
    )
    return (
        f"<h3>Chances over the game</h3>{_render_win_chance_curves_svg(context, chances)}<p><small>{text}</small></p>"
        + (f"<h3>What decided it</h3><ul>{turning}</ul>" if turning else "")
    )


def _describe_what_was_done_at_step(context: PageContext, step_number: int) -> str:
    """Return what was done at a step, as the reader heard it."""
    heard = [
        line for line in context.session.list_log_lines_of_step_as_heard(step_number - 1, context.seat) if line.who
    ]
    return f"{heard[0].who} {heard[0].words}, " if heard else ""


def _list_steps_and_greatest_chance_changes(context: PageContext, chances: WinChances) -> list[tuple[int, str]]:
    """Return the steps after which a seat's chance had surely changed, those that changed it most, in words. Where the
    games do not tell two moments apart, nothing is said of them."""
    changes = []
    seats = range(len(chances.shares[0]))
    for at in range(1, len(chances.steps)):
        bounds = [chances.compute_bounds_of_chance_change(at, seat) for seat in seats]
        seat = max(seats, key=lambda n: _compute_least_certain_change(bounds[n]))
        least = _compute_least_certain_change(bounds[seat])
        if least > 0:
            who = f"{context.session.format_person_and_seat_name(seat)} " if len(seats) > 1 else ""
            before, after = chances.shares[at - 1][seat], chances.shares[at][seat]
            most = max(map(abs, bounds[seat]))
            way = "up" if after > before else "down"
            words = f"{who}{before:.0%} to {after:.0%}, {way} by {100 * least:.0f} to {100 * most:.0f} points"
            changes.append((least, chances.steps[at], words))
    return sorted((step, words) for _, step, words in sorted(changes, reverse=True)[:TURNS])


def _compute_least_certain_change(bounds: ChanceBounds) -> float:
    """Return by how much a chance changed at least, whichever way; 0 or less if it may not have changed."""
    low, high = bounds
    return max(low, -high)


def _render_win_chance_curves_svg(context: PageContext, win_chances: WinChances) -> str:
    """Return the curves of all seats; a click on one shows that moment."""
    last = max(1, win_chances.steps[-1])
    lines = "".join(
        f'<polyline class="hue-{context.session.get_seat_colour(seat)}" points="'
        + " ".join(
            f"{_get_curve_x_of_step(step, last):.0f},{_get_curve_y_of_share(shares[seat]):.0f}"
            for step, shares in zip(win_chances.steps, win_chances.shares, strict=True)
        )
        + '"/>'
        for seat in range(len(win_chances.shares[0]))
    )
    words = _describe_win_chances_from_start_to_end(context, win_chances.shares)
    middle = f"{_get_curve_y_of_share(0.5):.0f}"
    return (
        f'<svg class="curve" viewBox="0 0 {_WIDE} {_HIGH}" role="img" data-last="{last}" aria-label="{escape(words)}">'
        f'<title>{escape(words)}</title><line x1="0" x2="{_WIDE}" y1="{middle}" y2="{middle}"/>{lines}</svg>'
    )


def _describe_win_chances_from_start_to_end(
    context: PageContext, win_shares_by_moment: Sequence[Sequence[float]]
) -> str:
    return "chances from the start to the end: " + "; ".join(
        f"{context.session.format_person_and_seat_name(seat)} {win_shares_by_moment[0][seat]:.0%} to "
        f"{win_shares_by_moment[-1][seat]:.0%}"
        for seat in range(len(win_shares_by_moment[0]))
    )


def _get_curve_x_of_step(step: int, last_step: int) -> float:
    return _WIDE * step / last_step


def _get_curve_y_of_share(win_share: float) -> float:
    return 4 + (_HIGH - 8) * (1 - win_share)
