"""A page that says its name from everywhere at once: itself, a frame of another site, a popup, three workers."""

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

# Every kind of place that speaks, as it calls itself.
PLACES = {"page", "frame", "popup", "worker", "shared", "service"}

_PAGE = """<!doctype html><title>%(name)s</title><link rel="icon" href="data:,">
<script>
const name = %(name)r, other = location.origin.replace("127.0.0.1", "localhost");
console.error("page", name);
fetch("/refused?name=" + name);
new Worker("/speak.js?place=worker&name=" + name);
new SharedWorker("/speak.js?place=shared&name=" + name);
navigator.serviceWorker.register("/speak.js?place=service&name=" + name);
const frame = document.createElement("iframe");
frame.src = other + "/say?place=frame&name=" + name;
document.documentElement.append(frame);
</script>"""
_SAY = """<!doctype html><link rel="icon" href="data:,"><script>console.error(%(place)r, %(name)r)</script>"""


async def _page(request: Request) -> Response:
    return HTMLResponse(_PAGE % {"name": request.query_params["name"]})


async def _say(request: Request) -> Response:
    return HTMLResponse(_SAY % dict(request.query_params))


async def _speak(request: Request) -> Response:
    place, name = request.query_params["place"], request.query_params["name"]
    return Response(f"console.error({place!r}, {name!r});", media_type="text/javascript")


async def _refused(request: Request) -> Response:
    return JSONResponse({"refused": request.query_params["name"]}, 500)


def contexts_app() -> Starlette:
    """The site."""
    return Starlette(
        routes=[Route("/page", _page), Route("/say", _say), Route("/speak.js", _speak), Route("/refused", _refused)]
    )
