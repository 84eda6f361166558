"""The npm package with the fixture for Playwright: what is in it, and that it works where there is no checkout."""

import json
import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from gasoline_cdp import __version__
from launcher.generate_docs import CAPTURE_SCRIPT, CAPTURE_SCRIPT_IN_PACKAGE
from tests.node_tools import NODE, install_packages, npm
from tests.processes import COMMAND
from tests.suites.running import FIXTURE, SUITES, open_site, pack_fixture, run_playwright, wrong_evidence

CHECKOUT = Path(__file__).parents[2]

pytestmark = pytest.mark.requirement("F11-EVIDENCE")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project into which the fixture was installed as the README says, beside Playwright."""
    home = tmp_path_factory.mktemp("fixture")
    project = home / "project"
    project.mkdir()
    (project / "package.json").write_text('{"private": true, "devDependencies": {"@playwright/test": "*"}}')
    shutil.copytree(install_packages(SUITES / "playwright"), project / "node_modules", symlinks=True)
    (home / "gasoline-cdp" / "launcher").mkdir(parents=True)
    shutil.copytree(FIXTURE, home / "gasoline-cdp" / "launcher" / "playwright")
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    install = re.search(r"`npm (install [^`]*)`", readme)
    assert install is not None
    # Not offline: installing from a lock does not fetch the descriptions that checking a peer needs.
    npm(*install[1].split(), "--prefer-offline", cwd=project)
    for name in ("playwright.config.js", "readme.spec.mjs"):
        shutil.copy(SUITES / "playwright" / name, project)
    return project


def test_it_holds_the_capture_script_and_nothing_superfluous(tmp_path: Path) -> None:
    assert CAPTURE_SCRIPT_IN_PACKAGE.read_bytes() == CAPTURE_SCRIPT.read_bytes(), "run ./launcher/run docs"
    with tarfile.open(pack_fixture(tmp_path / "packed")) as archive:
        names = {name.removeprefix("package/") for name in archive.getnames()}
    sources = {f"src/{path.name}" for path in (FIXTURE / "src").iterdir()}
    assert names == sources | {
        "package.json", "README.md", "gasoline-ci.js", "index.js", "index.mjs", "index.d.ts", "index.d.mts",
    }  # fmt: skip


def test_playwright_is_the_project_s_own() -> None:
    package = json.loads((FIXTURE / "package.json").read_text(encoding="utf-8"))
    assert package["peerDependencies"] == {"@playwright/test": ">=1.40"}
    assert {"dependencies", "devDependencies", "scripts"} & package.keys() == set()
    assert package["version"] == __version__


def test_both_kinds_of_modules_give_the_same_objects(project: Path) -> None:
    code = (
        "import { createRequire } from 'node:module';\n"
        "import { test, expect, fixtures } from 'gasoline-cdp-playwright';\n"
        "const same = createRequire(import.meta.url)('gasoline-cdp-playwright');\n"
        "console.log(test === same.test && expect === same.expect && fixtures === same.fixtures);"
    )
    (project / "same.mjs").write_text(code)
    done = subprocess.run([NODE, "same.mjs"], cwd=project, capture_output=True, text=True, check=False)
    assert done.stdout == "true\n", done.stderr


def test_its_types_are_sound(project: Path, node_modules: Path) -> None:
    (project / "typed.mts").write_text(
        "import { defineConfig } from '@playwright/test';\n"
        "import { test, expect, fixtures, type GasolineTestOptions, type GasolineWorkerOptions }"
        " from 'gasoline-cdp-playwright';\n"
        "import { test as base } from '@playwright/test';\n"
        "test.use({ gasolineFailOn: ['console-errors', 'a11y:serious'], gasolineAllowedConsoleErrors: [/x/, 'y'] });\n"
        "test('typed', async ({ page }) => { await expect(page).toHaveTitle('x'); });\n"
        "base.extend<GasolineTestOptions, GasolineWorkerOptions>(fixtures)('typed, too', async ({ page }) => {});\n"
        "const use = { gasolineAutoStart: true };\n"
        "export default defineConfig<GasolineTestOptions, GasolineWorkerOptions>({ use });\n"
        "// @ts-expect-error no such option\n"
        "test.use({ gasolineFailsOn: [] });\n"
    )
    options = ["--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck", "--pretty", "false", "--ignoreConfig"]
    compiler = node_modules / "typescript" / "bin" / "tsc"
    command = [str(NODE), str(compiler), *options, "--target", "esnext", "--types", "", "typed.mts"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


def test_the_capture_script_is_sound_by_the_type_checker(node_modules: Path) -> None:
    strict = ["--allowJs", "--checkJs", "--noEmit", "--strict", "--target", "esnext", "--lib", "dom,esnext"]
    compiler = node_modules / "typescript" / "bin" / "tsc"
    command = [str(NODE), str(compiler), *strict, "--types", "", "--pretty", "false", "--ignoreConfig"]
    done = subprocess.run([*command, str(CAPTURE_SCRIPT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"\n{done.stdout}{done.stderr}"


@pytest.mark.long
def test_two_lines_of_the_readme_are_enough(project: Path) -> None:
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    run = re.search(r"`gasoline-cdp (ci [^`]*) npx playwright test`", readme)
    assert run is not None
    command, *options = run[1].split()
    with open_site() as site:
        tries = run_playwright(
            project, site, under=[*COMMAND, command, "--port=0", *options], SUITE_WORKERS="2", HOME=os.environ["HOME"]
        )
    failed = {one.name: one for one in tries if one.failed}
    assert sorted(failed) == [
        "fails by console-error",
        "fails by exception",
        "fails by http-500",
        "fails by popup, in a context that the test made itself",
        "fails by rejection, in the same page",
    ]
    assert wrong_evidence(tries) == []
    gate = failed["fails by console-error"].message
    assert "gasoline-cdp: 1 console error" in gate
    assert "failing-console-error cannot draw the cart" in gate
