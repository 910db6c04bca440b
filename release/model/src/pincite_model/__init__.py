"""The dense model of Pincite: a folder for each model, and nothing that is run."""
