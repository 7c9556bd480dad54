"""Claims: what the designer asserts about the game, as stated in `claims.yaml`.

The database checks the shape (an id, a known question, a sentence) and keeps the rest as free data
with places. The verifier interprets `of`, `within`, `options` and `expect`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import ConfigDict, Field

from playproof.database.errors import FindingCollector, InputError, Where, make_path_relative_to_working_folder
from playproof.database.source import (
    MOST_RECORDED,
    YamlData,
    YamlNode,
    decode_utf8_without_byte_mark,
    read_limited_plain_file_or_raise,
)
from playproof.database.vocabulary import WordsSpec
from playproof.database.yaml_models import FileName, StrictModel, validate_node_or_record_findings


class ClaimSpec(StrictModel):
    """One claim; other keys are kept for the verifier."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, defer_build=True)

    ask: Literal[
        "reach",
        "minimum",
        "maximum",
        "never",
        "always",
        "luck",
        "dead",
        "same",
        "tune",
        "step",
        "example",
        "secret",
        "worth",
        "count",
        "distance",
        "equilibrium",
        "deals",
        "strategy",
        "ledger",
    ]
    says: WordsSpec
    of: Any = None
    within: Any = None
    options: dict[str, Any] = Field(default={})
    expect: Any = None
    rules: list[str] = Field(default=[])


_ENDS = "`ask: always` with `of: ends`, or with `of: {ends: 90}` for at most 90 steps"
_LEAST = '`ask: minimum` with `of: {number: "points[0]", when: {holds: "outcome > 0"}}`'
_MOST = _LEAST.replace("minimum", "maximum")
_CHANCE = "`ask: luck` with `of: {outcome: win}` and `chance: mean`; `ask: worth` for a mean score"
_CAN = "`ask: reach` with `of: {outcome: win}`"
_HOLDS = '`ask: always` with `of: {holds: "coins <= 8"}`'
ASKED_AS = {
    **dict.fromkeys(("end", "ends", "ending", "terminates", "finite", "length"), _ENDS),
    **dict.fromkeys(("floor", "least", "lowest", "min", "fewest", "shortest"), _LEAST),
    **dict.fromkeys(("ceiling", "most", "highest", "max", "cap", "longest"), _MOST),
    **dict.fromkeys(("chance", "probability", "odds", "average", "mean", "expected", "score", "fair"), _CHANCE),
    **dict.fromkeys(("can", "possible", "win", "wins", "winnable", "sometimes", "exists"), _CAN),
    **dict.fromkeys(("holds", "invariant", "true", "impossible", "cannot"), _HOLDS),
}
"""What people write for a question, and how it is asked."""


class ClaimsSpec(StrictModel):
    """The whole of `claims.yaml`."""

    claims: Annotated[dict[FileName, ClaimSpec], Field(min_length=1)]
    worth: dict[str, int] = Field(default={})
    phase: list[str] = Field(default=[])


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim. `data` holds all keys as written; `node` knows the position of each key."""

    id: str
    ask: str
    says: str
    data: Mapping[str, YamlData]
    node: YamlNode = field(compare=False, repr=False)

    @property
    def where(self) -> Where:
        """The position of the claim in its file."""
        return self.node.where

    @property
    def of(self) -> YamlData:
        """The subject of the question."""
        return self.data.get("of")

    @property
    def within(self) -> YamlData:
        """The bound, such as `{rounds: 7}`."""
        return self.data.get("within")

    @property
    def options(self) -> Mapping[str, YamlData]:
        """Set-up options and rulings that the claim assumes."""
        options = self.data.get("options")
        return options if isinstance(options, dict) else {}

    @property
    def rules(self) -> tuple[str, ...]:
        """The ids of the rules that the claim names."""
        rules = self.data.get("rules")
        return tuple(map(str, rules)) if isinstance(rules, list) else ()

    @property
    def expect(self) -> YamlData:
        """The answer the designer expects."""
        return self.data.get("expect")


def read_valid_claims_by_id_and_note_errors(
    node: YamlNode, collector: FindingCollector, game_folder: Path
) -> dict[str, Claim]:
    """Check and convert the claims; leave out, after noting errors, those that are none. Recorded games that claims
    name are files below `folder`."""
    written = node.get("claims")
    before = len(collector.findings)
    if validate_node_or_record_findings(ClaimsSpec, node, collector) is not None or written is None:
        readable = dict(written.entries) if written else {}
    else:
        readable = {
            name: entry
            for name, entry in written.entries.items()
            if validate_node_or_record_findings(ClaimSpec, entry.node, FindingCollector())
        }
        asks = {
            entry.node.get_node_or_nearest_ancestor(["ask"]).where: entry.node.get_node_or_nearest_ancestor(
                ["ask"]
            ).value
            for entry in written.entries.values()
        }
        collector.findings[before:] = [
            replace(finding, hint=ASKED_AS.get(str(asks.get(finding.where)), finding.hint))
            for finding in collector.findings[before:]
        ]
    claims = {name: _build_claim_from_checked_node(name, entry.node) for name, entry in readable.items()}
    worth = node.data.get("worth") if isinstance(node.data, dict) else None
    return {
        name: _read_example_actions_or_note_errors(claim, game_folder, collector)
        if claim.ask == "example"
        else _copy_claim_adding_worth_if_mentioned(claim, worth)
        for name, claim in claims.items()
    }


_WORTH = re.compile(r"(?<![\w.-])worth(?![\w.-])")


def _copy_claim_adding_worth_if_mentioned(claim: Claim, worth_table: YamlData) -> Claim:
    """Return a claim about the cards with the designer's worth table, if it speaks of worth."""
    of = claim.of
    if claim.ask != "ledger" or not isinstance(of, dict) or not isinstance(worth_table, dict) or "worth" in of:
        return claim
    if not any(isinstance(text, str) and _WORTH.search(text) for text in of.values()):
        return claim
    return replace(claim, data={**claim.data, "of": {**of, "worth": worth_table}})


