"""Whole stories, told by real processes: of letters between dialects, of newcomers, of clients."""
