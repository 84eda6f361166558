"""Every number that bounds memory, time or an answer, each with its reason."""

KB = 1024
MB = 1024 * KB

# Sizes of the rings. A full ring drops its oldest record and counts it.
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
DOM_SNAPSHOTS = 100
DOM_SNAPSHOT_BYTES = 256 * KB
# Paths with performance snapshots and baselines. The least recently used goes.
PERFORMANCE_PATHS = 20
# Wait after `load` or a route change. By then the largest paint and late resources have mostly arrived.
PERFORMANCE_SETTLE_SECONDS = 2.0
LONG_TASKS_KEPT = 50
SLOWEST_REQUESTS = 3
SLOW_URL_CHARS = 80
# Resources kept per load, to explain why it got slower: more than a typical page has, and at most 20 KB.
RESOURCES_COMPARED = 150
RESOURCE_URL_CHARS = 300
# Sessions of verify_fix, and how long one may take.
VERIFY_SESSIONS = 3
VERIFY_SECONDS = 30 * 60.0
# Named snapshots. The least recently used goes.
SNAPSHOTS = 10
SNAPSHOT_SECONDS = 2 * 3600.0
SNAPSHOT_NAME_CHARS = 50
# Distinct errors, endpoints and sockets in a snapshot.
SNAPSHOT_ERRORS = 50
SNAPSHOT_ENDPOINTS = 100
SNAPSHOT_SOCKETS = 20
SNAPSHOT_MESSAGE_CHARS = 300
# Tries in a snapshot; triggers per issue and their length; and the largest number of tries an issue can need.
SNAPSHOT_TRIES, TRIGGERS_PER_ISSUE, TRIGGER_CHARS, TRIES_NEEDED = 200, 5, 80, 10
# An issue this soon after an action or a response may be its effect. A page is idle this long after its load.
ACTION_EFFECT_SECONDS, CONTINUATION_SECONDS, LOAD_REST_SECONDS = 1.0, 0.25, 3.0
# How long to wait for a load that never reports completion; and how long `compare` waits for something just tried.
LOAD_PATIENCE_SECONDS, VERIFY_SETTLE_SECONDS = 10.0, 2.0
# One edit reaches all tabs within so long. Scripts and style sheets compared: more than an application of single
# modules has. Pages whose files are compared by name, and names of one load: the markup of a build has a few dozen.
SAME_CHANGE_SECONDS, CODE_FILES, CODE_DOCUMENTS, CODE_NAMES = 2.0, 5000, 20, 100
# What a client was shown by one view: all that the rings of a view hold. Clients that may come back under their name.
SHOWN_RECORDS = LOG_ENTRIES + NETWORK_ENTRIES + ACTION_ENTRIES
CLIENTS_REMEMBERED, CLIENT_NAME_CHARS = 50, 100
# Pages whose reports may still arrive: the open ones, and those just left.
PAGES_REPORTING = 400

# Endpoints with a contract (the least recently called goes), and what each remembers.
ENDPOINTS_TRACKED = 30
STATUS_HISTORY = 20
DEVIATIONS_PER_ENDPOINT = 50
# One schema in an OpenAPI document. A larger one is shown with fewer levels.
OPENAPI_SCHEMA_BYTES = 8 * KB
# Shapes of the newest responses, for the timeline.
SHAPES_KEPT = 300
SHOWN_SHAPE_BYTES = 600
# Larger responses are not read for their shape: 128 KB take a millisecond.
SHAPE_BYTES = 128 * KB
# Responses waiting to be read for the audits only. Readers prefer those that are kept.
INSPECT_BACKLOG = 200
# How long they gather: a loading page needs the machine more, and their commands go out in one write.
INSPECT_GATHER_SECONDS = 0.05
# How long an audit waits for responses being read, or for a page to return its storage keys.
INSPECT_SECONDS = 2.0
# Sightings by location and kind, each with a count; and the distinct values counted per sighting.
SIGHTINGS = 500
VALUES_TOLD_APART = 100
# How much of one text is searched for personal data.
PII_CHARS = 10 * KB

