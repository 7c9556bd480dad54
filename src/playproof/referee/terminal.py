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
from playproof.language.keyed_random import Keyed, fresh_seed
from playproof.language.random import seed_of
from playproof.referee import answers
from playproof.referee.bots import Bot, load_bot, sight_for
from playproof.referee.campaign import following, next_match, pages, save_all, what_follows
from playproof.referee.engine import Engine
from playproof.referee.errors import CannotRead, MoveError, NotLegal
from playproof.referee.judging import call_of, load_all
from playproof.referee.match import Match, Step
from playproof.referee.notation import seat_name
from playproof.referee.numbered_choices import Choice, draw_choices, holding
from playproof.referee.screen_pages import ScreenPart, pages as pages_of
from playproof.referee.text_table import CHOICES, draw_boards, draw_in_parts, draw_parts, moment
from playproof.referee.variant import Variant
from playproof.referee.view import has_secrets

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


class Session:
    """One sitting at the terminal. `seats` names who plays each seat: "person" or a bot. Without a
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
        self.bots: dict[int, Bot] = {n: load_bot(who) for n, who in enumerate(seats) if who != HUMAN}
        self.people = [n for n, who in enumerate(seats) if who == HUMAN]
        self.engine = Engine(variant.game)
        self.match = Match(variant, fresh_seed() if seed is None else seed, seats=seats).timed()
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
        self.commands: dict[str, Callable[[str], None]] = {
            word: getattr(self, name) for word, name in names.items()
        }

    # -- the loop -------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play until the game is over and left, the person types `quit`, or the input ends."""
        self.forward("" if self.match.steps else "before")
        if self.people:
            self.say("type a number, words of a choice, or `help`", "dim")
        while self.open:
            line = self.ask(self._prompt())
            if line is None:
                return
            self.answer(line.strip())

    def answer(self, line: str) -> None:
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
            self.choose(int(line))
        else:
            self.take(line)

    def forward(self, story: str = "") -> None:
        """Let chance and bots act until a person must act. Then tell what happened and draw the
        table, after the pages of this moment of the story."""
        story_pages = self._story(story)
        while not self.match.over:
            actor = self.match.actor
            if actor == CHANCE and self.match.play.legal(self.match.state):
                self.match.chance()
            elif actor in self.bots and self.match.play.legal(self.match.state):
                self.match.apply(self._bot_choice(self.bots[actor]))
            else:
                break
        self._keep()
        self._hand_over()
        self._show([*story_pages, *self._news(), *self._table(), *self._result()])
        if self.match.over:
            self.open = bool(self.people)

    def _keep(self) -> None:
        """Save the present game to `autosave`. Report the error and stop saving if the file cannot
        be written."""
        if self.autosave is None or not self.match.steps:
            return
        try:
            self.autosave.parent.mkdir(parents=True, exist_ok=True)
            save_all([*self.earlier, self.match], self.autosave)
        except OSError as error:
            self.say(f"the game cannot be kept as {self.autosave}: {error.strerror}", "red")
            self.autosave = None

    def _bot_choice(self, bot: Bot) -> int:
        here = sight_for(bot, self.engine, self.match.states, self.match.actions, self.match.actor)
        stream = Keyed(self.match.seed, "bot", len(self.match.steps))
        if not self.console.is_terminal or bot.name in ("random", "greedy"):
            return bot.choose(here, stream)
        with self.console.status(f"{bot.name} is thinking"):  # the first search makes its machine code
            return bot.choose(here, stream)

    def _hand_over(self) -> None:
        """If another person acts next, show the table for that seat. On a terminal, in a game
        with hidden fields, clear the screen and wait for Enter first."""
        actor = self.match.actor if not self.match.over else None
        if actor not in self.people or actor == self.viewer:
            return
        if has_secrets(self.variant.game) and self.console.is_terminal:
            self.console.clear()
            self.ask(f"{seat_name(self.variant.game, actor)}, press Enter when only you can see this ")
        own = (n for n, step in enumerate(self.match.steps, 1) if step.actor == actor)
        self.viewer, self.heard = actor, max(own, default=0)

    # -- moves ----------------------------------------------------------------------------------------------

    def choose(self, number: int) -> None:
        """Take the choice of that number."""
        legal = self.match.play.legal(self.match.state)
        if 1 <= number <= len(legal):
            self.match.apply(legal[number - 1])
            self.undone.clear()
            self.heard = len(self.match.steps)
            self.forward()
        else:
            refusal = (
                f"there is no choice {number}; choose 1 to {len(legal)}" if legal else "the game is over"
            )
            self.say(refusal, "red")

    def take(self, words: str) -> None:
        """Take an action given in words. Falls back to the numbered choices that contain them."""
        try:
            self.match.apply(words)
        except NotLegal as error:
            self.say(error.message, "red")
            return
        except MoveError as error:
            choices = holding(_numbered(self.match.legal()), words)
            texts = {choice.move.text for choice in choices}
            if len(texts) == len(choices) > 0:  # no two of them read alike
                self._take_matching(words, choices)
                return
            unread = "`help` lists the commands" if isinstance(error, CannotRead) else ""
            self.say(error.message, "red")
            self.say(error.hint or unread)
            return
        self.undone.clear()
        self.heard = len(self.match.steps)
        self.forward()

    def _take_matching(self, words: str, choices: Sequence[Choice]) -> None:
        """Take the only choice that contains the words, or list all of them if there are
        several."""
        if len(choices) == 1:
            self.say(f"{choices[0].number}  {choices[0].move.text}")
            self.choose(choices[0].number)
            return
        self.say(f"{len(choices)} choices have `{words}`:")
        self.console.print(draw_choices(self.variant.game, choices))

    def undo(self, _: str) -> None:
        """Take back the last choice of a person, and what bots and chance did after it. Where nobody has
        chosen yet, go back to the game before this one."""
        if self.earlier and not any(step.actor in self.people for step in self.match.steps):
            self._sit_down(self.earlier.pop())
            return
        gone: list[Step] = []
        while True:
            back = self.match.undo()
            gone = back + gone
            if not back or back[0].actor in self.people:
                break
        self.heard = len(self.match.steps)
        if not gone:
            self.say("there is nothing to take back")
            return
        self.say(f"taken back: {gone[0].text}")
        self.undone.append([step.ident for step in gone])
        self.forward()

    def redo(self, _: str) -> None:
        """Take again what was taken back last, with the same actions of bots and chance."""
        if not self.undone:
            self.say("nothing was taken back")
            return
        self.match.follow(self.undone.pop())
        self.forward()

    # -- questions ------------------------------------------------------------------------------------------

    def why(self, words: str) -> None:
        """Say which requirements forbid an action now."""
        self._say_all(answers.why(self.match, words))

    def read(self, words: str) -> None:
        """Print the text of a card."""
        self._say_all(answers.read(self.match, words))

    def hint(self, _: str) -> None:
        """Say what a tree search would do with the information of the seat that acts."""
        if self.console.is_terminal:
            self.say(
                "searching ...", "dim"
            )  # the first search makes its machine code, and says so on a line of its own
        self._say_all(answers.hint(self.match, self.engine))

    def _say_all(self, lines: Iterable[answers.Line]) -> None:
        self._answer([ScreenPart(Text(text, style)) for text, style in lines if text])

    def _news(self) -> list[ScreenPart]:
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
        self._answer([ScreenPart(Text(f"{event.number:4}  {event.sentence}")) for event in events])

    # -- files ----------------------------------------------------------------------------------------------

    def save(self, name: str) -> None:
        """Write the transcript to a file, by default `game.txt`, with the earlier games of a campaign."""
        try:
            save_all([*self.earlier, self.match], name or "game.txt")
        except OSError as error:
            self.say(f"cannot write {name}: {error.strerror}", "red")
            return
        self.say(f"saved as {name or 'game.txt'}; `load` or `{call_of(self.variant)}` reads it")

    def load(self, name: str) -> None:
        """Continue a saved game, or campaign."""
        try:
            *earlier, match = load_all(name or "game.txt", self.variant.ref, self.say)
        except InputError as error:
            self.say(str(error), "red")
            return
        if match.game.name != self.variant.game.name:
            self.say(f"that is a game of {match.variant.title}", "red")
            return
        self.earlier, self.secret = earlier, True
        self._sit_down(match)

    def seed(self, text: str) -> None:
        """Show the seed, or start again with another one. A secret seed is shown after the game:
        from it one can compute what chance will bring and where the hidden cards lie."""
        if not text and self.secret and not self.match.over:
            self.say("the seed of this game is secret until the game is over")
        elif not text:
            self.say(f"seed {self.match.seed}")
        elif _SEED.fullmatch(text):
            self.secret = False
            self._sit_down(Match(self.variant, int(text), seats=self.seats, lexicon=self.match.lexicon))
        else:
            self.say(f"a seed is a whole number, found {text}", "red")

    def _sit_down(self, match: Match) -> None:
        self.match, self.variant, self.heard = match.timed(), match.variant, len(match.steps)
        self.engine = Engine(match.game)
        self.undone.clear()
        self.forward("" if match.steps else "before")

    # -- one game after the other ---------------------------------------------------------------------------

    def next(self, names: str) -> None:
        """Begin the game that follows this one. `names` are the carried things in another order."""
        order = names.replace(",", " ").split()
        try:
            # Whoever has named the seed can repeat the whole campaign; else no game tells the draws of another.
            seed = fresh_seed() if self.secret else seed_of(self.match.seed, len(self.earlier) + 2)
            match = next_match(self.match, seed, order)
        except ValueError as error:
            self.say(str(error), "red")
            return
        if match is None:
            why = "no game follows this one" if self.match.over else "first this game must end"
            self.say(why)
            return
        self.say(f"{what_follows(self.match, order)}.", "bold")
        self.earlier.append(self.match)
        self._sit_down(match)

    def _what_next(self) -> list[ScreenPart]:
        """Return the story's end, and which game follows."""
        story, after = self._story("after"), following(self.match)
        if after is None or not self.people:
            return story
        order = " ".join(reversed(after.things[: after.ordered]))
        other = f"; `next {order}` in this order" if after.ordered > 1 else ""
        return [*story, ScreenPart(Text(f"`next`: {what_follows(self.match)}{other}"), _ABOVE)]

    def _story(self, moment: str) -> list[ScreenPart]:
        """Return the pages of a moment, `before` or `after` the game. Each comes before the table."""
        return [
            ScreenPart(
                Group(Text(title, "bold"), *(Text(f"  {text}", "italic") for text in paragraphs)), _ABOVE
            )
            for title, paragraphs in (pages(self.match, moment) if moment else ())
        ]

    # -- showing --------------------------------------------------------------------------------------------

    def table(self, words: str) -> None:
        """Draw the table and the numbered choices. With words, draw only the fields they name,
        in full."""
        if words:
            parts = draw_parts(self.match.play, self.match.state, self.viewer, words)
            self._answer([ScreenPart(parts or Text(f"nothing on the table is called `{words}`"))])
            return
        self._show(self._table())

    def _table(self) -> list[ScreenPart]:
        """Return the table and the numbered choices."""
        drawn = draw_in_parts(self.match.play, self.match.state, self.viewer, self.variant.title)
        if self.match.over:
            return [ScreenPart(Text()), *drawn]
        legal = self.match.legal()
        now = moment(self.match.play, self.match.state)
        head = Text(f"{now}:" if legal else "nobody can do anything here", "bold")
        choices = draw_choices(self.variant.game, _numbered(legal))
        return [ScreenPart(Text()), *drawn, ScreenPart(Group(head, choices), CHOICES)]

    def board(self, number: str) -> None:
        """Draw one board of the table, by its number from 1."""
        boards = draw_boards(self.match.play, self.match.state, self.viewer)
        if number.isdecimal() and 0 < int(number) <= len(boards):
            self._answer([ScreenPart(boards[int(number) - 1])])
        elif len(boards) == 1 and not number:
            self._answer([ScreenPart(boards[0])])
        else:
            self.say(
                f"expected `board 1` to `board {len(boards)}`" if boards else "there is no board here", "red"
            )

    def _show(self, parts: Sequence[ScreenPart]) -> None:
        """Print parts. What does not fit on a terminal is shown page by page."""
        if not self.console.is_terminal:
            for part in parts:
                self.console.print(part.drawn)
            return
        self.pages = pages_of(self.console, parts)
        self.page("1")

    def _answer(self, parts: Sequence[ScreenPart]) -> None:
        """Print the answer to a question about the table. One that fits on the screen leaves the pages of the table
        where they are, so that `page 2` shows the table again."""
        before = self.pages, self.at
        self._show(parts)
        if len(self.pages) == 1:
            self.pages, self.at = before

    def page(self, number: str) -> None:
        """Show a page of what was shown last, the next one without a number."""
        wanted = int(number) - 1 if number.isdecimal() else self.at + 1
        if not 0 <= wanted < len(self.pages):
            self.say(
                f"there are {len(self.pages)} pages" if len(self.pages) > 1 else "there is no other page",
                "red",
            )
            return
        self.at = wanted
        self.console.print(self.pages[wanted], end="")
        if len(self.pages) > 1:
            last = wanted + 1 == len(self.pages)
            way = "`page N` goes back" if last else "Enter shows the next, `page N` another"
            self.say(f"page {wanted + 1} of {len(self.pages)}: {way}", "dim")

    def _result(self) -> list[ScreenPart]:
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
        return [*lines, *self._what_next()]

    def help(self, _: str) -> None:
        """List the commands."""
        for command, text in _COMMANDS.items():
            self.say(f"  {command:<{max(map(len, _COMMANDS))}}  {text}")

    def quit(self, _: str) -> None:
        """Leave the session."""
        self.open = False

    def say(self, text: str, style: str = "") -> None:
        """Print one line without markup."""
        if text:
            self.console.print(Text(text, style))

    def _prompt(self) -> str:
        if self.match.over:
            return f"over ({'next, ' if following(self.match) else ''}undo, save FILE, quit)> "
        return f"{seat_name(self.variant.game, self.match.actor)}> "


