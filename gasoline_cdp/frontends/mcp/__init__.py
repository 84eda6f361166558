"""The MCP server, and what a client can list, read, complete and subscribe to."""
