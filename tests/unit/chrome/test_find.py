"""Where a browser is looked for, on three platforms, without any of them."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from gasoline_cdp.chrome.find import find_browser
from gasoline_cdp.errors import Code, GasolineError


def find(
    explicit: str | None = None,
    *,
    platform: str = "linux",
    commands: Sequence[str] = (),
    programs: Sequence[str] = (),
    environ: dict[str, str] | None = None,
    home: Path = Path("/nowhere"),
) -> Path:
    present = {Path(program) for program in programs}
    return find_browser(
        explicit,
        environ=environ or {},
        platform=platform,
        home=home,
        which=lambda name: f"/bin/{name}" if name in commands else None,
        exists=lambda path: path in present or (path.is_relative_to(home) and path.is_file()),
    )


def add_program(home: Path, *parts: str) -> Path:
    program = home.joinpath(*parts)
    program.parent.mkdir(parents=True, exist_ok=True)
    program.touch()
    return program


def test_what_was_asked_for_comes_before_everything() -> None:
    environ = {"GASOLINE_BROWSER": "/env/one", "CHROME_PATH": "/env/two"}
    programs = ["/asked/chrome", "/env/one", "/env/two", "/usr/bin/chromium"]
    commands = ["chromium", "mine"]

    assert find("/asked/chrome", environ=environ, programs=programs) == Path("/asked/chrome")
    assert find("mine", environ=environ, programs=programs, commands=commands) == Path("/bin/mine")
    assert find(environ=environ, programs=programs) == Path("/env/one")
    del environ["GASOLINE_BROWSER"]
    assert find(environ=environ, programs=programs, commands=commands) == Path("/env/two")
    assert find(programs=programs, commands=commands) == Path("/bin/chromium")
    assert find(programs=programs) == Path("/usr/bin/chromium")


@pytest.mark.parametrize("name", ["--browser", "GASOLINE_BROWSER", "CHROME_PATH"])
@pytest.mark.parametrize("value", ["/gone/chrome", "no-such-chrome"])
def test_a_named_browser_that_is_not_there_is_an_error_and_no_other_is_taken(name: str, value: str) -> None:
    explicit = value if name == "--browser" else None
    with pytest.raises(GasolineError) as caught:
        find(explicit, environ={name: value}, commands=["chromium"], programs=["/usr/bin/chromium"])

    assert caught.value.code == Code.NO_BROWSER
    assert name in caught.value.message
    assert value in caught.value.message


def test_a_relative_path_becomes_absolute_and_a_tilde_is_the_home_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = add_program(tmp_path, "apps", "chrome")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)

    assert find_browser("apps/chrome", environ={}) == program
    assert find_browser("~/apps/chrome", environ={}, home=tmp_path) == program


def test_a_file_that_is_no_program_is_not_a_browser(tmp_path: Path) -> None:
    text = add_program(tmp_path, "notes.txt")
    with pytest.raises(GasolineError, match="no such program"):
        find_browser(str(text), environ={})
    with pytest.raises(GasolineError, match="no such program"):
        find_browser(str(tmp_path), environ={})


def test_a_mac_application_may_be_named_by_its_bundle() -> None:
    inside = "/Applications/Google Chrome Beta.app/Contents/MacOS/Google Chrome Beta"
    assert find("/Applications/Google Chrome Beta.app", platform="darwin", programs=[inside]) == Path(inside)


@pytest.mark.parametrize(
    ("commands", "expected"),
    [
        (["chromium", "google-chrome", "microsoft-edge"], "/bin/google-chrome"),
        (["microsoft-edge", "chromium-browser"], "/bin/chromium-browser"),
        (["microsoft-edge"], "/bin/microsoft-edge"),
    ],
)
def test_names_on_path_in_order(commands: list[str], expected: str) -> None:
    assert find(commands=commands) == Path(expected)


@pytest.mark.parametrize(
    ("platform", "program"),
    [
        ("linux", "/opt/google/chrome/chrome"),
        ("linux", "/usr/local/bin/chromium"),
        ("linux", "/snap/bin/chromium"),
        ("darwin", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
        ("darwin", "/Users/me/Applications/Chromium.app/Contents/MacOS/Chromium"),
        ("darwin", "/Applications/Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary"),
        ("darwin", "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"),
        ("win32", "/c/Program Files/Google/Chrome/Application/chrome.exe"),
        ("win32", "/c/Program Files (x86)/Microsoft/Edge/Application/msedge.exe"),
        ("win32", "/c/Users/me/AppData/Local/Google/Chrome SxS/Application/chrome.exe"),
        ("win32", "/c/Users/me/AppData/Local/Chromium/Application/chrome.exe"),
    ],
)
def test_usual_places(platform: str, program: str) -> None:
    environ = {
        "PROGRAMFILES": "/c/Program Files",
        "PROGRAMFILES(X86)": "/c/Program Files (x86)",
        "LOCALAPPDATA": "/c/Users/me/AppData/Local",
    }
    assert find(platform=platform, programs=[program], environ=environ, home=Path("/Users/me")) == Path(program)


def test_stable_comes_before_canary_wherever_it_is_installed() -> None:
    canary = "/Applications/Google Chrome Canary.app/Contents/MacOS/Google Chrome Canary"
    stable = "/Users/me/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
    found = find(platform="darwin", programs=[canary, stable], home=Path("/Users/me"))
    assert found == Path(stable)


@pytest.mark.parametrize(
    ("platform", "cache", "program"),
    [
        ("linux", ".cache", "chrome-linux/chrome"),
        ("linux", ".cache", "chrome-linux64/chrome"),
        ("darwin", "Library/Caches", "chrome-mac/Chromium.app/Contents/MacOS/Chromium"),
        ("win32", "AppData/Local", "chrome-win64/chrome.exe"),
    ],
)
def test_the_newest_of_playwrights_browsers_by_number(tmp_path: Path, platform: str, cache: str, program: str) -> None:
    for release in ("chromium-999", "chromium-1187", "chromium-1200", "chromium_headless_shell-1300"):
        add_program(tmp_path, cache, "ms-playwright", release, program)
    add_program(tmp_path, cache, "ms-playwright", "chromium-1400", "half a download")

    newest = tmp_path / cache / "ms-playwright" / "chromium-1200" / program
    assert find(platform=platform, home=tmp_path) == newest


def test_playwrights_directory_may_be_elsewhere(tmp_path: Path) -> None:
    program = add_program(tmp_path, "browsers", "chromium-1187", "chrome-linux", "chrome")
    environ = {"PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "browsers")}
    assert find(environ=environ, home=tmp_path) == program


@pytest.mark.parametrize(
    ("platform", "release", "program"),
    [
        ("linux", "linux", "chrome-linux64/chrome"),
        (
            "darwin",
            "mac_arm",
            "chrome-mac-arm64/Google Chrome for Testing.app/Contents/MacOS/Google Chrome for Testing",
        ),
        ("win32", "win64", "chrome-win64/chrome.exe"),
    ],
)
def test_the_newest_of_puppeteers_browsers(tmp_path: Path, platform: str, release: str, program: str) -> None:
    for version in ("99.0.4844.51", "140.0.7339.82", "140.0.7339.9"):
        add_program(tmp_path, ".cache", "puppeteer", "chrome", f"{release}-{version}", program)

    newest = tmp_path / ".cache" / "puppeteer" / "chrome" / f"{release}-140.0.7339.82" / program
    assert find(platform=platform, home=tmp_path) == newest


@pytest.mark.parametrize(
    ("platform", "install"),
    [
        ("linux", "apt-get install chromium"),
        ("darwin", "brew install"),
        ("win32", "winget install"),
        ("freebsd14", "install"),
    ],
)
def test_no_browser_says_what_was_tried_and_what_to_install(platform: str, install: str, tmp_path: Path) -> None:
    with pytest.raises(GasolineError) as caught:
        find(platform=platform, home=tmp_path)

    assert caught.value.code == Code.NO_BROWSER
    assert install in caught.value.message
    assert "PATH" in caught.value.message
    assert "--browser" in caught.value.message
    assert any("on PATH" in place for place in caught.value.details["tried"])
    assert any("ms-playwright" in place for place in caught.value.details["tried"])
