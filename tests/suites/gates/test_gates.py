"""Gates of marks, both interfaces of Playwright, a browser with a profile of its own, several tries, and leaks."""

import asyncio  # noqa: TID251 - one of Playwright's two interfaces
import os
from concurrent.futures import ThreadPoolExecutor  # noqa: TID251 - as above
from pathlib import Path

import pytest
from playwright.async_api import async_playwright
from playwright.async_api import expect as expect_async
from playwright.sync_api import Page, Playwright, expect

SITE = os.environ["SUITE_SITE"]
OPTIONS = {"executable_path": os.environ["SUITE_BROWSER"], "args": ["--no-sandbox"]}
_tries: list[int] = []
# What should pass, passes on a busy machine too.
for _expect in (expect, expect_async):
    _expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict) -> dict:
    return {**browser_type_launch_args, **OPTIONS}


def visit(page: Page, mark: str, fault: str) -> None:
    page.goto(f"{SITE}/page/{mark}/{fault}")
    expect(page).to_have_title(f"{mark} ready")


def buy(page: Page) -> None:
    page.get_by_role("button", name="Buy").click()


@pytest.mark.gasoline(fail_on=["console-errors", "network-errors"])
def test_fails_by_mark(page: Page) -> None:
    visit(page, "failing-mark", "http-500")


@pytest.mark.gasoline(allow=["cannot draw the cart"])
def test_passes_1_as_the_error_is_allowed(page: Page) -> None:
    visit(page, "passing-1", "console-error")


@pytest.mark.gasoline(allow=["cannot draw the cart"])
def test_fails_by_exception(page: Page) -> None:
    visit(page, "failing-exception", "exception")


@pytest.mark.gasoline(fail_on=["network-errors"], allow=[{"status": 500, "url": "*/api/*/fail"}])
def test_passes_2_as_the_request_is_allowed(page: Page) -> None:
    visit(page, "passing-2", "http-500")


@pytest.mark.gasoline(fail_on=["consol-errors"])
def test_fails_by_mistake(page: Page) -> None:
    visit(page, "failing-mistake", "console-error")


def test_fails_by_leak(page: Page, expect_no_leaks) -> None:
    visit(page, "failing-leak", "leak")
    expect_no_leaks(page, lambda: buy(page))


def test_passes_3_as_the_leak_was_repaired(page: Page, expect_no_leaks) -> None:
    visit(page, "passing-3", "repaired")
    expect_no_leaks(page, lambda: buy(page), rounds=5)


def test_passes_4_with_answers_of_other_shapes(page: Page) -> None:
    visit(page, "passing-4", "shapes")
    page.wait_for_load_state("networkidle")


def test_fails_by_profile(playwright: Playwright, tmp_path: Path) -> None:
    context = playwright.chromium.launch_persistent_context(tmp_path, **OPTIONS)
    page = context.pages[0]
    visit(page, "failing-profile", "http-500")
    expect(page.locator("h1")).to_have_text("Thank you", timeout=300)


async def _asynchronously(expect_no_leaks) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(**OPTIONS)
        page = await (await browser.new_context()).new_page()
        await page.goto(f"{SITE}/page/failing-async/leak")
        await expect_async(page).to_have_title("failing-async ready")
        await expect_no_leaks(page, lambda: page.get_by_role("button", name="Buy").click())


def test_fails_by_async(expect_no_leaks) -> None:
    # The sync interface has a loop in this thread.
    with ThreadPoolExecutor() as threads:
        threads.submit(asyncio.run, _asynchronously(expect_no_leaks)).result()


@pytest.mark.flaky(reruns=2)
def test_is_right_the_third_time(page: Page) -> None:
    attempt = len(_tries)
    _tries.append(attempt)
    mark = f"flaky-3-try-{attempt}"
    visit(page, mark, "console-error" if attempt < 2 else "none")
    expect(page.locator("h1")).to_have_text(
        mark if attempt == 2 else "Thank you", timeout=60_000 if attempt == 2 else 300
    )