# One console line, stack or URL must not fill a ring. DevTools shows no more than this either.
TEXT_CHARS = 4000
URL_CHARS = 2000
HEADER_CHARS = 1000
HEADERS_PER_MESSAGE = 60
# Headers and words that many requests share are kept once: those of some ten sites, of 300 KB each at most.
TEXTS_SHARED = 500
SHARED_CHARS = 300
STACK_FRAMES = 20
CONSOLE_ARGUMENTS = 20
# Secrets of one text that are reported. All of them are masked.
SECRETS_PER_TEXT = 100
# Cost of searching a text for secrets. A step checks one name or one run of characters, about 2 µs. Code, the densest
# ordinary text, takes one step per 12 characters.
SEARCH_CHARS_PER_STEP = 5
# Additional steps for a short text full of secrets, such as a settings file: enough for one secret, and more by its
# length. All texts of a source share them, so that many short texts cost no more than one long text of that length.
SEARCH_EXTRA_STEPS = 200
SEARCH_EXTRA_FOR_ONE = 10
SEARCH_CHARS_PER_EXTRA_STEP = 4
SEARCH_EXTRA_AT_ONCE = 20_000
SEARCH_EXTRA_PER_SECOND = 3_000
# Steps per source (a tab or a worker): what a loading page needs at once, and what a busy one needs in the long run.
# Beyond it, only the beginning of each text is searched and kept.
SEARCH_STEPS_AT_ONCE = 1_000_000
SEARCH_STEPS_PER_SECOND = 300_000
SEARCH_SOURCES = 200
SEARCH_HEAD_CHARS = 500
# Secrets remembered by a digest, to mask them where they come back without a name.
SECRETS_KNOWN = 256
TITLE_CHARS = 200

# Lengths in actions: what was typed or shown, and the names by which an element can be found again.
ACTION_VALUE_CHARS = 100
SELECTOR_CHARS = 500
DOM_SNAPSHOT_ELEMENTS = 5
# Of what an action changed in a region, or of what a page shows: what stands on every page of a site is left out later.
OUTLINE_NODES, OUTLINE_LEVELS = 64, 8
# Actions waiting for the browser to name their element. Beyond this they are stored without it, and counted.
ACTION_BACKLOG = 200
# The browser computes role and name from a tree of the whole page. That takes 7 to 16 µs per element, and slows changes
# of the page while the tree exists. So we ask while a button is held down in small pages, a moment after the action in
# larger ones, and not at all in huge ones. The tree is released when there are no more actions, and a page that hangs
# is left alone.
ROLE_ELEMENTS_AT_ONCE = 1500
ROLE_ELEMENTS = 5000
ROLE_CALM_SECONDS = 0.6
ROLE_RELEASE_SECONDS = 30.0
ROLE_SECONDS = 3.0
ROLE_REST_SECONDS = 30.0
# Wait until a page reports that it has painted the effect of an action. Then asking does not delay it.
ROLE_PAINT_SECONDS = 0.5
# Elements that may have the same name. Each takes 1 ms to check. A name shared by more is useless.
ROLE_RIVALS = 10
# Roles asked for in advance: a pressed element is usually clicked next.
ROLES_KNOWN = 50
# Entries of a timeline.
TIMELINE_ENTRIES = 200

# Unfinished requests. Chrome allows 6 connections per host, so 2,000 is enough for many pages.
REQUESTS_IN_FLIGHT = 2000
# Requests whose body `full_body` can still get from Chrome.
REQUEST_HANDLES = 1000
# Bodies waiting to be read from Chrome. Beyond this the entry is stored without its body, and counted.
BODY_BACKLOG = 1000
# Parallel reads: so that a hung page does not delay the bodies of others, nor a distant browser 500 by a round trip
# each. Fewer of large bodies, which are held in memory whole.
BODY_READERS, LARGE_BODY_READERS = 48, 8
LARGE_BODY_BYTES = 256 * KB
# A page that does not return a body in this time is busy or hung.
BODY_READ_SECONDS = 5.0
# If the browser itself takes longer for a trifle, the machine or the line is busy, and the page is asked once more.
CONGESTED_AFTER_SECONDS, CONGESTION_SECONDS = 0.25, 30.0
# Part of a full body in one answer. A cursor reads on.
FULL_BODY_CHARS = 40 * KB
# Largest full body: searching it for secrets takes a second, in a thread.
WHOLE_BODY_BYTES = 8 * MB
# Responses that were read, and wait for those whose requests ended earlier.
ANSWERS_HELD_BYTES = 4 * MB
# Bodies that Chrome's network service holds for us across navigations. The newest stay.
DURABLE_BYTES = 64 * MB
DURABLE_RESOURCE_BYTES = 32 * MB
# A response that takes longer is followed piece by piece, so that its beginning is known if it breaks off.
PARTIAL_AFTER_SECONDS = 0.1
PARTIALS_FOLLOWED = 50
# Newest requests of a tab from before we attached.
BACKFILL_ENTRIES = 200
# Post data that Chrome may include in the request event, to save a round trip.
POST_DATA_BYTES = 64 * KB

