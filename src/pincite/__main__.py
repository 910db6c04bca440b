"""`python -m pincite` is the same program as the command `pincite`."""

from pincite.surfaces.cli.app import main

if __name__ == "__main__":
    main()
