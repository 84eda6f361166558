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
# Of each load, for the question why it got slower: more than a page of ours has, and 20 KB at most.
RESOURCES_COMPARED = 150
RESOURCE_URL_CHARS = 300
# Sessions of verify_fix, and how long one may take.
VERIFY_SESSIONS = 3
VERIFY_SECONDS = 30 * 60.0
# Named snapshots; the least recently used goes.
SNAPSHOTS = 10
SNAPSHOT_SECONDS = 2 * 3600.0
SNAPSHOT_NAME_CHARS = 50
# Of a snapshot: distinct errors, endpoints and sockets.
SNAPSHOT_ERRORS = 50
SNAPSHOT_ENDPOINTS = 100
SNAPSHOT_SOCKETS = 20
SNAPSHOT_MESSAGE_CHARS = 300
# What was tried within a snapshot, and what has to be tried again for each of its issues, and how often at most.
SNAPSHOT_TRIES, TRIGGERS_PER_ISSUE, TRIGGER_CHARS, TRIES_NEEDED = 200, 5, 80, 10
# So soon after an action or an answer an issue may have come of it; a page is at rest so long after its load.
ACTION_EFFECT_SECONDS, CONTINUATION_SECONDS, LOAD_REST_SECONDS = 1.0, 0.25, 3.0
# So long a load may take that is never told as complete, and `compare` for what was tried a moment ago.
LOAD_PATIENCE_SECONDS, VERIFY_SETTLE_SECONDS = 10.0, 2.0
# Pages whose reports may still come: the open ones, and those left a moment ago.
PAGES_REPORTING = 400

# Endpoints whose answers are learned (the least recently called goes), and what each remembers.
ENDPOINTS_TRACKED = 30
STATUS_HISTORY = 20
DEVIATIONS_PER_ENDPOINT = 50
# One schema of such a description; a larger one is shown with fewer levels.
OPENAPI_SCHEMA_BYTES = 8 * KB
# Shapes of the newest answers, for the timeline.
SHAPES_KEPT = 300
SHOWN_SHAPE_BYTES = 600
# Larger answers are not read for their shape: 128 KB take a millisecond.
SHAPE_BYTES = 128 * KB
# Answers waiting to be read only for the audits; the readers are there for those that are kept.
INSPECT_BACKLOG = 200
# How long they gather: a page that loads needs the machine more, and their questions go in one write.
INSPECT_GATHER_SECONDS = 0.05
# How long an audit waits for answers that are being read, or for a page to name its keys.
INSPECT_SECONDS = 2.0
# Kinds of secrets and personal data by place, each with a count; of each so many values are told apart.
SIGHTINGS = 500
VALUES_TOLD_APART = 100
# Of one text, how much is searched for personal data.
PII_CHARS = 10 * KB

# One console line, stack or URL may not eat a ring: DevTools shows no more than this either.
TEXT_CHARS = 4000
URL_CHARS = 2000
HEADER_CHARS = 1000
HEADERS_PER_MESSAGE = 60
# Headers and words that many requests have in common are kept once: those of some ten sites, of 300 KB each at most.
TEXTS_SHARED = 500
SHARED_CHARS = 300
STACK_FRAMES = 20
CONSOLE_ARGUMENTS = 20
# Secrets of one text that are reported; all of them are masked.
SECRETS_PER_TEXT = 100
# What looking for secrets in a text may take: a step is a name or a run of characters looked at, some 2 µs. Code, the
# densest of ordinary texts, takes one step for every 12 characters.
SEARCH_CHARS_PER_STEP = 5
# More for a text that is short and full of secrets, such as a file of settings: enough for one secret, and more by its
# length. All texts of a source share them, so that many short texts cost no more for their length than one long text.
SEARCH_EXTRA_STEPS = 220
SEARCH_EXTRA_FOR_ONE = 10
SEARCH_CHARS_PER_EXTRA_STEP = 4
SEARCH_EXTRA_AT_ONCE = 20_000
SEARCH_EXTRA_PER_SECOND = 3_000
# For each source, a tab or a worker: what a page that loads needs at once, and what a busy one needs in the long run.
# Beyond it only the beginning of each text is looked through and kept.
SEARCH_STEPS_AT_ONCE = 1_000_000
SEARCH_STEPS_PER_SECOND = 300_000
SEARCH_SOURCES = 200
SEARCH_HEAD_CHARS = 500
# Secrets remembered by a digest, to be masked where they come back without a name.
SECRETS_KNOWN = 256
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
REQUEST_HANDLES = 1000
# Bodies waiting to be read from Chrome; beyond this the entry is stored without its body, and counted.
BODY_BACKLOG = 1000
# Parallel reads: more than one, so that a hung page cannot hold up the others' bodies.
BODY_READERS = 8
# A page that does not hand out a body in this time is busy or hung.
BODY_READ_SECONDS = 5.0
# One answer's worth of a body that is read in full; a cursor reads on.
FULL_BODY_CHARS = 40 * KB
# Of a body that is read in full: searching it for secrets takes a second, beside the loop.
WHOLE_BODY_BYTES = 8 * MB
# Answers that are read, and wait for those whose requests ended before.
ANSWERS_HELD_BYTES = 4 * MB
# Bodies that Chrome's network service holds for us across navigations; the newest stay.
DURABLE_BYTES = 64 * MB
DURABLE_RESOURCE_BYTES = 32 * MB
# An answer that takes longer to come is followed piece by piece, so that its beginning is known if it breaks off.
PARTIAL_AFTER_SECONDS = 0.1
PARTIALS_FOLLOWED = 50
# Of what a tab had loaded before we attached to it: the newest of its requests.
BACKFILL_ENTRIES = 200
# Post data Chrome may put into the request event itself, sparing a round trip.
POST_DATA_BYTES = 64 * KB

