"""The parts of the storm of the office: who writes, takes, kills, spoils and reckons."""
