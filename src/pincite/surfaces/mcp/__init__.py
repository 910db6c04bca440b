"""An MCP server over an index: `pincite mcp`."""
