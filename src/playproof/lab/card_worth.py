"""What a card is worth, by cause, and which things of a game are cards: what chance deals and players use,
read from its description."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.database.sheet_cells import format_id_and_title
from playproof.lab.estimates import (
    Estimate,
    classify_effects_above_or_below_others,
    compute_p_value_of_mean,
    estimate_mean_with_t_interval,
    estimate_paired_win_difference_and_p_value,
    flag_discoveries_by_benjamini_hochberg,
)
from playproof.lab.game_runner import GameRunner
from playproof.language.expr import Local, Op
from playproof.language.fields import Field
from playproof.language.game import Action, Game
from playproof.language.machine.records import DEALS, EVERY_DEAL, HELD, IDENT, NOTHING, UNUSED, USES, WITHHELD
from playproof.language.recorded_playouts import GameRecords, TreatedGames
from playproof.language.statements import Assign, iter_statements_recursively, iter_term_and_subterms
from playproof.referee.variant import Variant
from playproof.referee.view import DisplayFacts

# -- worth ---------------------------------------------------------------------------------------------------
# What a card is worth, by cause: the same games with the card forced into a hand, kept out of it, or never
# used.

IntArray = npt.NDArray[np.int64]
_MOST_CHOICES = 150  # single choices of things that are tested


@dataclass
class CardWorth:
    """A thing's worth. `held`: the chance to win with the thing in hand as soon as chance can bring it, less the chance
    with it kept away. `used`: the chance to win as the bots play, less the chance if the seat never uses the thing
    while it has another choice. `score` is `held` for the return. `chance` is the probability of
    `effect_of_holding_or_using` without a cause, and `counts` says whether it counts among all tests of the report.
    `reached` is the share of games that the change altered. Where nobody plays against the seat, `early` is `held` less
    the chance with the cards as they fall, and `late` that less the chance with the thing kept away as long as another
    can come. `apart` is 1 or -1 if the effect's interval, widened for as many looks as there are things, lies above or
    below that of its peers' mean (`estimates.apart`). The game of `held` and `used` is one that the seat wins with the
    thing and loses without it, or the reverse; that of `association` is one that a seat wins with the thing."""

    word: str
    kind: str
    component: str | None
    held: Estimate | None
    used: Estimate | None
    score: Estimate | None
    chance: float
    reached: float
    association: Estimate | None = None
    counts: bool = False
    title: str = ""
    early: Estimate | None = None
    late: Estimate | None = None
    apart: int = 0

    @property
    def name(self) -> str:
        """What the rules call the thing, and the name on it if that is another."""
        return format_id_and_title(self.word, self.title) if self.title else self.word

    @property
    def effect_of_holding_or_using(self) -> Estimate:
        """The headline: `held` if chance deals the thing, else `used`."""
        effect = self.held or self.used
        assert effect is not None
        return effect


def measure_causal_worth_of_cards_best_first(
    runner: GameRunner, things: Sequence[CardLikeThing], game_pairs_per_card: int
) -> list[CardWorth]:
    """Return the worth of each thing that a change can reach, the best first. `game_pairs_per_card` is the number
    of pairs per thing. Which effects count is decided over all of them (`estimates.discoveries`)."""
    nobody = np.zeros((runner.variant.game.players, 3), dtype=np.int64)
    plain = runner.play_games_with_change_for_one_seat(
        game_pairs_per_card, NOTHING, np.zeros(max(1, runner.variant.game.ground), dtype=np.int64), nobody
    )
    made = runner.map_on_threads_or_cluster(
        partial(_measure_worth_or_none_if_unreached, games=game_pairs_per_card, unchanged_games=plain), things
    )
    reached = [worth for worth in made if worth is not None]
    for worth, counts in zip(reached, flag_discoveries_by_benjamini_hochberg([w.chance for w in reached]), strict=True):
        worth.counts = counts
    for kind in {bool(worth.held) for worth in reached}:
        peers = [worth for worth in reached if bool(worth.held) == kind]
        for worth, side in zip(
            peers,
            classify_effects_above_or_below_others([worth.effect_of_holding_or_using for worth in peers]),
            strict=True,
        ):
            worth.apart = side
    return sorted(reached, key=lambda worth: -(worth.effect_of_holding_or_using.value or 0.0))


def _measure_worth_or_none_if_unreached(
    bench: GameRunner, thing: CardLikeThing, games: int, unchanged_games: TreatedGames
) -> CardWorth | None:
    """Return a thing's worth; None if no change of it alters a game."""
    marks = thing.build_array_marking_deals_and_uses(bench.variant.game.ground)
    cells = thing.build_array_of_holding_cells_by_seat(bench.variant.game.players)
    held = used = score = early = late = None
    chance, reached = 1.0, 0.0
    if thing.deals:
        with_it = bench.play_games_with_change_for_one_seat(games, HELD, marks, cells)
        without = bench.play_games_with_change_for_one_seat(games, WITHHELD, marks, cells)
        if with_it.changed.any():
            held, chance = _estimate_gain_and_p_value_with_example(bench, with_it, without)
            score = estimate_mean_with_t_interval(with_it.returned - without.returned)
            reached = float(with_it.changed.mean())
            if thing.for_all:
                early, late = (
                    _estimate_gain_and_p_value_with_example(bench, with_it, unchanged_games)[0],
                    _estimate_gain_and_p_value_with_example(bench, unchanged_games, without)[0],
                )
    if thing.uses:
        unused = bench.play_games_with_change_for_one_seat(games, UNUSED, marks, cells)
        if unused.changed.any():
            used, chance_of_use = _estimate_gain_and_p_value_with_example(bench, unchanged_games, unused)
            if held is None:
                chance, score = (
                    chance_of_use,
                    estimate_mean_with_t_interval(unchanged_games.returned - unused.returned),
                )
                reached = float(unused.changed.mean())
    if held is None and used is None:
        return None
    return CardWorth(
        thing.word,
        thing.kind,
        thing.component,
        held,
        used,
        score,
        chance,
        reached,
        title=thing.title,
        early=early,
        late=late,
    )


