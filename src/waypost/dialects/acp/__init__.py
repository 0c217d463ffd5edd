"""ACP: JSON envelopes between live peers: twelve kinds, and the hello before them. Pure."""
