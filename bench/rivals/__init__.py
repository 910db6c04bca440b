"""Other systems beside Pincite: each runs in a process, and often a Python, of its own."""
