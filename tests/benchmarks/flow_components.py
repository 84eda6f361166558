"""Flows in pages of component libraries that many applications are made of."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from tests.benchmarks.flow_apps import (
    PAGES,
    Break,
    Opener,
    field_missing,
    hidden,
    renamed,
    site,
    status,
    text_gone,
    thrown,
)
from tests.benchmarks.flow_own import RecordedFlow
from tests.benchmarks.flow_user import User

COMPONENTS = (
    "react@18.3.1", "react-dom@18.3.1", "@mui/material@5.18.0", "vue@3.5.45", "vuetify@3.13.5", "element-plus@2.14.8",
    "antd@5.29.3", "dayjs@1.11.23",
)  # fmt: skip


async def _mui(user: User) -> None:
    await user.click("button|Invite person")
    await user.rest(0.6)
    await user.write("Cid", "input[type=text]")
    await user.click("[role=combobox][aria-haspopup=listbox]")
    await user.rest(0.6)
    await user.click("[role=option]|Editor")
    await user.rest(0.6)
    await user.write("os", "input[role=combobox]")
    await user.click("[role=option]|Oslo")
    await user.click("label|Send a mail")
    await user.click("button|Invite")
    await user.rest(0.8)
    await user.click("[role=tab]|Settings")


async def _vuetify(user: User) -> None:
    await user.click("button|Add to stock")
    await user.rest(0.6)
    await user.write("Vase", ".v-dialog input[type=text]")
    await user.click(".v-dialog .v-select .v-field")
    await user.rest(0.6)
    await user.click(".v-list-item|Middle")
    await user.rest(0.6)
    await user.click("label|Fragile")
    await user.click("button|Save")
    await user.rest(0.8)
    await user.click("tbody tr:nth-of-type(2) button")
    await user.rest(0.6)
    await user.write("va", ".v-main .v-text-field input")
    await user.rest(0.6)


async def _element(user: User) -> None:
    await user.write("Narvik", ".el-input__inner")
    await user.click(".el-select__wrapper")
    await user.rest(0.6)
    await user.click(".el-select-dropdown__item|By train")
    await user.rest(0.6)
    await user.click(".el-input-number__increase")
    await user.click(".el-switch__core")
    await user.click(".el-radio|First")
    await user.click("button|Book trip")
    await user.rest(0.8)
    await user.click("button|Give up")
    await user.rest(0.6)
    await user.click("button|OK")
    await user.rest(0.6)


async def _antd(user: User) -> None:
    await user.click("button|New order")
    await user.rest(0.8)
    await user.write("Ink", "#what")
    await user.click(".ant-select")
    await user.rest(0.6)
    await user.click(".ant-select-item-option|It is calm")
    await user.rest(0.6)
    await user.click("#gift")
    await user.click("button|OK")
    await user.rest(1.0)
    await user.click("th|What")
    await user.click("tbody tr:nth-of-type(1) a|Drop")
    await user.rest(0.6)
    await user.click("button|Yes")
    await user.rest(0.8)


def _records(path: str, *rows: dict[str, Any]) -> Sequence[BaseRoute]:
    """A list that can be added to and removed from; each time anew."""
    kept = [{"id": number, **row} for number, row in enumerate(rows, 1)]

    async def listed(request: Request) -> Response:
        if request.method == "POST":
            kept.append({"id": len(kept) + 1, **(await request.json())})
            return JSONResponse(kept[-1], 201)
        return JSONResponse(kept)

    def removed(request: Request) -> Response:
        kept[:] = [row for row in kept if row["id"] != int(request.path_params["id"])]
        return Response(status_code=204)

    return [Route(path, listed, methods=["GET", "POST"]), Route(f"{path}/{{id}}", removed, methods=["DELETE"])]


def libraries(packages: Path) -> Opener:
    """Pages with components that many applications are made of, and their server."""

    def page(request: Request) -> Response:
        text = (PAGES / "widgets" / f"{request.path_params['name']}.html").read_text()
        return HTMLResponse(text, headers={"cache-control": "no-store"})

    def routes() -> Sequence[BaseRoute]:
        apis = [
            *_records("/api/people", {"name": "Ann", "role": "owner", "city": "Oslo"}),
            *_records("/api/stock", {"item": "Cup", "shelf": "Top"}, {"item": "Jug", "shelf": "Top"}),
            *_records("/api/trips"),
            *_records("/api/orders", {"what": "Paper", "count": 2, "state": "calm"}),
        ]
        return [Route("/app/{name}", page), *apis, Mount("/packages", StaticFiles(directory=packages))]

    return site(routes)


def component_flows(packages: Path) -> list[RecordedFlow]:
    """All of them."""
    parts = libraries(packages)

    def one(name: str, path: str, act: Any, *breaks: Break) -> RecordedFlow:
        return RecordedFlow(name, parts, path, act, breaks)

    return [
        one(
            "mui: invite",
            "app/mui",
            _mui,
            status("/api/people", 500, "POST"),
            field_missing("/api/people", "role"),
            text_gone(" was invited"),
            renamed("Invite person", "Add person"),
            hidden("[role=listbox]", "Editor"),
        ),
        one(
            "vuetify: stock",
            "app/vuetify",
            _vuetify,
            status("/api/stock", 500, "POST"),
            field_missing("/api/stock", "shelf"),
            text_gone("Stored "),
            renamed("Add to stock", "Add it"),
            thrown("click", "event.target.closest('.v-list-item')"),
        ),
        one(
            "element-plus: trips",
            "app/element",
            _element,
            status("/api/trips", 500, "POST"),
            field_missing("/api/trips", "nights"),
            text_gone(" booked", " lost"),
            renamed("Book trip", "Go"),
            text_gone("Give up this trip?", "Please wait"),
        ),
        one(
            "antd: orders",
            "app/antd",
            _antd,
            status("/api/orders", 500, "POST"),
            field_missing("/api/orders", "what"),
            text_gone("Drop this order?", "Really?"),
            renamed('"New order"', '"Order"', reason="New order"),
            hidden(".ant-message", "Ordered"),
        ),
    ]