def compute_win_or_score_gain_per_game_pair(
    bench: GameRunner, thing: CardLikeThing, first_game: int, games: int
) -> npt.NDArray[np.float64]:
    """Return for each pair of games what the thing in hand changes for the seat: 1 if it wins with it only, -1 if
    without it only; or how much more it scores with it. Without a way to hold it: what it changes to be allowed to use
    it."""
    marks, cells = (
        thing.build_array_marking_deals_and_uses(bench.variant.game.ground),
        thing.build_array_of_holding_cells_by_seat(bench.variant.game.players),
    )
    nothing = (NOTHING, np.zeros_like(marks), np.zeros_like(cells))
    arms = ((HELD, marks, cells), (WITHHELD, marks, cells)) if thing.deals else (nothing, (UNUSED, marks, cells))
    treated, plain = (
        _get_wins_or_scores_per_game(
            bench, bench.play_games_with_change_for_one_seat(games, *arm, first_game=first_game)
        )
        for arm in arms
    )
    return (treated - plain).astype(np.float64)


def _get_wins_or_scores_per_game(bench: GameRunner, games: TreatedGames) -> IntArray:
    """Return what counts of each game: whether the seat won, or its score."""
    return games.returned if bench.is_for_score else games.won


def _estimate_gain_and_p_value_with_example(
    bench: GameRunner, treated: TreatedGames, untreated: TreatedGames
) -> tuple[Estimate, float]:
    """Return `estimates.paired` of what counts, with the first game whose difference has the sign of the effect."""
    more, less = _get_wins_or_scores_per_game(bench, treated), _get_wins_or_scores_per_game(bench, untreated)
    estimate, chance = estimate_paired_win_difference_and_p_value(more, less)
    if bench.is_for_score:
        estimate, chance = estimate_mean_with_t_interval(more - less), compute_p_value_of_mean(more - less)
    sign = 1 if (estimate.value or 0.0) >= 0 else -1
    shows = np.flatnonzero(np.sign(more - less) == sign)
    return replace(estimate, game=int(shows[0]) if len(shows) else None), chance


# -- choices --------------------------------------------------------------------------------------------------------


def get_action_text_or_name(action: Action) -> str:
    """Return what an action is called at the table: its text, with the parameters that differ in braces; its name where
    each of its ground actions has a text of its own."""
    return action.text if isinstance(action.text, str) else action.name


