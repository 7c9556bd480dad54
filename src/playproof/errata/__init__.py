"""What a published change is, what it does and what one sends out.

Start reading at `dossier.py`. `versions.py` loads both versions, `changes.py` compares their cards, `claims.py` their
claims, `play_comparison.py` their games; `published_files.py` writes what one sends."""
