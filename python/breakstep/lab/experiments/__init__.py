"""The experiments: a file each, `GROUP/NAME.py`, which holds one `EXPERIMENT`."""
