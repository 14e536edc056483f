"""The parts of a page, a file each: from what is known to the values of a template."""
