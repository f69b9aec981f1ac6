"""Quality estimation: how good a translation is, judged from the source and the output alone."""
