"""What tests of live agents stand on: agents with keys, ears, a bad network, a raw client."""
