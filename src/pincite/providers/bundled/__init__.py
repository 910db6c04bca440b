"""The model that comes with Pincite: fetching, converting and running it."""
