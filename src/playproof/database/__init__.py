"""Reads and checks `cards/` and `layouts/`: typed objects that know their file, line and column.

Start reading at `game.py` (`load_game`); `source.py` reads YAML with places, `errors.py` says what a finding is,
`patch.py` applies errata, `lint.py` checks the cards. Imports no other package."""
