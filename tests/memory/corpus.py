"""Pages with a known leak, and the same pages repaired: who holds what, by the page's name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from attrs import frozen
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.support import Watch

_PAGES = Path(__file__).parent / "pages"
# Timers of a tab in the background come once a second; these tasks do not wait.
_PAGE = """<!doctype html><meta charset="utf-8"><title>{name}</title><body><script>
const repaired = {repaired};
const nextFrame = async () => {{
  for (let turn = 0; turn < 4; turn += 1) await scheduler.postTask(() => {{}});
}};
</script>{libraries}<script src="/pages/{name}.js"></script>"""
ROUNDS = 5


@frozen
class LeakPage:
    """What the first finding has to say: one of the kinds, and a part of who holds it or of what is held."""

    kinds: tuple[str, ...]
    holder: str
    # How often the round is run before the first snapshot, for what is filled once.
    first_rounds: int = 2


PAGES: dict[str, LeakPage] = {
    "abort_any": LeakPage(("abort signal",), "abort signal of window"),
    "abort_signal": LeakPage(("listener",), "AbortSignal"),
    "alpine_escape": LeakPage(("listener",), "listener on window"),
    "angular_scope": LeakPage(("emitter", "collection"), "$$listeners"),
    "animation_loop": LeakPage(("animation frame",), "animation frame"),
    "async_loop": LeakPage(("timer", "promise"), "timer of window"),
    "awaited_queue": LeakPage(("collection", "emitter", "promise"), "variable waiting"),
    "axios_interceptors": LeakPage(("emitter", "collection"), "handlers"),
    "backbone_listen": LeakPage(("emitter", "collection"), "variable settings"),
    "bootstrap_popovers": LeakPage(("collection", "cache", "emitter", "detached tree"), "bootstrap"),
    "broadcast_channel": LeakPage(("connection",), "the browser, while it is open"),
    "chart_instances": LeakPage(("collection", "growth"), "Chart.instances"),
    "close_watcher": LeakPage(("connection", "listener", "growth"), "the browser, while it is open"),
    "closure_chain": LeakPage(("closure",), "variable current"),
    "codemirror_linked": LeakPage(("collection", "growth"), ".linked"),
    "coroutines": LeakPage(("collection",), "variable running"),
    "custom_element": LeakPage(("listener",), "listener on document"),
    "custom_element_names": LeakPage(("collection", "growth"), "CustomElementRegistry"),
    "d3_timer": LeakPage(("closure", "collection", "timer"), "d3.min.js"),
    "datatable_settings": LeakPage(("collection", "cache", "emitter", "growth"), "settings"),
    "dexie_query": LeakPage(("emitter", "collection"), "subscribers"),
    "document_listener": LeakPage(("listener",), "listener on document"),
    "dropzone_forms": LeakPage(("collection", "emitter"), ".instances"),
    "echarts_instances": LeakPage(("collection", "cache"), "echarts"),
    "emitter": LeakPage(("emitter",), "handlers.change"),
    "error_causes": LeakPage(("collection", "growth", "closure"), "variable lastError"),
    "error_log": LeakPage(("cache", "collection"), "#lines"),
    "event_target_bus": LeakPage(("listener",), "variable bus"),
    "eventemitter_hub": LeakPage(("emitter", "collection"), "_events"),
    "expando_rows": LeakPage(("collection", "cache", "detached tree"), "recycledRows"),
    "finalization_registry": LeakPage(("registry",), "variable registry"),
    "flatpickr_inputs": LeakPage(("listener", "document"), "document"),
    "font_faces": LeakPage(("collection", "growth", "document"), "FontFaceSet"),
    "frame_elements": LeakPage(("collection", "frame"), "variable put_aside"),
    "frame_on_parent": LeakPage(("listener",), "listener on window"),
    "frame_window": LeakPage(("frame",), "variable previews"),
    "global_names": LeakPage(("detached tree",), "window"),
    "gsap_tween": LeakPage(("collection", "growth", "closure", "cache", "detached tree"), "gsap"),
    "hammer_gestures": LeakPage(("listener",), "listener on window"),
    "highlights": LeakPage(("collection", "growth", "detached tree"), "ighlight"),
    "hotkeys_dialogs": LeakPage(("emitter", "collection"), "_handlers"),
    "i18next_language": LeakPage(("emitter", "collection"), "observers"),
    "idle_loop": LeakPage(("idle callback",), "idle callback"),
    "image_bitmaps": LeakPage(("collection", "cache"), "variable thumbnails"),
    "indexed_db": LeakPage(("connection",), "the browser, while it is open"),
    "infinite_animation": LeakPage(("detached tree",), "DocumentTimeline"),
    "intersection_observer": LeakPage(("collection", "emitter", "cache"), "variable loaders"),
    "interval": LeakPage(("timer",), "timer of window"),
    "jquery_document": LeakPage(("emitter", "collection"), "events.click"),
    "keep_alive": LeakPage(("cache", "collection"), "vue.global.prod.js"),
    "kept_errors": LeakPage(("collection",), "variable unsent"),
    "knockout_computed": LeakPage(("emitter", "collection", "closure"), "variable unread"),
    "konva_stages": LeakPage(("collection", "cache"), "stages"),
    "leaflet_map": LeakPage(("emitter", "collection", "growth"), "_leaflet_events"),
    "left_in_document": LeakPage(("document",), "document"),
    "linked_list": LeakPage(("closure",), "variable newest"),
    "lodash_memoize": LeakPage(("cache", "collection"), "variable layout"),
    "logged_objects": LeakPage(("collection",), "window.unsentReports"),
    "lottie_players": LeakPage(("collection", "closure"), "registeredAnimations"),
    "masonry_grids": LeakPage(("collection", "closure", "listener"), "variable instances"),
    "matter_engine": LeakPage(("emitter", "collection"), "afterUpdate"),
    "media_query": LeakPage(("listener",), "variable dark"),
    "message_channel": LeakPage(("collection",), "variable channels"),
    "metadata_by_element": LeakPage(("collection",), "variable metadata"),
    "mobx_autorun": LeakPage(("emitter", "collection", "closure"), "variable settings"),
    "mutation_observer": LeakPage(("mutation observer",), "<html>"),
    "navigation_listener": LeakPage(("listener",), "avigation"),
    "number_formats": LeakPage(("cache", "collection"), "variable formatters"),
    "parsed_documents": LeakPage(("collection", "detached tree", "growth"), "variable articles"),
    "patched_fetch": LeakPage(("closure", "collection", "growth"), "fetch"),
    "peer_connections": LeakPage(("connection",), "the browser, while it is open"),
    "pending_promise": LeakPage(("promise",), "variable ready"),
    "performance_marks": LeakPage(("growth", "collection"), "erformance"),
    "performance_observer": LeakPage(("performance observer",), "window → Performance"),
    "polling": LeakPage(("timer",), "timer of window"),
    "popper_instances": LeakPage(("listener",), "listener on window"),
    "preact_context": LeakPage(("collection",), "variable mounted"),
    "private_children": LeakPage(("collection",), "#children"),
    "promise_race": LeakPage(("promise",), "variable closed"),
    "pubsub_topics": LeakPage(("emitter", "collection"), "variable messages"),
    "query_cache": LeakPage(("cache", "collection"), "#queries"),
    "react_effect": LeakPage(("listener",), "listener on window"),
    "react_roots": LeakPage(("collection",), "variable dialogs"),
    "react_store": LeakPage(("emitter",), "subscribers"),
    "recycled_rows": LeakPage(("cache", "collection"), "variable rowPool"),
    "redux_store": LeakPage(("closure", "emitter", "collection"), "variable store"),
    "registry_map": LeakPage(("collection",), "variable registry"),
    "removed_elements": LeakPage(("collection",), "window.removedCards"),
    "resize_observer": LeakPage(("resize observer",), "<body>"),
    "router_guards": LeakPage(("closure", "emitter", "collection"), "variable handlers of useCallbacks"),
    "rxjs_interval": LeakPage(("timer",), "timer of window"),
    "rxjs_subscription": LeakPage(("collection", "emitter", "closure"), "variable prices"),
    "shared_scope": LeakPage(("collection",), "variable formatters"),
    "shown_panel": LeakPage(("collection",), "variable opened", first_rounds=0),
    "signals_effect": LeakPage(("closure", "emitter", "collection", "growth"), "variable language"),
    "socket_handlers": LeakPage(("emitter", "collection"), "variable socket"),
    "solid_root": LeakPage(("emitter", "collection"), "observers"),
    "sortable_lists": LeakPage(("collection", "cache", "listener", "detached tree"), "ortable"),
    "static_set": LeakPage(("collection",), "variable FloatingWindow"),
    "stimulus_refresh": LeakPage(("timer",), "timer of window"),
    "store_subscription": LeakPage(("emitter",), "variable listeners of createStore"),
    "stream_readers": LeakPage(("collection", "emitter"), "variable sources"),
    "style_sheets": LeakPage(("collection", "growth", "document"), "document"),
    "svelte_store": LeakPage(("emitter", "collection"), "variable subscribers"),
    "tabulator_tables": LeakPage(("collection", "cache"), "tables"),
    "three_scene": LeakPage(("collection",), "variable scene"),
    "tween_group": LeakPage(("collection", "growth", "detached tree"), "variable animations"),
    "unbounded_cache": LeakPage(("cache",), "variable resultCache"),
    "undo_stack": LeakPage(("collection", "cache"), ".undo"),
    "videojs_players": LeakPage(("collection", "cache", "growth", "detached tree"), "players"),
    "visual_viewport": LeakPage(("listener",), "isualViewport"),
    "vue_bus": LeakPage(("collection", "emitter"), "variable bus"),
    "vue_watcher": LeakPage(("collection", "emitter", "closure"), "variable theme"),
    "vuex_subscribers": LeakPage(("emitter", "collection"), "_subscribers"),
    "weak_map_values": LeakPage(("collection",), "variable notes"),
    "weak_refs": LeakPage(("collection",), "variable remembered"),
    "web_locks": LeakPage(("growth", "collection"), "LockManager"),
    "window_listener": LeakPage(("listener",), "listener on window"),
    "window_manager": LeakPage(("collection", "growth", "detached tree"), "variable manager"),
    "worker": LeakPage(("collection", "worker"), "window.jobs"),
    "worker_requests": LeakPage(("collection", "cache"), "variable requests"),
    "xstate_actor": LeakPage(("emitter", "collection"), "observers"),
    "xterm_sessions": LeakPage(("collection",), "variable sessions"),
    "zone_listener": LeakPage(("emitter", "collection", "listener"), "window"),
}


def is_right(finding: dict[str, Any], page: LeakPage) -> bool:
    """Whether a finding names the holder."""
    return finding["kind"] in page.kinds and page.holder in finding["held_by"]


def libraries_of(name: str) -> list[str]:
    """The files of packages that a page uses, below node_modules."""
    lines = (_PAGES / f"{name}.js").read_text().splitlines()
    return [line.removeprefix("// uses: ") for line in lines if line.startswith("// uses: ")]


@asynccontextmanager
async def serve_pages(node_modules: Path | None = None) -> AsyncIterator[str]:
    """The address of the pages, ending in a slash: `NAME`, or `NAME?repaired`."""

    async def page(request: Request) -> HTMLResponse:
        name = request.path_params["name"]
        if name not in PAGES:
            return HTMLResponse("", status_code=404)
        libraries = "".join(f'<script src="/node_modules/{file}"></script>' for file in libraries_of(name))
        repaired = "true" if request.url.query == "repaired" else "false"
        return HTMLResponse(_PAGE.format(name=name, repaired=repaired, libraries=libraries))

    routes = [Mount("/pages", StaticFiles(directory=_PAGES)), Route("/{name}", page)]
    if node_modules is not None:
        routes.insert(0, Mount("/node_modules", StaticFiles(directory=node_modules)))
    async with serve_app(Starlette(routes=routes)) as url:
        yield url


async def look_for_leaks(watch: Watch, address: str, *, rounds: int | None = ROUNDS) -> dict[str, Any]:
    """Open a page, repeat its round, and ask what leaks."""
    return await watch.call("analyze", **await repeat_round(watch, address, rounds=rounds))


async def repeat_round(watch: Watch, address: str, *, rounds: int | None = ROUNDS) -> dict[str, Any]:
    """Open a page, and repeat its round after a first snapshot. Returns how to ask what leaks."""
    await watch.open(address)
    name = urlsplit(address).path.removeprefix("/")
    for _ in range(PAGES[name].first_rounds):
        await watch.evaluate("round()")
    await watch.call("analyze", action="memory", scope="snapshot", name="before")
    for _ in range(ROUNDS):
        await watch.evaluate("round()")
    told = {"rounds": rounds} if rounds else {}
    return {"action": "memory", "scope": "leaks", "name": "before", **told}
