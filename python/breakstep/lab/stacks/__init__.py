"""What the experiments are made on: servers put together, each a context manager."""
