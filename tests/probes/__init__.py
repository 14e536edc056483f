"""Each probe against the real server that it reads."""
