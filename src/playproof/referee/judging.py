"""The judge: it accepts a recorded game or names the first illegal move with its rule and its
line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playproof.database.errors import Collector, Finding, InputError, Where, as_typed, did_you_mean
from playproof.language import CHANCE, BoundsError
from playproof.language.options import OptionError
from playproof.language.random import Stream
from playproof.language.recorded_games import Recorded, game_of, is_shelf
from playproof.language.registry import UnknownGame, is_installed, name_of
from playproof.language.watched_source import DEAD_END, invariants
from playproof.referee.campaign import check_links
from playproof.referee.errors import MoveError, NotLegal
from playproof.referee.game_length import LengthError
from playproof.referee.games_file import read_all
from playproof.referee.match import Match
from playproof.referee.notation import seat_name, seat_names, seat_of
from playproof.referee.transcript import Entry, MoveLine, Transcript, end_text, move_line
from playproof.referee.variant import Variant

_QUICK = {"random", "greedy"}


def judge(path: Path | str, *, check: bool = False, game: str | None = None) -> list[Finding]:
    """List what is wrong with a recorded game. The game is accepted if no finding is an error.

    A file names its game and never says whose rules are run. They are those of `game`, which is the
    folder of a game that is not installed, if that game has this name, else those of the installed
    game of this name. A campaign is judged game by game; each must be the one that follows the game
    before it (PP612). With `check`, it also
    checks after every move that the game's invariants hold and that somebody can act (PP610). A
    warning (PP608) says that the rules or cards have changed since the game was recorded. Raises
    InputError if the file is not a transcript.
    """
    findings: list[Finding] = []
    _replay_all(path, game, findings, check=check)
    return findings


def call_of(variant: Variant) -> str:
    """Return the command that judges games of this variant, without its other words."""
    if is_installed(variant.ref):
        return "playproof log judge"
    return f"playproof log judge --game {as_typed(variant.ref)}"


def unfinished(path: Path | str, game: str | None = None) -> str:
    """Return who acts next in a recorded game that has not ended; "" if it has ended or is not
    accepted."""
    findings: list[Finding] = []
    matches = _replay_all(path, game, findings)
    if not matches or matches[-1].over or any(f.severity == "error" for f in findings):
        return ""
    match = matches[-1]
    return seat_name(match.game, match.actor) if match.legal() else "nobody"


def load(path: Path | str, game: str | None = None) -> Match:
    """Return the match that a file records, the last one of a campaign, ready to continue; `game` as
    for `judge`. Raises InputError if anything in it is wrong."""
    return load_all(path, game)[-1]


def load_all(path: Path | str, game: str | None = None, warn: Callable[[str], object] = str) -> list[Match]:
    """Return the matches of a campaign in order; `game` as for `judge`. Each warning is given to `warn`.
    Raises InputError if anything in the file is wrong."""
    findings: list[Finding] = []
    matches = _replay_all(path, game, findings)
    if not matches or any(f.severity == "error" for f in findings):
        raise InputError(findings)
    for finding in findings:
        warn(str(finding))
    return matches


def _replay_all(
    path: Path | str, game: str | None, findings: list[Finding], *, check: bool = False
) -> list[Match]:
    """Play each game of a file, of a campaign until one is wrong, and return the matches so far. Appends to
    `findings`."""
    parts: list[tuple[Transcript, Match]] = []
    campaign = Path(path).suffix != ".json"  # games in JSON are apart from each other
    for written in read_all(path):
        match = replay(written, findings, check=check, game=game)
        if match is not None:
            parts.append((written, match))
        if not campaign:
            continue
        check_links(parts[-2:], findings)
        if match is None or any(f.severity == "error" for f in findings):
            break
    return [match for _, match in parts]


def replay(
    written: Transcript, findings: list[Finding], *, check: bool = False, game: str | None = None
) -> Match | None:
    """Play a transcript move by move until it ends or breaks a rule; `game` as for `judge`. Returns
    the match so far, or None if it cannot be set up; appends to `findings`."""
    collector = Collector(findings)
    match = _set_up(written, game, collector)
    if match is None:
        return None
    for number, entry in enumerate(written.entries, 1):
        if not _follow(match, entry, number, collector) or (
            check and not _holds(match, entry, number, collector)
        ):
            return match
    _check_end(match, written, collector)
    _check_seed(match, written, collector)
    return match


def _set_up(written: Transcript, game: str | None, collector: Collector) -> Match | None:
    try:
        ref = _ref(written, game)
        variant = Variant(ref, dict(written.options), dict(written.rulings))
        match = Match(variant, written.seed, seats=tuple(written.seats.values()))
    except UnknownGame as error:
        collector.add("PP606", written.where, str(error), _which_folder(game))
        return None
    except OptionError as error:
        collector.add("PP606", written.where, str(error))
        return None
    for number in written.seats:
        if not 1 <= number <= match.game.players:
            collector.add(
                "PP606",
                written.where,
                f"expected seats up to {match.game.players}, found `seat {number}`",
                "seats are counted from 1",
            )
    message = changed_since(variant, written.digest)
    if message:
        hint = "moves may mean something else now; --game FOLDER names another game of this name"
        collector.add("PP608", written.where, message, hint, "warning")
    return match


def _ref(written: Transcript, game: str | None) -> str:
    """Return what finds the game of a transcript: the one that is named, or an installed one, or an archive in the
    working directory or in the folder that is named. Raises UnknownGame."""
    recorded = Recorded(written.game, written.digest, written.options, written.rulings)
    if game is None or not is_shelf(game):
        return game_of(recorded, [] if game is None else [game], [Path()])
    return game_of(recorded, folders=[Path(), Path(game)])


def changed_since(variant: Variant, digest: str) -> str:
    """Return how a game differs from the recorded digest of its description; "" if it does not, and for a
    record without a digest."""
    if digest in ("", variant.digest):
        return ""
    return (
        f"recorded with a game of digest {digest[:16]}; its rules or cards have changed, "
        f"they now have {variant.digest[:16]}"
    )


def _which_folder(game: str | None) -> str:
    """Return how to name the folder of a game that is not installed, or how the one that was named is called."""
    if game is None:
        return "--game FOLDER names the folder of a game that is not installed"
    return f"the game in {game} is called `{name_of(game)}`; the line `game:` names another"


def _follow(match: Match, entry: Entry, number: int, collector: Collector) -> bool:
    """Take one entry. Returns False and adds a finding if the entry cannot stand."""
    line = move_line(entry, match.game, match.lexicon)
    wrong = _misplaced(match, line, number)
    if wrong:
        collector.add("PP607", entry.where, *wrong)
        return False
    try:
        match.apply(line.words)
    except NotLegal as error:
        actor = "" if match.over else f" by {seat_name(match.game, match.actor)}"
        collector.add(error.code, entry.where, f"move {number}{actor}: {error.message}")
        return False
    except MoveError as error:
        hint = getattr(error, "near", ())
        collector.add(
            error.code, entry.where, f"move {number}: {error.message}", did_you_mean(line.words, hint)
        )
        return False
    except (BoundsError, LengthError) as error:
        place = f"{Path(error.place.file).name}:{error.place.line}"
        collector.add(
            error.code, entry.where, f"move {number}: {error.message}", f"a mistake in the rules, {place}"
        )
        return False
    return True


def _holds(match: Match, entry: Entry, number: int, collector: Collector) -> bool:
    """Return whether everything that must hold does after a move. Adds a finding for each
    failure."""
    wrong = unsound(match)
    for name in wrong:
        what = "nobody can act" if name == DEAD_END else f"the invariant `{name}` does not hold"
        collector.add("PP610", entry.where, f"after move {number}: {what}", "a mistake in the rules")
    return not wrong


def unsound(match: Match) -> list[str]:
    """Return the names of what fails in the present state of a match, computed by the
    interpreter."""
    play, state = match.play, match.state
    wrong = [name for name, term in invariants(match.game).items() if not play.value(term, state)]
    stuck = not play.terminal(state) and not play.legal(state)
    return wrong + ([DEAD_END] if stuck else [])


def _misplaced(match: Match, line: MoveLine, number: int) -> tuple[str, str] | None:
    """Return (message, hint) if the line's number, actor or round is wrong, else None."""
    if line.number is not None and line.number != number:
        return f"expected move {number}, found move {line.number}", ""
    if match.over:
        return None  # the refusal says that the game is over
    if line.actor is not None:
        seat = seat_of(match.game, line.actor)
        if seat is None:
            return f'nobody is called "{line.actor}"', did_you_mean(
                line.actor, [*seat_names(match.game), "chance"]
            )
        if seat != match.actor:
            return f"{seat_name(match.game, match.actor)} is to act, not {line.actor}", _turn_rule(match)
    if line.round is not None and match.round is not None and line.round != match.round:
        return f"it is round {match.round}, not {line.round}", ""
    return None


