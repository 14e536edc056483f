"""breakstep finds the load at which a service breaks."""
