"""`gasoline-cdp record FILE.gif`: what a tab shows, as a moving picture for people."""

import sys
import tempfile
from base64 import b64decode
from collections.abc import Iterator
from contextlib import suppress
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

from attrs import define, field, frozen

from gasoline_cdp.answers.wording import number_of
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.frontends import limits
from gasoline_cdp.frontends.invocation import NAME, UsageError, as_typed
from gasoline_cdp.frontends.local import bridge

_KINDS = {".gif": "GIF", ".webp": "WEBP"}
# The last picture stays for so long before the recording begins again.
_LAST_SECONDS = 1.5
_LONGEST_SECONDS = 5.0
_SHORTEST_SECONDS = 0.02


@frozen
class _Kept:
    """Where a frame is in the file of frames, and when it was drawn."""

    start: int
    size: int
    ts: float


@define
class Frames:
    """The frames of a recording, in a file: memory holds only where they are."""

    file: IO[bytes]
    kept: list[_Kept] = field(factory=list)
    size: int = 0

    def add(self, data: bytes, ts: float) -> bool:
        """Keep a frame. Returns whether there is room for more."""
        self.file.seek(self.size)
        self.file.write(data)
        self.kept.append(_Kept(self.size, len(data), ts))
        self.size += len(data)
        return len(self.kept) < limits.RECORD_FRAMES and self.size < limits.RECORD_BYTES

    def durations(self) -> list[int]:
        """For how many milliseconds each is shown."""
        times = [one.ts for one in self.kept]
        seconds = [later - earlier for earlier, later in pairwise(times)]
        shown = [min(max(one, _SHORTEST_SECONDS), _LONGEST_SECONDS) for one in seconds]
        return [round(one * 1000) for one in (*shown, _LAST_SECONDS)]

    def read(self) -> Iterator[bytes]:
        """Every frame, one at a time."""
        for one in self.kept:
            self.file.seek(one.start)
            yield self.file.read(one.size)


def run_record(file: Path, *, tab_id: int | None, seconds: float | None) -> int:
    """Record until Ctrl-C, the end of the time, or the end of the tab; then write the file."""
    kind = _KINDS.get(file.suffix.lower())
    if kind is None:
        raise UsageError(f"{NAME} record: FILE must end in .gif or .webp, not {file.name[-40:]!r}.")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"{NAME} record: there is no directory {str(file.absolute().parent)!r}.")
    require_pillow()
    with tempfile.TemporaryFile() as unnamed:
        frames = Frames(unnamed)
        why = _record(frames, tab_id, seconds)
        if not frames.kept:
            raise GasolineError(
                Code.PAGE_HUNG,
                "The tab drew nothing while it was recorded: is another tab in front of it, or a dialog open?",
            )
        size = write_recording(frames, file, kind)
    length = sum(frames.durations()) / 1000
    print(f"{why}. {file}: {number_of(len(frames.kept), 'frame')}, {length:.1f} s, {size // 1024} KB.")
    return 0


def require_pillow() -> None:
    """Say how to get it if it is missing."""
    try:
        import PIL.Image  # noqa: F401, PLC0415 - only recordings need it
    except ImportError as error:
        raise GasolineError(
            Code.OUTPUT_REFUSED, f"Recording needs Pillow: install it with {NAME}[record], or run: pip install pillow"
        ) from error


def _record(frames: Frames, tab_id: int | None, seconds: float | None) -> str:
    """Gather frames. Returns why it ended."""
    messages = bridge.record(tab_id, min(seconds or limits.RECORD_SECONDS, limits.RECORD_SECONDS))
    tab: int | None = None
    # Ctrl-C ends the recording, not the program: what was recorded is written.
    with suppress(KeyboardInterrupt):
        for message in messages:
            if message.get("is_error"):
                data: dict[str, Any] = message["data"]
                raise GasolineError(Code(data["error"]), str(data["message"]))
            match message.get("record"):
                case "hello":
                    tab = message["tab_id"]
                case "frame":
                    is_first = not frames.kept
                    if not frames.add(b64decode(message["data"]), float(message["ts"])):
                        return "The recording is as long as it can be"
                    if is_first:
                        # Not before: whoever reads it may end the recording at once, and has a picture.
                        print(as_typed(f"Recording tab {tab}. Ctrl-C ends it."), file=sys.stderr)
                case "end":
                    return str(message["why"])
        return "gasoline-cdp has ended"
    return "Ended"


def write_recording(frames: Frames, file: Path, kind: str) -> int:
    """Write the file completely or not at all; its size in bytes."""
    unfinished = file.with_name(f".{file.name}.unfinished")
    try:
        with unfinished.open("wb") as out:
            _write_gif(frames, out) if kind == "GIF" else _write_webp(frames, out)
        unfinished.replace(file)
    finally:
        unfinished.unlink(missing_ok=True)
    return file.stat().st_size


def _pictures(frames: Frames) -> Iterator[Any]:
    """Each frame as a picture, all of the size of the first."""
    from PIL import Image  # noqa: PLC0415 - as above

    size = None
    for data in frames.read():
        with Image.open(BytesIO(data)) as picture:
            shown = picture.convert("RGB")
        size = size or shown.size
        yield shown if shown.size == size else shown.resize(size)


def _write_webp(frames: Frames, out: IO[bytes]) -> None:
    pictures = _pictures(frames)
    first = next(pictures)
    first.save(
        out, "WEBP", save_all=True, append_images=pictures, duration=frames.durations(), loop=0, quality=75, method=2
    )


def _write_gif(frames: Frames, out: IO[bytes]) -> None:
    """Picture by picture, and of each only what changed: the library would hold all of them in memory."""
    from PIL import GifImagePlugin, Image, ImageChops  # noqa: PLC0415 - as above

    before = None
    for picture, duration in zip(_pictures(frames), frames.durations(), strict=True):
        if before is None:
            # No colours for all: each picture has its own. Repeat for ever.
            size = b"".join(side.to_bytes(2, "little") for side in picture.size)
            out.write(b"GIF89a" + size + b"\x00\x00\x00\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
            box = (0, 0, *picture.size)
        else:
            # What did not change still takes its time: one pixel of it.
            box = ImageChops.difference(before, picture).getbbox() or (0, 0, 1, 1)
        part = picture.crop(box).quantize(256, dither=Image.Dither.NONE)
        for block in GifImagePlugin.getdata(part, box[:2], duration=duration, include_color_table=True):
            out.write(block)
        before = picture
    out.write(b"\x3b")
