"""Limits of what is exported over OTLP: how much waits, how much is sent at once, and how long anything takes."""

from gasoline_cdp.limits import MB

# Records that wait to be exported. A flood, or a backend that is slow or gone, costs no more than this. 2000 records
# are what a busy page does in some ten seconds, which is as long as one attempt to send may take.
OTLP_QUEUE = 2000
OTLP_QUEUE_BYTES = 4 * MB
# Spans, log records and values in one request: the usual size of a batch.
OTLP_BATCH = 512
# Send what there is this often. As often as the SDKs of OpenTelemetry do.
OTLP_SECONDS = 5.0
# How long an action waits for the requests that it led to, and they for it, to become one trace.
OTLP_JOIN_SECONDS = 5.0
# How long the request of a document waits for the load that it began to be measured.
OTLP_LOAD_SECONDS = 30.0
# A page that never reports its load: requests later than this after its first one have a trace of their own.
OTLP_PAGE_SECONDS = 60.0
# Pages and actions whose trace is remembered. Later requests of older ones have a trace of their own.
OTLP_PAGES = 200
OTLP_ACTIONS = 200
# Sending what is left when the daemon ends.
OTLP_FLUSH_SECONDS = 5.0
# Text of one attribute, and headers of the endpoint.
OTLP_TEXT_CHARS = 2000
OTLP_HEADERS = 20
OTLP_HEADER_CHARS = 8000
