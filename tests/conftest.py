"""What all tests share."""

from hypothesis import settings

# Other people's load may slow a test down; that is no fault of the code. A failure prints how to
# repeat it.
settings.register_profile("breakstep", deadline=None, print_blob=True)
settings.load_profile("breakstep")