def list_actions_to_deny_a_seat(bench: GameRunner, things: Sequence[CardLikeThing]) -> list[CardLikeThing]:
    """Return the ways to play that a seat can be denied: each kind of action, and each use of a thing that has
    several uses. In a game without things, each action that has a name of its own."""
    game = bench.variant.game
    actions = [a for a in game.actions if not all(game.phases[phase].chance for phase in a.phases)]
    texts = [get_action_text_or_name(action) for action in actions]
    kinds = [
        CardLikeThing(text if texts.count(text) == 1 else f"{text} ({action.name})", "action", uses=list(action.idents))
        for action, text in zip(actions, texts, strict=True)
    ]
    named = [a for a in actions if a.count > 1 and all(parameter.labels for parameter in a.params)]
    single = []
    if not things:
        idents = [ident for action in named for ident in action.idents]
        single = [CardLikeThing(game.show(ident), "choice", uses=[ident]) for ident in idents]
    for thing in things:
        if len(thing.uses) > 1:
            single += [CardLikeThing(game.show(ident), "choice", thing.component, uses=[ident]) for ident in thing.uses]
    return kinds + (single if len(single) <= _MOST_CHOICES else [])


def measure_worth_of_actions_by_denying_them(
    bench: GameRunner, things: Sequence[CardLikeThing], games: int
) -> list[CardWorth]:
    """Return what each way to play is worth to a seat that never takes it while it has another choice (restricted
    play: Jaffe and others, "Evaluating Competitive Game Balance with Restricted Play", AIIDE 2012)."""
    return measure_causal_worth_of_cards_best_first(bench, list_actions_to_deny_a_seat(bench, things), games)


# -- association ----------------------------------------------------------------------------------------------------


class HoldingStatistics:
    """How often seats that held a thing won, gathered from records of games."""

    def __init__(self, things: Sequence[CardLikeThing], seats: int) -> None:
        self.things, self.seats = things, seats
        self._rows: list[tuple[npt.NDArray[np.bool_], IntArray]] = []

    def add_holdings_of_recorded_games(self, record: GameRecords, wins_by_game_and_seat: IntArray) -> None:
        """Note who held or used what in the games of a record; `wins_by_game_and_seat` is a row per game, a column
        per seat."""
        held = np.zeros((len(record.numbers), self.seats, len(self.things)), dtype=np.bool_)
        game, actor, ident = (record.steps[:, column] for column in (0, 1, IDENT))
        ground = max((max(thing.uses + thing.deals, default=0) for thing in self.things), default=0)
        for number, thing in enumerate(self.things):
            for seat, cells in thing.cells.items():
                for cell, wanted in cells:
                    values = record.states[:, cell]
                    there = values > 0 if wanted < 0 else values == wanted
                    held[game[there], seat, number] = True
            if not thing.cells:
                marks = thing.build_array_marking_deals_and_uses(ground + 1)
                takes = (actor >= 0) & (ident >= 0) & (marks[np.clip(ident, 0, ground)] == USES)
                held[game[takes], actor[takes], number] = True
        self._rows.append((held, wins_by_game_and_seat))

    def estimate_win_differences_of_holding(self) -> list[Estimate]:
        """Return for each thing the wins of seats that held it less those of seats that did not. The interval takes
        the seats of one game as dependent."""
        if not self._rows:
            return [Estimate(None, None, None, 0) for _ in self.things]
        held = np.concatenate([rows for rows, _ in self._rows])
        won = np.concatenate([wins for _, wins in self._rows])
        return [
            replace(
                _estimate_win_difference_of_holding(held[:, :, number], won),
                game=_find_first_game_won_while_holding(held[:, :, number], won),
            )
            for number in range(len(self.things))
        ]


def _estimate_win_difference_of_holding(was_held: npt.NDArray[np.bool_], wins_by_game_and_seat: IntArray) -> Estimate:
    """Return the mean of `wins_by_game_and_seat` where held less where not, with a linearised variance over games
    as clusters."""
    have, lack = was_held.sum(), (~was_held).sum()
    if not have or not lack:
        return Estimate(None, None, None, int(have))
    with_it, without = (
        (wins_by_game_and_seat * was_held).sum() / have,
        (wins_by_game_and_seat * ~was_held).sum() / lack,
    )
    influence = ((wins_by_game_and_seat - with_it) * was_held).sum(axis=1) / have - (
        (wins_by_game_and_seat - without) * ~was_held
    ).sum(axis=1) / lack
    games = len(wins_by_game_and_seat)
    half = 1.959964 * float(np.sqrt((influence**2).sum() * games / max(1, games - 1)))
    value = float(with_it - without)
    return Estimate(value, value - half, value + half, int(have))


