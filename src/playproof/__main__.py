"""`python -m playproof` is the command `playproof`."""

from playproof.cli.main import main

main()
