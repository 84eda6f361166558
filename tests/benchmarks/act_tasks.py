"""Tasks as an assistant would do them: what each server is asked, in the order in which its answers allow it.

An assistant sees a page before it names anything on it, and takes names from the answers. It does as much in one call
as the server lets it, and asks again only for what it was not told.
"""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any

from attrs import define, field, frozen

from tests.benchmarks.act_shop import EMAIL, PASSWORD
from tests.benchmarks.tokens import DEVTOOLS, OURS, PLAYWRIGHT, Asked

_REFERENCES = {
    OURS: re.compile(r"(@[a-z]+\d+)"),
    DEVTOOLS: re.compile(r"uid=(\S+)"),
    PLAYWRIGHT: re.compile(r"\[ref=(\w+)\]"),
}
_LABELS = ("First name", "Last name", "First line of address", "City", "Post/Zip-code")
_ADDRESS = dict(zip(_LABELS, ("Ada", "Berg", "Storgata 1", "Oslo", "0155"), strict=True))
_LOOKS = 5
_LETTER = "Dear Ann, the lamp is here."


@define
class Assistant:
    """Asks one server, and counts: calls, bytes written and read, and the time until each answer."""

    asked: Asked
    calls: int = 0
    written: int = 0
    read: int = 0
    seconds: float = 0.0
    # What it has read last, and all of it.
    text: str = ""
    texts: list[str] = field(factory=list)

    async def ask(self, tool: str, **arguments: Any) -> str:
        """One call."""
        begun = time.perf_counter()
        self.text = await self.asked.call(tool, arguments)
        self.seconds += time.perf_counter() - begun
        self.calls += 1
        self.read += len(self.text.encode())
        self.written += len(f"{tool}{arguments}".encode())
        self.texts.append(f"> {tool} {arguments}\n{self.text}")
        return self.text

    async def act(self, *steps: tuple[str, ...], **more: str) -> str:
        """A call of ours: (do, target, value)."""
        named = [dict(zip(("do", "target", "value"), step, strict=False)) for step in steps]
        return await self.ask("act", steps=[{k: v for k, v in step.items() if v} for step in named], **more)

    def ref(self, pattern: str, after: str = "") -> str:
        """The reference in the first line that matches, after one that has this text."""
        lines = self.text.splitlines()
        if after:
            lines = lines[next(n for n, line in enumerate(lines) if after in line) :]
        reference = _REFERENCES[self.asked.name]
        for line in lines:
            if re.search(pattern, line) and (found := reference.search(line)):
                return found[1]
        raise LookupError(f"{self.asked.name}: no {pattern!r} after {after!r} in:\n{self.text}")


@frozen(kw_only=True)
class Task:
    """What is to be done, and how each server's assistant does it. Done if the last answers say `goal`."""

    name: str
    app: str
    goal: str
    how: dict[str, Callable[[Assistant, str], Awaitable[Any]]]


async def _snapshot(one: Assistant, url: str) -> None:
    await one.ask("navigate_page", type="url", url=url)
    await one.ask("take_snapshot")


async def _clicked(one: Assistant, uid: str) -> None:
    """Click, and look again for as long as the page is loading."""
    await one.ask("click", uid=uid, includeSnapshot=True)
    for _ in range(_LOOKS):
        if " busy" not in one.text:
            return
        await one.ask("take_snapshot")


async def _shown(one: Assistant, tool: str, **arguments: Any) -> None:
    """Playwright's answers name a file with the page. Whoever wants to see it asks for it, or reads that file."""
    await one.ask(tool, **arguments)
    await one.ask("browser_snapshot")


def _filled(*fields: tuple[str, str]) -> list[dict[str, str]]:
    return [{"uid": uid, "value": value} for uid, value in fields]


def _fields(*fields: tuple[str, str, str]) -> list[dict[str, str]]:
    return [{"name": name, "type": "textbox", "target": target, "value": value} for name, target, value in fields]


async def _log_in_ours(one: Assistant, url: str) -> None:
    await one.act(("open", "", f"{url}/accounts/login/"))
    await one.act(
        ("fill", one.ref('textbox "Email'), EMAIL), ("fill", one.ref('textbox "Password'), PASSWORD),
        ("click", 'button "Log In"'),
    )  # fmt: skip


async def _log_in_devtools(one: Assistant, url: str) -> None:
    await _snapshot(one, f"{url}/accounts/login/")
    fields = _filled((one.ref('textbox "Email'), EMAIL), (one.ref('textbox "Password'), PASSWORD))
    button = one.ref('button "Log In"')
    await one.ask("fill_form", elements=fields)
    await _clicked(one, button)


async def _log_in_playwright(one: Assistant, url: str, *, look: bool = True) -> None:
    await _shown(one, "browser_navigate", url=f"{url}/accounts/login/")
    button = one.ref('button "Log In"')
    password = one.ref('textbox "Password')
    mail = one.ref('textbox "Email')
    await one.ask("browser_fill_form", fields=_fields(("Email", mail, EMAIL), ("Password", password, PASSWORD)))
    await one.ask("browser_click", element="Log In", target=button)
    if look:
        await one.ask("browser_snapshot")


