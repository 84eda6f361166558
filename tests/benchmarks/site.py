"""The pages of the cost benchmark, and the gate that lets their work begin and hears of its end."""

from pathlib import Path

import trio
from attrs import define, field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

HERE = Path(__file__).parent
# The heavy page: as many files and as much script as a large application has, none of it trivial to run.
SCRIPTS, STYLES, PICTURES, CALLS = 60, 20, 40, 80
_FUNCTIONS = 150
_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4" cx="4" cy="4"/></svg>'


@define
class Gate:
    """Holds the page back until its beginning is measured, and hears when it is done."""

    waiting: trio.Event = field(factory=trio.Event)
    go: trio.Event = field(factory=trio.Event)
    done: trio.Event = field(factory=trio.Event)
    work: str = ""
    milliseconds: float = 0.0

    async def do(self, work: str) -> float:
        """Let the page do some work; its own word of how long that took."""
        self.work, self.done = work, trio.Event()
        self.waiting = trio.Event()
        self.go.set()
        await self.done.wait()
        return self.milliseconds


def heavy_page() -> str:
    """A page with many files. It is done when it has loaded, and its calls are answered."""
    scripts = "".join(f'<script src="/script/{n}.js"></script>' for n in range(SCRIPTS))
    styles = "".join(f'<link rel="stylesheet" href="/style/{n}.css">' for n in range(STYLES))
    pictures = "".join(f'<img src="/picture/{n}.svg" alt="">' for n in range(PICTURES))
    return f"""<!doctype html><title>Heavy</title><link rel="icon" href="data:,">{styles}<div id="room"></div>{pictures}
{scripts}<script src="/works.js"></script><script>
  const calls = Array.from({{ length: {CALLS} }}, (_, n) => fetch(`/small?${{n}}`).then((reply) => reply.text()));
  const loaded = new Promise((resolve) => addEventListener("load", resolve));
  Promise.all([loaded, ...calls]).then(() => fetch(`/done?ms=${{performance.now()}}`)).then(doAsTold);
</script>"""


def heavy_script(number: int) -> str:
    """Some twenty kilobytes of functions, which are called, and elements made by them."""
    functions = "\n".join(
        f"function f{number}_{n}(a) {{ const o = {{ n: {n}, list: [a, a + {n}] }}; "
        f"return JSON.stringify(o).length + o.list.reduce((x, y) => (x * 31 + y) | 0, {n}); }}"
        for n in range(_FUNCTIONS)
    )
    calls = " + ".join(f"f{number}_{n}(i)" for n in range(_FUNCTIONS))
    made = f'document.querySelector("#room").append(Object.assign(document.createElement("p"), {{ id: "p{number}" }}))'
    return f"{functions}\nlet sum{number} = 0;\nfor (let i = 0; i < 20; i++) sum{number} += {calls};\n{made};\n"


def bench_app(gate: Gate) -> Starlette:  # noqa: C901 - a list of small handlers
    """The pages, the gate, and what the pages talk to."""

    async def page(_: Request) -> Response:
        return HTMLResponse((HERE / "page.html").read_text())

    async def works(_: Request) -> Response:
        return Response((HERE / "works.js").read_text(), media_type="text/javascript")

    async def heavy(_: Request) -> Response:
        return HTMLResponse(heavy_page())

    async def script(request: Request) -> Response:
        return Response(heavy_script(request.path_params["number"]), media_type="text/javascript")

    async def style(request: Request) -> Response:
        number = request.path_params["number"]
        return Response(f"#p{number} {{ color: rgb({number}, 0, 0) }}\n" * 50, media_type="text/css")

    async def picture(_: Request) -> Response:
        return Response(_PICTURE, media_type="image/svg+xml")

    async def wait_turn(_: Request) -> Response:
        gate.waiting.set()
        await gate.go.wait()
        gate.go = trio.Event()
        return PlainTextResponse(gate.work)

    async def done(request: Request) -> Response:
        gate.milliseconds = float(request.query_params["ms"])
        gate.done.set()
        return PlainTextResponse("done")

    async def small(_: Request) -> Response:
        return PlainTextResponse("x" * 200)

    async def echo(socket: WebSocket) -> None:
        await socket.accept()
        async for text in socket.iter_text():
            await socket.send_text(text)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/works.js", works),
            Route("/heavy", heavy),
            Route("/script/{number:int}.js", script),
            Route("/style/{number:int}.css", style),
            Route("/picture/{number:int}.svg", picture),
            Route("/next", wait_turn),
            Route("/done", done),
            Route("/small", small),
            WebSocketRoute("/echo", echo),
        ]
    )
