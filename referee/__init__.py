"""Plays: engine, views, bots, transcripts, playtests, terminal."""
