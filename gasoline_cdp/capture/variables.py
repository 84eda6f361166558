"""The variables of a target that stands still: which objects hold them, and what they are called."""

import re
from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from gasoline_cdp import debug_limits
from gasoline_cdp.analysis.sourcemaps.source_map import SourceMap
from gasoline_cdp.analysis.sourcemaps.variable_names import ScriptLines, as_it_runs, written_names
from gasoline_cdp.assets import page_script
from gasoline_cdp.capture.rendering import render_variables
from gasoline_cdp.capture.stacks import mapping, whole
from gasoline_cdp.cdp.connection import Params, Session
from gasoline_cdp.measures import FrameValues
from gasoline_cdp.redact import safe_text, safe_url

_SCOPES = {"local", "block", "closure", "catch", "module", "eval", "with"}
# The global scope holds the whole page: reading it takes ten times as long. Of what scripts declare for all others,
# only what the failing line names is read.
_OF_ALL_SCRIPTS = "script"
_SHARED = {"closure", "module", _OF_ALL_SCRIPTS}
_SCOPES_READ = 6
# What is not shown, but hides outer variables of its name: one whose declaration did not run yet, and a function.
_NO_VALUES = {"accessor", "function"}
# Names that a compiler made, and what every function of a module has.
_MADE = re.compile(
    r"^_{0,2}(?:webpack|vite|vitest|esm|cjs|jsx|jsxs|jsxDEV)_|^_?(?:jsx|jsxs|jsxDEV)$|"
    r"^(?:RefreshRuntime|inWebWorker|prevRefreshReg|prevRefreshSig|require|module|exports|arguments)$"
)
# Behind a name that runs, if its author wrote another one that the map does not tell.
RENAMED = " (minified)"

# Written names by those that run; None if the map has several.
Names = Mapping[str, str | None]


@frozen(eq=False)
class Scope:
    """An object that holds variables of a frame; `name` if it is one itself. Places count from 1."""

    frame: Params
    reference: str
    name: str = ""
    # Whether frames around this one have it, too.
    is_shared: bool = False
    # Names that are read first, since the failing line has them, and whether no others are.
    named: tuple[str, ...] = ()
    only_named: bool = False
    begin: tuple[int, int] | None = None
    end: tuple[int, int] | None = None

    @property
    def wanted(self) -> dict[str, object] | None:
        """What to read of it, for a deep preview."""
        return None if self.name else {"first": list(self.named), "only": self.only_named}

    def names(self, script: ScriptLines, source_map: SourceMap) -> Names:
        """What its variables were called by their author."""
        begin, end = self.begin or (1, 1), self.end or script.position(len(script.text))
        return written_names(script, source_map, begin, end)


def scopes_of(frame: Params, named: tuple[str, ...] = ()) -> Iterator[Scope]:
    """The scopes of a frame that are worth reading, innermost first, and `this`. `named`: what its line names."""
    chain = frame.get("scopeChain")
    read = 0
    for given in chain if isinstance(chain, list) else []:
        scope = mapping(given)
        reference = mapping(scope.get("object")).get("objectId")
        kind = scope.get("type")
        if not isinstance(reference, str):
            continue
        if kind == _OF_ALL_SCRIPTS and named:
            yield Scope(frame, reference, is_shared=True, named=named, only_named=True)
        elif kind in _SCOPES and read < _SCOPES_READ:
            read += 1
            begin, end = _position(scope.get("startLocation")), _position(scope.get("endLocation"))
            yield Scope(frame, reference, is_shared=kind in _SHARED, named=named, begin=begin, end=end)
    this = mapping(frame.get("this"))
    if isinstance(this.get("objectId"), str) and this.get("className") not in ("Window", "global", "Object"):
        yield Scope(frame, this["objectId"], "this")


async def reference_to_named(session: Session, scope: Scope) -> str:
    """An object of which only those properties can be read that are wanted of a scope."""
    if not scope.only_named:
        return scope.reference
    reply = await session.send(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": page_script("own_properties"),
            "objectId": scope.reference,
            "arguments": [{"objectId": scope.reference}, {"value": list(scope.named)}],
            "throwOnSideEffect": True,
            "silent": True,
        },
    )
    return str(mapping(reply.get("result")).get("objectId"))


def values_of(
    frames: Iterable[Params], read: list[tuple[Scope, Params]], names: Mapping[Scope, Names] | None = None
) -> Iterator[FrameValues]:
    """The variables of frames as text, innermost first. What frames share is told once, with the innermost."""
    described: list[tuple[str, Params]] = []
    for frame in frames:
        values = _values_of(frame, read, names or {}, described)
        if values.variables:
            yield values


def _values_of(
    frame: Params, read: list[tuple[Scope, Params]], names: Mapping[Scope, Names], described: list[tuple[str, Params]]
) -> FrameValues:
    """An inner variable hides an outer one of the same name. What the failing line names comes first."""
    parts: dict[str, Params] = {}
    hiding: set[str] = set()
    named = next((scope.named for scope, _ in read if scope.frame is frame and scope.named), ())
    order = {name: index for index, name in enumerate(named)}
    for scope, preview in read:
        if scope.frame is not frame:
            continue
        if scope.name:
            parts.setdefault(scope.name, {"name": scope.name, "type": "object", "value": "", "valuePreview": preview})
            continue
        written = names.get(scope, {})
        properties = preview.get("properties")
        for given in properties if isinstance(properties, list) else []:
            part = mapping(given)
            runs = str(part.get("name"))
            if part.get("type") in _NO_VALUES:
                hiding.add(runs)
            if runs in hiding:
                continue
            name = written.get(runs, runs)
            if scope.is_shared:
                if (runs, part) in described:
                    continue
                described.append((runs, part))
            # Hidden by the name that runs, masked by the one that was written.
            if not _MADE.search(name or runs):
                parts.setdefault(runs, {**part, "name": f"{runs}{RENAMED}" if name is None else name})
    location = mapping(frame.get("location"))
    return FrameValues(
        function=safe_text(str(frame.get("functionName") or ""), 120),
        url=safe_url(frame["url"]),
        line=whole(location.get("lineNumber")) + 1,
        column=whole(location.get("columnNumber")) + 1,
        variables=safe_text(
            render_variables(parts[runs] for runs in sorted(parts, key=lambda runs: order.get(runs, len(order)))),
            debug_limits.CATCH_CHARS,
        ),
    )


def expression_as_it_runs(expression: str, frame: Params, text: str, source_map: SourceMap) -> str:
    """An expression of written names with the names that a frame has."""
    script = ScriptLines(text)
    names: dict[str, str] = {}
    for scope in scopes_of(frame):
        if not scope.name and scope.begin is not None:
            for runs, written in scope.names(script, source_map).items():
                if written is not None:
                    names.setdefault(written, runs)
    return as_it_runs(expression, names)


def _position(location: object) -> tuple[int, int] | None:
    given = mapping(location)
    return (whole(given.get("lineNumber")) + 1, whole(given.get("columnNumber")) + 1) if given else None
