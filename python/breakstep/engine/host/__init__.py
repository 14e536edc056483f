"""The machine that the load comes from: what its counters, its clock and its cores say."""