def _turn_rule(match: Match) -> str:
    phase = match.game.phases[match.state[0]]
    return f"{' '.join(phase.rules)}: {phase.text}" if phase.rules else f"now is: {phase.text}"


def _check_end(match: Match, written: Transcript, collector: Collector) -> None:
    if written.end is None:
        return
    where = written.end_where or Where(written.where.file)
    if not match.over:
        who = "chance" if match.actor == CHANCE else seat_name(match.game, match.actor)
        collector.add("PP609", where, f"the transcript ends the game here, but {who} is to act")
    elif " ".join(written.end.split()) != end_text(match):
        collector.add("PP609", where, f"expected `end: {end_text(match)}`, found `end: {written.end}`")


def _check_seed(match: Match, written: Transcript, collector: Collector) -> None:
    """Check that chance did what the seed says, if the transcript names its seats and a seed.

    A game at the table draws by the seed and the number of the step. A game of a run draws from one
    stream, bots included, so it is played again; if it was continued at the table, the rest draws
    as at the table. If a bot searches, the game is not played again and the seed is not checked.
    """
    if not written.seats or written.seed_where is None:
        return
    first = match.stray()
    if first is not None and set(match.seats) <= _QUICK:
        first = match.stray(_as_in_a_run(match))
    elif first is not None and any(_searches(who) for who in match.seats):
        return
    if first is not None:
        step = match.steps[first]
        collector.add(
            "PP611",
            written.seed_where,
            f"with seed {match.seed} chance does something else in move "
            f"{first + 1}: {match.game.show(match.dealt(first))}, not {step.text}",
            "leave the line `seed:` out if chance was decided otherwise",
        )


def _searches(who: str) -> bool:
    return who.partition(":")[0] in ("mcts", "exact")


def _as_in_a_run(match: Match) -> int:
    """Return how many first steps equal those of the run's game with this seed and these bots."""
    from playproof.referee.batches import play_steps
    from playproof.referee.bots import make_bot
    from playproof.referee.engine import Engine

    names = match.seats if len(match.seats) == match.game.players else ("random",) * match.game.players
    _, actions, _ = play_steps(Engine(match.game), [make_bot(name) for name in names], Stream(match.seed))
    pairs = zip(actions, match.actions, strict=False)
    return next(
        (n for n, (theirs, ours) in enumerate(pairs) if theirs != ours), min(len(actions), len(match.steps))
    )
