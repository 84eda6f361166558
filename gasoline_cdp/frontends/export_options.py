"""The options that send what is captured to an OpenTelemetry backend.

Errors never repeat what was typed: credentials may be in it.
"""

import argparse
import re
from importlib.util import find_spec
from urllib.parse import urlsplit

from gasoline_cdp import otel_limits

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*?)[ \t]*")
_NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.http")
_SIGNALS = ("/v1/traces", "/v1/logs", "/v1/metrics")


def export_options(parser: argparse.ArgumentParser) -> None:
    """Where to send it."""
    parser.add_argument(
        "--otlp-endpoint",
        metavar="URL",
        type=_endpoint,
        help="send traces, exceptions and vitals to this OpenTelemetry backend, such as http://localhost:4318",
    )
    parser.add_argument(
        "--otlp-header",
        metavar="'NAME: VALUE'",
        type=_header,
        action="append",
        default=[],
        help="header for the backend; other users see it in the list of processes, unlike OTEL_EXPORTER_OTLP_HEADERS",
    )


def _endpoint(text: str) -> str:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise argparse.ArgumentTypeError("must be an address such as http://localhost:4318") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or not text.isprintable():
        raise argparse.ArgumentTypeError("must be an address such as http://localhost:4318")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise argparse.ArgumentTypeError(
            "must have neither a user name nor a query; credentials go into --otlp-header or OTEL_EXPORTER_OTLP_HEADERS"
        )
    path = parts.path.rstrip("/")
    if path.endswith(_SIGNALS):
        raise argparse.ArgumentTypeError("must be the address without /v1/traces, which is added for each kind of data")
    if not _installed():
        raise argparse.ArgumentTypeError(
            "needs OpenTelemetry, which is not installed: install gasoline-cdp[otel], or run: "
            "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http"
        )
    return text.rstrip("/")


def _installed() -> bool:
    try:
        return all(find_spec(name) is not None for name in _NEEDED)
    except ModuleNotFoundError:
        return False


def _header(text: str) -> tuple[str, str]:
    match = _HEADER.fullmatch(text)
    if match is None or len(text) > otel_limits.OTLP_HEADER_CHARS:
        raise argparse.ArgumentTypeError("must be one header, such as 'Authorization: Bearer …', in ASCII")
    return match[1], match[2]
