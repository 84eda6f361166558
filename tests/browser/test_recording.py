"""gasoline-cdp record: what a tab shows, in a file."""

import signal
from functools import partial
from pathlib import Path

import pytest
import trio
from PIL import Image, ImageSequence

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends.cli.recording import run_record
from tests.connected import open_socket
from tests.processes import open_command
from tests.support import Watch

pytestmark = pytest.mark.requirement("F4-SEEING")

_MOVES = """setInterval(() => {
  document.body.style.background = document.body.style.background === "red" ? "blue" : "red";
}, 50)"""


async def _interrupted(watch: Watch, file: Path) -> None:
    """Ctrl-C ends a recording, and what was recorded until then is written."""
    async with open_command("record", str(file), "--tab", str(watch.tab.tab_id)) as running:
        await running.said("Recording tab")
        # The page is drawn at least once for a recording that begins.
        await watch.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        running.signal(signal.SIGINT)
        assert await running.ended() == 0, running.stderr
    with Image.open(file) as picture:
        assert picture.format == "WEBP"


async def test_a_tab_is_recorded(
    watch: Watch, site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GASOLINE_RUNTIME_DIR", str(tmp_path / "runtime"))
    await watch.open(f"{site}page/blank")
    await watch.evaluate(_MOVES)
    file = tmp_path / "made.gif"
    async with open_socket(watch.context, tmp_path / "runtime"):
        run = partial(run_record, file, tab_id=watch.tab.tab_id, seconds=2.0)
        assert await trio.to_thread.run_sync(run) == 0
        with Image.open(file) as picture:
            assert picture.n_frames > 1  # type: ignore[attr-defined]
            colours = {one.convert("RGB").getpixel((50, 50)) for one in ImageSequence.Iterator(picture)}
        assert len(colours) > 1
        assert "The time is over" in capsys.readouterr().out
        await _interrupted(watch, tmp_path / "made.webp")
        with pytest.raises(GasolineError, match="999"):
            await trio.to_thread.run_sync(partial(run_record, file, tab_id=999, seconds=1.0))
