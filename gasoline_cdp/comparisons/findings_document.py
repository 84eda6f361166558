"""Makes the SARIF file of the audits that have run."""

from gasoline_cdp import __version__
from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.artifacts.sarif import make_sarif, result_count
from gasoline_cdp.audits.reports import audit_reports
from gasoline_cdp.comparisons.generate_args import Document
from gasoline_cdp.comparisons.requests_document import json_document
from gasoline_cdp.operations.context import Context


def make_findings_document(context: Context) -> Document:
    """A SARIF file of the audits that have run."""
    reports = audit_reports(context)
    log = make_sarif(reports, __version__)
    kinds = " and ".join(report.kind for report in reports)
    return json_document(log, f"SARIF 2.1.0 with {number_of(result_count(log), 'result')} of {kinds}.", ".sarif")