def _numbered(legal: Sequence[Move]) -> list[Choice]:
    return [Choice(number, move) for number, move in enumerate(legal, 1)]


def play(
    variant: Variant,
    seats: Sequence[str],
    seed: int | None,
    console: Console | None = None,
    *,
    saved: Path | None = None,
    autosave: Path | None = None,
) -> Match:
    """Play at the terminal and return the game as it was left.

    `seats` names "person" or a bot for each seat. Without a `seed`, the game has a secret one.
    `saved` is a transcript to continue. `autosave` is a file to which the game is saved whenever a
    person must act.
    """
    console = console or Console(highlight=False)
    session = Session(variant, seats, seed, console, _asker(console))
    session.autosave = autosave
    if saved is not None:
        *session.earlier, session.match = load_all(saved, variant.ref, session.say)
        session.secret = True
        session.heard = len(session.match.steps)
    try:
        session.run()
    except KeyboardInterrupt:
        console.print()
    goes_on = not session.match.over or following(session.match) is not None
    if session.autosave is not None and session.match.steps and goes_on:
        session.say(f"the game is kept in {session.autosave}; `--load {session.autosave}` goes on with it")
    return session.match


def as_json(match: Match) -> dict[str, Any]:
    """Return the game as JSON values for scripts: choices, seed, steps, ending and returns."""
    game = match.game
    return {
        "game": game.name,
        "options": {**match.variant.options, **match.variant.rulings},
        "seed": match.seed,
        "steps": [
            {"round": s.round, "actor": seat_name(game, s.actor), "action": s.text} for s in match.steps
        ],
        "ending": match.ending.reason if match.ending else None,
        "returns": list(match.returns()),
    }


def _asker(console: Console) -> Callable[[str], str | None]:
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
