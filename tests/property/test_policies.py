"""Policies judged as Google's CSP Evaluator judges them."""

import json
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from gasoline_cdp.analysis.security.csp import weaknesses_of
from tests.node_tools import NODE

pytestmark = pytest.mark.requirement("F5-SECURITY")

SOURCES = (
    "'self'", "'none'", "'unsafe-inline'", "'unsafe-eval'", "'nonce-cmFuZG9tMTIz'", "'strict-dynamic'", "*", "http:",
    "https:", "data:", "https://*", "https://cdn.shop.io", "*.shop.io",
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
)  # fmt: skip
DIRECTIVES = ("default-src", "script-src", "object-src", "base-uri", "img-src", "style-src")
ASK = """
const {CspEvaluator} = require(process.argv[1] + '/evaluator.js');
const {CspParser} = require(process.argv[1] + '/parser.js');
const policies = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(policies.map((policy) => new CspEvaluator(new CspParser(policy).csp).evaluate()
    .map(({type, directive, value}) => ({type, directive, value})))));
"""
INLINE, EVAL, SCHEME, WILDCARD, MISSING = 301, 302, 303, 304, 300


def made_policies(count: int) -> list[str]:
    chance = Random(39)
    policies = []
    for _ in range(count):
        written = []
        for name in chance.sample(DIRECTIVES, chance.randint(1, 5)):
            # In default-src the evaluator takes it to speak of plug-ins too, which it does not.
            known = [one for one in SOURCES if name == "script-src" or one != "'strict-dynamic'"]
            written.append(f"{name} {' '.join(chance.sample(known, chance.randint(1, 4)))}")
        policies.append("; ".join(written))
    return policies


def expected(policy: str, findings: list[dict[str, Any]]) -> set[str]:
    """What the evaluator found, in our words, for what both judge."""
    given = {directive.split()[0] for directive in policy.split("; ")}
    scripts = "script-src" if "script-src" in given else "default-src"
    objects = "object-src" if "object-src" in given else "default-src"
    found = set()
    for one in findings:
        kind, directive, value = one["type"], one["directive"], one.get("value")
        anywhere = kind == WILDCARD or (kind == SCHEME and value != "data:")
        if directive == scripts:
            found |= {"inline"} if kind == INLINE else {"eval"} if kind == EVAL else set()
            found |= {"hosts"} if anywhere else {"data"} if kind == SCHEME else set()
        if directive == objects and (anywhere or kind == SCHEME):
            found.add("object")
        if directive == "base-uri" and anywhere:
            found.add("base")
        if kind == MISSING and directive in ("script-src", "object-src"):
            found.add("scripts" if directive == "script-src" else "object_missing")
    return found & {"scripts", "object", "object_missing"} if "scripts" in found else found


def test_the_same_weaknesses(node_modules: Path) -> None:
    policies = made_policies(1500)
    evaluator = node_modules / "csp_evaluator" / "dist"
    answer = subprocess.run(
        [NODE, "-e", ASK, evaluator], input=json.dumps(policies), capture_output=True, text=True, check=True
    )
    differing = []
    for policy, findings in zip(policies, json.loads(answer.stdout), strict=True):
        ours = weaknesses_of([policy]) - {"base_missing"}
        if ours != expected(policy, findings):
            differing.append((policy, ours, expected(policy, findings)))
    assert differing == []
