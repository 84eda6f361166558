"""Every way in: MCP, the local socket, HTTP, the command line."""
