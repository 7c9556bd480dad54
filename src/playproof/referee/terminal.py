"""Play in the terminal: the table, numbered choices, and a few commands. It also works from a
pipe, line by line."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group
from rich.segment import SegmentLines
from rich.text import Text

from playproof.database.errors import InputError
from playproof.language import CHANCE, Move
from playproof.language.keyed_random import KeyedStream, generate_secret_seed
from playproof.language.random import make_game_seed
from playproof.referee import answers
from playproof.referee.bots import Bot, load_builtin_or_user_bot, make_sight_that_bot_asks_for
from playproof.referee.engine import Engine
from playproof.referee.errors import CannotRead, MoveError, NotLegal
from playproof.referee.match import Match, Step
from playproof.referee.notation import seat_name
from playproof.referee.recorded_games import format_judge_command, load_campaign_matches_or_raise
from playproof.referee.text_table import (
    CHOICES,
    NumberedChoice,
    ScreenPart,
    describe_phase_or_ending,
    filter_choices_by_word_beginnings,
    render_boards_seen_by_seat,
    render_fields_with_words_in_name_or_none,
    render_numbered_choices,
    render_table_as_screen_parts,
    split_rendered_parts_into_screen_pages as pages_of,
)
from playproof.referee.transcript import (
    StoryMoment,
    describe_next_campaign_game_or_empty,
    get_next_game_of_campaign_or_none,
    iter_titles_and_paragraphs_of_story,
    save_matches_as_transcripts,
    start_next_campaign_match_or_none,
)
from playproof.referee.variant import Variant
from playproof.referee.view import has_fields_hidden_from_any_seat

HUMAN = "person"
_MOST_TOLD = 12
_ABOVE = -1  # the rank of what is told before the table, where not all fits on one screen
_NUMBER = re.compile(r"[0-9]{1,18}")
_SEED = re.compile(r"[0-9]{1,60}")
_COMMANDS = {
    "NUMBER": "take that choice",
    "WORDS": "take the choice that reads so, or list those with such words",
    "why WORDS": "which rules forbid it now",
    "? WORDS": "what a card says; of a choice, by its number (also `read`)",
    "hint": "what a bot would do",
    "undo": "take your last choice back",
    "redo": "take it again, and what followed",
    "log": "what has happened so far",
    "table [WORDS]": "draw the table again, or what is called so, in full",
    "board [N]": "draw a board of the table alone",
    "page [N]": "the next page of a long answer (also Enter), or page N",
    "next [NAMES]": "begin the game that follows, as the table says when a game is over",
    "save FILE": "write the game as a transcript",
    "load FILE": "go on with a saved game",
    "seed [N]": "show the seed, or start again with seed N",
    "help": "this list",
    "quit": "leave",
}


class TerminalSession:
    """One session at the terminal. `seats` names who plays each seat: "person" or a bot. Without a
    `seed`, the game has a secret one. `ask` returns the next line, or None at the end."""

    def __init__(
        self,
        variant: Variant,
        seats: Sequence[str],
        seed: int | None,
        console: Console,
        ask: Callable[[str], str | None],
    ) -> None:
        self.variant, self.seats, self.console, self.ask = variant, tuple(seats), console, ask
        self.bots: dict[int, Bot] = {n: load_builtin_or_user_bot(who) for n, who in enumerate(seats) if who != HUMAN}
        self.people = [n for n, who in enumerate(seats) if who == HUMAN]
        self.engine = Engine(variant.game)
        self.match = Match(variant, generate_secret_seed() if seed is None else seed, seats=seats).start_timing()
        self.secret = seed is None  # nobody here has named the seed
        self.earlier: list[Match] = []  # the finished games of this campaign
        self.heard = 0
        self.autosave: Path | None = None  # the file to which the game is saved
        self.undone: list[list[int]] = []
        self.viewer: int | None = self.people[0] if self.people else None
        self.open = True
        self.pages: list[SegmentLines] = []  # of what was shown last, on a terminal
        self.at = 0  # which of them stands on the screen
        names = {name: name for text in _COMMANDS if (name := text.split()[0]).islower()}
        names |= {"read": "read", "?": "read", "exit": "quit", "q": "quit"}
        self.commands: dict[str, Callable[[str], None]] = {word: getattr(self, name) for word, name in names.items()}

    # -- the loop -------------------------------------------------------------------------------------------

    def run_until_quit_or_input_ends(self) -> None:
        """Play until the game is over and left, the person types `quit`, or the input ends."""
        self.play_to_person_autosave_and_show(None if self.match.steps else "before")
        if self.people:
            self.print_line_unless_empty("type a number, words of a choice, or `help`", "dim")
        while self.open:
            line = self.ask(self._format_prompt())
            if line is None:
                return
            self.handle_input_line(line.strip())

    def handle_input_line(self, line: str) -> None:
        """Carry out one line of input."""
        if line.startswith("?"):  # one key, with or without a space after it
            line = f"? {line[1:].strip()}"
        word, _, rest = line.partition(" ")
        if not line:
            if self.at + 1 < len(self.pages):
                self.page("")
            return
        if word.casefold() in self.commands:
            self.commands[word.casefold()](rest.strip())
        elif _NUMBER.fullmatch(line):
            self.take_numbered_choice_and_play_on(int(line))
        else:
            self.take_worded_choice_or_list_choices(line)

    def play_to_person_autosave_and_show(self, story_moment: StoryMoment | None = None) -> None:
        """Let chance and bots act until a person must act. Then tell what happened and draw the
        table, after the pages of this moment of the story."""
        story_pages = self._make_story_page_parts(story_moment) if story_moment else []
        while not self.match.over:
            actor = self.match.actor
            if actor == CHANCE and self.match.play.legal(self.match.state):
                self.match.take_chance_action_of_seed_or_raise()
            elif actor in self.bots and self.match.play.legal(self.match.state):
                self.match.apply(self._ask_bot_for_action(self.bots[actor]))
            else:
                break
        self._autosave_or_stop_autosaving()
        self._switch_screen_if_other_person_acts()
        self._print_parts_page_by_page(
            [
                *story_pages,
                *self._make_parts_of_events_since_last_call(),
                *self._make_table_and_choices_parts(),
                *self._make_game_over_parts_or_empty(),
            ]
        )
        if self.match.over:
            self.open = bool(self.people)

    def _autosave_or_stop_autosaving(self) -> None:
        """Save the present game to `autosave`. Report the error and stop saving if the file cannot
        be written."""
        if self.autosave is None or not self.match.steps:
            return
        try:
            self.autosave.parent.mkdir(parents=True, exist_ok=True)
            save_matches_as_transcripts([*self.earlier, self.match], self.autosave)
        except OSError as error:
            self.print_line_unless_empty(f"the game cannot be kept as {self.autosave}: {error.strerror}", "red")
            self.autosave = None

    def _ask_bot_for_action(self, bot: Bot) -> int:
        here = make_sight_that_bot_asks_for(bot, self.engine, self.match.states, self.match.actions, self.match.actor)
        stream = KeyedStream(self.match.seed, "bot", len(self.match.steps))
        if not self.console.is_terminal or bot.name in ("random", "greedy"):
            return bot.choose(here, stream)
        with self.console.status(f"{bot.name} is thinking"):  # the first search makes its machine code
            return bot.choose(here, stream)

    def _switch_screen_if_other_person_acts(self) -> None:
        """If another person acts next, show the table for that seat. On a terminal, in a game
        with hidden fields, clear the screen and wait for Enter first."""
        actor = self.match.actor if not self.match.over else None
        if actor not in self.people or actor == self.viewer:
            return
        if has_fields_hidden_from_any_seat(self.variant.game) and self.console.is_terminal:
            self.console.clear()
            self.ask(f"{seat_name(self.variant.game, actor)}, press Enter when only you can see this ")
        own = (n for n, step in enumerate(self.match.steps, 1) if step.actor == actor)
        self.viewer, self.heard = actor, max(own, default=0)

    # -- moves ----------------------------------------------------------------------------------------------

    def take_numbered_choice_and_play_on(self, number: int) -> None:
        """Take the choice of that number."""
        legal = self.match.play.legal(self.match.state)
        if 1 <= number <= len(legal):
            self.match.apply(legal[number - 1])
            self.undone.clear()
            self.heard = len(self.match.steps)
            self.play_to_person_autosave_and_show()
        else:
            refusal = f"there is no choice {number}; choose 1 to {len(legal)}" if legal else "the game is over"
            self.print_line_unless_empty(refusal, "red")

    def take_worded_choice_or_list_choices(self, action_words: str) -> None:
        """Take an action given in words. Falls back to the numbered choices that contain them."""
        try:
            self.match.apply(action_words)
        except NotLegal as error:
            self.print_line_unless_empty(error.message, "red")
            return
        except MoveError as error:
            choices = filter_choices_by_word_beginnings(_number_moves_from_one(self.match.legal()), action_words)
            texts = {choice.move.text for choice in choices}
            if len(texts) == len(choices) > 0:  # no two of them read alike
                self._take_or_list_matching_choices(action_words, choices)
                return
            unread = "`help` lists the commands" if isinstance(error, CannotRead) else ""
            self.print_line_unless_empty(error.message, "red")
            self.print_line_unless_empty(error.hint or unread)
            return
        self.undone.clear()
        self.heard = len(self.match.steps)
        self.play_to_person_autosave_and_show()

    def _take_or_list_matching_choices(self, words: str, choices: Sequence[NumberedChoice]) -> None:
        """Take the only choice that contains the words, or list all of them if there are
        several."""
        if len(choices) == 1:
            self.print_line_unless_empty(f"{choices[0].number}  {choices[0].move.text}")
            self.take_numbered_choice_and_play_on(choices[0].number)
            return
        self.print_line_unless_empty(f"{len(choices)} choices have `{words}`:")
        self.console.print(render_numbered_choices(self.variant.game, choices))

    def undo(self, _: str) -> None:
        """Take back the last choice of a person, and what bots and chance did after it. Where nobody has
        chosen yet, go back to the game before this one."""
        if self.earlier and not any(step.actor in self.people for step in self.match.steps):
            self._switch_to_match_and_play_on(self.earlier.pop())
            return
        gone: list[Step] = []
        while True:
            back = self.match.undo()
            gone = back + gone
            if not back or back[0].actor in self.people:
                break
        self.heard = len(self.match.steps)
        if not gone:
            self.print_line_unless_empty("there is nothing to take back")
            return
        self.print_line_unless_empty(f"taken back: {gone[0].text}")
        self.undone.append([step.ident for step in gone])
        self.play_to_person_autosave_and_show()

    def redo(self, _: str) -> None:
        """Take again what was taken back last, with the same actions of bots and chance."""
        if not self.undone:
            self.print_line_unless_empty("nothing was taken back")
            return
        self.match.apply_all(self.undone.pop())
        self.play_to_person_autosave_and_show()

    # -- questions ------------------------------------------------------------------------------------------

    def why(self, action_words: str) -> None:
        """Say which requirements forbid an action now."""
        self._print_answer_lines(answers.iter_lines_explaining_why_illegal(self.match, action_words))

    def read(self, card_name_or_choice_number: str) -> None:
        """Print the text of a card."""
        self._print_answer_lines(answers.iter_styled_lines_of_card_text(self.match, card_name_or_choice_number))

    def hint(self, _: str) -> None:
        """Say what a tree search would do with the information of the seat that acts."""
        if self.console.is_terminal:
            # the first search makes its machine code, and says so on a line of its own
            self.print_line_unless_empty("searching ...", "dim")
        self._print_answer_lines(answers.iter_styled_lines_of_move_hint(self.match, self.engine))

    def _print_answer_lines(self, lines: Iterable[answers.StyledLine]) -> None:
        self._print_answer_parts_keeping_table_pages([ScreenPart(Text(text, style)) for text, style in lines if text])

    def _make_parts_of_events_since_last_call(self) -> list[ScreenPart]:
        """Return the events since the last call, as the seat at the screen hears them."""
        news = []
        most = min(_MOST_TOLD, self.console.height // 4) if self.console.is_terminal else _MOST_TOLD
        first = max(self.heard, len(self.match.steps) - most)
        if first > self.heard:
            news.append(f"({first - self.heard} steps before these; `log` shows all)")
        for n in range(first, len(self.match.steps)):
            news += [event.sentence for event in self.match.heard(n, self.viewer)]
        self.heard = len(self.match.steps)
        return [ScreenPart(Text(text, "dim")) for text in news if text]

    def log(self, _: str) -> None:
        """Print all events so far, as the seat at the screen hears them."""
        events = self.match.events(self.viewer)
        self._print_answer_parts_keeping_table_pages(
            [ScreenPart(Text(f"{event.number:4}  {event.sentence}")) for event in events]
        )

    # -- files ----------------------------------------------------------------------------------------------

    def save(self, transcript_file: str) -> None:
        """Write the transcript to a file, by default `game.txt`, with the earlier games of a campaign."""
        try:
            save_matches_as_transcripts([*self.earlier, self.match], transcript_file or "game.txt")
        except OSError as error:
            self.print_line_unless_empty(f"cannot write {transcript_file}: {error.strerror}", "red")
            return
        self.print_line_unless_empty(
            f"saved as {transcript_file or 'game.txt'}; `load` or `{format_judge_command(self.variant)}` reads it"
        )

    def load(self, transcript_file: str) -> None:
        """Continue a saved game, or campaign."""
        try:
            *earlier, match = load_campaign_matches_or_raise(
                transcript_file or "game.txt", self.variant.ref, self.print_line_unless_empty
            )
        except InputError as error:
            self.print_line_unless_empty(str(error), "red")
            return
        if match.game.name != self.variant.game.name:
            self.print_line_unless_empty(f"that is a game of {match.variant.title}", "red")
            return
        self.earlier, self.secret = earlier, True
        self._switch_to_match_and_play_on(match)

    def seed(self, new_seed: str) -> None:
        """Show the seed, or start again with another one. A secret seed is shown after the game:
        from it one can compute what chance will bring and where the hidden cards lie."""
        if not new_seed and self.secret and not self.match.over:
            self.print_line_unless_empty("the seed of this game is secret until the game is over")
        elif not new_seed:
            self.print_line_unless_empty(f"seed {self.match.seed}")
        elif _SEED.fullmatch(new_seed):
            self.secret = False
            self._switch_to_match_and_play_on(
                Match(self.variant, int(new_seed), seats=self.seats, lexicon=self.match.lexicon)
            )
        else:
            self.print_line_unless_empty(f"a seed is a whole number, found {new_seed}", "red")

    def _switch_to_match_and_play_on(self, match: Match) -> None:
        self.match, self.variant, self.heard = match.start_timing(), match.variant, len(match.steps)
        self.engine = Engine(match.game)
        self.undone.clear()
        self.play_to_person_autosave_and_show(None if match.steps else "before")

    # -- one game after the other ---------------------------------------------------------------------------

    def next(self, carried_ids_in_order: str) -> None:
        """Begin the game that follows this one. `carried_ids_in_order` are the carried things in another order."""
        order = carried_ids_in_order.replace(",", " ").split()
        try:
            # Whoever has named the seed can repeat the whole campaign; else no game tells the draws of another.
            seed = generate_secret_seed() if self.secret else make_game_seed(self.match.seed, len(self.earlier) + 2)
            match = start_next_campaign_match_or_none(self.match, seed, order)
        except ValueError as error:
            self.print_line_unless_empty(str(error), "red")
            return
        if match is None:
            why = "no game follows this one" if self.match.over else "first this game must end"
            self.print_line_unless_empty(why)
            return
        self.print_line_unless_empty(f"{describe_next_campaign_game_or_empty(self.match, order)}.", "bold")
        self.earlier.append(self.match)
        self._switch_to_match_and_play_on(match)

    def _make_story_end_and_next_game_parts(self) -> list[ScreenPart]:
        """Return the story's end, and which game follows."""
        story, after = self._make_story_page_parts("after"), get_next_game_of_campaign_or_none(self.match)
        if after is None or not self.people:
            return story
        order = " ".join(reversed(after.things[: after.ordered]))
        other = f"; `next {order}` in this order" if after.ordered > 1 else ""
        return [*story, ScreenPart(Text(f"`next`: {describe_next_campaign_game_or_empty(self.match)}{other}"), _ABOVE)]

    def _make_story_page_parts(self, moment: StoryMoment) -> list[ScreenPart]:
        """Return the pages of a moment of the story. Each comes before the table."""
        return [
            ScreenPart(Group(Text(title, "bold"), *(Text(f"  {text}", "italic") for text in paragraphs)), _ABOVE)
            for title, paragraphs in iter_titles_and_paragraphs_of_story(self.match, moment)
        ]

    # -- showing --------------------------------------------------------------------------------------------

    def table(self, field_words: str) -> None:
        """Draw the table and the numbered choices. With words, draw only the fields they name,
        in full."""
        if field_words:
            parts = render_fields_with_words_in_name_or_none(
                self.match.play, self.match.state, self.viewer, field_words
            )
            self._print_answer_parts_keeping_table_pages(
                [ScreenPart(parts or Text(f"nothing on the table is called `{field_words}`"))]
            )
            return
        self._print_parts_page_by_page(self._make_table_and_choices_parts())

    def _make_table_and_choices_parts(self) -> list[ScreenPart]:
        """Return the table and the numbered choices."""
        drawn = render_table_as_screen_parts(self.match.play, self.match.state, self.viewer, self.variant.title)
        if self.match.over:
            return [ScreenPart(Text()), *drawn]
        legal = self.match.legal()
        now = describe_phase_or_ending(self.match.play, self.match.state)
        head = Text(f"{now}:" if legal else "nobody can do anything here", "bold")
        choices = render_numbered_choices(self.variant.game, _number_moves_from_one(legal))
        return [ScreenPart(Text()), *drawn, ScreenPart(Group(head, choices), CHOICES)]

    def board(self, board_number: str) -> None:
        """Draw one board of the table, by its number from 1."""
        boards = render_boards_seen_by_seat(self.match.play, self.match.state, self.viewer)
        if board_number.isdecimal() and 0 < int(board_number) <= len(boards):
            self._print_answer_parts_keeping_table_pages([ScreenPart(boards[int(board_number) - 1])])
        elif len(boards) == 1 and not board_number:
            self._print_answer_parts_keeping_table_pages([ScreenPart(boards[0])])
        else:
            self.print_line_unless_empty(
                f"expected `board 1` to `board {len(boards)}`" if boards else "there is no board here", "red"
            )

    def _print_parts_page_by_page(self, parts: Sequence[ScreenPart]) -> None:
        """Print parts. What does not fit on a terminal is shown page by page."""
        if not self.console.is_terminal:
            for part in parts:
                self.console.print(part.drawn)
            return
        self.pages = pages_of(self.console, parts)
        self.page("1")

    def _print_answer_parts_keeping_table_pages(self, parts: Sequence[ScreenPart]) -> None:
        """Print the answer to a question about the table. One that fits on the screen leaves the pages of the table
        where they are, so that `page 2` shows the table again."""
        before = self.pages, self.at
        self._print_parts_page_by_page(parts)
        if len(self.pages) == 1:
            self.pages, self.at = before

    def page(self, page_number: str) -> None:
        """Show a page of what was shown last, the next one without a number."""
        wanted = int(page_number) - 1 if page_number.isdecimal() else self.at + 1
        if not 0 <= wanted < len(self.pages):
            self.print_line_unless_empty(
                f"there are {len(self.pages)} pages" if len(self.pages) > 1 else "there is no other page", "red"
            )
            return
        self.at = wanted
        self.console.print(self.pages[wanted], end="")
        if len(self.pages) > 1:
            last = wanted + 1 == len(self.pages)
            way = "`page N` goes back" if last else "Enter shows the next, `page N` another"
            self.print_line_unless_empty(f"page {wanted + 1} of {len(self.pages)}: {way}", "dim")

    def _make_game_over_parts_or_empty(self) -> list[ScreenPart]:
        """Return how the game ended; nothing while it goes on."""
        end = self.match.ending
        if end is None:
            return []
        returns = self.match.returns()
        lines = [ScreenPart(Text(f"The game is over: {end.reason} ({end.kind}).", "bold"), _ABOVE)]
        if len(returns) > 1:
            each = [f"{seat_name(self.variant.game, n)} {value:+d}" for n, value in enumerate(returns)]
            lines.append(ScreenPart(Text("   ".join(each)), _ABOVE))
        elif end.kind == "scores":
            lines.append(ScreenPart(Text(f"score {returns[0]}"), _ABOVE))
        return [*lines, *self._make_story_end_and_next_game_parts()]

    def help(self, _: str) -> None:
        """List the commands."""
        for command, text in _COMMANDS.items():
            self.print_line_unless_empty(f"  {command:<{max(map(len, _COMMANDS))}}  {text}")

    def quit(self, _: str) -> None:
        """Leave the session."""
        self.open = False

    def print_line_unless_empty(self, text: str, style: str = "") -> None:
        """Print one line without markup."""
        if text:
            self.console.print(Text(text, style))

    def _format_prompt(self) -> str:
        if self.match.over:
            return f"over ({'next, ' if get_next_game_of_campaign_or_none(self.match) else ''}undo, save FILE, quit)> "
        return f"{seat_name(self.variant.game, self.match.actor)}> "


