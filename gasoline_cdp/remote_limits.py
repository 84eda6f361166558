"""Numbers that bound connections to browsers of other programs, each with its reason."""

# TCP, TLS and the WebSocket's handshake. A hosted browser is often started only then.
CONNECT_SECONDS = 30.0
# A connection on which nothing arrives is pinged after this time, and given up after so many silent rounds: 10 s.
PING_SECONDS = 2.5
PINGS_MISSED = 4
# How long to wait before each attempt to make a lost connection again: about half a minute in all.
RECONNECT_PAUSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
# A connection that lasted so long gets all attempts again. Otherwise one that keeps breaking would never be given up.
STEADY_SECONDS = 60.0
# Gaps that `status` lists, of each browser.
GAPS_KEPT = 10
