"""Stories of the office."""
