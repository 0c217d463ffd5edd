"""The office as tools of an MCP server: over a program's standard streams, and over HTTP."""

INBOX = "mail://inbox"  # the resource that can be subscribed to
