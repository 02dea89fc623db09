"""What a system gets right and wrong: breakdowns, looser matches, errors and differences."""