# Console messages with objects, after which Chrome is told to let go of them: it would hold them for the page's life.
OBJECTS_HELD = 100
# Errors and warnings whose objects wait for a deep preview; beyond this they stay as Chrome showed them.
PREVIEW_BACKLOG = 50
PREVIEW_SECONDS = 2.0
# Between two deep previews: each takes the page a millisecond, and a page that floods the console is busy enough.
PREVIEW_PAUSE_SECONDS = 0.02
# Between two previews of messages that tell of no trouble.
PREVIEW_LOGS_SECONDS = 0.1
# What was learned of records since they were stored: one annotation for each log, request and action that is kept.
ANNOTATIONS = LOG_ENTRIES + NETWORK_ENTRIES + ACTION_ENTRIES
ANNOTATION_BYTES = 2 * MB
# An answer, or a line of `watch`, waits so long for what is being found out about what it tells.
KNOWN_SECONDS = 1.0

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
# Scripts whose request is remembered, and positions that have been mapped: all frames of all log records, and more.
SCRIPTS_REMEMBERED = 2000
POSITIONS_REMEMBERED = 10_000

# Flips of the pilot's switch and calls that needed it, kept for whoever asks later what was done.
PILOT_EVENTS = 100
# Of those, the ones that the switch's own page shows.
PILOT_EVENTS_ON_PAGE = 6

# For the sign on one page, and until it is tried again on one that was busy or on its way elsewhere.
BADGE_SECONDS = 1.0
BADGE_RETRY_SECONDS = 1.0

# highlight_element. A mark that stays longer is one that was forgotten.
HIGHLIGHT_MS = 5000
HIGHLIGHT_MS_MAX = 60_000

# execute_javascript. Clients give up after a minute; a page that hangs for half of one is lost to its user anyway.
SCRIPT_MS = 5000
SCRIPT_MS_MAX = 30_000
SCRIPT_CHARS = 100_000
# After the script's own time: until the page answers again, before its script is ended and after it was.
SCRIPT_RESPONSE_SECONDS = 0.3
SCRIPT_RECOVERY_SECONDS = 5.0
# What a result may hold before it is fetched: some megabytes of Chrome's JSON, which is as much as is worth cutting.
RESULT_PARTS = 20_000
RESULT_CHARS = 1_000_000
RESULT_DEPTH = 12
RESULT_TEXT_CHARS = 20_000

# Saved states of pages. An origin may keep 10 MB of storage, so a state can be that large, and hardly ever is.
STATES = 20
STATES_BYTES = 64 * MB
STATE_NAME_CHARS = 64
STATE_DATABASES = 20
# A page, its reload and its cookies; and the way back when something fails.
STATE_SECONDS = 30.0
STATE_ROLLBACK_SECONDS = 5.0
# All frames of a page together.
STATE_FRAMES_SECONDS = 3.0

# Entries of one batch; the capture script sends 50.
INGEST_ENTRIES = 500
# Scripts that number their batches; of the others' gaps nobody is told any more.
INGEST_SENDERS = 500
# Tests whose start was marked, and the runs (retries) of one of them; the oldest go.
TESTS_MARKED = 1000
RUNS_OF_A_TEST = 20
TEST_ID_CHARS = 500
# A body in full, as a resource. It need not enter an assistant's context, so it may be larger than an answer.
RESOURCE_BODY_CHARS = 1 * MB
# Streaming: what an assistant is told without asking. The seed's numbers: a notification at most every so often (a
# client may choose within the two others), so many a minute, nothing twice, and what comes together told together.
STREAM_THROTTLE_SECONDS = 5.0
STREAM_THROTTLE_SECONDS_MIN = 1
STREAM_THROTTLE_SECONDS_MAX = 60
STREAM_PER_MINUTE = 12
STREAM_DEDUP_SECONDS = 30.0
STREAM_BATCH_SECONDS = 2.0
# Events in one notification, which is 10 KB at most: an assistant reads no more. What comes on top is counted.
STREAM_BATCH_EVENTS = 20
# Notifications that wait for a slow reader; the oldest go, and it is told how many.
STREAM_OUTBOX = 50
# Events since a client's last call: kept, and of those shown in an answer, which gives so much of itself to them.
STREAM_DIGEST_KEPT = 20
STREAM_DIGEST_EVENTS = 5
STREAM_DIGEST_BYTES = 2 * KB
# The newest events, for whoever reads them as a resource.
STREAM_RECENT = 50
# Messages, endpoints and pages that the rules remember, each; the least recently seen go, and are new again.
STREAM_REMEMBERED = 1000
STREAM_MESSAGE_CHARS = 200
STREAM_PREVIEW_CHARS = 100
# Frustration: so many clicks on one element in so many seconds, and nothing for so long; a form without an answer.
FRUSTRATION_CLICKS = 3
FRUSTRATION_SECONDS = 5.0
FRUSTRATION_WAIT_SECONDS = 1.0
FORM_ANSWER_SECONDS = 5.0
FORMS_WAITING = 50
# A load this many times slower than usual, and a task this long: people notice both.
SLOW_LOAD_FACTOR = 2.0
LONG_TASK_MS = 500.0

