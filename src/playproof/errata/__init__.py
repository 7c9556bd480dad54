"""What a published change is, what it does and what one sends out: versions, families, claims, play, dossiers."""
