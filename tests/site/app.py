"""The test site: small pages that misbehave in known ways, and endpoints that answer on command."""

from pathlib import Path

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

HERE = Path(__file__).parent


async def page(request: Request) -> Response:
    """A page of this directory."""
    return HTMLResponse((HERE / f"{request.path_params['name']}.html").read_text())


async def script(request: Request) -> Response:
    return Response((HERE / f"{request.path_params['name']}.js").read_text(), media_type="text/javascript")


async def status(request: Request) -> Response:
    code = request.path_params["code"]
    if code in {204, 304}:
        return Response(status_code=code)
    return JSONResponse({"status": code, "detail": f"this is a {code}"}, status_code=code)


async def numbered(request: Request) -> Response:
    """A body that can be told from every other: its number, many times."""
    number = request.path_params["number"]
    return PlainTextResponse(f"body {number:05d} " * int(request.query_params.get("times", "20")))


async def large(request: Request) -> Response:
    return PlainTextResponse("0123456789abcdef" * (int(request.path_params["kilobytes"]) * 64))


async def redirect(request: Request) -> Response:
    hops = request.path_params["hops"]
    return RedirectResponse(f"/redirect/{hops - 1}" if hops > 1 else "/json?end=redirect", status_code=302)


async def echo(request: Request) -> Response:
    body = await request.body()
    return JSONResponse(
        {"method": request.method, "body": body.decode(errors="replace")},
        status_code=int(request.query_params.get("status", "200")),
    )


async def never(_: Request) -> Response:
    await trio.sleep_forever()
    raise AssertionError


async def anything(request: Request) -> Response:
    return JSONResponse({"ok": True, "query": dict(request.query_params)})


async def with_cookie(_: Request) -> Response:
    response = JSONResponse({"ok": True})
    response.set_cookie("sid", "verysecretcookievalue", httponly=True)
    response.headers["X-Api-Key"] = "headersecretvalue123"
    return response


async def typed(request: Request) -> Response:
    """Content of any type and status, as the query says."""
    query = request.query_params
    return Response(
        query.get("content", "x").encode(),
        media_type=query.get("type", "text/plain"),
        status_code=int(query.get("status", "200")),
    )


def site_app() -> Starlette:
    """All of it; no CORS headers anywhere."""
    return Starlette(
        routes=[
            Route("/page/{name}", page),
            Route("/script/{name}.js", script),
            Route("/status/{code:int}", status, methods=["GET", "POST", "HEAD"]),
            Route("/number/{number:int}", numbered),
            Route("/large/{kilobytes:int}", large),
            Route("/redirect/{hops:int}", redirect),
            Route("/echo", echo, methods=["GET", "POST", "PUT"]),
            Route("/never", never),
            Route("/json", anything),
            Route("/cookie", with_cookie),
            Route("/typed", typed),
        ]
    )
