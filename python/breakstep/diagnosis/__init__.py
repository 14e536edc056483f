"""What saturated first: one hypothesis a file, their ranking and the evidence."""
