"""The labs: real servers, experiments on them, and whether what must come out came out."""
