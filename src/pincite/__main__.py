"""`python -m pincite` is the same program as the command `pincite`."""

from pincite.surfaces.cli.app import program

if __name__ == "__main__":
    program()
