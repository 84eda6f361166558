"""The checks of the security audit, and the finding for headers, cookies, storage and pages."""

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
    """A missing protection. The caller adds the page.

    `names` are names of cookies, keys, forms or scripts. `holder` is what contains them, if there are several.
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
