"""`gasoline-cdp ci` as a job runs it: its command, its files, its gates, and what can go wrong."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import trio
from attrs import frozen
from haralyzer import HarParser
from junitparser import JUnitXml

from gasoline_cdp.frontends.http.loopback import serve_app
from tests.node_tools import NODE, install_packages
from tests.processes import COMMAND, open_process, run_on_terminal
from tests.site.recorded import recorded_app
from tests.support import PATIENCE

pytestmark = pytest.mark.requirement("F11-CI")

_TESTS = Path(__file__).parents[1]
_TOOLS = _TESTS / "ci_tools"
_FIXTURE = _TESTS.parent / "launcher" / "playwright" / "src" / "open-watcher.js"


@frozen
class Done:
    code: int
    stdout: str
    stderr: str


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a job, with a runtime directory that each run makes for itself."""
    monkeypatch.delenv("GASOLINE_RUNTIME_DIR", raising=False)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "job").mkdir()
    return tmp_path / "job"


async def ci(job: Path, *arguments: str, environment: dict[str, str] | None = None) -> Done:
    with trio.fail_after(PATIENCE):
        done = await trio.run_process(
            [*COMMAND, "ci", "--port", "0", *arguments],
            cwd=job,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def _shared(entry: dict[str, Any]) -> dict[str, Any]:
    """What both HAR files say about a request."""
    request, response = entry["request"], entry["response"]
    content = response["content"]
    return {
        "request": (request["method"], request["url"], request["bodySize"]),
        "status": response["status"],
        "type": content["mimeType"],
        # Playwright writes -1 where there is no content.
        "sizes": (response["headersSize"], response["bodySize"], max(0, content["size"])),
        "redirect": response["redirectURL"].rpartition("/")[2],
        "text": content.get("text", ""),
        "sent": request.get("postData", {}).get("text", ""),
    }


def _is_picture(entry: dict[str, Any]) -> bool:
    return bool(entry["response"]["content"]["mimeType"].startswith("image/"))


@pytest.mark.long
@pytest.mark.requirement("F11-HAR", "F11-SARIF")
async def test_a_job_has_its_evidence_in_files_that_other_programs_read(job: Path) -> None:
    packages = install_packages(_TOOLS)
    theirs, artifacts, steps = job / "playwright.har", job / "artifacts", job / "steps.md"
    (job / "node_modules").symlink_to(packages)
    (job / "record.mjs").write_bytes((_TOOLS / "record.mjs").read_bytes())
    gates = "console-errors,network-errors,a11y:serious,security:critical"
    async with serve_app(recorded_app()) as url:
        done = await ci(
            job,
            *("--no-sandbox", "--bodies", "all", "--artifacts", "artifacts", "--fail-on", gates),
            *("--", str(NODE), "record.mjs", url, str(theirs)),
            environment={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(steps)},
        )
    assert done.code == 3, done.stderr
    assert "Gates failed: 1 console error, 1 network error, 1 accessibility violation." in done.stderr
    assert "::group::gasoline-cdp: artifacts" in done.stderr
    assert "::error title=console-errors::the cart is broken" in done.stderr
    _check_har(json.loads((artifacts / "gasoline.har").read_text()), json.loads(theirs.read_text()))
    _check_sarif(artifacts / "gasoline.sarif", packages)
    suite = next(iter(JUnitXml.fromfile(str(artifacts / "junit.xml"))))
    assert {case.name: bool(case.result) for case in suite} == {
        "console-errors": True,
        "network-errors": True,
        "a11y:serious": True,
        "security:critical": False,
    }
    summary = steps.read_text()
    assert summary == (artifacts / "summary.md").read_text()
    assert "`the cart is broken`" in summary
    assert "`GET " in summary
    page = (artifacts / "index.html").read_text()
    assert "the cart is broken" in page
    assert 'href="gasoline.har"' in page
    assert "http-equiv" in page


def _check_har(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    schema = json.loads((_TESTS / "samples" / "har-1.2.schema.json").read_text())
    jsonschema.Draft6Validator(schema, format_checker=jsonschema.FormatChecker()).validate(ours)
    recorded = [entry for entry in ours["log"]["entries"] if not _page_of(ours, entry).endswith("/audited")]
    expected = [_shared(entry) for entry in theirs["log"]["entries"] if not _is_picture(entry)]
    found = [
        _shared(entry) for entry in recorded if not _is_picture(entry) and "favicon" not in entry["request"]["url"]
    ]
    assert sorted(found, key=str) == sorted(expected, key=str)
    for entry in ours["log"]["entries"]:
        parts = entry["timings"]
        phases = (value for name, value in parts.items() if name != "ssl" and value >= 0)
        assert entry["time"] == pytest.approx(sum(phases), abs=0.01)
    # Another reader.
    pages = {page.title.rpartition("/")[2].partition("?")[0]: page for page in HarParser(ours).pages}
    assert len(pages["new"].post_requests) == 1
    assert pages["new"].actual_page.status == 200
    assert [entry.response.mimeType for entry in pages["audited"].image_files] == ["image/png"]


def _page_of(har: dict[str, Any], entry: dict[str, Any]) -> str:
    titles = {page["id"]: page["title"] for page in har["log"]["pages"]}
    return str(titles.get(entry.get("pageref", ""), ""))


def _check_sarif(path: Path, packages: Path) -> None:
    runs = {run["automationDetails"]["id"]: run for run in json.loads(path.read_text())["runs"]}
    assert set(runs) == {"gasoline-cdp/accessibility/", "gasoline-cdp/security/"}
    accessibility = runs["gasoline-cdp/accessibility/"]
    assert accessibility["properties"] == {"pagesAudited": ["/audited"], "pagesNotAudited": ["/new"]}
    result = next(one for one in accessibility["results"] if one["ruleId"] == "image-alt")
    assert result["level"] == "error"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "audited"
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "img"
    tool = packages / "@microsoft" / "sarif-multitool-linux" / "Sarif.Multitool"
    tool.chmod(0o755)
    checked = subprocess.run(
        [str(tool), "validate", "--rule-kind", "Sarif;Gh", str(path)],
        env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert checked.returncode == 0, checked.stdout
    assert "warning" not in checked.stdout, checked.stdout
    assert "error" not in checked.stdout.replace("errors", ""), checked.stdout


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["no-such-command"], 127, "no-such-command: command not found"),
        (["/"], 126, "/: cannot be run"),
        (["sh", "-c", "kill -KILL $$"], 137, "Command failed with 137 (SIGKILL)."),
        (["sh", "-c", "echo out; echo err >&2; sleep 3600 & setsid sleep 3600 & :"], 0, "left processes behind"),
    ],
)
async def test_the_code_of_the_command_is_the_code_of_the_job(
    job: Path, command: list[str], code: int, said: str
) -> None:
    done = await ci(job, "--no-browser", "--fail-on", "console-errors", "--", *command)
    assert done.code == code, done.stderr
    assert said in done.stderr
    assert "Nothing was captured" in done.stderr
    if "echo out" in command[-1]:
        assert done.stdout == "out\n"
        assert "err\n" in done.stderr
        # The second may still be `setsid`, about to become `sleep`.
        assert len(re.findall(r"\b(?:sleep|setsid|sh) \(\d+\)", done.stderr)) == 2


