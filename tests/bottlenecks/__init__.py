"""Real stacks with a known bottleneck, broken for real, to see whether the diagnosis names it."""
