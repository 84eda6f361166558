"""Every number that bounds memory, time or an answer, each with its reason."""

KB = 1024
MB = 1024 * KB

# What the store keeps (the contract's table). A full ring drops its oldest and counts it.
LOG_ENTRIES = 1000
LOG_BYTES = 4 * MB
NETWORK_ENTRIES = 1000
NETWORK_BYTES = 4 * MB
BODY_ENTRIES = 100
BODY_BYTES = 8 * MB
REQUEST_BODY_BYTES = 8 * KB
RESPONSE_BODY_BYTES = 16 * KB

SOCKET_ENTRIES = 500
SOCKET_BYTES = 4 * MB
SOCKET_MESSAGE_BYTES = 4 * KB
SOCKETS_TRACKED = 20
ACTION_ENTRIES = 1000
ACTION_BYTES = 1 * MB
DOM_SNAPSHOTS = 20
DOM_SNAPSHOT_BYTES = 256 * KB
# Performance snapshots and baselines, by URL path; the least recently used goes.
PERFORMANCE_PATHS = 20
# After `load`, or after a route change: until then the largest paint and late resources have mostly come.
PERFORMANCE_SETTLE_SECONDS = 2.0
LONG_TASKS_KEPT = 50
SLOWEST_REQUESTS = 3
SLOW_URL_CHARS = 80
# Pages whose reports may still come: the open ones, and those left a moment ago.
PAGES_REPORTING = 400

# Endpoints whose answers are learned (the least recently called goes), and what each remembers.
ENDPOINTS_TRACKED = 30
STATUS_HISTORY = 20
DEVIATIONS_PER_ENDPOINT = 50
VIOLATIONS_PER_ENDPOINT = 10
# Larger answers are not read for their shape: 128 KB take a millisecond.
SHAPE_BYTES = 128 * KB
# Answers waiting to be read only for the audits; the readers are there for those that are kept.
GLANCE_BACKLOG = 200
# How long an audit waits for answers that are being read, or for a page to name its keys.
GLANCE_SECONDS = 2.0
# Secrets and personal data seen at a place, each told once with a count.
SIGHTINGS = 500
# Of one text, how much is searched for personal data.
PII_CHARS = 10 * KB
FINDINGS_PER_CATEGORY = 20

# One console line, stack or URL may not eat a ring: DevTools shows no more than this either.
TEXT_CHARS = 4000
URL_CHARS = 2000
HEADER_CHARS = 1000
HEADERS_PER_MESSAGE = 60
STACK_FRAMES = 10
CONSOLE_ARGUMENTS = 20
# Secrets of one text that are reported; all of them are masked.
SECRETS_PER_TEXT = 100
TITLE_CHARS = 200

# Of actions: what was typed or shown, and the names by which an element can be found again.
ACTION_VALUE_CHARS = 100
SELECTOR_CHARS = 500
DOM_SNAPSHOT_ELEMENTS = 5
# Actions waiting for the browser to name their element; beyond this they are stored without, and counted.
ACTION_BACKLOG = 200
# The browser computes role and name from a tree of the whole page, which takes it 7 to 16 µs an element, and slows
# changes of the page while it keeps that tree. So: while a button is held down in small pages, in larger ones a moment
# after the action, in huge ones not at all; given up when nobody acts; and a page that hangs is left alone.
ROLE_ELEMENTS_AT_ONCE = 1500
ROLE_ELEMENTS = 5000
ROLE_CALM_SECONDS = 0.6
ROLE_RELEASE_SECONDS = 30.0
ROLE_SECONDS = 3.0
ROLE_REST_SECONDS = 30.0
# Until a page says that it has painted what an action changed, and can be asked without delaying that.
ROLE_PAINT_SECONDS = 0.5
# Elements that may have the same name and are asked one by one, 1 ms each; a name shared by more is no name.
ROLE_RIVALS = 10
# Roles asked for in advance: an element that was pressed is clicked, or it is not.
ROLES_KNOWN = 50
# Entries of a timeline.
TIMELINE_ENTRIES = 200

