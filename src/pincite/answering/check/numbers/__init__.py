"""Numbers and dates in texts: their values and units."""
