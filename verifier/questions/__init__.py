"""Questions: claims, their conditions and targets, verdicts and sentences."""
