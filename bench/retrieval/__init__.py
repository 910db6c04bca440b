"""Is what is relevant found? Public collections, the golden set, and what settings change."""
