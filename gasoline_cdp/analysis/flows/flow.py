"""A flow: the steps of a person in one or more tabs, each with what came of it. Generators write tests from it."""

from typing import Any, Literal

from attrs import frozen

from gasoline_cdp.analysis.flows.locators import Locator
from gasoline_cdp.analysis.flows.outlines import Outline
from gasoline_cdp.analysis.performance.loads import path_of

StepKind = Literal[
    "open", "back", "forward", "reload", "click", "fill", "select", "check", "uncheck", "press", "drag", "hover",
    "upload", "scroll", "comment",
]  # fmt: skip


@frozen(kw_only=True)
class Call:
    """A request of the page that belongs to a step: the test waits for it and checks its answer."""

    method: str
    origin: str
    # With `:id` for each id.
    path: str
    status: int
    # Keys and types of a JSON answer, or None.
    shape: Any = None

    @property
    def name(self) -> str:
        """`POST /api/todos/:id`."""
        return f"{self.method} {self.path}"


@frozen(kw_only=True)
class ShownText:
    """A text that a step brought to the page, or took away from it."""

    text: str
    kind: Literal["heading", "test_id", "text"] = "text"
    # For a test id: its value and attribute.
    value: str = ""
    attribute: str = ""
    gone: bool = False


@frozen(kw_only=True)
class Dialog:
    """A dialog that a step opened, and how the person closed it."""

    type: str
    message: str
    accepted: bool
    text: str = ""


@frozen(kw_only=True)
class Step:
    """One thing that a person did."""

    kind: StepKind
    ts: float
    # Index of the page in the test: 0 is the first, popups follow.
    page: int = 0
    locator: Locator | None = None
    # What was typed, chosen, pressed, or opened.
    value: str = ""
    values: tuple[str, ...] = ()
    # The path to the element, where the locator does not do.
    css: str = ""
    # Reads better than the locator in comments: `button "Save"`.
    element: str = ""
    button: Literal["left", "right", "middle"] = "left"
    count: int = 1
    modifiers: tuple[str, ...] = ()
    # Where in the element, if that matters.
    position: tuple[int, int] | None = None
    target: Locator | None = None
    # Where in the target something was dropped.
    drop_at: tuple[int, int] | None = None
    # The name of the environment variable that holds a value which was masked.
    secret: str = ""
    calls: tuple[Call, ...] = ()
    # Requests that came later, or of themselves: told, not checked.
    other_calls: tuple[str, ...] = ()
    url_after: str = ""
    # The address came with a new document.
    loads: bool = False
    shows: tuple[ShownText, ...] = ()
    outline: Outline | None = None
    messages: tuple[str, ...] = ()
    # The page that it opened.
    opens: int | None = None
    # What that page showed when it had loaded.
    opened_shows: tuple[ShownText, ...] = ()
    dialogs: tuple[Dialog, ...] = ()
    download: str = ""
    # Seconds of rest before it.
    pause: float = 0.0
    # Why it cannot be repeated faithfully.
    warning: str = ""


@frozen(kw_only=True)
class Flow:
    """All steps in order, and what went wrong meanwhile."""

    steps: tuple[Step, ...]
    started: float
    seconds: float
    first_url: str
    last_url: str
    # Errors that were logged meanwhile, each once.
    errors: tuple[str, ...] = ()
    # Paths that answered with an error or not at all: the browser logs each.
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def first_path(self) -> str:
        """The path of the page that it begins with."""
        return path_of(self.first_url)

    @property
    def call_count(self) -> int:
        """How many calls the steps made."""
        return sum(len(step.calls) for step in self.steps)

    @property
    def pages(self) -> int:
        """How many pages the test has."""
        return 1 + max((step.opens or 0 for step in self.steps), default=0)
