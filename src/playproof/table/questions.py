"""Questions that people ask at a table: "may I?" and "why not?", answered with the rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.language import Broken, Phase
from playproof.language.game import Action
from playproof.referee.notation import has_words
from playproof.table.action_targets import spaced
from playproof.table.sitting import Refused, Sitting

_MOST_MEANT = 12  # actions that a short question may mean
_MOST_CITED = 2  # rules cited for another phase


def why_not(sitting: Sitting, seat: int | None, words: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Return the actions with one of these words that are not legal now, and the reasons; those
    that fail the fewest requirements come first.

    It computes reasons only for the seat that acts, in its own phase, because there the seat may
    know them. For actions of other phases it gives only the phase. Raises Refused if the game is
    over or it is not the seat's turn.
    """
    match, game = sitting.match, sitting.variant.game
    if match.over:
        raise Refused("the game is over")
    if seat is None or not sitting.asks(seat):
        raise Refused("who watches does not play" if seat is None else sitting.whose_turn(seat))
    if sitting.paper is None and seat != match.actor:
        # The rules ask another seat: reasons worked out now would be that seat's.
        raise Refused("all choose at once: what you may choose is listed; the rest may not be chosen")
    present = {action.number for action in game.phases[match.state[0]].actions}
    here: dict[str, list[str]] = {}
    elsewhere: dict[str, list[str]] = {}
    for action, ident, text in _called(sitting, words):
        if action.number in present:
            broken = _broken(sitting, ident)
            if broken:
                here[text] = [_reason(sitting, guard) for guard in broken]
        else:
            moments = [game.phases[n] for n in action.phases]
            later = next((phase for phase in moments if phase.text and not phase.chance), None)
            if later is not None:
                elsewhere.setdefault(text, [_of_another_moment(sitting, action, later)])
    nearest = sorted(here.items(), key=lambda item: len(item[1]))
    return nearest or list(elsewhere.items())


def may(sitting: Sitting, seat: int | None, words: str) -> str:
    """Answer "may I?", with the rule. Raises Refused as `why_not` does, or if no action has
    these words."""
    can = [move.text for move in sitting.legal(seat) if has_words(move.text, words)]
    if can:
        more = f", and {len(can) - 3} more" if len(can) > 3 else ""
        return f"yes: {', '.join(can[:3])}{more}"
    reasons_of = why_not(sitting, seat, [words]) or _why_not_worded(sitting, seat, words)
    lines = [f"no: {text}: {'; '.join(reasons)}" for text, reasons in reasons_of[:3]]
    return "\n".join([*lines, *([f"and {len(reasons_of) - 3} more"] if len(reasons_of) > 3 else [])])


def _why_not_worded(sitting: Sitting, seat: int | None, words: str) -> list[tuple[str, list[str]]]:
    """Do the same for words that an action contains, but not side by side."""
    texts = {text for _, _, text in _called(sitting, [""]) if has_words(text, words)}
    reasons_of = why_not(sitting, seat, sorted(texts, key=len)[:_MOST_MEANT]) if texts else []
    if not reasons_of:
        match = sitting.match
        near = match.lexicon.near(words, match.play.legal(match.state) if sitting.legal(seat) else ())
        raise Refused(
            f"no action is called `{words}`" + (f"; did you mean: {', '.join(near)}?" if near else "")
        )
    return reasons_of


def _broken(sitting: Sitting, ident: int) -> tuple[Broken, ...]:
    return sitting.paper.may(ident) if sitting.paper is not None else sitting.match.why_not(ident)


def _called(sitting: Sitting, words: Sequence[str]) -> Iterator[tuple[Action, int, str]]:
    """Yield the actions that contain one of these words, with number and text."""
    wanted = [spaced(word) for word in words]
    for ident, action, values in sitting.variant.game.idents():
        text = action.show(values)
        if any(word in spaced(text) or not word.strip() for word in wanted):
            yield action, ident, text


def _reason(sitting: Sitting, broken: Broken) -> str:
    """Return a failed requirement with its rule's number and the rulebook's words."""
    return " — ".join([str(broken), *_said_by(sitting, broken.rule.split())])


def _of_another_moment(sitting: Sitting, action: Action, phase: Phase) -> str:
    """Return when an action may be taken, with the rules that say so."""
    cited = dict.fromkeys([*action.rules, *phase.rules])
    return " — ".join(
        [f"not now, but when the game says: {phase.text}", *_said_by(sitting, [*cited][:_MOST_CITED])]
    )


def _said_by(sitting: Sitting, idents: Sequence[str]) -> list[str]:
    """Return rules with their numbers and the rulebook's words, if there is a rulebook."""
    rules = getattr(sitting.variant.data, "rules", {})
    return [f"{ident}: {rules[ident].text}" for ident in idents if ident in rules]
