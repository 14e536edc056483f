"""Pure functions from measured values to judgements."""
