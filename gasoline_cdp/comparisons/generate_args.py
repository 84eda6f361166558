"""What `generate` is asked for and returns. What makes the documents is imported when one is asked for."""

from typing import Any, Literal

from attrs import frozen

from gasoline_cdp import wire
from gasoline_cdp.artifacts.playwright.languages import ScriptForm
from gasoline_cdp.operations.record_filters import RETRY, TEST_ID

Format = Literal["har", "sarif", "pr_summary", "openapi", "test", "reproduction"]
_SCRIPTS: tuple[str, ...] = ("test", "reproduction")
_HAR: tuple[str, ...] = ("har",)


@frozen(kw_only=True)
class GenerateArgs:
    """Arguments of generate."""

    format: Format = wire.choice(
        "har: captured requests (HAR 1.2). sarif: findings of the audits that have run, for code scanning. pr_summary: "
        "errors, failed requests, performance and findings as markdown. openapi: OpenAPI 3.1 of the endpoints. "
        "test: of what the user did. reproduction: what leads to an error."
    )
    url_filter: str | None = wire.arg(
        "Include only URLs that contain this text.", default=None, only=("har", "openapi", *_SCRIPTS)
    )
    output: str | None = wire.arg("file below --artifacts to write", default=None)
    method: str | None = wire.arg("Include only this HTTP method.", default=None, only=_HAR)
    status_min: int | None = wire.arg("Lowest status.", default=None, minimum=0, maximum=599, only=_HAR)
    status_max: int | None = wire.arg("Highest status.", default=None, minimum=0, maximum=599, only=_HAR)
    since: str | None = wire.arg("ISO time, an age such as 30s, 5m, or change", default=None, only=_HAR)
    include_bodies: bool = wire.arg("Include bodies and messages.", default=True, only=_HAR)
    test_id: str | None = wire.arg(TEST_ID, default=None, only=("har", "pr_summary"))
    retry: int | None = wire.arg(RETRY, default=None, minimum=0, only=("har", "pr_summary"))
    language: ScriptForm | None = wire.arg("steps: sentences (default: typescript)", default=None, only=_SCRIPTS)
    error_message: str | None = wire.arg(
        "Part of the error (default: the newest one).", default=None, only=("reproduction",)
    )


@frozen(kw_only=True)
class Document:
    """A document as the text of a file, as JSON if it is, and a one-line summary."""

    text: bytes
    summary: str
    content: dict[str, Any] | None = None
    suffix: str = ".json"