# Console messages with objects after which we release the objects: Chrome would hold them for the page's lifetime.
OBJECTS_HELD = 100
# Errors and warnings whose objects wait for a deep preview. Beyond this they stay as Chrome sent them.
PREVIEW_BACKLOG = 50
PREVIEW_SECONDS = 2.0
# Pause between two deep previews: each costs the page a millisecond, and a page that floods the console is busy enough.
PREVIEW_PAUSE_SECONDS = 0.02
# Pause between two previews of messages that are neither errors nor warnings.
PREVIEW_LOGS_SECONDS = 0.1
# Annotations: one for each log, request and action that is kept.
ANNOTATIONS = LOG_ENTRIES + NETWORK_ENTRIES + ACTION_ENTRIES
ANNOTATION_BYTES = 2 * MB
# How long an answer, or a line of `watch`, waits for pending annotations of its records.
KNOWN_SECONDS = 1.0

# One source map, as served. Those of large applications have 5 to 15 MB, of which a third is kept after parsing.
SOURCE_MAP_BYTES = 16 * MB
SOURCE_MAP_SEGMENTS = 1_500_000
# Parsed maps with their scripts. The least recently used goes.
SOURCE_MAPS = 16
SOURCE_MAPS_BYTES = 48 * MB
# Scripts waiting for their map. Beyond this, locations stay as Chrome sent them.
SOURCE_MAP_BACKLOG = 100
SOURCE_MAP_READERS = 2
# Time for a script and its map together. A slower server counts as having none.
SOURCE_MAP_SECONDS = 10.0
# Maps that one page may be loading at a time, including those we no longer wait for.
SOURCE_MAPS_LOADING = 4
# Scripts whose request is remembered, and mapped positions: all frames of all log records, and more.
SCRIPTS_REMEMBERED = 2000
POSITIONS_REMEMBERED = 10_000

# Entries in one batch. The capture script sends 50.
INGEST_ENTRIES = 500
# Scripts that number their batches. Gaps of further ones are no longer reported.
INGEST_SENDERS = 500
# Tests whose start was marked, and runs (retries) of one test. The oldest go.
TESTS_MARKED = 1000
RUNS_OF_A_TEST = 20
TEST_ID_CHARS = 500
# A full body as a resource. It need not enter an assistant's context, so it may be larger than an answer.
RESOURCE_BODY_CHARS = 1 * MB

# Answers.
ANSWER_BYTES = 8 * KB
ANSWER_BYTES_MAX = 50 * KB
# With less there is no room for a single entry besides the counts, the notice and the cursor.
ANSWER_BYTES_MIN = 2 * KB
ENTRIES_DEFAULT = 20
ENTRIES_MAX = 1000
# A line is a third of its JSON: the bytes bound an answer in lines sooner than this.
ENTRIES_IN_LINES = 100
# Of one text in a line; the larger one where few entries or more bytes were asked for.
LINE_TEXT_CHARS = 300
LINE_TEXT_CHARS_MAX = 1500

# Tools.
TOOL_SECONDS = 10.0
# A call that arrives while the browser starts waits for it, but not for its whole time limit.
START_WAIT_SECONDS = 8.0
# Below the tool's own limit, so that a hung page is reported as such and not as a time-out.
PAGE_ANSWER_SECONDS = 5.0
# While an analysis of ours keeps the page busy: the tool's whole time except a moment to report it.
ANALYSED_PAGE_ANSWER_SECONDS = 9.5
# How long an analysis waits for a document that is loading, so that it does not judge half of it.
LOAD_WAIT_SECONDS = 3.0
# Slow work: how long the caller waits before the answer is "pending", and how long the result is kept then.
PENDING_SECONDS = 10.0
RESULT_SECONDS = 300.0
# How long a request for an unfinished result waits for it: another round of polling costs an assistant more.
RESULT_WAIT_SECONDS = 5.0
# Running analyses and stored results. Each result is an answer, so at most 50 KB.
JOBS = 20
# 128 bits: nobody can guess the id of another's result.
CORRELATION_BYTES = 16

# What a client gets when it connects: it costs every session.
INSTRUCTIONS_BYTES = 1 * KB

