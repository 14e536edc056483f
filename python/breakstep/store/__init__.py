"""The run directory: what a run leaves behind."""