def _number_moves_from_one(legal: Sequence[Move]) -> list[NumberedChoice]:
    return [NumberedChoice(number, move) for number, move in enumerate(legal, 1)]


def play_in_terminal(
    variant: Variant,
    players_by_seat: Sequence[str],
    seed: int | None,
    console: Console | None = None,
    *,
    transcript_to_continue: Path | None = None,
    autosave_file: Path | None = None,
) -> Match:
    """Play at the terminal and return the game as it was left.

    `players_by_seat` names "person" or a bot for each seat. Without a `seed`, the game has a secret one.
    `transcript_to_continue` is a transcript to continue. `autosave_file` is a file to which the game is saved
    whenever a person must act.
    """
    console = console or Console(highlight=False)
    session = TerminalSession(variant, players_by_seat, seed, console, _make_line_reader_showing_prompt(console))
    session.autosave = autosave_file
    if transcript_to_continue is not None:
        *session.earlier, session.match = load_campaign_matches_or_raise(
            transcript_to_continue, variant.ref, session.print_line_unless_empty
        )
        session.secret = True
        session.heard = len(session.match.steps)
    try:
        session.run_until_quit_or_input_ends()
    except KeyboardInterrupt:
        console.print()
    goes_on = not session.match.over or get_next_game_of_campaign_or_none(session.match) is not None
    if session.autosave is not None and session.match.steps and goes_on:
        session.print_line_unless_empty(
            f"the game is kept in {session.autosave}; `--load {session.autosave}` goes on with it"
        )
    return session.match


def match_summary_to_json(match: Match) -> dict[str, Any]:
    """Return the game as JSON values for scripts: choices, seed, steps, ending and returns."""
    game = match.game
    return {
        "game": game.name,
        "options": {**match.variant.options, **match.variant.rulings},
        "seed": match.seed,
        "steps": [{"round": s.round, "actor": seat_name(game, s.actor), "action": s.text} for s in match.steps],
        "ending": match.ending.reason if match.ending else None,
        "returns": list(match.returns()),
    }


def _make_line_reader_showing_prompt(console: Console) -> Callable[[str], str | None]:
    """Return a function that reads a line. It shows a prompt on a terminal. In a pipe it repeats
    the line, so that the output reads as a record."""
    person = console.is_terminal and sys.stdin.isatty()
    if person:
        import readline  # noqa: F401  # imported for its effect: arrow keys and history in input()

    def ask(prompt: str) -> str | None:
        try:
            line = input(prompt if person else "")
        except EOFError:
            console.print()
            return None
        except UnicodeDecodeError:
            return "?"
        if not person:
            console.print(Text(f"{prompt}{line}"))
        return line

    return ask
