"""The configuration files of agents' clients: Pincite's server is put into them and taken out."""
