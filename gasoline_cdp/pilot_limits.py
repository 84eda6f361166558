"""Limits of what needs the pilot: scripts, highlights and saved states of pages."""

from gasoline_cdp.limits import MB

# Changes of the pilot's switch and calls that needed it, kept for later review.
PILOT_EVENTS = 100
# How many of them the switch's own page shows.
PILOT_EVENTS_ON_PAGE = 6

# Time to put the badge on one page, and until a retry on one that was busy or navigating.
BADGE_SECONDS = 1.0
BADGE_RETRY_SECONDS = 1.0

# highlight_element. A highlight that stays longer was forgotten.
HIGHLIGHT_MS = 5000
HIGHLIGHT_MS_MAX = 60_000

# execute_javascript. Clients give up after a minute, and a page that hangs for half a minute is lost to its user
# anyway.
SCRIPT_MS = 5000
SCRIPT_MS_MAX = 30_000
SCRIPT_CHARS = 100_000
# After the script's own time: how long we wait for the page to answer, before and after its script is stopped.
SCRIPT_RESPONSE_SECONDS = 0.3
SCRIPT_RECOVERY_SECONDS = 5.0
# What a result may contain before it is fetched: some megabytes of Chrome's JSON. More is not worth cutting down.
RESULT_PARTS = 20_000
RESULT_CHARS = 1_000_000
RESULT_DEPTH = 12
RESULT_TEXT_CHARS = 20_000

# Saved states of pages. An origin may store 10 MB, so a state can be that large, and hardly ever is.
STATES = 20
STATES_BYTES = 64 * MB
STATE_NAME_CHARS = 64
STATE_DATABASES = 20
# A page, its reload and its cookies; and the way back when something fails.
STATE_SECONDS = 30.0
STATE_ROLLBACK_SECONDS = 5.0
# All frames of a page together.
STATE_FRAMES_SECONDS = 3.0

# Conditions: how many of each, and the size of one text. A page has fewer.
CONDITION_ITEMS = 50
CONDITION_CHARS = 500
# How long to wait until a page has taken them over: one that hangs does not.
CONDITIONS_SECONDS = 3.0
# What the conditions were: comparisons ask which were in force when.
CONDITIONS_REMEMBERED = 100
CPU_SLOWER_MAX = 100
# Pixels of a side of a page.
SCREEN_MIN = 100
SCREEN_MAX = 8000
# Mocks: how many, their bodies, and how long one may let a page wait.
MOCKS = 20
MOCK_BODY_BYTES = MB
MOCK_BODIES_BYTES = 4 * MB
MOCK_DELAY_MS_MAX = 60_000
# Requests that wait for their delay; more are answered at once.
MOCKS_WAITING = 500
