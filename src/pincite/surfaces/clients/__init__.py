"""Configuration files of agents' clients: add Pincite's server to them, and remove it."""
