"""From flags to a Plan, with every fault listed at once."""
