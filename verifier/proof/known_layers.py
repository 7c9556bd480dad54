"""Layers of conditions that the kernel has accepted for a case, by their words: a claim that rests on the same
conditions need not look for a proof of them."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.proof.evidence import build_reachable_phase_conditions
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import GameCase

ConditionTexts = tuple[str, ...]
LemmasByConditions = dict[tuple[ConditionTexts, ConditionTexts], Lemma]
"""Layers by the conditions that they assume, and by their own."""
LAYERS: Cache[tuple[ConditionTexts, ConditionTexts], Lemma] = Cache()


def has_accepted_lemma(case: GameCase, conditions: Sequence[str]) -> bool:
    """Return whether the kernel has accepted a layer of these conditions."""
    return any(words == tuple(conditions) for _, words in LAYERS.get_entries(case))


def store_accepted_lemmas(case: GameCase, certificate: Certificate) -> None:
    """Keep the layers of a certificate that the kernel has accepted, for claims that rest on the same conditions."""
    for key, layer in index_lemmas_by_conditions(case.game, certificate).items():
        LAYERS.get_entries(case).setdefault(key, layer)


def index_lemmas_by_conditions(game: Game, certificate: Certificate) -> LemmasByConditions:
    """Return the layers of a certificate by the conditions that they assume and by their own, those of phases apart."""
    layers = certificate.layers if isinstance(certificate, Invariant) else ()
    of_phases = tuple(build_reachable_phase_conditions(game))
    by_words: LemmasByConditions = {}
    for layer in layers:
        assumed = tuple(text for n in layer.on for text in layers[n].conjuncts)
        by_words[assumed, layer.conjuncts] = layer
        if of_phases and layer.conjuncts[-len(of_phases) :] == of_phases:
            by_words[assumed, layer.conjuncts[: -len(of_phases)]] = layer
    return by_words
