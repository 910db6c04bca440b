"""The HTTP API of workspaces: `pincite serve`."""
