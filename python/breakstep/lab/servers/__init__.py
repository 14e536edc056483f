"""Real servers as child processes: one file a server, none of the system's services touched."""
