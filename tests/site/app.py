"""The test site: small pages that misbehave in known ways, and endpoints that answer on command."""

import json
import struct
import zlib
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from random import Random

import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route, WebSocketRoute
from starlette.types import Send
from starlette.websockets import WebSocket

HERE = Path(__file__).parent


async def page(request: Request) -> Response:
    """A page of this directory, after so many milliseconds."""
    await trio.sleep(int(request.query_params.get("wait", "0")) / 1000)
    return HTMLResponse((HERE / f"{request.path_params['name']}.html").read_text())


async def framed(request: Request) -> Response:
    """A page with a frame of another address."""
    return HTMLResponse(f'<!doctype html><title>Framed</title><iframe src="{request.query_params["src"]}"></iframe>')


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
        headers=json.loads(query.get("headers", "{}")),
    )


class _Streaming(StreamingResponse):
    """Ends its generator with the connection, also where that breaks off while a piece is sent."""

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:
            if isinstance(self.body_iterator, AsyncGenerator):
                await self.body_iterator.aclose()


async def events(request: Request) -> Response:
    """A stream of server-sent events, which then ends or stays open."""

    async def stream() -> AsyncIterator[str]:
        yield "data: plain message\n\n"
        yield 'event: tick\nid: 7\ndata: {"n": 1}\n\n'
        if "stay" in request.query_params:
            await trio.sleep_forever()

    return _Streaming(stream(), media_type="text/event-stream")


async def echo_socket(websocket: WebSocket) -> None:
    """Echo everything; "bye" closes, "flood N" sends N messages."""
    await websocket.accept(subprotocol=next(iter(websocket.scope["subprotocols"]), None))
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        if text == "bye":
            await websocket.close(4001, "told to")
            return
        if text is not None and text.startswith("flood "):
            for number in range(int(text.split()[1])):
                await websocket.send_text(f"flooding {number}")
        elif text is not None:
            await websocket.send_text(text)
        else:
            await websocket.send_bytes(message["bytes"])


async def allowed(request: Request) -> Response:
    """A resource for other origins; a method or header out of the ordinary makes the browser ask first."""
    headers = {
        "Access-Control-Allow-Origin": request.headers.get("origin", "*"),
        "Access-Control-Allow-Headers": "x-custom, content-type",
        "Access-Control-Allow-Methods": "GET, PUT, POST",
    }
    return JSONResponse({"ok": True}, headers=headers)


async def trickle(_: Request) -> Response:
    """A first piece, and then nothing for ever."""

    async def stream() -> AsyncIterator[str]:
        yield "the first piece"
        await trio.sleep_forever()

    return _Streaming(stream(), media_type="text/plain")


async def etagged(request: Request) -> Response:
    """Answers as servers do that tag every answer: the browser asks each time, and is mostly told to use its own."""
    tag = f'"{request.query_params["v"]}"'
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers={"ETag": tag})
    user = {"id": 1, "name": "ada"} if tag == '"1"' else {"id": 1, "full_name": "ada"}
    return JSONResponse(user, headers={"ETag": tag, "Cache-Control": "no-cache"})


async def cached(_: Request) -> Response:
    return PlainTextResponse("cache me", headers={"Cache-Control": "max-age=3600"})


async def service_worker(_: Request) -> Response:
    source = (HERE / "service-worker.js").read_text()
    return Response(source, media_type="text/javascript", headers={"Service-Worker-Allowed": "/"})


async def vendored_script(request: Request) -> Response:
    source = (HERE.parents[1] / "vendor" / f"{request.path_params['name']}.js").read_text()
    return Response(source, media_type="text/javascript")


async def slow_style(request: Request) -> Response:
    """A style sheet, long, uncompressed and late."""
    await trio.sleep(int(request.query_params["wait"]) / 1000)
    return Response("p { color: black }\n" * 200, media_type="text/css")


async def slow_json(request: Request) -> Response:
    await trio.sleep(int(request.query_params["wait"]) / 1000)
    return JSONResponse({"rows": list(range(1000))})


async def picture(request: Request) -> Response:
    """A picture of noise, which no browser takes for a mere background, after so many milliseconds."""
    await trio.sleep(int(request.query_params.get("wait", "0")) / 1000)
    return Response(noise_png(120, 80), media_type="image/png")


def noise_png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    random = Random(1)
    rows = b"".join(b"\0" + random.randbytes(width * 3) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def site_app() -> Starlette:
    """All of it; no CORS headers anywhere."""
    return Starlette(
        routes=[
            Route("/page/{name}", page),
            Route("/framed", framed),
            Route("/script/{name}.js", script),
            Route("/vendor/{name}.js", vendored_script),
            Route("/picture", picture),
            Route("/slow-style", slow_style),
            Route("/slow-json", slow_json),
            Route("/status/{code:int}", status, methods=["GET", "POST", "HEAD"]),
            Route("/number/{number:int}", numbered),
            Route("/large/{kilobytes:int}", large),
            Route("/redirect/{hops:int}", redirect),
            Route("/echo", echo, methods=["GET", "POST", "PUT"]),
            Route("/never", never),
            Route("/json", anything),
            Route("/cookie", with_cookie),
            Route("/typed", typed),
            Route("/api/{rest:path}", typed, methods=["GET", "POST", "PUT", "DELETE"]),
            Route("/events", events),
            WebSocketRoute("/socket", echo_socket),
            Route("/allowed", allowed, methods=["GET", "PUT", "POST", "OPTIONS"]),
            Route("/cached", cached),
            Route("/etag", etagged),
            Route("/trickle", trickle),
            Route("/service-worker.js", service_worker),
        ]
    )
