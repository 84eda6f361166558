"""Asks Chrome for a response body, in a way that never crashes Chrome."""

from gasoline_cdp.cdp.connection import CdpClosed, Params, Session


async def response_body(session: Session, request_id: str) -> Params:
    """Network.getResponseBody. Raises `CdpError` or `CdpClosed`.

    The session of a service worker outlives the worker. A browser that is asked for a body on it after the worker has
    stopped exits at once (Chromium 156). So we never ask such sessions, nor those of closed pages: the network service
    holds the body, and any page's session can get it.
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