# Requests whose end has not been seen. Chrome allows 6 connections a host, so 2,000 is many pages' worth.
REQUESTS_IN_FLIGHT = 2000
# Ids that `full_body` can still ask Chrome for.
REQUEST_HANDLES = 2000
# Bodies waiting to be read from Chrome; beyond this the entry is stored without its body, and counted.
BODY_BACKLOG = 1000
# Parallel reads: more than one, so that a hung page cannot hold up the others' bodies.
BODY_READERS = 8
# A page that does not hand out a body in this time is busy or hung.
BODY_READ_SECONDS = 5.0
# `full_body` is for an answer, and an answer has 50 KB; this keeps a 100 MB body out of our memory copy.
FULL_BODY_CHARS = 40 * KB
# Bodies that Chrome's network service holds for us across navigations; the newest stay.
DURABLE_BYTES = 64 * MB
DURABLE_RESOURCE_BYTES = 32 * MB
# Post data Chrome may put into the request event itself, sparing a round trip.
POST_DATA_BYTES = 64 * KB

# Console messages with objects, after which Chrome is told to let go of them: it would hold them for the page's life.
OBJECTS_HELD = 100
# Errors and warnings whose objects are to be looked into more deeply; beyond this they stay as Chrome showed them.
LOOK_BACKLOG = 50
LOOK_SECONDS = 2.0
# Between two looks: each takes the page a millisecond, and a page that floods the console is busy enough.
LOOK_PAUSE_SECONDS = 0.02
LOOKS_KEPT = 300

# One source map, as served. Those of large applications have 5 to 15 MB, of which reading keeps a third.
SOURCE_MAP_BYTES = 16 * MB
SOURCE_MAP_SEGMENTS = 1_500_000
# Maps that have been read, with the scripts they belong to; the least recently used goes.
SOURCE_MAPS = 16
SOURCE_MAPS_BYTES = 48 * MB
# Scripts with places to be mapped, waiting; beyond this the places stay as Chrome showed them.
SOURCE_MAP_BACKLOG = 100
SOURCE_MAP_READERS = 2
# For the script and its map together. A server that takes longer does not have one.
SOURCE_MAP_SECONDS = 10.0
# Maps that one page may have on their way to the browser, those we no longer wait for included.
SOURCE_MAPS_LOADING = 4
# Scripts whose request is remembered, and places that have been mapped: all frames of all log records, and more.
SCRIPTS_REMEMBERED = 2000
PLACES_REMEMBERED = 10_000

# Flips of the pilot's switch and calls that needed it, kept for whoever asks later what was done.
PILOT_EVENTS = 100

# Answers.
ANSWER_BYTES = 8 * KB
ANSWER_BYTES_MAX = 50 * KB
# Below this there is no room for one entry beside the counts, the notice and the cursor.
ANSWER_BYTES_MIN = 2 * KB
ENTRIES_DEFAULT = 20
ENTRIES_MAX = 1000

# Tools.
TOOL_SECONDS = 10.0
# Below the tool's own limit, so that a hung page is named as such rather than as a time-out.
PAGE_ANSWER_SECONDS = 5.0

# The browser.
START_SECONDS = 30.0
CLOSE_SECONDS = 1.0
TERMINATE_SECONDS = 0.5
RESTARTS = 3
RESTART_WINDOW_SECONDS = 300.0
RESTORED_TABS = 10
STDERR_TAIL_LINES = 20
STDERR_LINE_CHARS = 300
# When the browser's own process has gone, its helpers see it and go too; the rest is killed after this.
HELPERS_SECONDS = 0.3
# A killed process goes in milliseconds. One that hangs in the kernel must not hang us as well.
REAP_SECONDS = 2.0
# How often the end of helpers, or the debugging port's file, is looked for: neither can be waited on.
LOOK_AGAIN_SECONDS = 0.01
# A container has 64 MB of /dev/shm unless told otherwise, and large pages crash there.
SHM_BYTES_MIN = 128 * MB
# Pages we have seen and closed, kept so that their records still have a name.
TABS_REMEMBERED = 200

# Pipe reads: Chrome writes small messages; a full kernel buffer per wake-up costs a third of the CPU.
PIPE_BYTES = 1 * MB
READ_BYTES = 256 * KB
COALESCE_WITHIN_SECONDS = 0.002
COALESCE_WAIT_SECONDS = 0.004
