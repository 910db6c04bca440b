"""The model that comes with Pincite: fetched, converted, run."""
