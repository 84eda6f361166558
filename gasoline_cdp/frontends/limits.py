"""Limits of what the frontends accept and send, each with its reason. `gasoline_cdp.limits` has the others."""

from gasoline_cdp.limits import KB, MB

# A snapshot file has about 100 KB. We did not write a file that is larger than this.
SNAPSHOT_FILE_BYTES = 4 * MB

# HTTP. The default port. If another program has it, any free port is used.
HTTP_PORT = 7890
# Concurrent clients: 200 event streams, and as many again for everything else.
HTTP_CONNECTIONS = 400
# How long a connection may wait without a complete request head, or without a next request.
HTTP_IDLE_SECONDS = 5.0
# The limit of a request line with its headers, about the same as in browsers and servers. And the size of one read.
HTTP_HEAD_BYTES = 16 * KB
HTTP_READ_BYTES = 64 * KB
# For the body of a request, after its head has arrived.
HTTP_BODY_SECONDS = 10.0
# A client that reads nothing of an answer for so long is dropped. The kernel buffers at most so much for it.
HTTP_STALLED_SECONDS = 10.0
HTTP_SEND_BYTES = 256 * KB
# Request bodies. A tool's arguments and a boundary are small. The MCP library's own limit is the same.
HTTP_SMALL_BYTES = 64 * KB
HTTP_TOOL_BYTES = 1 * MB
HTTP_MCP_BYTES = 4 * MB
INGEST_BYTES = 1 * MB
# No person and no program writes JSON deeper than this. The recursion limits of JSON parsers are higher.
JSON_DEPTH = 100
# Callers over HTTP that gave a name. The least recently active one is dropped.
HTTP_CALLERS = 100
HTTP_CALLER_CHARS = 100
# MCP sessions over HTTP, and how long one may be idle.
MCP_SESSIONS = 100
MCP_SESSION_SECONDS = 1800.0
# 192 bits, like the ingest key.
SESSION_BYTES = 24
# Event streams, and the comment that keeps one alive through proxies.
EVENT_STREAMS = 250
EVENT_STREAM_COMMENT_SECONDS = 15.0
# Ingestion: a busy page posts every 100 ms to one endpoint or two, and ten of them run side by side in CI.
INGEST_PER_SECOND = 200
INGEST_BURST = 1000
INGEST_ORIGINS = 100

# Progress is for people to watch. More reports than this would only cost.
PROGRESS_SECONDS = 0.1
PROGRESS_CHARS = 200

# Resources.
# How often a client is notified that a resource has changed.
RESOURCE_UPDATE_SECONDS = 1.0
# The values in one completion: the protocol's own limit.
COMPLETIONS = 100
# The length of a prompt's argument, which a person types.
PROMPT_ARGUMENT_CHARS = 500

# A daemon that an editor started: how long it waits for a client to come back, how long captured data stays readable
# after a person closed the browser, and how long it reports that the browser failed to start. After that the next call
# starts a new daemon, which tries again.
IDLE_SECONDS = 600.0
CLOSED_SECONDS = 120.0
FAILED_SECONDS = 10.0
# Concurrent requests of one client. Further ones wait, without delaying other clients. The queue may hold this many
# bytes, about a thousand calls. What does not fit is refused.
CLIENT_REQUESTS = 16
CLIENT_WAITING_BYTES = 1 * MB

# Width and height that --viewport accepts, in CSS pixels: from the smallest watch to a wall of screens.
VIEWPORT_MIN = 200
VIEWPORT_MAX = 8000

# A recording: as long as anybody watches a moving picture, ten frames a second, in a file until it is written.
RECORD_SECONDS = 120.0
RECORD_FRAMES = 1200
RECORD_BYTES = 128 * MB

# What a command of `ci` leaves behind gets this long to end when asked, and again when killed; how often to look.
LEFT_BEHIND_SECONDS = 2.0
LEFT_BEHIND_POLL_SECONDS = 0.05
# A load is measured two seconds after it ended. With budgets, the end of a run waits for that; how often to look.
LOADS_SECONDS = 4.0
LOADS_POLL_SECONDS = 0.05
