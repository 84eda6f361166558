"""Ten tests that fail in ten ways, two that pass when tried again, and others that pass beside them."""

import os
import signal

import pytest
from playwright.sync_api import Page, expect

SITE = os.environ["SUITE_SITE"]
ALL = "console-error,exception,rejection,http-500,missing-script,refused,worker,popup,frame,socket"
FAILING = os.environ.get("SUITE_FAULTS", ALL).split(",")
COUNT = int(os.environ.get("SUITE_TESTS", "40"))
KILLED = os.environ.get("SUITE_KILL")
_tries: dict[int, int] = {}
# What should pass, passes on a busy machine too.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    return {**browser_type_launch_args, "executable_path": os.environ["SUITE_BROWSER"], "args": ["--no-sandbox"]}


def visit(page: Page, mark: str, fault: str) -> None:
    page.goto(f"{SITE}/page/{mark}/{fault}")
    expect(page).to_have_title(f"{mark} ready")
    page.get_by_role("button", name="Buy").click()


@pytest.mark.parametrize("fault", FAILING)
def test_fails_by(page: Page, fault: str) -> None:
    if fault == "popup":
        with page.context.expect_page() as popup:
            visit(page, f"failing-{fault}", fault)
        popup.value.wait_for_load_state()
    else:
        visit(page, f"failing-{fault}", fault)
    if KILLED:
        # The daemon, in the middle of a test.
        os.kill(int(KILLED), signal.SIGKILL)
    expect(page.locator("h1")).to_have_text("Thank you", timeout=300)


@pytest.mark.flaky(reruns=1)
@pytest.mark.parametrize("number", [1, 2])
def test_passes_when_tried_again(page: Page, number: int) -> None:
    attempt = _tries[number] = _tries.get(number, -1) + 1
    mark = f"flaky-{number}-try-{attempt}"
    visit(page, mark, "none" if attempt else "http-500")
    expect(page.locator("h1")).to_have_text(mark if attempt else "Thank you", timeout=60_000 if attempt else 300)


@pytest.mark.parametrize("number", range(len(FAILING) + 2, COUNT))
def test_passes(page: Page, number: int) -> None:
    # The same faults happen in tests that pass: none of it may reach another test.
    visit(page, f"passing-{number}", FAILING[number % len(FAILING)])
    expect(page.locator("h1")).to_have_text(f"passing-{number}")
