"""Evidence files: a claim, and for each of its settings the certificates that answer it. No file
holds an answer.

    {"playproof": 4, "game": "nim", "errata": true, "claim": {...},
     "settings": [{"options": {}, "rulings": {}, "digest": "...", "certificates": [...]}]}

`confirmed` checks every certificate against games that the caller built, and computes the value.
What the file says of the game (its name, its digest) is only compared.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from playproof.language.game import Game
from playproof.verifier.kernel import (
    chance,
    deals,
    distances,
    equilibrium,
    examples,
    exploration,
    invariant,
    layered,
    look_alikes,
    strategies,
    tally,
    team_plans,
    transcript,
    turns,
    weighing,
    worths,
)
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.deciding import Decision, compared, decide, named
from playproof.verifier.kernel.strict import Json, Unreadable, canonical, decode, parse, shown
from playproof.verifier.questions.claims import Question, resolve_inner_question

VERSION = 4
KINDS = (
    chance,
    deals,
    distances,
    equilibrium,
    examples,
    exploration,
    invariant,
    layered,
    look_alikes,
    strategies,
    tally,
    team_plans,
    transcript,
    turns,
    weighing,
    worths,
)
"""Modules whose classes are the kinds of certificates that files may hold."""
Build = Callable[[Mapping[str, str], Mapping[str, str]], Game]
"""Builds the game under given options and rulings."""
_MOST_CERTIFICATES = 5_000


class OtherRules(Exception):
    """Raised if the evidence was made for other rules or cards."""


class OtherClaim(Exception):
    """Raised if the evidence is about another claim or other settings."""


@dataclass(frozen=True)
class Setting:
    """One way to play (options and rulings by name), the game's digest, and the certificates for
    it."""

    options: Json
    rulings: Json
    digest: str
    certificates: tuple[Certificate, ...]

    @property
    def key(self) -> str:
        """One text for each way to play."""
        return canonical([self.options, self.rulings])


@dataclass(frozen=True)
class File:
    """The content of an evidence file."""

    playproof: int
    game: str
    errata: Json
    claim: Json
    settings: tuple[Setting, ...]


@dataclass(frozen=True)
class Confirmed:
    """The answer that a file's certificates give: the value, the statements it was read from, and
    what has to be trusted for it."""

    decision: Decision
    statements: tuple[str, ...]
    rests: tuple[str, ...]


def read(text: str) -> File:
    """Return the evidence file that a text holds. Raises Unreadable."""
    data = parse(text)
    version = data.get("playproof") if type(data) is dict else None
    if version != VERSION or type(version) is not int:
        raise Unreadable(f"expected evidence of version {VERSION}, found {shown(version)}")
    file: File = decode(File, data)
    for setting in file.settings:
        _texts(setting.options, "options")
        _texts(setting.rulings, "rulings")
    if sum(len(s.certificates) for s in file.settings) > _MOST_CERTIFICATES:
        raise Unreadable(f"expected at most {_MOST_CERTIFICATES:,} certificates")
    return file


def _texts(data: Json, what: str) -> None:
    if type(data) is not dict or any(type(v) is not str for v in data.values()):
        raise Unreadable(f"{what}: expected a mapping of texts, found {shown(data)}")


def of_this_claim(file: File, claim: Question, errata: Json) -> None:
    """Check that the file speaks of this claim, of its settings and no others, and of the game with these
    errata. Raises OtherClaim. A file says nothing of a game that nobody asks about."""
    if canonical([file.claim, file.errata]) != canonical([claim.as_json(), errata]):
        raise OtherClaim("the file is about another claim, or other settings")


def confirmed(
    file: File, question: Question, claims: Mapping[str, Question], build: Build, context: Context
) -> Confirmed:
    """Check the file's certificates and return their answer to a question that it is about. Raises
    Unreadable, OtherRules, OtherClaim, and NotShown if a certificate is refused."""
    wanted = settings_of(question, claims)
    by_key = {s.key: s for s in file.settings}
    if len(by_key) != len(file.settings) or set(by_key) != {key_of(q) for _, q in wanted}:
        raise OtherClaim("the settings of the file are not those that the claim asks about")
    decisions: dict[str, Decision] = {}
    statements: list[str] = []
    rests: set[str] = set()
    for name, variant in wanted:
        setting = by_key[key_of(variant)]
        game = build(setting.options, setting.rulings)
        if context.name(game) != setting.digest:
            raise OtherRules("the evidence was made for other rules or cards; prove the claim again")
        made = [shows(c, game, context) for c in setting.certificates]
        decisions[name] = decide(game, variant, made, context)
        statements += [f"{name}: {s.words()}" if name else s.words() for s in decisions[name].used]
        rests |= {c.leans_on() for c in setting.certificates}
        rests |= {
            f"that every game keeps {p}, which another claim has to show"
            for p in decisions[name].assumed(made)
        }
    return Confirmed(together(question, claims, decisions), tuple(statements), tuple(sorted(rests)))


def shows(certificate: Certificate, game: Game, context: Context) -> Theorem:
    """Check a certificate and return its theorem. Raises NotShown."""
    try:
        return Theorem(certificate, game, context)
    except NotShown as error:
        raise NotShown(f"{certificate.kind}: {error}") from None


def settings_of(question: Question, claims: Mapping[str, Question]) -> list[tuple[str, Question]]:
    """Return the question under each of its settings, with the setting's name: several for `same`
    and `tune`, else only itself with the name ""."""
    if question.ask not in ("same", "tune"):
        return [("", question)]
    return [
        (named(label), variant)
        for label, variant in resolve_inner_question(question, claims).iter_setting_variants()
    ]


def together(
    question: Question, claims: Mapping[str, Question], decisions: Mapping[str, Decision]
) -> Decision:
    """Combine the answers of all settings into the question's answer."""
    if question.ask not in ("same", "tune"):
        return decisions[""]
    expected = resolve_inner_question(question, claims).expect
    values = {name: None if d.vacuous else d.value for name, d in decisions.items()}
    used = tuple(s for d in decisions.values() for s in d.used)
    whom = "; ".join(dict.fromkeys(d.whom for d in decisions.values() if d.whom))
    return Decision(compared(question, True if expected is None else expected, values), used=used, whom=whom)


def key_of(question: Question) -> str:
    """Return one text for each way to play that a question names."""
    return canonical([texts(question.values), texts(question.rulings)])


def texts(values: Mapping[str, Any]) -> dict[str, str]:
    """Return options or rulings as texts, the form that a game takes."""
    return {str(k): str(v) for k, v in values.items()}
