"""Collections as users see them: a base with its members, and those of other programs."""