# Answers.
ANSWER_BYTES = 8 * KB
ANSWER_BYTES_MAX = 50 * KB
# Below this there is no room for one entry beside the counts, the notice and the cursor.
ANSWER_BYTES_MIN = 2 * KB
ENTRIES_DEFAULT = 20
ENTRIES_MAX = 1000

# Tools.
TOOL_SECONDS = 10.0
# A call that comes while the browser starts waits for it, but not all its time.
START_WAIT_SECONDS = 8.0
# Below the tool's own limit, so that a hung page is named as such rather than as a time-out.
PAGE_ANSWER_SECONDS = 5.0
# While an analysis of ours keeps the page busy: all of a tool's time but a moment to say so.
ANALYSED_PAGE_ANSWER_SECONDS = 9.5
# For a document that is on its way, before an analysis that would judge half of it.
LOAD_WAIT_SECONDS = 3.0
# Slow work: how long its caller waits before it is told "pending", and how long the result then waits.
PENDING_SECONDS = 10.0
RESULT_SECONDS = 300.0
# Asked for a result that is not there yet, we wait this long for it: a round of polling costs an assistant more.
RESULT_WAIT_SECONDS = 5.0
# Analyses under way and results that wait. Each result is an answer, so 50 KB at most.
JOBS = 20
# 128 bits: nobody guesses another's result.
CORRELATION_BYTES = 16

# What a client is told when it connects: it costs every session.
INSTRUCTIONS_BYTES = 1 * KB

# Audits: the time limits of each, the wait for another analysis of the same tab included.
ACCESSIBILITY_SECONDS = 15.0
PERFORMANCE_AUDIT_SECONDS = 20.0
FULL_AUDIT_SECONDS = 45.0
ACCESSIBILITY_TOOL_SECONDS = 30.0
# Kept back from an audit's frames, so that what is there can still be joined and told.
AUDIT_RESERVE_SECONDS = 2.0
# A page that does not answer in this time after its audit was given up is still at it, and is made to stop.
AUDIT_PING_SECONDS = 0.5
# How long an answer stays good enough to be given again, by tool; and how many are kept.
ANALYZE_FRESH_SECONDS = 10.0
ACCESSIBILITY_FRESH_SECONDS = 30.0
AUDITS_KEPT = 20
# Elements kept of one audit and of all audits together, related elements of each and of all of them, and the
# characters of an element's HTML.
AUDIT_ELEMENTS = 5000
AUDIT_ELEMENTS_KEPT = 10_000
AUDIT_RELATED = 50
AUDIT_ALL_RELATED = 10_000
# Elements of a finding that `analyze` can show; run_accessibility_audit lists all.
AUDIT_AFFECTED = 25
AUDIT_HTML_CHARS = 200
# Elements around a text whose colours a contrast is computed from.
AUDIT_LAYERS = 200
AUDIT_FRAMES = 100

# Questions to the DOM.
DOM_ELEMENTS = 50
DOM_DEPTH = 5
DOM_DEPTH_DEFAULT = 3
DOM_TEXT_CHARS = 500
# Descendants of one element that are shown at most; the rest is counted.
DOM_CHILDREN = 100
DOM_ATTRIBUTES = 30
DOM_ATTRIBUTE_CHARS = 300
# Frames that one question goes into; and how long one with a process of its own may take: it may hang while its
# page does not.
DOM_FRAMES = 50
FRAME_SECONDS = 2.0
# An audit has more time, and a frame left out costs it more than a wait does.
AUDIT_FRAME_SECONDS = 5.0
# A tree of more elements keeps the page busy for too long: 100,000 take a minute, and nothing can end that.
TREE_ELEMENTS = 15_000
# Fields with a value whose names Chrome is asked for, each a question of 0.3 ms; of further ones the value is masked.
TREE_FIELDS = 500

# A picture for an assistant: what models read at full size, and what a conversation can hold several of.
SCREENSHOT_SIDE = 1568
# Smaller than this nothing can be recognised: of a page or element that is longer, the beginning is shown.
SCREENSHOT_SCALE = 0.25
SCREENSHOT_FULL_SIDE = 4000
# Until a page has its window back after a picture beyond it; it takes some milliseconds.
WINDOW_SECONDS = 1.0
SCREENSHOT_BYTES = 200 * KB
# PNG loses nothing, and takes more room; it is what a person saves to a file.
SCREENSHOT_PNG_BYTES = 1 * MB

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
