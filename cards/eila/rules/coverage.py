"""Rules of the rulebook that nothing here carries out, and why. Every other rule is cited where it is carried out."""

NOT_APPLICABLE = {
    "R64": "Supports work as Items do, but the demo has no Support card (ruling A3).",
    "R65": "Combat, riddles and walks on the map begin with Chapter 2, which the demo does not have.",
}