def _find_first_game_won_while_holding(was_held: npt.NDArray[np.bool_], wins_by_game_and_seat: IntArray) -> int | None:
    """Return the first game that a seat wins with the thing; None if there is none."""
    games = np.flatnonzero((was_held & (wins_by_game_and_seat > 0)).any(axis=1))
    return int(games[0]) if len(games) else None


# -- what chance deals and players use -----------------------------------------------------------------------
# The things of a game that chance deals and players use, read from its description: cards by their words.


@dataclass
class CardLikeThing:
    """A card or its like. `word` is what the rules call it, and `title` what is printed on it, if that is another name.
    `deals` and `uses` are ground actions of chance and of players that name it. `cells[seat]` lists the cells that hold
    it for a seat, each with the value that means it (-1: the cell counts it)."""

    word: str
    kind: str
    component: str | None = None
    title: str = ""
    deals: list[int] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)
    cells: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    from_zone: bool = False
    for_all: bool = False
    """Whether it counts as held once chance deals it: no side plays against another, so it comes to all."""

    def build_array_marking_deals_and_uses(self, ground_action_count: int) -> IntArray:
        """Return for each ground action what it has to do with the thing."""
        made = np.zeros(max(1, ground_action_count), dtype=np.int64)
        made[self.deals] = DEALS
        made[self.uses] = USES
        return made

    def build_array_of_holding_cells_by_seat(self, seats: int) -> IntArray:
        """Return the cells in the shape of `Recorder.treated`."""
        most = max((len(cells) for cells in self.cells.values()), default=0)
        made = np.zeros((seats, 1 + 2 * max(1, most)), dtype=np.int64)
        if self.for_all:
            made[:, 0] = EVERY_DEAL
            return made
        for seat, cells in self.cells.items():
            made[seat, 0] = len(cells)
            for number, pair in enumerate(cells):
                made[seat, 1 + 2 * number : 3 + 2 * number] = pair
        return made


def list_card_like_things_of_game(variant: Variant) -> list[CardLikeThing]:
    """Return the things of a game in the order of its actions."""
    game = variant.game
    components = _map_names_to_component_ids(variant)
    made: dict[str, CardLikeThing] = {}
    for action in game.actions:
        chance = _is_taken_by_chance_only(game, action)
        zones = map_parameters_to_zones_drawn_from(action) if chance else {}
        for ident in action.idents:
            for word, kind, parameter in _iter_value_names_kinds_and_parameters(game, action, ident, zones):
                if word not in made:
                    component = components.get(word) or _find_only_component_id_named_in_word(variant, word)
                    made[word] = CardLikeThing(
                        word, kind, component, _get_name_of_component_or_empty(variant, word, component)
                    )
                thing = made[word]
                thing.from_zone |= parameter in zones
                (thing.deals if chance else thing.uses).append(ident)
    _add_holding_cells_to_things(game, made)
    for thing in made.values():
        thing.for_all = bool(thing.deals) and len(game.sides) == 1
    return [thing for thing in made.values() if _is_dealt_or_held_like_card(thing)]


def map_parameters_to_zones_drawn_from(action: Action) -> dict[str, Field]:
    """Return the array that an action takes something from, by the parameter that says what: a place of the array that
    its body lowers, as `draw` of a zone does."""
    names = {parameter.local.number: parameter.local.name for parameter in action.params}
    made: dict[str, Field] = {}
    for statement in iter_statements_recursively(action.body):
        if not isinstance(statement, Assign) or not statement.field.shape:
            continue
        # A bag's count is lowered by one where the card itself is the index.
        locals_in = [t for t in iter_term_and_subterms(statement.index) if isinstance(t, Local) and t.number in names]
        lowered = isinstance(statement.value, Op) and statement.value.op == "-"
        if len(locals_in) == 1 and lowered:
            made.setdefault(names[locals_in[0].number], statement.field)
    return made


def _is_dealt_or_held_like_card(thing: CardLikeThing) -> bool:
    dealt = bool(thing.deals) and (thing.component is not None or thing.from_zone)
    return dealt or (bool(thing.cells) and bool(thing.deals or thing.uses))


def _map_names_to_component_ids(variant: Variant) -> dict[str, str]:
    """Return the id of the component for each word that names one: its id, its name or its title."""
    if variant.data is None:
        return {}
    made: dict[str, str] = {}
    for ident, component in variant.data.components.items():
        made.setdefault(ident, ident)
        made.setdefault(str(component.name), ident)
        title = component.fields.get("title") if hasattr(component, "fields") else None
        if isinstance(title, str):
            made.setdefault(title, ident)
    return made


