"""Numbers that bound what the frontends take and give, each with its reason; `gasoline_cdp.limits` has the others."""

from gasoline_cdp.limits import KB, MB

# A snapshot in a file is some 100 KB; what is larger was not written by us.
SNAPSHOT_FILE_BYTES = 4 * MB

# HTTP. Where it listens unless a person says otherwise; another program there makes it any free port.
HTTP_PORT = 7890
# Clients at once: 200 event streams and as many again for everything else.
HTTP_CONNECTIONS = 400
# A connection on which no whole request head has come, or no next request.
HTTP_IDLE_SECONDS = 5.0
# A request's line and headers: browsers and servers agree on about this much. And how much is read at a time.
HTTP_HEAD_BYTES = 16 * KB
HTTP_READ_BYTES = 64 * KB
# For a request's body, once its head is there.
HTTP_BODY_SECONDS = 10.0
# A client that reads nothing of an answer for so long is dropped. In the kernel at most so much waits for it.
HTTP_STALLED_SECONDS = 10.0
HTTP_SEND_BYTES = 256 * KB
# Bodies of requests. A tool's arguments and a boundary are small; the MCP library's own limit is the same.
HTTP_SMALL_BYTES = 64 * KB
HTTP_TOOL_BYTES = 1 * MB
HTTP_MCP_BYTES = 4 * MB
INGEST_BYTES = 1 * MB
# Nobody writes JSON deeper than this by hand or by program; the recursion limits of readers lie above.
JSON_DEPTH = 100
# Callers over HTTP that have told their name; the least recently heard of goes.
HTTP_CALLERS = 100
HTTP_CALLER_CHARS = 100
# MCP sessions over HTTP, and how long one may say nothing.
MCP_SESSIONS = 100
MCP_SESSION_SECONDS = 1800.0
# 192 bits, as the ingest key has.
SESSION_BYTES = 24
# Event streams, and the comment that keeps one alive through proxies.
EVENT_STREAMS = 250
EVENT_STREAM_COMMENT_SECONDS = 15.0
# Ingestion: a busy page posts every 100 ms to one endpoint or two, and ten of them run side by side in CI.
INGEST_PER_SECOND = 200
INGEST_BURST = 1000
INGEST_ORIGINS = 100

# Progress is for people to watch; more often than this it only costs.
PROGRESS_SECONDS = 0.1
PROGRESS_CHARS = 200

# Resources.
# How often a client hears that a resource has changed.
RESOURCE_UPDATE_SECONDS = 1.0
# Values that one completion offers: the protocol's own limit.
COMPLETIONS = 100
# What a person types into a prompt's argument.
PROMPT_ARGUMENT_CHARS = 500

# The daemon that an editor started: how long it waits for somebody to come back; how long what was captured can be
# read after a person closed the browser; and how long it says that the browser cannot be had. The next call then
# starts a new one, which tries again.
IDLE_SECONDS = 600.0
CLOSED_SECONDS = 120.0
FAILED_SECONDS = 10.0
# Requests of one client that are worked on at a time; the next ones wait, and the other clients do not. Of those that
# wait so much is held: some thousand calls. What comes on top is refused.
CLIENT_REQUESTS = 16
CLIENT_WAITING_BYTES = 1 * MB

# Sides of a page that --viewport takes, in CSS pixels: the smallest watch to a wall of screens.
VIEWPORT_MIN = 200
VIEWPORT_MAX = 8000
