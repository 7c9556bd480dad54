"""`make published`: results from the literature, answered by claims, checked, and compared with what was published.

`tests/examples/published/results.yaml` lists them. The table is the page `docs/maintain/published.md`. A run that was
stopped goes on: the row of a game, a claim and code that have not changed is taken from `output/published/rows`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from re import search
from typing import Any

from playproof.cli.output import report_error_and_choose_exit_status
from playproof.database.errors import Finding, InputError, Where
from playproof.database.files import write_file_atomically
from playproof.database.installation import CARDS
from playproof.database.source import read_yaml_file
from playproof.language.description import digest
from playproof.language.options import Options
from playproof.language.registry import build, load_rules_module
from playproof.referee.simulate import map_in_order_on_spawned_processes
from playproof.verifier.answer_store import open_answer_store
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel.evidence import option_values_to_texts
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.premises import digest_code_deciding_answers, question_to_list_of_all_it_says
from playproof.verifier.questions.verdicts import Answer
from tests.published_games import FOLDER, get_published_game, list_published_names

RESULTS = FOLDER / "results.yaml"
TOP = CARDS.parent
PAGE = TOP / "docs" / "maintain" / "published.md"
OUTPUT = TOP / "output" / "published"
_CLOSE = Fraction(1, 2 * 10**9)
"""Values that are no exact fraction are kept to nine digits."""
_SHORT = 24
"""Characters of a fraction that people may want to read."""
_AT_ONCE = 2
"""Results that are asked side by side, each in a process of its own: some take gigabytes."""


@dataclass(frozen=True)
class Published:
    """One published result: the game, the claim that asks the same, the number as it was published, and where."""

    game: str
    question: Question
    number: str | int | bool
    source: str
    fast: bool


@dataclass(frozen=True)
class Result:
    """A published result with the answer to its claim, the processor's `seconds` that it took, and what the checked
    evidence is and rests on."""

    published: Published
    answer: Answer
    seconds: float
    evidence: str
    rests: str

    @property
    def agrees(self) -> bool | None:
        """Whether the answer is what was published; None if the claim is open or its evidence was refused."""
        if self.answer.value is None or not self.evidence:
            return None
        return agrees(self.published.number, self.answer)


def read_results(path: Path = RESULTS) -> list[Published]:
    """Return the published results in the order of the file. Raises InputError if it cannot be read."""
    data: Any = read_yaml_file(path).data
    return [_published(name, entry) for name, entry in data["results"].items()]


def _published(claim: str, entry: Mapping[str, Any]) -> Published:
    question = Question(
        claim,
        str(entry["ask"]),
        entry.get("of"),
        entry.get("within"),
        str(entry["says"]),
        dict(entry.get("options", {})),
        chance=str(entry.get("chance", "mean")),
        seeing=str(entry.get("seeing", "")),
        budget=entry.get("budget"),
    )
    name, source = str(entry["game"]), entry.get("source")
    game = get_published_game(name) if name in list_published_names() else name
    return Published(game, question, entry["published"], str(source or _source(game)), bool(entry.get("fast", False)))


def _source(game: str) -> str:
    """Return the first address in the first lines of a game."""
    address = search(r"https?://\S+[\w/]", load_rules_module(game).__doc__ or "")
    if address is None:
        raise LookupError(f"the first lines of {game} name no source")
    return address[0]


def agrees(number: str | int | bool, answer: Answer) -> bool:
    """Return whether an answer is the published number: exactly, or to the digits that were published; or whether
    the published share lies in the interval of a sample."""
    if isinstance(answer.value, list):
        low, high = (Fraction(str(bound)) for bound in answer.value)
        return low <= Fraction(str(number)) <= high
    if isinstance(number, bool) or isinstance(answer.value, bool):
        return bool(number) is answer.value
    wanted, text = Fraction(str(number)), str(number)
    ours = Fraction(answer.bound["exactly"]) if "exactly" in answer.bound else Fraction(str(answer.value))
    exact = "exactly" in answer.bound or isinstance(answer.value, int)
    off = Fraction(0) if exact else _CLOSE
    if "." in text:
        off = max(off, Fraction(1, 2 * 10 ** len(text.partition(".")[2])))
    return abs(ours - wanted) <= off


def answered(published: Published, output: Path = OUTPUT, machine: bool | None = None) -> Result:
    """Answer the claim of a result, and check the evidence that was written."""
    began = _processor()
    question = published.question
    [answer] = prove(published.game, claims=[question], output=output, machine=machine)
    evidence = rests = ""
    if answer.evidence:
        checked = check_evidence_file_to_result(answer.evidence, game=published.game, claims={question.id: question})
        if checked.confirmed is not None:
            evidence, rests = kinds_of(answer), "; ".join(checked.confirmed.rests)
    return Result(published, answer, _processor() - began, evidence, rests)


def _processor() -> float:
    """Return the seconds of processor time of this process and of those that it waited for."""
    return sum(os.times()[:4])


def kinds_of(answer: Answer) -> str:
    """Return the kinds of certificates in an evidence file."""
    data = json.loads(Path(answer.evidence).read_text(encoding="utf-8"))
    certificates = [c for setting in data["settings"] for c in setting["certificates"]]
    of_sets = {"closed set": ": {about[kind]}"}
    kinds = [c["kind"] + of_sets.get(c["kind"], "").format_map(c) for c in certificates]
    return ", ".join(dict.fromkeys(kinds))


def ours(answer: Answer) -> str:
    """Return an answer's value for readers."""
    exactly = answer.bound.get("exactly", "") if answer.value is not None else ""
    if answer.value is None:
        return "open"
    if isinstance(answer.value, bool):
        return "yes" if answer.value else "no"
    if isinstance(answer.value, list):
        return " to ".join(map(str, answer.value))
    if isinstance(answer.value, int):
        return f"{answer.value:,}"
    if exactly and len(exactly) <= _SHORT:
        return exactly
    return f"{answer.value:.9g}"


