"""Modules that are imported when somebody asks for them."""

import subprocess
import sys

from gasoline_cdp.frontends.late_imports import import_late


async def test_a_module_is_there_once_it_was_asked_for() -> None:
    module = await import_late("gasoline_cdp.tools.registry")
    assert "observe" in module.TOOLS
    assert await import_late("gasoline_cdp.tools.registry") is module


def test_a_daemon_that_nobody_asks_has_no_tools_and_no_web_framework() -> None:
    code = (
        "import sys, gasoline_cdp.frontends.serve, gasoline_cdp.frontends.http.app, gasoline_cdp.frontends.cli.ci\n"
        "late = ('gasoline_cdp.tools.registry', 'gasoline_cdp.audits', 'asyncio', 'starlette', 'numpy')\n"
        "print([name for name in late if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_file_of_a_failing_test_needs_no_other_documents() -> None:
    code = (
        "import sys, gasoline_cdp.unlisted.documents\n"
        "late = ('comparisons.documents', 'audits', 'analysis.compare', 'analysis.flows', 'artifacts.openapi')\n"
        "print([name for name in late if f'gasoline_cdp.{name}' in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
