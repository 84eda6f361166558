"""A small shop in many versions: what a developer changes between two looks at the same page."""

from itertools import count

import trio
from attrs import define, field
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title>
<link rel="icon" href="data:,"><h1>Shop</h1><main id="cart"></main>{scripts}
"""
# The cart is the largest thing that is painted, so a slow answer is a late paint.
_SCRIPT = """
const busy = (ms) => {{ const end = performance.now() + ms; while (performance.now() < end); }};
async function main() {{
  const answer = await fetch("/api/cart/{number}");
  if ({notifications}) await fetch("/api/notifications");
  const cart = document.getElementById("cart");
  cart.innerHTML = "<p style='font-size:40px;width:600px;height:300px'>" + "Your cart is full. ".repeat(20) + "</p>";
  {errors}
  document.body.dataset.done = "yes";
}}
busy({busy});
main();
"""


@define
class Version:
    """What the shop is like at the moment."""

    bundle: str = "app.3f9a1c2b.js"
    cart_status: int = 200
    cart_ms: int = 0
    page_ms: int = 0
    errors: tuple[str, ...] = ()
    # None: the page does not ask for them.
    notifications: int | None = None
    extra_kilobytes: int = 0
    busy_ms: int = 0
    _numbers: "count[int]" = field(init=False, factory=lambda: count(1000))

    def become(self, **changes: object) -> None:
        """Another version; what is not named is as it was at the beginning."""
        fresh = Version(**changes)  # type: ignore[arg-type]
        for name in (
            "bundle",
            "cart_status",
            "cart_ms",
            "page_ms",
            "errors",
            "notifications",
            "extra_kilobytes",
            "busy_ms",
        ):
            setattr(self, name, getattr(fresh, name))

    def number(self) -> int:
        """Another one each time, as ids are."""
        return next(self._numbers)


def shop_app(version: Version) -> Starlette:
    """The shop as `version` says when it is asked."""

    async def page(_: Request) -> Response:
        await trio.sleep(version.page_ms / 1000)
        scripts = [f'<script src="/{version.bundle}"></script>']
        if version.extra_kilobytes:
            scripts.insert(0, '<script src="/analytics.js"></script>')
        return HTMLResponse(_PAGE.format(scripts="".join(scripts)))

    async def bundle(_: Request) -> Response:
        errors = "\n".join(f"console.error({error.format(id=version.number())!r});" for error in version.errors)
        text = _SCRIPT.format(
            number=version.number(),
            notifications="true" if version.notifications else "false",
            errors=errors,
            busy=version.busy_ms,
        )
        return Response(text, media_type="text/javascript", headers={"Cache-Control": "no-store"})

    async def analytics(_: Request) -> Response:
        return Response(f"// {'x' * 1024 * version.extra_kilobytes}", media_type="text/javascript")

    async def cart(_: Request) -> Response:
        await trio.sleep(version.cart_ms / 1000)
        return JSONResponse({"items": []}, status_code=version.cart_status)

    async def notifications(_: Request) -> Response:
        return JSONResponse({}, status_code=version.notifications or 200)

    return Starlette(
        routes=[
            Route("/", page),
            Route("/elsewhere", page),
            Route("/analytics.js", analytics),
            Route("/api/cart/{number:int}", cart),
            Route("/api/notifications", notifications),
            Route("/{bundle}", bundle),
        ]
    )
