"""Messages between a daemon and its clients: protocol, versions, transport."""
