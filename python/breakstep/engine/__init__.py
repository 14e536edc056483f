"""Drives the data plane: one step of load in, one measurement out."""
