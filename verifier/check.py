"""`check` confirms stored evidence with the kernel alone and reports what the evidence says.

The checker believes nothing in a file and runs nothing in it. The game is an installed one, or one
in a folder that the person names. The claim is the one in the game's claims.yaml. The kernel
computes the value from the certificates.

    PP710  the file cannot be read as evidence        PP714  an invariant, rank or chain does not hold
    PP711  the game or the claim cannot be found      PP715  an exploration or a chance does not hold
    PP712  it was made for other rules or cards       PP716  the certificates do not answer the claim
    PP713  a line of play does not show what it says  PP717  it is about another claim, or other settings
    PP718  two solvers contradict each other          PP720  a fault of Playproof itself, while it checked
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playproof.database.errors import Finding, InputError, Where, did_you_mean
from playproof.database.game import CARDS
from playproof.language import Game, RulesError
from playproof.language.options import OptionError
from playproof.language.registry import UnknownGame, example_names, names, without_cards
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.evidence import (
    Confirmed,
    File,
    OtherClaim,
    OtherRules,
    confirmed,
    of_this_claim,
    read,
)
from playproof.verifier.kernel.solving import Disagreement
from playproof.verifier.kernel.strict import MOST_BYTES, Unreadable, shown
from playproof.verifier.prove import asked_of, claims_of, under
from playproof.verifier.questions.claim_check import misunderstood
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Verdict, judge
from playproof.verifier.search import beyond
from playproof.verifier.search.case import Case

FAULT = "PP720"
_CODES = {"transcript": "PP713", "look-alikes": "PP713", "exploration": "PP715", "chance": "PP715"}


@dataclass(frozen=True)
class Asked:
    """The settings under which a person asks the claim: options and rulings besides the claim's own, and
    the errata, as in `load_game`. A file about any others answers another question."""

    values: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    errata: bool | str = True


@dataclass(frozen=True)
class Checked:
    """The result of checking a file: its findings, or the claim with the confirmed evidence and the
    verdict."""

    findings: tuple[Finding, ...] = ()
    claim: Question | None = None
    confirmed: Confirmed | None = None
    verdict: Verdict | None = None
    errata: bool | str = True

    def lines(self) -> list[str]:
        """Return the confirmed sentence, its settings and what it rests on, as lines to print."""
        if self.claim is None or self.confirmed is None or self.verdict is None:
            return []
        decision, claim = self.confirmed.decision, self.claim
        settings = ", ".join(f"{k}={shown(v)}" for k, v in {**claim.values, **claim.rulings}.items())
        if self.errata is not True:
            read = f"errata up to {self.errata}" if self.errata else "no errata"
            settings = f"{settings}, {read}" if settings else read
        value = (
            "it speaks of nothing that happens"
            if decision.vacuous
            else f"the value is {shown(decision.value)}"
        )
        whom = f" {decision.whom}" if decision.whom else ""
        head = f"{self.verdict.value:<8} {claim.id}: {claim.says or claim.ask} ({value}{whom})"
        if self.verdict is Verdict.REFUTED and claim.expect is not None:
            head += f"\n         expected: {shown(claim.expect)}"
        return [
            head,
            f"         settings: {settings or 'the defaults'}",
            *(f"         shown: {text}" for text in self.confirmed.statements[:12]),
            f"         rests on: {', '.join(self.confirmed.rests)}",
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the result in the shape of `check --json`: the verdict and what it is about, or the
        findings alone."""
        findings = [f.as_json() for f in self.findings]
        if self.claim is None or self.confirmed is None or self.verdict is None:
            return {"claim": None, "verdict": None, "findings": findings}
        decision, claim = self.confirmed.decision, self.claim
        settings = {"options": dict(claim.values), "rulings": dict(claim.rulings), "errata": self.errata}
        return {
            "claim": claim.id,
            "ask": claim.ask,
            "says": claim.says,
            "verdict": self.verdict.value,
            "value": decision.value,
            "expect": claim.expect,
            "for": decision.whom,
            "settings": settings,
            "shown": list(self.confirmed.statements),
            "rests": list(self.confirmed.rests),
            "findings": findings,
        }


def check(
    path: Path | str,
    *,
    game: str | Path | None = None,
    claims: Mapping[str, Question] | None = None,
    asked: Asked | None = None,
) -> list[Finding]:
    """Return all findings about an evidence file; the list is empty if the file answers its claim.

    `game` is the folder of a game that is not installed. `claims` replaces the game's claims.yaml. `asked` says
    under which settings the claim is asked.
    """
    return list(examine(path, game=game, claims=claims, asked=asked).findings)


