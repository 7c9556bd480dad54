"""Which search and proof methods decide claims: `python -m tests.benchmarks.methods FILE GAME ... [-- WORK]`.

Each claim of each game is asked once, with every method on. A method that hands over nothing for any claim decides
none, whatever is switched off beside it. FILE gets one line per call: the claim, the method, whether it answered,
and its seconds. Several processes may add to one file, and `asked` sums it up.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from time import perf_counter
from typing import Any

import playproof.verifier as verifier
from playproof.verifier.prove import prove

METHODS = {
    "helpful games": "search.guided_games.search_line_by_cooperative_beams_or_none",
    "greedy games": "search.guided_games.search_line_by_greedy_games_or_none",
    "greedy games, looked through": "search.guided_games.find_new_lines_in_greedy_games",
    "curious games": "search.random_games.search_new_lines_by_curiosity_games",
    "invariant against a target": "proof.induction.find_conditions_excluding_target_or_none",
    "invariant for a bound": "proof.induction.find_proved_lower_bound_or_none",
    "words": "proof.reach.prove_unreachable_by_claim_conditions_or_none",
    "law breakers": "proof.laws.find_law_breach_by_games_or_none",
    "breaking states": "search.lines_of_play.find_first_explored_rule_break_or_none",
}


def spy(log: Path) -> None:
    """Note each call of a method, in every module that imports it; also in forked children."""
    for module in walk_packages(verifier.__path__, "playproof.verifier."):
        if not module.name.endswith("_child"):
            import_module(module.name)
    for name, place in METHODS.items():
        module, _, function = f"playproof.verifier.{place}".rpartition(".")
        plain = getattr(sys.modules[module], function)
        noted = _noted(name, plain, log)
        for module in [m for n, m in sys.modules.items() if n.startswith("playproof.verifier")]:
            if getattr(module, function, None) is plain:
                setattr(module, function, noted)


def _noted(name: str, method: Callable[..., Any], log: Path) -> Callable[..., Any]:
    @wraps(method)
    def noted(*args: Any, **named: Any) -> Any:
        began, result = perf_counter(), None
        try:
            result = method(*args, **named)
            return result
        finally:
            word = "answers" if result else "nothing"
            line = f"{os.environ['ASKED']}\t{name}\t{word}\t{perf_counter() - began:.1f}\n"
            with log.open("a", encoding="utf-8") as file:
                file.write(line)

    return noted


def ask(game: str, work: float) -> None:
    """Ask a game's claims, or the common ones if it has none, and print how each was decided."""
    os.environ["ASKED"] = game
    for answer in prove(game, common=True, work=work, seconds=10 * work, states=400_000):
        print(f"{game}\t{answer.id}\t{answer.verdict.value}\t{answer.method}", flush=True)


def asked(log: Path) -> str:
    """Return how often each method was asked, how often it answered, its seconds, and for which games it answered."""
    rows = [line.split("\t") for line in log.read_text(encoding="utf-8").splitlines()]
    calls, answers, seconds = Counter[str](), Counter[str](), Counter[str]()
    games: dict[str, set[str]] = {}
    for game, name, word, took in rows:
        calls[name] += 1
        seconds[name] += float(took)
        if word == "answers":
            answers[name] += 1
            games.setdefault(name, set()).add(game)
    lines = [
        f"| {name} | {calls[name]} | {answers[name]} | {len(games.get(name, ()))} | {seconds[name]:.0f} |"
        for name in METHODS
    ]
    return "\n".join(["| method | calls | answers | games | seconds |", "|---|---|---|---|---|", *lines])


def main(words: list[str]) -> None:
    """Ask the games that the command line names, and print what the file says of them and of those before."""
    names, _, after = (*" ".join(words).partition(" -- "),)
    first, *games = names.split()
    log = Path(first)
    spy(log)
    for game in games:
        try:
            ask(game, float(after or 20))
        except Exception as error:  # the others are asked all the same
            print(f"{game}: {type(error).__name__}: {error}", flush=True)
    print(asked(log))


if __name__ == "__main__":
    main(sys.argv[1:])
