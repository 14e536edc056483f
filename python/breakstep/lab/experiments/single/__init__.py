"""Experiments on one server without a database: plain Node."""
