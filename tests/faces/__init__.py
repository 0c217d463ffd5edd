"""Stories of the doors: real clients, real servers, a real office."""
