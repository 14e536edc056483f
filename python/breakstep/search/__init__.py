"""Controllers: they see the history and say the next step. No I/O."""
