"""The frontends: MCP, the local socket, HTTP, and the command line."""
