"""A second session with a target, for work that must not disturb the session that captures it."""

from gasoline_cdp.cdp.connection import CdpClosed, Session


async def open_second_session(session: Session) -> Session:
    """Open another session with the target of this one. The caller closes it with `close_second_session`."""
    connection, target_id = session.connection, session.target_id
    # Chrome announces the session before it replies. `Targets` puts it here instead of closing it as a duplicate.
    opened = connection.requested.setdefault(target_id, [])
    try:
        await connection.root.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        if not opened:
            raise CdpClosed("the page was closed", "Target.attachToTarget")
        return opened.pop(0)
    finally:
        # A cancelled caller never gets its session.
        for unclaimed in opened:
            close_second_session(unclaimed)
        connection.requested.pop(target_id, None)


def close_second_session(session: Session) -> None:
    """Close it. Does nothing if it, or the browser, is gone."""
    session.connection.root.post("Target.detachFromTarget", {"sessionId": session.session_id})


def sessions_below(session: Session) -> list[Session]:
    """The sessions of the frames and workers of a page, and of theirs."""
    return [one for one in session.connection.sessions.values() if _is_below(one, session)]


def _is_below(one: Session, session: Session) -> bool:
    parent = one.parent
    while parent is not None and parent is not session:
        parent = parent.parent
    return parent is session
