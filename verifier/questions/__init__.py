"""What is asked: claims, the conditions and targets they speak of, verdicts and sentences."""
