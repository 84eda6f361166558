"""What the product promises: id → sentence and where it comes from. Tests name the ids they show to hold.

S01 to S30 are the security requirements; the others begin with the step that brought them.
"""

REQUIREMENTS: dict[str, str] = {
    "F1-CAPTURE": "Console, exceptions, rejections, browser log and requests of a page are captured. (step 1, 5)",
    "F1-BODIES": "Bodies are kept as off, errors or all says, within their limits. (step 1, 5; contract 3)",
    "F1-FLOOD": "Of 50,000 lines the newest 1,000 stay, 49,000 are reported dropped, memory is flat. (step 1)",
    "F1-PARALLEL": "500 parallel requests: every entry is there, the bodies kept are right. (step 1)",
    "F1-HANG": "A hung page is named as such and loses nothing captured. (contract 2)",
    "F1-TAB-CRASH": "A crashed tab is noticed, reported and survived. (contract 2)",
    "F1-CRASH": "Chrome killed is noticed within a second and restarted, at most three times. (step 1; contract 2)",
    "F1-END": "Ctrl-C, kill -9 of the daemon: nothing is left running, in pipe and port mode. (step 1)",
    "F1-MCP": "Real clients of both eras are told of a page loaded before they connected. (step 1)",
    "F1-SECRETS": "Planted secrets appear in no answer and no log. (step 1)",
    "F1-DEMO": "The demo names the failing call, the exception with file and line, and the rejection. (step 1)",
    "F1-CLI": "Wrong usage ends with 2, failure with 1 and one line, and no traceback is ever shown. (contract 1)",
    "F1-TOOLS": "Arguments are strict, all problems told at once, answers are bounded JSON. (step 1, 6; contract 5)",
    "F1-PACKAGE": "The wheel holds everything it needs and runs from a fresh environment. (architecture)",
    "F1-DOCS": "Generated pages are not stale, and the commands in the README work. (step 1)",
    "F2-TARGETS": "Pages, popups, frames and workers are complete from their first instruction. (step 2, 1-3)",
    "F2-FLOOD": "Floods from two targets leave the one error of a third in place. (step 2)",
    "F2-WITNESS": "On real applications the counts are those of an independent client. (step 2)",
    "F2-NETWORK": "Requests of every kind, with true headers, sizes, phases, and why they failed. (step 2, 2)",
    "F2-SOCKETS": "WebSockets and EventSources: life, messages both ways, counts and rates. (step 2, 3)",
    "S13": "Modes 0600 in 0700; a symlinked or foreign-owned runtime directory is refused.",
    "F2-ACTIONS": "Actions of people in every frame, with selectors that hold and no secret; DOM snapshots. (step 2, 4)",
    "F2-TIMELINE": "Actions, requests and errors by time, 200 at most, shapes and never values. (step 2, 4)",
    "S19": "Planted secrets appear in no answer, record or log.",
    "S20": "Page text stays in data fields; answers stay valid JSON.",
    "S22": "A launched Chrome has no TCP listener in pipe mode.",
    "S23": "The daemon killed takes Chrome with it, and the profile can be used again.",
    "S24": "An attached Chrome is never closed.",
    "S28": "Standard output of mcp carries JSON-RPC lines only.",
    "S30": "tools/list is the same bytes for everyone.",
}
