"""Small tools that know nothing of search."""
