"""Experiments on Express and pg in Node, in front of PostgreSQL."""
