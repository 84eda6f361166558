"""Every way in: MCP, the local socket, the command line."""
