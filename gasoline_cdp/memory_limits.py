"""Every number that bounds samples of memory and heap snapshots, each with its reason."""

from gasoline_cdp.limits import MB

# Memory: samples of a page's counters while something happens in it, 1 ms each, and how many are kept of a tab.
MEMORY_SAMPLE_SECONDS = 10.0
MEMORY_SAMPLES = 60
MEMORY_TABS = 20
# Counting detached elements visits every node of the page: 0.3 ms for 100.
DETACHED_NODES_MAX = 200_000
DETACHED_SECONDS = 4.0
# A heap snapshot. Its text has about four times the size of the heap, and Chrome needs as much memory to write it.
HEAP_BYTES_MAX = 512 * MB
HEAP_TEXT_BYTES_MAX = 2048 * MB
HEAP_SECONDS = 59.0
# Timers and requests that end what an action began: the counters must stay the same for a while, or time runs out.
HEAP_SETTLE_SECONDS = 3.0
HEAP_QUIET_SECONDS = 0.25
# Timers that end by themselves within this time are no leak.
HEAP_TIMER_SECONDS = 2.5
# Chunks that wait for the process that reads them. It reads faster than Chrome writes, unless it got stuck.
HEAP_QUEUE_BYTES = 64 * MB
# Snapshots kept by name, in the process that analyses them; and how long it stays without a question.
HEAP_SNAPSHOTS = 10
HEAP_KEPT_BYTES = 768 * MB
HEAP_IDLE_SECONDS = 900.0
# A cancelled question is waited for so long, so that the snapshots survive it.
HEAP_CANCEL_SECONDS = 2.0
HEAP_REPLY_BYTES = 1 * MB
# Rows of an answer about a heap, and its bytes: one cause of a leak has to fit in 2 KB.
HEAP_ROWS = 20
LEAKS_SHOWN = 6
LEAKS_BYTES = 4000
# How often a test repeats an action by default: fewer could be chance.
EXPECTED_ROUNDS = 7
# How often an action may have been repeated.
HEAP_ROUNDS_MAX = 1000
