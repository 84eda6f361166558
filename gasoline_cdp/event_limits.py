"""Limits of events: what an assistant is told without asking, and how often."""

from gasoline_cdp.limits import KB

# Streaming: what an assistant receives without asking. A notification at most every so often (a client may choose
# between the two bounds), so many per minute, no repetitions, and simultaneous events together.
STREAM_THROTTLE_SECONDS = 5.0
STREAM_THROTTLE_SECONDS_MIN = 1
STREAM_THROTTLE_SECONDS_MAX = 60
STREAM_PER_MINUTE = 12
STREAM_DEDUP_SECONDS = 30.0
STREAM_BATCH_SECONDS = 2.0
# Events in one notification, of at most 10 KB: an assistant reads no more. Further events are counted.
STREAM_BATCH_EVENTS = 20
# Notifications waiting for a slow reader. The oldest go, and the reader is told how many.
STREAM_OUTBOX = 50
# Events since a client's last call: how many are kept, how many an answer shows, and its bytes for them.
STREAM_DIGEST_KEPT = 20
STREAM_DIGEST_EVENTS = 5
STREAM_DIGEST_BYTES = 2 * KB
# The newest events, for readers of the resource.
STREAM_RECENT = 50
# Messages, endpoints and pages that the rules remember, each. The least recently seen go, and count as new again.
STREAM_REMEMBERED = 1000
STREAM_MESSAGE_CHARS = 200
STREAM_PREVIEW_CHARS = 100
# Frustration: so many clicks on one element in so many seconds without effect; and a form without a response.
FRUSTRATION_CLICKS = 3
FRUSTRATION_SECONDS = 5.0
FRUSTRATION_WAIT_SECONDS = 1.0
FORM_ANSWER_SECONDS = 5.0
FORMS_WAITING = 50
# A load this many times slower than usual, and a task this long: people notice both.
SLOW_LOAD_FACTOR = 2.0
LONG_TASK_MS = 500.0
