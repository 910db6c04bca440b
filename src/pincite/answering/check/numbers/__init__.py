"""Numbers and dates in texts: what they are worth, and what they count."""
