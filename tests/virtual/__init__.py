"""Steps and whole searches against the model server's queue in virtual time."""
