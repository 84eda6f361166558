import sys
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageSequence

from gasoline_cdp.errors import GasolineError
from gasoline_cdp.frontends import limits
from gasoline_cdp.frontends.cli.recording import Frames, require_pillow, run_record, write_recording
from gasoline_cdp.frontends.invocation import UsageError


def _drawn(colour: str, side: int = 0) -> bytes:
    picture = Image.new("RGB", (60, 40), "white")
    picture.paste(colour, (side, 10, side + 10, 20))
    out = BytesIO()
    picture.save(out, "PNG")
    return out.getvalue()


@pytest.fixture
def frames() -> Frames:
    made = Frames(BytesIO())
    for number, ts in enumerate((10.0, 10.2, 10.3, 99.0)):
        made.add(_drawn("red" if number < 3 else "blue", number * 10), ts)
    return made


@pytest.mark.parametrize("kind", ["GIF", "WEBP"])
def test_a_recording_shows_what_was_drawn_for_as_long(frames: Frames, kind: str, tmp_path: Path) -> None:
    file = tmp_path / f"made.{kind.lower()}"
    assert write_recording(frames, file, kind) == file.stat().st_size
    with Image.open(file) as picture:
        shown = [(one.convert("RGB"), one.info["duration"]) for one in ImageSequence.Iterator(picture)]
        assert picture.info["loop"] == 0
    # A page that draws nothing for a minute is not shown for a minute.
    assert [duration for _, duration in shown] == [200, 100, 5000, 1500]
    for number, (one, _) in enumerate(shown):
        assert one.size == (60, 40)
        red, _, blue = one.getpixel((number * 10 + 5, 15))  # type: ignore[misc]
        assert (red > blue) is (number < 3)
        assert min(one.getpixel((55, 35))) > 240  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


def test_a_recording_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RECORD_FRAMES", 2)
    frames = Frames(BytesIO())
    assert frames.add(b"x", 1.0)
    assert not frames.add(b"x", 2.0)


def test_mistakes_are_named_before_anything_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must end in \.gif or \.webp"):
        run_record(tmp_path / "made.mp4", tab_id=None, seconds=None)
    with pytest.raises(UsageError, match="no directory"):
        run_record(tmp_path / "nowhere" / "made.gif", tab_id=None, seconds=None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    monkeypatch.delitem(sys.modules, "PIL", raising=False)
    with pytest.raises(GasolineError, match=r"gasoline-cdp\[record\]"):
        require_pillow()
