"""A browser for each test, by chromedriver: some fail, others pass beside them."""

import os
from collections.abc import Iterator

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SITE = os.environ["SUITE_SITE"]
FAILING = os.environ.get("SUITE_FAULTS", "console-error,exception,http-500,frame").split(",")
COUNT = int(os.environ.get("SUITE_TESTS", "8"))


@pytest.fixture
def driver() -> Iterator[webdriver.Chrome]:
    options = Options()
    options.binary_location = os.environ["SUITE_BROWSER"]
    for argument in ("--headless=new", "--no-sandbox", "--disable-background-networking", "--disable-component-update"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(os.environ["SUITE_CHROMEDRIVER"]))
    yield driver
    driver.quit()


def visit(driver: webdriver.Chrome, mark: str, fault: str) -> str:
    driver.get(f"{SITE}/page/{mark}/{fault}")
    WebDriverWait(driver, 60).until(lambda driver: driver.title == f"{mark} ready")
    return driver.find_element(By.TAG_NAME, "h1").text


@pytest.mark.parametrize("fault", FAILING)
def test_fails_by(driver: webdriver.Chrome, fault: str) -> None:
    assert visit(driver, f"failing-{fault}", fault) == "Thank you"


@pytest.mark.parametrize("number", range(len(FAILING), COUNT))
def test_passes(driver: webdriver.Chrome, number: int) -> None:
    mark = f"passing-{number}"
    assert visit(driver, mark, FAILING[number % len(FAILING)]) == mark
