"""Tests generated from real input, run by the real Playwright: on the page as it was, and on broken ones."""

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.hands import Hand, by_id, told
from tests.suites.generated import run_specs
from tests.support import Watch

pytestmark = pytest.mark.requirement("F6-TESTS")

_PAGE = """<!doctype html><title>Items</title><h1>Items</h1>
<form id="form"><label>New item <input id="title"></label><button id="add">NAME</button></form>
<label><input type="checkbox" id="urgent"> Urgent</label><ul id="list"></ul><p id="count"></p><script>
  const address = "/api/items" + location.search;
  const draw = async () => {
    const items = await (await fetch(address)).json();
    const row = (item) => Object.assign(document.createElement("li"), {textContent: item.title});
    list.replaceChildren(...items.map(row));
    count.textContent = BROKEN === "text" ? "" : `${items.length} items`;
  };
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (BROKEN === "throw") setTimeout(() => { throw new TypeError("boom is not a function"); });
    if (BROKEN !== "call") await fetch(address, {method: "POST", body: JSON.stringify({title: title.value})});
    draw();
  };
  draw();
</script>"""

_LOGIN = """<!doctype html><title>Login</title><h1>Sign in</h1>
<form id="form"><label>Password <input type="password" id="password"></label>
<label>Code <input id="code" name="otp" autocomplete="one-time-code"></label><button id="send">Sign in</button></form>
<p id="said"></p><script>
  form.onsubmit = async (event) => {
    event.preventDefault();
    const body = JSON.stringify({password: password.value, otp: code.value});
    const {token} = await (await fetch("/api/login", {method: "POST", body})).json();
    said.textContent = `Your session is ${token}`;
    console.error(`cannot store ${token}`);
  };
</script>"""
_PASSWORD, _CODE, _TOKEN = "hunter-2-horses", "482913", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def _app() -> Starlette:
    """A little application. The query says which list is shown, and what is broken: each list belongs to one test."""
    lists: dict[str, list[dict[str, Any]]] = {}

    def page(request: Request) -> Response:
        broken = request.query_params["list"]
        name = "Save" if broken == "rename" else "Add"
        return HTMLResponse(_PAGE.replace("BROKEN", json.dumps(broken)).replace("NAME", name))

    async def items(request: Request) -> Response:
        broken = request.query_params["list"]
        kept = lists.setdefault(broken, [{"id": 1, "title": "First"}])
        if request.method == "POST":
            kept.append({"id": len(kept) + 1, "title": (await request.json())["title"]})
            return JSONResponse(kept[-1], status_code=500 if broken == "status" else 201)
        return JSONResponse([{"id": one["id"]} for one in kept] if broken == "field" else kept)

    async def login(_: Request) -> Response:
        return JSONResponse({"token": _TOKEN, "user": {"name": "Ann"}})

    return Starlette(
        routes=[
            Route("/", page),
            Route("/api/items", items, methods=["GET", "POST"]),
            Route("/variety", lambda _: HTMLResponse(_VARIETY)),
            Route("/repaired", lambda _: HTMLResponse(_VARIETY.replace("null.missing()", "0"))),
            Route("/login", lambda _: HTMLResponse(_LOGIN)),
            Route("/api/login", login, methods=["POST"]),
        ]
    )


# What roles, names and texts are computed from; each click shows the next. What is not certain is not expected.
_KINDS = (
    "<h2>All   the\nkinds</h2><h3 class=drawn>Drawn</h3><p>Before <img alt='' src=''> after</p><p>Ends here</p>",
    """<ul><li>Plain <span>text</span> <b>joined</b></li><li><input type=checkbox checked> Done <em>today</em> work</li>
    <li class=drawn>not certain</li><li><div>Two</div><div>blocks</div></li><li hidden>hidden</li></ul>""",
    "<ul role=presentation><li>no item</li></ul><p>A <img alt=cat src='data:,'> cat</p><p>Another</p><p>Third</p>",
    "<table><tr><th>Name</th><td>Ann</td><td>a: 'b'</td></tr></table><table role=grid><tr><td>Bob</td></tr></table>",
    "<header>Top</header><footer>End</footer><p>Other</p><section><p>Not</p></section><div><p>Last</p></div>",
    "<p>It's <code>code</code>, <a href='#x'>a link</a> and <a>none</a></p><button aria-label=Labelled>x</button>",
    """<button>With <svg></svg> icon</button><input type=submit value='Send it'><select><option>One</option></select>
    <textarea>typed</textarea><p aria-hidden=true>unseen</p><p>Seen</p>""",
    "<div role=alert>Look - here #1</div><my-part>own</my-part><details><summary>More</summary><p>closed</p></details>",
    "<dl><dt>Term</dt><dd>Meaning</dd></dl><p>{braces} `ticks` ${x} \\ and quote's</p><p>yes</p>",
)
_VARIETY = """<!doctype html><title>Variety</title><style>.drawn::before { content: "drawn " }</style>
<h1>Variety</h1><button id="show">Show</button><main></main><script>
  const kinds = KINDS;
  show.onclick = () => {
    document.querySelector("main").innerHTML = kinds.shift();
    if (!kinds.length) setTimeout(() => null.missing());
  };
</script>""".replace("KINDS", json.dumps(_KINDS))


