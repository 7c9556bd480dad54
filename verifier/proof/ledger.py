"""Answers to `ledger`: what the cards say, counted from the cards."""

from __future__ import annotations

from playproof.verifier.kernel.strict import to_json
from playproof.verifier.kernel.tally import Tally, digest_cards
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.ledger import evaluate_ledger_claim, format_breaking_rows
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase


def answer_card_ledger_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return what the cards give, and name the rows that break the claim."""
    if case.game.cards is None:
        return Conclusion(None, "", (), "the rules have no cards")
    result = evaluate_ledger_claim(tuple(case.game.cards.components.values()), question.of, question.where)
    bound = {"breaks": format_breaking_rows(result.breakers)} if result.breakers else {}
    cards = digest_cards(case.game, case.context)
    tally = Tally(to_json(question.of), cards, to_json(result.value), result.members)
    return Conclusion(result.value, "cards", ((tally,),), bound=bound, vacuous=result.value is None)
