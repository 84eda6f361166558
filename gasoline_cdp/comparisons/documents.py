"""Makes the documents of `generate`, whatever their size: HAR, SARIF, the summary of a run, OpenAPI."""

import time
from datetime import UTC, datetime

from attrs import evolve

from gasoline_cdp import limits
from gasoline_cdp.analysis.compare.sessions import compare_sessions
from gasoline_cdp.analysis.gates.verdict import judge
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.artifacts.openapi import make_openapi
from gasoline_cdp.artifacts.playwright.languages import SUFFIXES
from gasoline_cdp.artifacts.pr_summary import COMMENT_BYTES, RunFacts, make_summary, one_line
from gasoline_cdp.audits.flow_scripts import make_reproduction, make_test
from gasoline_cdp.audits.gate_findings import collect_findings
from gasoline_cdp.audits.reports import run_facts
from gasoline_cdp.comparisons.findings_document import make_findings_document
from gasoline_cdp.comparisons.generate_args import Document, GenerateArgs
from gasoline_cdp.comparisons.requests_document import json_document, make_requests_document
from gasoline_cdp.comparisons.session_snapshot import TimeSpan, capture_snapshot
from gasoline_cdp.operations.context import Context
from gasoline_cdp.operations.project_settings import find_gates
from gasoline_cdp.operations.record_filters import is_named, settle_bodies
from gasoline_cdp.store.boundaries import RecordFilter


async def make_document(args: GenerateArgs, context: Context) -> Document:
    """Make the document."""
    await settle_bodies(context)
    match args.format:
        case "har":
            return make_requests_document(args, context)
        case "sarif":
            return make_findings_document(context)
        case "pr_summary":
            return summary_document(await gather_facts(args, context))
        case "test" | "reproduction":
            return await _make_script(args, context)
        case "openapi":
            return make_api_document(args, context, limits.OPENAPI_SCHEMA_BYTES)


async def _make_script(args: GenerateArgs, context: Context) -> Document:
    """A test of what the user did, or the reproduction of an error."""
    wanted, form = args.url_filter or "", args.language or "typescript"
    if args.format == "test":
        made = await make_test(context, form, wanted)
    else:
        made = await make_reproduction(context, form, wanted, args.error_message or "")
    summary = " ".join((f"{made.summary}.", *made.warnings))
    return Document(text=made.text.encode(), summary=summary, suffix=SUFFIXES[form])


async def gather_facts(args: GenerateArgs, context: Context) -> RunFacts:
    """The facts of a summary: compared with the last saved snapshot, if there is one."""
    settings = find_gates(context.directory, context.fail_on)
    wanted = RecordFilter(test_id=args.test_id, retry=args.retry)
    # Without gates: nothing is audited for a summary. It tells what the audits that have run found.
    collected = await collect_findings(context, wanted, ())
    today = datetime.now(UTC).date()
    verdict = judge(collected.findings, settings, today=today, not_checked=collected.not_checked)
    facts = run_facts(context, verdict, settings.all_gates())
    saved = context.saved.snapshots.items(time.monotonic())
    if not saved or args.test_id is not None:
        return facts
    name, before = saved[-1]
    now = await capture_snapshot(context, TimeSpan(), {})
    return evolve(facts, diff=compare_sessions(before, now), compared_with=name)


def summary_document(facts: RunFacts, max_bytes: int = COMMENT_BYTES) -> Document:
    """The summary as markdown, short enough for a comment."""
    return Document(text=make_summary(facts, max_bytes).encode(), summary=one_line(facts), suffix=".md")


def make_api_document(args: GenerateArgs, context: Context, schema_bytes: int) -> Document:
    """The captured endpoints as OpenAPI. A schema of more than `schema_bytes` is shown with fewer levels."""
    chosen = [
        contract
        for contract in context.telemetry.contracts.newest()
        if is_named(args.url_filter, f"{contract.origin}{contract.path}")
    ]
    document = make_openapi(chosen, schema_bytes=schema_bytes)
    count = sum(len(item.keys() - {"parameters"}) for item in document["paths"].values())
    return json_document(document, f"OpenAPI 3.1 with {number_of(count, 'operation')}.", ".json", sort=True)
