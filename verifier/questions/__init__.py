"""Questions: claims, their conditions and targets, verdicts and sentences. Start reading at `claims.py`."""
