"""Limits of the debugger: how long a page may stand still for us, and how often."""

# A pause usually takes 3 ms. After this the page goes on without having been read.
CATCH_SECONDS = 0.2
# Frames of the page's own code that are read, and characters of the variables of one.
CATCH_FRAMES = 3
CATCH_CHARS = 600
# To know which variables the failing line names, scripts up to this length are read: with all of them in memory at
# once, around the place in a line of a minified script, and so many names of a line.
CATCH_SCRIPT_CHARS = 300_000
CATCH_SCRIPTS_CHARS = 1_000_000
CATCH_LINE_CHARS = 150
CATCH_NAMES = 12
# Pauses of one target in a second. Beyond this it throws without end, and is left alone for a while.
CATCH_PER_SECOND = 20
CATCH_REST_SECONDS = 5.0
# So often a target is stopped where it catches an exception itself, since frameworks do that before they report it.
CATCH_CAUGHT = 50
# Exceptions of one target that were read and not yet reported.
CATCH_KEPT = 20
# Stopped targets that wait to be read.
CATCH_BACKLOG = 20
# Scripts of one target whose address is known.
CATCH_SCRIPTS = 20_000

# Log points: how many are remembered, how long one lasts, its hits, and scripts and hits that wait.
LOG_POINTS = 20
LOG_POINT_SECONDS = 600.0
LOG_POINT_HITS = 20
LOG_POINT_HITS_MAX = 1000
LOG_POINT_BACKLOG = 2000
# How long a caller waits until Chrome has found the line.
LOG_POINT_BIND_SECONDS = 3.0
# How long a new page, frame or worker waits to begin until its log points are set. It takes some milliseconds.
LOG_POINT_START_SECONDS = 1.0

# Coverage: functions of one target with counts (twice: all, and those not shown yet), its style sheets, the scripts
# whose text one answer reads, and how long it waits for all targets. An answer lists so many files and functions of
# each, and that of `act` so many functions.
COVERAGE_FUNCTIONS = 120_000
COVERAGE_SHEETS = 200
COVERAGE_SCRIPTS = 200
COVERAGE_SECONDS = 5.0
COVERAGE_FILES_SHOWN = 25
COVERAGE_FUNCTIONS_SHOWN = 25
COVERAGE_OF_ACT = 8
# Stacks of what asynchronous code awaits: frames of its callers that V8 keeps while somebody asks for them.
ASYNC_STACK_DEPTH = 32
