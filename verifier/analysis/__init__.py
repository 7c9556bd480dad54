"""What many proofs say together: choices, changed games, economy, strategies put to use."""
