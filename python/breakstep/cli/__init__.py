"""One file a command; no logic."""
