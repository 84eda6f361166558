"""The browser's arguments, and the choices of sandbox and window."""

from pathlib import Path
from typing import Any

import pytest

from gasoline_cdp.chrome.flags import (
    Viewport,
    chrome_flags,
    headless_choice,
    sandbox_choice,
    small_dev_shm,
    viewport_choice,
)
from gasoline_cdp.errors import Code, GasolineError


def flags(**changes: Any) -> list[str]:
    options: dict[str, Any] = {
        "profile": Path("/p"),
        "headless": False,
        "pipe": True,
        "debug_port": None,
        "no_sandbox": False,
        "small_shm": False,
    }
    return chrome_flags(**(options | changes))


def disabled_features(arguments: list[str]) -> list[str]:
    [flag] = [flag for flag in arguments if flag.startswith("--disable-features=")]
    return flag.partition("=")[2].split(",")


def test_a_plain_start() -> None:
    arguments = flags()
    assert arguments[-1] == "about:blank"
    assert "--user-data-dir=/p" in arguments
    assert "--remote-debugging-pipe" in arguments
    assert "--no-first-run" in arguments
    assert "RenderDocument" in disabled_features(arguments)
    assert len(arguments) == len(set(arguments))


def test_nothing_weakens_or_changes_what_the_app_sees() -> None:
    arguments = flags(headless=True, debug_port=0)
    banned = (
        "--no-sandbox",
        "--enable-automation",
        "--disable-web-security",
        "--disable-popup-blocking",
        "--disable-extensions",
        "--disable-dev-shm-usage",
        "--remote-allow-origins",
        "--test-type",
    )
    assert not [flag for flag in arguments if flag.startswith(banned)]
    assert not {"BackForwardCache", "ThirdPartyStoragePartitioning", "HttpsUpgrades"} & set(
        disabled_features(arguments)
    )


def test_a_viewport_is_given_room_for_what_is_above_it() -> None:
    arguments = flags(headless=True, viewport=Viewport(1280, 800))
    assert "--window-size=1280,887" in arguments
    # The screen is never smaller than the window, and no warning takes from the page's height.
    assert "--screen-info={1920x1080}" in arguments
    assert "--disable-infobars" in arguments
    assert "--screen-info={2560x1687}" in flags(headless=True, viewport=Viewport(2560, 1600))
    with_window = flags(viewport=Viewport(900, 600))
    assert "--window-size=900,687" in with_window
    assert not [flag for flag in with_window if flag.startswith(("--screen-info", "--disable-infobars"))]


@pytest.mark.parametrize(
    ("asked", "headless", "extra", "chosen"),
    [
        (None, True, (), "1280x800"),
        (None, False, (), "None"),
        (None, True, ("--window-size=1,1",), "None"),
        (Viewport(5, 6), True, ("--window-size=1,1",), "5x6"),
        (Viewport(5, 6), False, (), "5x6"),
    ],
)
def test_the_choice_of_a_viewport(asked: Viewport | None, headless: bool, extra: tuple[str, ...], chosen: str) -> None:
    assert str(viewport_choice(asked, headless=headless, extra=extra)) == chosen


@pytest.mark.parametrize(
    ("change", "flag"),
    [
        ({"headless": True}, "--headless=new"),
        ({"headless": True}, "--mute-audio"),
        ({"headless": True}, "--disable-background-timer-throttling"),
        ({"headless": True}, "--disable-backgrounding-occluded-windows"),
        ({"headless": True}, "--disable-renderer-backgrounding"),
        ({"debug_port": 0}, "--remote-debugging-port=0"),
        ({"debug_port": 9222}, "--remote-debugging-port=9222"),
        ({"no_sandbox": True}, "--no-sandbox"),
        ({"small_shm": True}, "--disable-dev-shm-usage"),
    ],
)
def test_a_flag_for_each_option(change: dict, flag: str) -> None:
    assert flag not in flags()
    assert flag in flags(**change)


def test_without_a_pipe_there_is_no_pipe() -> None:
    assert "--remote-debugging-pipe" not in flags(pipe=False, debug_port=0)


def test_a_users_disabled_features_join_ours_since_chrome_heeds_only_the_last_flag() -> None:
    arguments = flags(
        extra=[
            "--disable-features=Mine,Translate",
            "--lang=de",
            "--disable-features=Other",
            "--enable-features=New",
        ]
    )
    features = disabled_features(arguments)
    assert {"Mine", "Other", "RenderDocument"} <= set(features)
    assert features.count("Translate") == 1
    assert arguments[-3:] == ["--lang=de", "--enable-features=New", "about:blank"]


def test_shared_memory(tmp_path: Path) -> None:
    assert small_dev_shm(platform="linux", shm=tmp_path / "missing")
    assert not small_dev_shm(platform="darwin", shm=tmp_path / "missing")
    # Whatever this machine has, it answers.
    assert small_dev_shm() in {True, False}


def test_the_sandbox_stays_on_for_a_normal_user_unless_asked() -> None:
    assert sandbox_choice(False, is_root=False, environ={"CI": "true"}) == (False, None)
    assert sandbox_choice(True, is_root=False, environ={}) == (True, None)
    assert sandbox_choice(True, is_root=True, environ={}) == (True, None)


def test_root_in_ci_is_warned_and_root_elsewhere_is_told_what_to_do() -> None:
    no_sandbox, warning = sandbox_choice(False, is_root=True, environ={"CI": "true"})
    assert no_sandbox
    assert warning is not None
    assert "without its sandbox" in warning
    for environ in ({}, {"CI": ""}, {"CI": "false"}):
        with pytest.raises(GasolineError, match="--no-sandbox if you trust the pages") as caught:
            sandbox_choice(False, is_root=True, environ=environ)
        assert caught.value.code == Code.BROWSER_FAILED


@pytest.mark.parametrize(
    ("asked", "platform", "environ", "headless", "why"),
    [
        (True, "linux", {"DISPLAY": ":0"}, True, "as asked"),
        (False, "linux", {}, False, "as asked"),
        (None, "linux", {"DISPLAY": ":0"}, False, "there is a display"),
        (None, "linux", {"WAYLAND_DISPLAY": "wayland-0", "CI": "1"}, False, "there is a display"),
        (None, "linux", {}, True, "no display"),
        (None, "linux", {"DISPLAY": ""}, True, "no display"),
        (None, "darwin", {}, False, "with a window"),
        (None, "darwin", {"CI": "true"}, True, "CI is set"),
        (None, "win32", {}, False, "with a window"),
        (None, "win32", {"CI": "1"}, True, "CI is set"),
    ],
)
def test_a_window_where_there_is_a_display(
    asked: bool | None, platform: str, environ: dict[str, str], headless: bool, why: str
) -> None:
    choice, phrase = headless_choice(asked, environ=environ, platform=platform)
    assert choice is headless
    assert why in phrase
    assert ("headless" in phrase) is headless
