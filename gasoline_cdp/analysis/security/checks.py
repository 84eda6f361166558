"""The checks of the security audit, and the finding that those of headers, cookies, storage and pages make."""

from collections.abc import Iterable
from typing import Literal

from gasoline_cdp.findings import Finding, Location, Severity

Check = Literal["credentials", "auth_patterns", "pii_exposure", "transport", "headers", "cookies"]
CHECKS: tuple[Check, ...] = ("credentials", "auth_patterns", "pii_exposure", "transport", "headers", "cookies")
Category = Literal["headers", "cookies", "storage", "transport", "page"]


def protection_finding(
    *,
    rule: str,
    severity: Severity,
    category: Category,
    title: str,
    fix: str,
    cwe: str = "",
    names: Iterable[str] = (),
    holder: str = "",
) -> Finding:
    """What a page lacks, before its caller says on which page.

    `names` are those of cookies, keys, forms or scripts; `holder` is what has them, where there are several.
    """
    affected = [{"name": name} for name in names]
    return Finding(
        rule=rule,
        severity=severity,
        category=category,
        title=title,
        fix=fix,
        reference={"cwe": cwe} if cwe else {},
        location=Location(name=holder),
        affected=affected,
        count=max(1, len(affected)),
    )
