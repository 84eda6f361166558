"""Recorded answers as a module of their own, for a variant of a test that needs no server."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from gasoline_cdp.artifacts.playwright.languages import Language

_ANSWERS = 20
_BYTES = 50 * 1024


@frozen(kw_only=True)
class RecordedAnswer:
    """The last answer to a call, as JSON. `path` has `:id` for each id."""

    method: str
    path: str
    status: int
    body: Any


@frozen(kw_only=True)
class Fixtures:
    """The text of the module, and which calls are not in it."""

    text: str
    count: int
    left_out: int


def write_fixtures(answers: Iterable[RecordedAnswer], language: Language) -> Fixtures:
    """The module `serveFixtures` comes from. Answers beyond the limits are left out and counted."""
    rows: list[str] = []
    used, left_out = 0, 0
    for answer in answers:
        row = _row(answer)
        if len(rows) >= _ANSWERS or used + len(row) > _BYTES:
            left_out += 1
            continue
        rows.append(row)
        used += len(row)
    return Fixtures(text="\n".join(_module(rows, language)) + "\n", count=len(rows), left_out=left_out)


def _row(answer: RecordedAnswer) -> str:
    body = json.dumps(answer.body, ensure_ascii=False, indent=2).replace("\n", "\n    ")
    # These two end a line in JavaScript, but not in JSON.
    body = body.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    head = f"method: {json.dumps(answer.method)}, path: {json.dumps(answer.path)}, status: {answer.status}"
    return f"  {{\n    {head},\n    body: {body},\n  }},"


def _module(rows: list[str], language: Language) -> Iterator[str]:
    typed = language == "typescript"
    yield "// The last recorded answer of each call. Secrets were masked; in a path, :id stands for any id."
    if typed:
        yield "import type { Page } from '@playwright/test';"
    yield ""
    yield "export const answers = ["
    yield from rows
    yield "];"
    yield ""
    yield f"function isSame(path{': string' if typed else ''}, given{': string' if typed else ''}) {{"
    yield "  const [wanted, parts] = [path.split('/'), given.split('/')];"
    yield "  const isPart = (part, index) => part === ':id' || part === parts[index];".replace(
        "(part, index)", "(part: string, index: number)" if typed else "(part, index)"
    )
    yield "  return wanted.length === parts.length && wanted.every(isPart);"
    yield "}"
    yield ""
    yield "// Answers these calls instead of the server. Everything else goes to the server."
    yield f"export async function serveFixtures(page{': Page' if typed else ''}) {{"
    yield "  for (const { method, path, status, body } of answers) {"
    yield "    await page.route("
    yield "      (url) => isSame(path, url.pathname),"
    yield "      (route) => {"
    yield "        const isMine = route.request().method() === method;"
    yield "        return isMine ? route.fulfill({ status, json: body }) : route.fallback();"
    yield "      },"
    yield "    );"
    yield "  }"
    yield "}"