async def test_the_command_gets_the_addresses_and_a_runtime_directory_of_its_own(job: Path) -> None:
    script = (
        "import json, os, urllib.request as web\n"
        "given = {name: value for name, value in os.environ.items() if name.startswith('GASOLINE_')}\n"
        "bearer = {'Authorization': 'Bearer ' + given['GASOLINE_TOKEN']}\n"
        "ask = web.Request(given['GASOLINE_URL'] + '/snapshot', headers=bearer)\n"
        "print(json.dumps({**given, 'snapshot': json.load(web.urlopen(ask))['stats']}))"
    )
    given = json.loads((await ci(job, "--no-browser", "--", COMMAND[0], "-c", script)).stdout)
    assert given["snapshot"]["error_count"] == 0
    assert given["GASOLINE_INGEST_KEY"]
    assert "GASOLINE_CDP_ENDPOINT" not in given
    assert not Path(given["GASOLINE_RUNTIME_DIR"]).exists()


async def test_a_terminal_shows_what_is_going_on_and_a_log_has_whole_lines(job: Path) -> None:
    words = ("--no-browser", "--artifacts", str(job / "out"), "--", "sh", "-c", "echo tested; exit 5")
    code, shown = await run_on_terminal("ci", "--port", "0", *words)
    assert code == 5
    assert "auditing the pages that are still open …" in shown
    # What was going on is wiped away before the next line.
    assert "writing the artifacts …\r\x1b[K" in shown
    assert "\x1b[31mCommand failed with 5." not in shown, "it is no failed gate"
    done = await ci(job, *words)
    assert "…" not in done.stderr
    assert "\x1b" not in done.stderr
    assert "\r" not in done.stderr
    assert all(line.startswith(("gasoline-cdp: ", "  not checked: ")) for line in done.stderr.splitlines())


