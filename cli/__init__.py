"""The command `playproof`: thin, every verb calls one function of the house."""
