"""Which variables the failing line names, where a target stands still: they tell most."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from gasoline_cdp import debug_limits
from gasoline_cdp.analysis.sourcemaps.variable_names import ScriptLines, names_near
from gasoline_cdp.bounded import BoundedDict
from gasoline_cdp.capture.debugger import DebuggedScript, DebuggedTarget
from gasoline_cdp.capture.stacks import mapping, whole
from gasoline_cdp.cdp.connection import Params, Session

_Known = BoundedDict[str, ScriptLines]


class FailingLines:
    """Reads each script once, while its target stands still. Long ones would take too long."""

    def __init__(self) -> None:
        self._scripts: WeakKeyDictionary[Session, _Known] = WeakKeyDictionary()

    async def names(self, target: DebuggedTarget, frames: Sequence[Params]) -> list[tuple[str, ...]]:
        """For each frame the names in its line, the nearest to where it stands first; none if that takes too long."""
        scripts = [target.script_of(frame) for frame in frames]
        known = self._scripts.setdefault(
            target.session,
            BoundedDict(
                debug_limits.CATCH_KEPT,
                weight=lambda lines: len(lines.text),
                max_weight=debug_limits.CATCH_SCRIPTS_CHARS,
            ),
        )
        await _read(target.session, scripts, known)
        return [
            _names(known[script.script_id], script, frame) if script is not None and script.script_id in known else ()
            for script, frame in zip(scripts, frames, strict=True)
        ]


async def _read(session: Session, scripts: Sequence[DebuggedScript | None], known: _Known) -> None:
    """Those that are not known yet, all at once: each round trip costs the page a millisecond."""
    missing = {
        script.script_id
        for script in scripts
        if script is not None and script.script_id not in known and 0 < script.length <= debug_limits.CATCH_SCRIPT_CHARS
    }
    if missing:
        wanted = [{"scriptId": script_id} for script_id in missing]
        replies = await session.send_many("Debugger.getScriptSource", wanted)
        for script_id, reply in zip(missing, replies, strict=True):
            known[script_id] = ScriptLines(str(mapping(reply).get("scriptSource", "")))


def _names(lines: ScriptLines, script: DebuggedScript, frame: Params) -> tuple[str, ...]:
    location = mapping(frame.get("location"))
    line, column = whole(location.get("lineNumber")) - script.line, whole(location.get("columnNumber"))
    if line == 0:
        column -= script.column
    begin, end = lines.offset((line + 1, 1)), lines.offset((line + 2, 1))
    end = end if end > begin else len(lines.text)
    offset = min(begin + max(column, 0), end)
    around = debug_limits.CATCH_LINE_CHARS
    names = names_near(lines.text, max(begin, offset - around), offset, min(end, offset + around))
    return tuple(names[: debug_limits.CATCH_NAMES])
