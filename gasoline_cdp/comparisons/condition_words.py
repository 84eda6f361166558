"""What a comparison says of conditions: what happened under them, or with mocks, is judged with care."""

from gasoline_cdp.analysis.compare.snapshots import SessionSnapshot
from gasoline_cdp.answers.quoting import word

_NAMED = 3
_CHARS = 200


def describe_differing_conditions(before: SessionSnapshot, after: SessionSnapshot) -> str:
    """Sentences with a space before them; empty if both had the same conditions, and no mock answered anything."""
    said = ""
    if before.conditions != after.conditions:
        then, now = ("; ".join(one.conditions)[:_CHARS] or "none" for one in (before, after))
        said += f" Conditions differed (before: {then}; since: {now}), so nothing that is gone counts as resolved."
    if mocked := tuple(dict.fromkeys((*before.mocked, *after.mocked))):
        named = ", ".join(word(name, 80) for name in mocked[:_NAMED])
        more = f" and {len(mocked) - _NAMED} more" if len(mocked) > _NAMED else ""
        said += f" Mocks answered {named}{more}: not judged, since no server did."
    return said
