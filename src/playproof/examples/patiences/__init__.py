"""What patience games among the examples share."""
