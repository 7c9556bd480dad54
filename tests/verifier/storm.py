"""Best play as the model checker Storm works it out: a second opinion on chances (needs the wheel `stormpy`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from playproof.verifier.proof.best_play import Vertex


def reached(places: Sequence[Vertex], start: int, most: bool, folder: Path) -> float:
    """The greatest (or least) chance to come to a place of worth 1; `chooses` tells only chance from a choice."""
    import stormpy

    file = folder / "model.drn"
    file.write_text(_model(places, start), encoding="utf-8")
    model = stormpy.build_model_from_drn(str(file))
    [wanted] = stormpy.parse_properties(f'P{"max" if most else "min"}=? [F "target"]')
    found = stormpy.model_checking(model, wanted, environment=stormpy.environments.sound())
    return float(found.get_value(start))


def _model(places: Sequence[Vertex], start: int) -> str:
    choices = [_choices(number, place) for number, place in enumerate(places)]
    lines = [
        "@type: MDP",
        "@parameters",
        "",
        "@reward_models",
        "",
        "@nr_states",
        str(len(places)),
        "@nr_choices",
        str(sum(map(len, choices))),
        "@model",
    ]
    for number, place in enumerate(places):
        lines.append(f"state {number}{' init' if number == start else ''}{' target' if place.worth else ''}")
        for action, to in enumerate(choices[number]):
            lines += [f"\taction {action}", *(f"\t\t{n} : {chance!r}" for n, chance in sorted(to.items()))]
    return "\n".join(lines) + "\n"


def _choices(number: int, place: Vertex) -> list[dict[int, float]]:
    """For each choice where it leads, and with what chance; an end leads to itself."""
    if place.worth is not None:
        return [{number: 1.0}]
    if place.chooses != "mean":
        return [{to: 1.0} for to, _ in place.edges]
    whole, to_chance = sum(w for _, w in place.edges), dict[int, float]()
    for to, weight in place.edges:
        to_chance[to] = to_chance.get(to, 0.0) + weight / whole
    return [to_chance]
