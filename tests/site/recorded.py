"""A site whose traffic has what HAR files have: redirects, compression, cookies, bodies, errors, pictures."""

from base64 import b64decode

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

_PIXEL = b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
_PAGE = """<!doctype html><html lang="en"><title>Recorded</title><link rel="stylesheet" href="/look.css">
<h1>Recorded</h1><img src="/pixel.png?size=1"><script src="/app.js"></script>"""
_SCRIPT = """
(async () => {
  const headers = { "content-type": "application/json" };
  await fetch("/api/items?sort=name&sort=age", { method: "POST", headers, body: '{"name": "pen, €"}' });
  await fetch("/api/empty", { method: "DELETE" });
  await fetch("/api/missing").then((answer) => answer.text());
  await fetch("/api/form", { method: "PUT", body: new URLSearchParams({ a: "1", b: "two words" }) });
  console.error("the cart is broken");
  window.done = true;
})();
// %s
""" % ("padding " * 400)


async def _page(_: Request) -> Response:
    answer = HTMLResponse(_PAGE)
    answer.set_cookie("session", "abc", httponly=True, samesite="lax")
    answer.set_cookie("theme", "dark", path="/")
    return answer


async def _items(request: Request) -> Response:
    return JSONResponse({"created": await request.json(), "more": ["x" * 50] * 50}, status_code=201)


async def _form(request: Request) -> Response:
    return JSONResponse({"bytes": len(await request.body())})


async def _audited(_: Request) -> Response:
    return HTMLResponse(
        '<!doctype html><html lang="en"><title>Audited</title><main><h1>Shop</h1><img src="/pixel.png">'
    )


def recorded_app() -> Starlette:
    return Starlette(
        routes=[
            Route("/old", lambda _: RedirectResponse("/new?who=me", 302)),
            Route("/new", _page),
            Route("/audited", _audited),
            Route("/look.css", lambda _: Response("h1 { color: navy }", media_type="text/css")),
            Route("/app.js", lambda _: Response(_SCRIPT, media_type="text/javascript")),
            Route("/pixel.png", lambda _: Response(_PIXEL, media_type="image/png")),
            Route("/api/items", _items, methods=["POST"]),
            Route("/api/empty", lambda _: Response(status_code=204), methods=["DELETE"]),
            Route("/api/missing", lambda _: JSONResponse({"error": "no such thing"}, status_code=404)),
            Route("/api/form", _form, methods=["PUT"]),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=500)],
    )
