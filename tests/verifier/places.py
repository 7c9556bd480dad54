"""States of a game as places with edges, beside the kernel's own layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from playproof.language import CHANCE, Game, Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.closed_sets import StateLayer, ValueStep, make_play_of_seekers
from playproof.verifier.kernel.state_graphs import MOST_STATES, argsort_states_by_cells, enumerate_game_states_cached
from playproof.verifier.proof.best_play import LUCK as WORDS, Vertex
from playproof.verifier.questions.context import Context

_ACTORS = {"most": 0, "least": 1, "mean": CHANCE}


def fault(claimed: ClosedSetCertificate, places: Sequence[Vertex]) -> str:
    """Return why the kernel refuses bounds of these places, or ""."""
    edges = [edge for place in places for edge in place.edges]
    layer = StateLayer(
        0,
        np.array([len(place.edges) for place in places], dtype=np.int32),
        np.array([to for to, _ in edges], dtype=np.int32),
        np.array([w if p.chooses == "mean" else 1 for p in places for _, w in p.edges], dtype=np.int32),
        np.array([_ACTORS[place.chooses] for place in places], dtype=np.int8),
        np.array([place.worth == 1 for place in places], dtype=np.bool_),
        0,
    )
    step = ValueStep(layer, make_play_of_seekers("mean", [0]))
    try:
        claimed.vector.require_kept_by_step_and_get_bounds(step, np.arange(len(places)))
    except NotShown as error:
        return str(error)
    return ""


def places_of(
    game: Game, event: Term, luck: str, seat: int, context: Context, most: int = MOST_STATES
) -> tuple[list[Vertex], int]:
    """Return the states as the kernel goes through them, in the order of their cells, and the number of the first."""
    graph = enumerate_game_states_cached(game, most, context)
    reached, actors, weights = (
        graph.evaluate_condition_in_each_state(game, event),
        graph.list_actor_of_each_state(game),
        graph.compute_chance_weight_of_each_edge(game),
    )
    order = argsort_states_by_cells(graph.cells)
    number = np.argsort(order)
    found = []
    for row in order.tolist():
        moves = slice(graph.first[row], graph.first[row + 1])
        if reached[row] or moves.start == moves.stop:
            found.append(Vertex(int(reached[row]), "mean", ()))
            continue
        actor = int(actors[row])
        chooses = WORDS[luck] if actor == CHANCE else "most" if actor == seat else "least"
        edges = tuple(zip(number[graph.edges[moves, 2]].tolist(), weights[moves].tolist(), strict=True))
        found.append(Vertex(None, chooses, edges))
    return found, int(number[0])
