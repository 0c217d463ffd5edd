"""How letters travel. A carrier knows the outside world and the dialects, never the office."""