def examine(
    path: Path | str,
    *,
    game: str | Path | None = None,
    claims: Mapping[str, Question] | None = None,
    asked: Asked | None = None,
) -> Checked:
    """Check an evidence file as `check` does, and return the confirmed evidence with the
    findings."""
    where = Where(str(path))

    def wrong(code: str, message: str) -> Checked:
        return Checked((Finding(code, where, message),))

    try:
        return _examined(read(_text(Path(path))), game, claims, where, asked or Asked())
    except (OSError, UnicodeError, Unreadable) as error:
        return wrong("PP710", f"cannot be read as evidence: {error}")
    except OtherClaim as error:
        return wrong("PP717", str(error))
    except OtherRules as error:
        return wrong("PP712", str(error))
    except Disagreement as error:
        return wrong("PP718", str(error))
    except NotShown as error:
        return wrong(_CODES.get(str(error).partition(":")[0], "PP714"), str(error))
    except InputError as error:
        return wrong("PP711", "cannot be checked: " + "; ".join(f.message for f in error.findings[:3]))
    except (OptionError, UnknownGame, RulesError) as error:
        return wrong("PP711", f"cannot be checked: {error}")
    except OverflowError as error:
        return wrong("PP711", f"cannot be checked: a number of the game does not fit 64 bits ({error})")
    except Exception as error:  # of this file alone: the others are checked
        if os.environ.get("PLAYPROOF_TRACEBACK"):
            traceback.print_exception(error)
        return wrong(FAULT, f"a fault of playproof itself: {type(error).__name__}: {error}")


def _text(path: Path) -> str:
    if path.exists() and not path.is_file():  # a device or a pipe may give endless bytes, or none
        raise Unreadable("expected a file, found something else")
    if path.stat().st_size > 4 * MOST_BYTES:
        raise Unreadable(
            f"expected at most {MOST_BYTES:,} characters, found a file of {path.stat().st_size:,} bytes"
        )
    with path.open("rb") as file:  # at most so many bytes, because the file may grow meanwhile
        return file.read(4 * MOST_BYTES).decode("utf-8")


def _examined(
    file: File, game: str | Path | None, claims: Mapping[str, Question] | None, where: Where, asked: Asked
) -> Checked:
    ref, errata = _ref(file, game), asked.errata
    if not isinstance(file.errata, bool | str):
        raise Unreadable(f"errata: expected true, false or a version, found {shown(file.errata)}")
    ident = file.claim.get("id") if isinstance(file.claim, dict) else None
    known = _known(ref, ident, asked) if claims is None else claims
    if not isinstance(ident, str) or ident not in known:
        hint = did_you_mean(str(ident), known)
        return Checked((Finding("PP711", where, f"{ref} has no claim {shown(ident)}", hint),))
    question = under(known[ident], asked.values, asked.rulings)
    of_this_claim(file, question, errata)
    misread = misunderstood(ref, [question], known, errata)
    if misread:
        return Checked(tuple(misread))

    def build(options: Mapping[str, str], rulings: Mapping[str, str]) -> Game:
        return Case(ref, options, rulings, errata).game

    beyond.lend()
    found = confirmed(file, question, known, build)
    if not found.decision.known:
        return Checked((Finding("PP716", where, f"the certificates do not answer the claim `{ident}`"),))
    return Checked((), question, found, judge(found.decision, question.expect), errata)


def _known(ref: str, ident: object, asked: Asked) -> Mapping[str, Question]:
    """Return the game's own claims, and the common ones if the claim is none of them."""
    own = {} if without_cards(ref) else claims_of(ref, asked.errata)
    return own if ident in own else asked_of(ref, asked.errata, asked.values, asked.rulings, common=True)


def _ref(file: File, game: str | Path | None) -> str:
    """Return the game to check against: the folder that the person names, or the installed game
    that the file names. Raises UnknownGame if no installed game has that name."""
    if game is not None:
        return str(game)
    if file.game not in (*names(), *example_names()):
        raise UnknownGame(f"no installed game is called {shown(file.game)}; name its folder with --game")
    if Path(file.game).is_dir():  # a folder of that name in the current directory is not the installed game
        installed = CARDS / file.game
        if not installed.is_dir():
            raise UnknownGame(
                f"a folder here is called {file.game} too; name the one that is meant with --game"
            )
        return str(installed)
    return file.game
