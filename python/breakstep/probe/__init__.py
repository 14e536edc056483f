"""Server-side signals, one source a file; a probe only reads."""
