"""Collections as users see them: bases with their members, and collections of other programs."""