def number(published: Published) -> str:
    """Return a published number for readers."""
    if isinstance(published.number, bool):
        return "yes" if published.number else "no"
    return f"{published.number:,}" if isinstance(published.number, int) else published.number


def row(result: Result) -> str:
    """Return the row of the table for a result."""
    verdict = {True: "yes", False: "**no**", None: "open"}[result.agrees]
    evidence = result.evidence or result.answer.reason
    cells = [_says(result.published), number(result.published), ours(result.answer), verdict, evidence, result.rests]
    return f"| {' | '.join(cells)} | {result.seconds:.1f} |"


def _says(published: Published) -> str:
    """Return the first cell of a row, by which rows are told apart."""
    return f"[{published.question.says.rstrip('.')}]({published.source})"


def rows_of(text: str) -> dict[str, str]:
    """Return the rows of a page by their first cells."""
    rows = [line for line in text.splitlines() if line.startswith("| [")]
    return {line.split(" | ")[0].removeprefix("| "): line for line in rows}


def agreed_in(line: str) -> bool:
    """Return whether a row says that the answer is what was published, which may itself be a yes."""
    return line.split(" | ")[3] == "yes"


def page(rows: Sequence[str]) -> str:
    """Return the page of docs with these rows."""
    agreed = sum(agreed_in(line) for line in rows)
    minutes = sum(float(line.split(" | ")[-1].rstrip(" |")) for line in rows) / 60
    return _PAGE.format(agreed=agreed, count=len(rows), minutes=minutes, rows="\n".join(rows))


_PAGE = """\
# Published results

`make published` asks small games what the literature says of them. For example, in Risk with three dice against two
the defender loses two armies in 2,890 of 7,776 rolls, and the claim gives 1445/3888, which is the same.

{agreed} of {count} results agree. Together they took {minutes:.0f} minutes of one processor. Each game is a folder in
`tests/examples/published/`, of at most 120 lines (patience games share `patience_columns.py`); `results.yaml` there
has the claims. A number with a point agrees to the digits that were published. The kernel has checked each
answer again, from its evidence file. A run that was stopped goes on where it was. `python -m tests.published ID` asks
one result again and renews its row.

| result, with its source | published | ours | agrees | evidence | rests on | processor s |
|---|---|---|---|---|---|---|
{rows}

*Rests on* says what is trusted besides the kernel: [what is trusted](../explanations/what-is-trusted.md).
"""


def renewed(published: Published, *, again: bool, output: Path = OUTPUT) -> tuple[str, bool]:
    """Return the row of a result and whether it agrees, from an earlier run unless `again`."""
    game = build(published.game, Options(option_values_to_texts(published.question.values)))
    about = [digest(game), str(published.number), published.source, published.question.says]
    file = (
        output
        / "rows"
        / open_answer_store(digest_code_deciding_answers()).make_key_with_premises(
            question_to_list_of_all_it_says(published.question), about
        )
    )
    if again or not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file_atomically(file, row(answered(published, output)).encode())
    line = file.read_text(encoding="utf-8")
    return line, agreed_in(line)


def main(chosen: Sequence[str] = ()) -> int:
    """Answer all results, or those that are named; print them and renew their rows of the page. Return 1 if one does
    not agree, 130 if it is interrupted."""
    try:
        listed = read_results()
        unknown = set(chosen) - {p.question.id for p in listed}
        if unknown:
            raise InputError([Finding("PP705", Where(str(RESULTS)), f"there is no result `{n}`") for n in unknown])
        different = 0
        rows = rows_of(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else {}
        results = [p for p in listed if not chosen or p.question.id in chosen]
        lines = map_in_order_on_spawned_processes(_AT_ONCE, results, partial(renewed, again=bool(chosen)))
        for published, (line, agreed) in zip(results, lines, strict=True):
            different += not agreed
            print(line, flush=True)
            rows[_says(published)] = line
            PAGE.write_text(page([rows[_says(p)] for p in listed if _says(p) in rows]), encoding="utf-8")
    except KeyboardInterrupt:  # the rows that are done are kept
        return 130
    except Exception as error:  # the same messages as the command line
        return report_error_and_choose_exit_status(error)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
