"""The context in which this package's readings answer what the words of a claim are."""

from __future__ import annotations

from dataclasses import dataclass

from playproof.database.errors import Where
from playproof.language.game import Game
from playproof.verifier.kernel import context
from playproof.verifier.kernel.strict_json import Json
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.laws import law_spec_to_data
from playproof.verifier.questions.ledger import ledger_spec_to_data, list_names_and_specs_of_laws
from playproof.verifier.questions.strategies import strategy_spec_to_data, worth_spec_to_data
from playproof.verifier.questions.targets import TargetReader


def read_claim_part(game: Game, kind: str, part: Json) -> Json:
    """Return a part of a claim in words as data of claim terms, of which the kernel makes what is checked. Raises
    InputError."""
    targets = TargetReader(game)
    match kind:
        case "condition":
            return ConditionReader(game, Where(game.name)).condition_text_to_data(part)
        case "number":
            return targets.number_text_to_data(part)
        case "target":
            return targets.single_target_spec_to_data(*part)
        case "members":
            return targets.list_names_and_specs_of_family(part)
        case "ledger":
            cards = () if game.cards is None else tuple(game.cards.components.values())
            return ledger_spec_to_data(cards, part[0], Where(game.name))
        case "law":
            return law_spec_to_data(game, part)
        case "laws":
            return list_names_and_specs_of_laws(game, part)
        case "strategy":
            return strategy_spec_to_data(game, part)
        case "worth":
            return worth_spec_to_data(game, part)
    raise ValueError(f"claims have no parts of the kind `{kind}`")


@dataclass(eq=False)
class Context(context.Context):
    """A context of the kernel that asks `read_claim_part` what words mean."""

    read: context.PartReader | None = read_claim_part