@pytest.fixture
async def items() -> AsyncIterator[str]:
    async with serve_app(_app()) as url:
        yield url.rstrip("/")


@pytest.mark.long
async def test_a_generated_test_passes_on_its_page_and_fails_where_that_is_broken(
    watch: Watch, items: str, tmp_path: Path
) -> None:
    await watch.open(f"{items}/?list=recorded")
    await watch.until(lambda: [s for s in watch.telemetry.dom_snapshots.newest() if s.trigger == "load"])
    hand = Hand(watch)
    await hand.click(by_id("title"))
    await hand.write("Milk")
    await hand.click(by_id("add"))
    await told(watch, "click", 2)
    await watch.until(lambda: [s for s in watch.telemetry.dom_snapshots.newest() if s.trigger == "action"])
    await hand.click(by_id("urgent"))
    await told(watch, "click", 3)
    answer = await watch.call("generate_test", test_name="adds an item")
    assert answer["action_count"] == 3
    scripts = {
        f"{name}.spec.ts": answer["test_script"].replace("list=recorded", f"list={name}")
        # On the list that was recorded, the item is already there.
        for name in ("whole", "recorded", "status", "field", "text", "throw", "rename", "call")
    }
    errors = await trio.to_thread.run_sync(partial(run_specs, tmp_path, scripts))
    for name in ("whole.spec.ts", "recorded.spec.ts"):
        assert errors.pop(name) == "", (errors, answer["test_script"])
    reasons = {name.partition(".")[0]: reason for name, reason in errors.items()}
    assert "201" in reasons["status"]
    assert "title" in reasons["field"]
    assert r"\d+ items" in reasons["text"]
    assert "boom is not a function" in reasons["throw"]
    assert "getByRole('button', { name: 'Add'" in reasons["rename"]
    assert "waitForResponse" in reasons["call"]


def _are_outlined(watch: Watch, number: int) -> bool:
    """Whether the regions of so many actions were outlined."""
    shots = [shot for shot in watch.telemetry.dom_snapshots.newest() if shot.trigger == "action" and shot.outline]
    return len({shot.ts for shot in shots}) >= number


@pytest.mark.long
@pytest.mark.requirement("F6-REPRODUCTION")
async def test_a_region_and_an_error_come_again_in_a_fresh_browser(watch: Watch, items: str, tmp_path: Path) -> None:
    await watch.open(f"{items}/variety")
    await watch.until(lambda: [s for s in watch.telemetry.dom_snapshots.newest() if s.trigger == "load"])
    hand = Hand(watch)
    for number in range(1, len(_KINDS) + 1):
        await hand.click(by_id("show"))
        await told(watch, "click", number)
        await watch.until(partial(_are_outlined, watch, number))
    script = (await watch.call("generate_test", assertions=["dom_state"]))["test_script"]
    assert script.count("toMatchAriaSnapshot(") == len(_KINDS), script
    for expected in ('heading "All the kinds" [level=2]', "listitem: Plain text joined", "checkbox [checked]",
                     "listitem: Two blocks", 'cell "Ann"', 'button "Labelled"', 'button "Send it"'):  # fmt: skip
        assert expected in script, script
    assert "not certain" not in script
    reproduction = (await watch.call("generate", format="reproduction", error_message="null"))["text"]
    repaired = reproduction.replace("/variety", "/repaired")
    scripts = {"outline.spec.ts": script, "shows.spec.ts": reproduction, "repaired.spec.ts": repaired}
    errors = await trio.to_thread.run_sync(partial(run_specs, tmp_path, scripts))
    assert errors["outline.spec.ts"] == ""
    assert errors["shows.spec.ts"] == ""
    assert "expected" in errors["repaired.spec.ts"]


async def test_a_recorded_login_yields_no_secret(watch: Watch, items: str) -> None:
    watch.daemon.capture.bodies.mode = "all"
    await watch.open(f"{items}/login")
    hand = Hand(watch)
    for name, value in (("password", _PASSWORD), ("code", _CODE)):
        await hand.click(by_id(name))
        await hand.write(value)
    await hand.click(by_id("send"))
    await told(watch, "click", 3)
    await watch.log("cannot store")
    languages = ("typescript", "javascript", "python")
    made = [await watch.call("generate_test", language=language, fixtures=True) for language in languages]
    for form in ("typescript", "python", "steps"):
        made += [await watch.call("generate", format=name, language=form) for name in ("test", "reproduction")]
    assert "process.env.TEST_PASSWORD" in made[0]["test_script"]
    assert 'os.environ["TEST_CODE"]' in made[2]["test_script"]
    assert '"name": "Ann"' in made[0]["fixture_file"]
    assert "process.env.TEST_PASSWORD" in made[1]["mocked_script"]
    assert any("TEST_CODE" in warning for warning in made[0]["warnings"])
    whole = json.dumps(made)
    assert [secret for secret in (_PASSWORD, _CODE, _TOKEN) if secret in whole] == []