async def test_a_mistake_in_the_settings_is_named_before_the_command_runs(job: Path) -> None:
    (job / "gasoline.toml").write_text('[gates.default]\nfail_on = []\n\n[[allow]]\nmessage = "x"\nunti = 2027-01-01\n')
    done = await ci(job, "--no-browser", "--", "touch", "ran")
    assert done.code == 1
    assert "gasoline.toml, line 6: 'unti' is not part of an allowance" in done.stderr
    assert not (job / "ran").exists()


async def test_what_cannot_be_used_is_said_before_the_command_runs(job: Path) -> None:
    (job / "file").touch()
    refused = await ci(job, "--no-browser", "--artifacts", "file", "--", "touch", "ran")
    assert (refused.code, "Cannot write artifacts to" in refused.stderr) == (1, True)
    with trio.socket.socket() as taken:
        await taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = await ci(job, "--no-browser", "--port", port, "--", "touch", "ran")
    assert (refused.code, f"Cannot listen on port {port}" in refused.stderr) == (1, True)
    wrong = await ci(job, "--fail-on", "consol-errors", "--", "touch", "ran")
    assert (wrong.code, "did you mean 'console-errors'?" in wrong.stderr) == (2, True)
    assert (await ci(job)).code == 2
    assert not (job / "ran").exists()


async def test_a_full_disk_loses_files_but_not_the_code(job: Path) -> None:
    # The command takes the directory away, which looks to us like a disk that is full.
    done = await ci(job, "--no-browser", "--artifacts", "gone", "--", "sh", "-c", "rm -r gone; touch gone; exit 4")
    assert done.code == 4
    assert "summary.md: Not a directory." in done.stderr
    done = await ci(job, "--no-browser", "--artifacts", "other", "--", "sh", "-c", "rm -r other; touch other")
    assert done.code == 1


async def test_a_directory_that_the_tests_clear_is_made_again(job: Path) -> None:
    done = await ci(job, "--no-browser", "--artifacts", "results/evidence", "--", "rm", "-r", "results")
    assert done.code == 0, done.stderr
    assert (job / "results" / "evidence" / "index.html").exists()


async def test_a_device_without_room_is_named_and_leaves_no_half_files(job: Path) -> None:
    limited = 'ulimit -f 1; exec "$@"'
    command = ["sh", "-c", limited, "sh", *COMMAND, "ci", "--port", "0", "--no-browser", "--artifacts", "out"]
    with trio.fail_after(PATIENCE):
        done = await trio.run_process(
            [*command, "--", "sh", "-c", "exit 4"],
            cwd=job,
            env={**os.environ, "GITHUB_STEP_SUMMARY": "/dev/full"},
            capture_stderr=True,
            check=False,
        )
    said = done.stderr.decode()
    assert done.returncode == 4, said
    assert "Cannot write the job summary to /dev/full: No space left on device." in said
    assert re.search(r"Cannot write \S*out/index\.html: \w", said)
    assert not (job / "out" / "index.html").exists()
    assert all(path.stat().st_size for path in (job / "out").iterdir())


async def test_a_run_that_was_killed_leaves_nothing_that_looks_whole(job: Path) -> None:
    words = ("--port", "0", "--no-browser", "--artifacts", str(job / "out"), "--")
    await ci(job, *words[2:], "true")
    assert (job / "out" / "findings.json").exists()
    waiting = "echo ready; while kill -0 $PPID 2>/dev/null; do sleep 0.1; done"
    async with open_process([*COMMAND, "ci", *words, "sh", "-c", waiting]) as running:
        await running.said("ready")
        running.signal(signal.SIGKILL)
        assert await running.ended() == -signal.SIGKILL
    assert [path.name for path in (job / "out").iterdir()] == ["summary.md"], "those of the run before are gone"
    assert "gasoline-cdp ended before it could write this summary" in (job / "out" / "summary.md").read_text()