_ACTION = re.compile(r"(?:\d{1,9}[.)]?\s+)?(?:\d{1,9}/)?[^:/]+:\s+(?P<words>.+)\Z")
_HEADER = re.compile(r"(playproof transcript|(game|seed|data|(option|ruling|seat) +[^:]+?) *:)")


def _read_example_actions_or_note_errors(claim: Claim, folder: Path, collector: FindingCollector) -> Claim:
    """Return a worked example with the actions of its recorded game (`play:`, a transcript) and
    that game's end."""
    of = claim.of
    name = of.get("play") if isinstance(of, dict) else None
    if not isinstance(of, dict) or not isinstance(name, str) or not set(of) <= {"play", "then"}:
        collector.add_finding(
            "PP246", claim.where, f"claim `{claim.id}`: expected `of` as {{play: file, then: [conditions]}}"
        )
        return claim
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        collector.add_finding("PP246", claim.where, f'claim `{claim.id}`: there is no recorded game "{name}" beside it')
        return claim
    try:
        line, end = _parse_actions_and_end_of_transcript(
            decode_utf8_without_byte_mark(
                read_limited_plain_file_or_raise(path, MOST_RECORDED), make_path_relative_to_working_folder(path)
            )
        )
    except InputError as error:
        collector.add_findings(error.findings)
        return claim
    except OSError as error:
        collector.add_finding(
            "PP246", claim.where, f'claim `{claim.id}`: "{name}" cannot be read: {error.strerror or error}'
        )
        return claim
    if not line:
        collector.add_finding("PP246", claim.where, f'claim `{claim.id}`: "{name}" has no actions')
    then = of.get("then", [])
    worked: dict[str, YamlData] = {"line": list(line), "end": end, "then": then if isinstance(then, list) else [then]}
    return replace(claim, data={**claim.data, "of": worked})


class TranscriptWords(NamedTuple):
    actions: list[str]
    end: str


def _parse_actions_and_end_of_transcript(transcript_text: str) -> TranscriptWords:
    """Return the words of each action of a transcript, and its `end` ("" if it has none). A comment
    `# refused: words` names an action that is not legal at that moment; `# now: condition` states a
    condition that holds."""
    words, end = list[str](), ""
    for line in map(str.strip, transcript_text.splitlines()):
        action = _ACTION.match(line)
        if line.startswith("end:"):
            end = line[4:].strip()
        elif line.startswith(("# refused: ", "# now: ")):
            words.append(line[2:])
        elif line and not line.startswith("#") and action and (words or not _HEADER.match(line)):
            words.append(action["words"])
    return TranscriptWords(words, end)


def _build_claim_from_checked_node(claim_id: str, node: YamlNode) -> Claim:
    data = {key: entry.node.data for key, entry in node.entries.items()}
    says = data["says"]
    sentence = says if isinstance(says, str) else says.get("en", "") if isinstance(says, dict) else ""
    return Claim(claim_id, str(data["ask"]), str(sentence), data, node)


def make_error_of_claim_settings_refused(claim_id: str, where: Where, reason: str) -> InputError:
    """Return that a claim asks under settings that a version of the game does not take, as when a card leaves."""
    message = f"claim `{claim_id}` asks under settings that one of the two versions does not take: {reason}"
    hint = "change its `options` or `rulings` in claims.yaml, or take the claim out"
    return InputError.from_single_finding("PP408", where, message, hint)
