"""Long trials that go beyond the tests: `scripts/campaign NAME` runs one and prints a table."""
