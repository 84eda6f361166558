"""Asks Chrome for the body of an answer, and never so that Chrome ends."""

from gasoline_cdp.cdp.connection import CdpClosed, Params, Session


async def response_body(session: Session, request_id: str) -> Params:
    """Network.getResponseBody. Raises `CdpError` or `CdpClosed`.

    The session of a service worker outlives the worker, and a browser that is asked on it for a body after the worker
    has stopped ends at once (Chromium 156). So such sessions are never asked, nor are those of pages that have gone:
    the network service, which holds the body, answers to any page.
    """
    question = {"requestId": request_id}
    gone = CdpClosed("no page is open that could be asked for it", "Network.getResponseBody")
    if not session.stoppable:
        try:
            return await session.send("Network.getResponseBody", question)
        except CdpClosed as error:
            gone = error
    stand_in = session.stand_in()
    if stand_in is None:
        raise gone
    return await stand_in.send("Network.getResponseBody", question)
