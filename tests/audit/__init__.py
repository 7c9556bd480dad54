"""The audit of values: each value of a game's YAML files is changed once, and its change must show somewhere.
`python -m tests.audit GAME` asks it; `unseen.yaml` lists what need not show, each with the reason."""