# Time limits of the audits, including the wait for another analysis of the same tab.
ACCESSIBILITY_SECONDS = 15.0
PERFORMANCE_AUDIT_SECONDS = 20.0
FULL_AUDIT_SECONDS = 45.0
ACCESSIBILITY_TOOL_SECONDS = 30.0
# Reserved at the end of an audit, to join and return the results of the frames that answered.
AUDIT_RESERVE_SECONDS = 2.0
# A page that does not answer in this time after its audit was cancelled is still running it, and is stopped.
AUDIT_PING_SECONDS = 0.5
# How long a cached result may be reused, by tool; and how many are kept.
ANALYZE_FRESH_SECONDS = 10.0
ACCESSIBILITY_FRESH_SECONDS = 30.0
AUDITS_KEPT = 20
# Elements kept of one audit and of all audits together; related elements of each and of all; characters of an element's
# HTML.
AUDIT_ELEMENTS = 5000
AUDIT_ELEMENTS_KEPT = 10_000
AUDIT_RELATED = 50
AUDIT_ALL_RELATED = 10_000
# Elements of a finding that `analyze` can show. run_accessibility_audit lists all.
AUDIT_AFFECTED = 25
AUDIT_HTML_CHARS = 200
# Elements around a text whose colours enter the computed contrast.
AUDIT_LAYERS = 200
AUDIT_FRAMES = 100

# Queries to the DOM.
DOM_ELEMENTS = 50
DOM_DEPTH = 5
DOM_DEPTH_DEFAULT = 3
DOM_TEXT_CHARS = 500
# Descendants shown per element. The rest is counted.
DOM_CHILDREN = 100
DOM_ATTRIBUTES = 30
DOM_ATTRIBUTE_CHARS = 300
# Frames searched per query; and the time limit for one in a process of its own: it may hang while its page does not.
DOM_FRAMES = 50
FRAME_SECONDS = 2.0
# An audit has more time, and a missing frame costs it more than a wait does.
AUDIT_FRAME_SECONDS = 5.0
# A larger tree keeps the page busy for too long: 100,000 elements take a minute, and nothing can stop that.
TREE_ELEMENTS = 15_000
# Fields with a value whose attributes we ask Chrome for, 0.3 ms each. The values of further ones are masked.
TREE_FIELDS = 500
# Trees that clients were shown, to tell what changed since: of all clients together. A line has some 350 bytes.
TREES_SEEN = 40
TREES_SEEN_LINES = 20_000
DOCUMENTS_TAGGED = 2000  # Documents whose letters in references no other gets: some 300 bytes each.

# A screenshot for an assistant: what models read at full size, and small enough for several in a conversation.
SCREENSHOT_SIDE = 1568
# At a smaller scale nothing is legible. Longer pages and elements are cut at the bottom.
SCREENSHOT_SCALE = 0.25
SCREENSHOT_FULL_SIDE = 4000
# How long to wait until a page has its window back after a larger screenshot. It takes some milliseconds.
WINDOW_SECONDS = 1.0
SCREENSHOT_BYTES = 200 * KB
# PNG is lossless and larger. It is what a person saves to a file.
SCREENSHOT_PNG_BYTES = 1 * MB
# A recording: the longest side of its pictures, and how often a page is drawn for it at most.
RECORD_SIDE = 1000
RECORD_FRAME_SECONDS = 0.1

# The browser.
START_SECONDS = 30.0
CLOSE_SECONDS = 1.0
TERMINATE_SECONDS = 0.5
RESTARTS = 3
RESTART_WINDOW_SECONDS = 300.0
RESTORED_TABS = 10
STDERR_TAIL_LINES = 20
STDERR_LINE_CHARS = 300
# When the browser's main process has gone, its helpers notice and exit, too. The rest is killed after this.
HELPERS_SECONDS = 0.3
# A killed process ends within milliseconds. One that hangs in the kernel must not hang us as well.
REAP_SECONDS = 2.0
# How often to poll for the end of helpers, or for the debugging port's file: neither can be waited for.
LOOK_AGAIN_SECONDS = 0.01
# A container has 64 MB of /dev/shm by default, and large pages crash there.
SHM_BYTES_MIN = 128 * MB
# Closed tabs that are remembered, so that their records still have a name.
TABS_REMEMBERED = 200

# Pipe reads: Chrome writes small messages. Reading a full kernel buffer per wake-up costs a third of the CPU.
PIPE_BYTES = 1 * MB
READ_BYTES = 256 * KB
COALESCE_WITHIN_SECONDS = 0.002
COALESCE_WAIT_SECONDS = 0.004