def _find_only_component_id_named_in_word(variant: Variant, word: str) -> str | None:
    """Return the component whose id and name a word holds, as "01 The Path" does; None if none, or several."""
    if variant.data is None:
        return None
    found = [
        ident
        for ident, component in variant.data.components.items()
        if str(component.name) in word and ident in word.replace(str(component.name), "")
    ]
    return found[0] if len(found) == 1 else None


def _get_name_of_component_or_empty(variant: Variant, word: str, component: str | None) -> str:
    """Return the name on a component that the rules call by its id."""
    if variant.data is None or component is None or word != component:
        return ""
    name = str(variant.data.components[component].name)
    return "" if name == word else name


def _iter_value_names_kinds_and_parameters(
    game: Game, action: Action, ground_action: int, zones: Mapping[str, Field]
) -> Iterable[tuple[str, str, str]]:
    """Yield the names of the parameters' values of a ground action, each with its kind and its parameter's name. A
    value without a name counts where it is taken from a zone."""
    for parameter, value in zip(action.params, action.get_values_of_ground_action(ground_action), strict=True):
        name = parameter.local.name
        if parameter.labels:
            yield (parameter.format_value(value), _get_claim_family_or_default(game, parameter.labels, name), name)
        elif name in zones:
            yield f"{name} {parameter.format_value(value)}", name, name


def _get_claim_family_or_default(game: Game, labels: tuple[str, ...], default: str) -> str:
    """Return the family of a game's claims that these words belong to, or the parameter's name."""
    families: Mapping[str, Mapping[str, Any]] = game.facts.get("families") or {}
    for name, members in families.items():
        if set(labels) <= set(members):
            return name
    return default


def _is_taken_by_chance_only(game: Game, action: Action) -> bool:
    return all(game.phases[phase].chance for phase in action.phases)


def _add_holding_cells_to_things(game: Game, things: Mapping[str, CardLikeThing]) -> None:
    """Note for each thing the cells in which a seat holds it: a count under its name, or a value with its name."""
    look = DisplayFacts.from_game(game)
    zones = {
        held.name
        for action in game.actions
        for held in map_parameters_to_zones_drawn_from(action).values()
        if _is_taken_by_chance_only(game, action)
    }
    alone = game.players == 1 and not any(thing.component for thing in things.values())
    for held in game.fields:
        if held.name in (game.facts.get("hidden") or ()) or held.name in zones:
            continue
        if alone:
            _add_cells_of_only_player_to_things(held, look, things)
        if not look.has_separate_part_per_seat(held):
            continue
        if len(held.shape) == 2 and (names := look.get_declared_place_names_or_none(held, 1)) is not None:
            _add_counting_cells_to_things(held, names, things)
        elif len(held.shape) == 1:
            _add_cells_with_thing_value_to_things(held, look.get_names_of_field_values(held), things)


def _add_cells_of_only_player_to_things(
    field_held: Field, look: DisplayFacts, things: Mapping[str, CardLikeThing]
) -> None:
    """Note what the only player's fields hold: they need no place for a seat."""
    cells = range(field_held.offset, field_held.offset + prod(field_held.shape))
    names = look.get_declared_place_names_or_none(field_held, 0) if len(field_held.shape) == 1 else None
    for cell, name in zip(cells, names or (), strict=False):
        if name in things:
            things[name].cells.setdefault(0, []).append((cell, -1))
    for value, word in enumerate(look.get_names_of_field_values(field_held), field_held.lo):
        if word in things:
            things[word].cells.setdefault(0, []).extend((cell, value) for cell in cells)


def _add_counting_cells_to_things(field_held: Field, names: Iterable[str], things: Mapping[str, CardLikeThing]) -> None:
    for place, word in enumerate(names):
        if word in things:
            for seat in range(field_held.shape[0]):
                cell = field_held.offset + seat * field_held.shape[1] + place
                things[word].cells.setdefault(seat, []).append((cell, -1))


def _add_cells_with_thing_value_to_things(
    field_held: Field, words: Iterable[str], things: Mapping[str, CardLikeThing]
) -> None:
    for value, word in enumerate(words, field_held.lo):
        if word in things:
            for seat in range(field_held.shape[0]):
                things[word].cells.setdefault(seat, []).append((field_held.offset + seat, value))