async def test_an_allowance_whose_date_is_over_allows_nothing_and_is_named(job: Path) -> None:
    allowed = '[[allow]]\nmessage = "cart"\nuntil = 2020-01-31\n\n[[allow]]\nmessage = "never said"\n'
    (job / "gasoline.toml").write_text(allowed)
    script = (
        "import json, os, urllib.request as web\n"
        "batch = {'entries': [{'level': 'error', 'message': 'the cart is broken'}]}\n"
        "url = os.environ['GASOLINE_URL'] + '/logs?key=' + os.environ['GASOLINE_INGEST_KEY']\n"
        "web.urlopen(web.Request(url, json.dumps(batch).encode(), {'Content-Type': 'application/json'}))"
    )
    words = ("--no-browser", "--fail-on", "console-errors", "--", COMMAND[0], "-c", script)
    done = await ci(job, *words)
    assert done.code == 3, done.stderr
    assert "console-errors the cart is broken" in done.stderr
    assert "allowance expired on 2020-01-31, 1 would match it: message 'cart' (gasoline.toml, line 1)" in done.stderr
    assert "allowance not needed any more: message 'never said' (gasoline.toml, line 5)" in done.stderr
    (job / "gasoline.toml").write_text(allowed.replace("2020", "2999"))
    assert (await ci(job, *words)).code == 0


async def test_a_wrong_token_is_said_once_and_harms_no_test(job: Path) -> None:
    fixture = (
        f"GASOLINE_TOKEN=wrong '{NODE}' -e \"require('{_FIXTURE}').openWatcher"
        "({ host: '127.0.0.1', capture: 'cdp' }, { parallelIndex: 0 }).then((one) => process.exit(one ? 9 : 0))\""
    )
    done = await ci(job, "--no-browser", "--", "sh", "-c", fixture)
    assert done.code == 0, done.stderr
    assert done.stderr.count("The token is missing or wrong") == 1
    assert "runtime directory; the tests run without evidence" in done.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_goes_to_the_command_once_and_its_end_is_ours(job: Path, number: signal.Signals) -> None:
    script = (
        "import signal, sys, time\n"
        "times = []\n"
        f"signal.signal({int(number)}, lambda *_: times.append(1))\n"
        "print('ready', flush=True)\n"
        "while not times: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "print('got', len(times), flush=True)\n"
        "sys.exit(9)"
    )
    words = [
        *COMMAND,
        "ci",
        "--port",
        "0",
        "--no-browser",
        "--artifacts",
        str(job / "out"),
        "--",
        COMMAND[0],
        "-c",
        script,
    ]
    async with open_process(words) as running:
        await running.said("ready")
        running.signal(number)
        assert await running.ended() == 9
        await running.said("got 1\n")
    assert (job / "out" / "summary.md").exists()
    # Nothing was audited, and an empty file would mean that all is well.
    assert not (job / "out" / "gasoline.sarif").exists()


async def test_runs_are_merged_into_one(job: Path) -> None:
    junit = '<testsuites><testsuite name="shop"><testcase name="pays" classname="shop"/></testsuite></testsuites>'
    (job / "own.xml").write_text(junit)
    for name, code in (("one", 0), ("two", 6)):
        words = ("--no-browser", "--artifacts", name, "--fail-on", "leaks")
        done = await ci(
            job, *words, *(("--junit", "own.xml") if name == "one" else ()), "--", "sh", "-c", f"exit {code}"
        )
        assert done.code == code
        assert "leaks: no page was checked" in done.stderr
    merged = await trio.run_process(
        [*COMMAND, "merge", "one", "two", "--output", "both"], cwd=job, capture_stderr=True, check=False
    )
    assert merged.returncode == 6
    assert {path.name for path in (job / "both").iterdir()} >= {"gasoline.har", "summary.md", "index.html", "junit.xml"}
    own = {suite.name: len(suite) for suite in JUnitXml.fromfile(str(job / "own.xml"))}
    assert own == {"shop": 1, "gasoline-cdp": 1}
    broken = await trio.run_process(
        [*COMMAND, "merge", "one", ".", "--output", "both"], cwd=job, capture_stderr=True, check=False
    )
    assert broken.returncode == 1
    assert b"has no findings.json" in broken.stderr
