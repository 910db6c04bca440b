"""A page in the browser to look at results: `pincite ui`."""
