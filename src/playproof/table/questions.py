"""Questions that people ask at a table: "may I?" and "why not?", answered with the rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.language import Broken, Phase
from playproof.language.game import Action
from playproof.referee.notation import has_all_word_beginnings
from playproof.table.action_targets import normalize_words
from playproof.table.sitting import GameSession, RequestRefused

_MOST_MEANT = 12  # actions that a short question may mean
_MOST_CITED = 2  # rules cited for another phase


def find_refused_actions(
    session: GameSession, seat: int | None, words: Sequence[str]
) -> list[tuple[str, list[str]]]:
    """Return the actions with one of these words that are not legal now, and the reasons; those
    that fail the fewest requirements come first.

    It computes reasons only for the seat that acts, in its own phase, because there the seat may
    know them. For actions of other phases it gives only the phase. Raises Refused if the game is
    over or it is not the seat's turn.
    """
    match, game = session.match, session.variant.game
    if match.over:
        raise RequestRefused("the game is over")
    if seat is None or not session.needs_action_from(seat):
        raise RequestRefused(
            "who watches does not play" if seat is None else session.explain_whose_turn(seat)
        )
    if session.reported_match is None and seat != match.actor:
        # The rules ask another seat: reasons worked out now would be that seat's.
        raise RequestRefused("all choose at once: what you may choose is listed; the rest may not be chosen")
    present = {action.number for action in game.phases[match.state[0]].actions}
    here: dict[str, list[str]] = {}
    elsewhere: dict[str, list[str]] = {}
    for action, ident, text in _iter_actions_with_words(session, words):
        if action.number in present:
            broken = _find_failed_requirements(session, ident)
            if broken:
                here[text] = [_format_reason(session, guard) for guard in broken]
        else:
            moments = [game.phases[n] for n in action.phases]
            later = next((phase for phase in moments if phase.text and not phase.chance), None)
            if later is not None:
                elsewhere.setdefault(text, [_describe_other_phase(session, action, later)])
    nearest = sorted(here.items(), key=lambda item: len(item[1]))
    return nearest or list(elsewhere.items())


def answer_may_question(session: GameSession, seat: int | None, words: str) -> str:
    """Answer "may I?", with the rule. Raises Refused as `find_refused_actions` does, or if no action has
    these words."""
    can = [
        move.text for move in session.list_moves_of_seat(seat) if has_all_word_beginnings(move.text, words)
    ]
    if can:
        more = f", and {len(can) - 3} more" if len(can) > 3 else ""
        return f"yes: {', '.join(can[:3])}{more}"
    reasons_of = find_refused_actions(session, seat, [words]) or _find_refused_by_word_beginnings(
        session, seat, words
    )
    lines = [f"no: {text}: {'; '.join(reasons)}" for text, reasons in reasons_of[:3]]
    return "\n".join([*lines, *([f"and {len(reasons_of) - 3} more"] if len(reasons_of) > 3 else [])])


def _find_refused_by_word_beginnings(
    session: GameSession, seat: int | None, words: str
) -> list[tuple[str, list[str]]]:
    """Do the same for words that an action contains, but not side by side."""
    texts = {
        text for _, _, text in _iter_actions_with_words(session, [""]) if has_all_word_beginnings(text, words)
    }
    reasons_of = find_refused_actions(session, seat, sorted(texts, key=len)[:_MOST_MEANT]) if texts else []
    if not reasons_of:
        match = session.match
        near = match.lexicon.suggest_similar_wordings(
            words, match.play.legal(match.state) if session.list_moves_of_seat(seat) else ()
        )
        raise RequestRefused(
            f"no action is called `{words}`" + (f"; did you mean: {', '.join(near)}?" if near else "")
        )
    return reasons_of


def _find_failed_requirements(session: GameSession, action_id: int) -> tuple[Broken, ...]:
    return (
        session.reported_match.find_forbidding_requirements(action_id)
        if session.reported_match is not None
        else session.match.why_not(action_id)
    )


def _iter_actions_with_words(session: GameSession, words: Sequence[str]) -> Iterator[tuple[Action, int, str]]:
    """Yield the actions that contain one of these words, with number and text."""
    wanted = [normalize_words(word) for word in words]
    for ident, action, values in session.variant.game.iter_ground_actions():
        text = action.format_action(values)
        if any(word in normalize_words(text) or not word.strip() for word in wanted):
            yield action, ident, text


def _format_reason(session: GameSession, broken: Broken) -> str:
    """Return a failed requirement with its rule's number and the rulebook's words."""
    return " — ".join([str(broken), *_quote_rules(session, broken.rule.split())])


def _describe_other_phase(session: GameSession, action: Action, phase: Phase) -> str:
    """Return when an action may be taken, with the rules that say so."""
    cited = dict.fromkeys([*action.rules, *phase.rules])
    return " — ".join(
        [f"not now, but when the game says: {phase.text}", *_quote_rules(session, [*cited][:_MOST_CITED])]
    )


def _quote_rules(session: GameSession, rule_ids: Sequence[str]) -> list[str]:
    """Return rules with their numbers and the rulebook's words, if there is a rulebook."""
    rules = getattr(session.variant.data, "rules", {})
    return [f"{ident}: {rules[ident].text}" for ident in rule_ids if ident in rules]
