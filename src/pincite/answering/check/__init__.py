"""The check of an answer against the passages that it cites, and whether it is a refusal."""
