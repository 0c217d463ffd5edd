"""Stories of the office itself, over both engines of its journal."""
