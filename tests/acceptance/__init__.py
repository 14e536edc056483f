"""The program as its users meet it, against a service whose truth is known."""
