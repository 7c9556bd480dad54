"""The command `playproof`. It is thin: every verb calls one function of another package."""
