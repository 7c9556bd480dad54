"""The judge: a recorded game is accepted, or the first illegal move is named with its rule and its line."""

from __future__ import annotations

from pathlib import Path

from playproof.database.errors import Collector, Finding, InputError, Where, did_you_mean
from playproof.referee.errors import MoveError, NotLegal
from playproof.referee.match import Match
from playproof.referee.transcript import Entry, Said, Transcript, end_text, read, said
from playproof.referee.variant import Variant
from playproof.referee.words import seat_name, seat_names, seat_of
from playproof.rules.language import CHANCE, BoundsError
from playproof.rules.language.watch import DEAD_END, invariants
from playproof.rules.options import OptionError
from playproof.rules.registry import UnknownGame


def judge(path: Path | str, *, check: bool = False) -> list[Finding]:
    """What is wrong with a recorded game; no error among the findings means that it is accepted.

    With `check`, the invariants of the game are asked after every move, and that somebody can act (PP610).
    A warning (PP608) says that the cards have changed since. Raises InputError for a file that is no transcript.
    """
    findings: list[Finding] = []
    replay(read(path), findings, check=check)
    return findings


def load(path: Path | str) -> Match:
    """The match that a file records, ready to go on. Raises InputError if anything in it is wrong."""
    findings: list[Finding] = []
    match = replay(read(path), findings)
    if match is None or any(f.severity == "error" for f in findings):
        raise InputError(findings)
    return match


def replay(written: Transcript, findings: list[Finding], *, check: bool = False) -> Match | None:
    """Play a transcript move by move until it ends or breaks a rule; the match so far, findings appended."""
    collector = Collector(findings)
    match = _set_up(written, collector)
    if match is None:
        return None
    for number, entry in enumerate(written.entries, 1):
        if not _follow(match, entry, number, collector) or (check and not _holds(match, entry, number, collector)):
            return match
    _check_end(match, written, collector)
    return match


def _set_up(written: Transcript, collector: Collector) -> Match | None:
    variant = Variant(written.game, dict(written.options), dict(written.rulings))
    try:
        match = Match(variant, written.seed, seats=tuple(written.seats.values()))
    except UnknownGame as error:
        collector.add("PP606", written.where, str(error))
        return None
    except OptionError as error:
        collector.add("PP606", written.where, str(error))
        return None
    if written.digest and written.digest != variant.digest:
        collector.add("PP608", written.where, f"recorded with data {written.digest}, the data now is {variant.digest}",
                      "the game may read differently now", "warning")
    return match


def _follow(match: Match, entry: Entry, number: int, collector: Collector) -> bool:
    """Take one entry; False at the first that cannot stand."""
    line = said(entry, match.game, match.lexicon)
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
        collector.add(error.code, entry.where, f"move {number}: {error.message}", did_you_mean(line.words, hint))
        return False
    except BoundsError as error:
        place = f"{Path(error.place.file).name}:{error.place.line}"
        collector.add(error.code, entry.where, f"move {number}: {error.message}", f"a mistake in the rules, {place}")
        return False
    return True


def _holds(match: Match, entry: Entry, number: int, collector: Collector) -> bool:
    """Whether all that must hold does after a move."""
    wrong = unsound(match)
    for name in wrong:
        what = "nobody can act" if name == DEAD_END else f"the invariant `{name}` does not hold"
        collector.add("PP610", entry.where, f"after move {number}: {what}", "a mistake in the rules")
    return not wrong


def unsound(match: Match) -> list[str]:
    """What does not hold in the present state of a match, by the interpreter."""
    play, state = match.play, match.state
    wrong = [name for name, term in invariants(match.game).items() if not play.value(term, state)]
    stuck = not play.terminal(state) and not play.legal(state)
    return wrong + ([DEAD_END] if stuck else [])


def _misplaced(match: Match, line: Said, number: int) -> tuple[str, str] | None:
    """What a line says about itself that is not so: (message, hint), or None."""
    if line.number is not None and line.number != number:
        return f"expected move {number}, found move {line.number}", ""
    if match.over:
        return None  # the refusal says that the game is over
    if line.actor is not None:
        seat = seat_of(match.game, line.actor)
        if seat is None:
            return f'nobody is called "{line.actor}"', did_you_mean(line.actor, [*seat_names(match.game), "chance"])
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
        collector.add("PP609", where, f"the transcript says the game ended, but {who} is to act")
    elif " ".join(written.end.split()) != end_text(match):
        collector.add("PP609", where, f"expected `end: {end_text(match)}`, found `end: {written.end}`")
