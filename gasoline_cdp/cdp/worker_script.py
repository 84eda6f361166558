"""Gets the script that a worker runs."""

import trio

from gasoline_cdp.cdp.connection import CdpClosed, CdpError, Params, Session
from gasoline_cdp.redact import safe_url

# A worker that does not send its script in this time has stopped.
_SCRIPT_SECONDS = 2.0


async def worker_script(session: Session, url: str) -> str | None:
    """The source of a service worker's script, by its safe address; None if the worker does not answer.

    Other sessions seldom have its body, and the worker's own session must not be asked for a body (see
    `response_body`). The debugger answers from the worker itself. A stopped worker does not answer.
    """
    scripts: list[str] = []

    def parsed(params: Params) -> None:
        if safe_url(params.get("url")) == url:
            scripts.append(str(params.get("scriptId", "")))

    try:
        with session.listening("Debugger.scriptParsed", parsed), trio.move_on_after(_SCRIPT_SECONDS):
            session.post("Debugger.enable")
            # Sent immediately after, so that no `debugger` statement stops the worker. The reply comes after all
            # scripts.
            await session.send("Debugger.setSkipAllPauses", {"skip": True})
            if scripts:
                reply = await session.send("Debugger.getScriptSource", {"scriptId": scripts[0]})
                return str(reply.get("scriptSource", ""))
    except (CdpError, CdpClosed):
        pass
    finally:
        session.post("Debugger.disable")
    return None
