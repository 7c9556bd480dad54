"""docs/maintain/rules-and-beliefs.md: which claims speak of which rule, made from the games."""

from __future__ import annotations

from pathlib import Path

from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.database.source import read_yaml_file

UNSPOKEN = Path(__file__).resolve().parent / "unspoken.yaml"
_HEAD = """# Rules and beliefs

Made from the claims of the four games: which belief cites which rule. A recorded game shows that a rule is played as it
was, and is no belief; it does not count here.

"""


def spoken(game: Game) -> dict[str, list[str]]:
    """The beliefs that cite each rule, by the rule's id; none for a rule that no belief speaks of."""
    found: dict[str, list[str]] = {rule.id: [] for rule in game.rules.values()}
    for claim in game.claims.values():
        for rule in claim.rules if claim.ask != "example" else ():
            found[rule].append(claim.id)
    return found


def reasons(name: str) -> dict[str, str]:
    """Why no belief speaks of a rule, by its id."""
    entry = read_yaml_file(UNSPOKEN).entries.get(name)
    return {} if entry is None else {rule: str(why.node.value) for rule, why in entry.node.entries.items()}


def beliefs_page() -> str:
    """The page: a count, and a table for each game."""
    games = [load_game(name) for name in list_names_of_game_folders()]
    every = [(game, spoken(game)) for game in games]
    total = sum(len(found) for _, found in every)
    silent = sum(not claims for _, found in every for claims in found.values())
    parts = [f"{_HEAD}Of {total} rules, {total - silent} have a belief; the other {silent} have a reason.\n"]
    for game, found in every:
        why = reasons(game.name)
        rows = (f"| {r} | {', '.join(f'`{c}`' for c in claims) or why.get(r, '')} |" for r, claims in found.items())
        parts.append(
            f"\n## {game.title}\n\n| rule | beliefs, or why there is none |\n|---|---|\n" + "\n".join(rows) + "\n"
        )
    return "".join(parts)