async def _address_ours(one: Assistant, url: str) -> None:
    await one.act(("open", "", f"{url}/accounts/login/"))
    await one.act(
        ("fill", one.ref('textbox "Email'), EMAIL), ("fill", one.ref('textbox "Password'), PASSWORD),
        ("click", 'button "Log In"'), ("open", "", f"{url}/accounts/addresses/add/"),
    )  # fmt: skip
    await one.act(
        *(("fill", one.ref(f'textbox "{label}'), value) for label, value in _ADDRESS.items()),
        ("select", one.ref('combobox "Country'), "Norway"),
        ("click", 'button "Save"'),
    )


async def _address_devtools(one: Assistant, url: str) -> None:
    await _log_in_devtools(one, url)
    await _snapshot(one, f"{url}/accounts/addresses/add/")
    fields = [(one.ref(f'textbox "{label}'), value) for label, value in _ADDRESS.items()]
    fields.append((one.ref('combobox "Country'), "Norway"))
    button = one.ref('button "Save"')
    await one.ask("fill_form", elements=_filled(*fields))
    await _clicked(one, button)


async def _address_playwright(one: Assistant, url: str) -> None:
    await _log_in_playwright(one, url, look=False)
    await _shown(one, "browser_navigate", url=f"{url}/accounts/addresses/add/")
    fields = _fields(*((label, one.ref(f'textbox "{label}'), value) for label, value in _ADDRESS.items()))
    country = {"name": "Country", "type": "combobox", "target": one.ref('combobox "Country'), "value": "Norway"}
    button = one.ref('button "Save"')
    await one.ask("browser_fill_form", fields=[*fields, country])
    await _shown(one, "browser_click", element="Save", target=button)


async def _cart_ours(one: Assistant, url: str) -> None:
    await one.act(("open", "", f"{url}/catalogue/"))
    if "Oak chair 1" not in one.text:
        await one.ask("observe", what="accessibility_tree", interactive_only=True)
    await one.act(("click", one.ref('button "Add to cart"', "Oak chair 1")), ("open", "", f"{url}/basket/"))
    await one.act(("fill", one.ref("spinbutton"), "3"), ("click", one.ref('button "Update"')))


async def _cart_devtools(one: Assistant, url: str) -> None:
    await _snapshot(one, f"{url}/catalogue/")
    await one.ask("click", uid=one.ref('button "Add to cart"', "Oak chair 1"))
    await _snapshot(one, f"{url}/basket/")
    button = one.ref('button "Update"')
    await one.ask("fill", uid=one.ref("spinbutton"), value="3")
    await _clicked(one, button)


async def _cart_playwright(one: Assistant, url: str) -> None:
    await _shown(one, "browser_navigate", url=f"{url}/catalogue/")
    await one.ask("browser_click", element="Add to cart", target=one.ref('button "Add to cart"', "Oak chair 1"))
    await _shown(one, "browser_navigate", url=f"{url}/basket/")
    # Enter in the field does what the button does.
    await _shown(one, "browser_type", element="Quantity", target=one.ref("spinbutton"), text="3", submit=True)


async def _letter_ours(one: Assistant, url: str) -> None:
    await one.act(("open", "", url))
    await one.act(("fill", one.ref("paragraph"), _LETTER), ("click", one.ref('button "Send letter"')))


async def _letter_devtools(one: Assistant, url: str) -> None:
    await _snapshot(one, url)
    button = one.ref('button "Send letter"')
    await one.ask("fill", uid=one.ref("generic value"), value=_LETTER)
    await _clicked(one, button)
    await one.ask("list_network_requests", resourceTypes=["xhr", "fetch"])
    number = re.search(r"reqid=(\d+)", next(line for line in one.text.splitlines() if "letters" in line))
    assert number, one.text
    await one.ask("get_network_request", reqid=int(number[1]))


async def _letter_playwright(one: Assistant, url: str) -> None:
    await _shown(one, "browser_navigate", url=url)
    button = one.ref('button "Send letter"')
    await one.ask("browser_type", element="Letter", target=one.ref("paragraph|Write here"), text=_LETTER)
    await one.ask("browser_click", element="Send letter", target=button)
    await one.ask("browser_network_requests")
    number = re.search(r"\d+", next(line for line in one.text.splitlines() if "letters" in line))
    assert number, one.text
    await one.ask("browser_network_request", index=int(number[0]), part="response-body")


def _by(ours: Any, devtools: Any, playwright: Any) -> dict[str, Any]:
    return {OURS: ours, DEVTOOLS: devtools, PLAYWRIGHT: playwright}


TASKS = (
    Task(
        name="log in",
        app="shop",
        goal=r"Welcome back|Logout",
        how=_by(_log_in_ours, _log_in_devtools, _log_in_playwright),
    ),
    Task(
        name="fill in an address",
        app="shop",
        goal=r"Storgata 1|Address.*(created|saved)",
        how=_by(_address_ours, _address_devtools, _address_playwright),
    ),
    Task(
        name="three of a thing into the cart",
        app="shop",
        goal=r"£30\.00",
        how=_by(_cart_ours, _cart_devtools, _cart_playwright),
    ),
    Task(
        name="why sending fails",
        app="letters",
        goal=r"mailbox_full",
        how=_by(_letter_ours, _letter_devtools, _letter_playwright),
    ),
)
