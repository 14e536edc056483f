"""Real servers for the tests: child processes and threads on free loopback ports."""
