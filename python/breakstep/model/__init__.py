"""The nouns of breakstep: frozen values, importing nothing of ours."""
