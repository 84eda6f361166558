"""Whole bodies of a request, written to files below the directory that a person named."""

from pathlib import Path, PurePosixPath

from attrs import frozen

from gasoline_cdp.answers.output_files import write_output
from gasoline_cdp.capture.bodies import WholeBodies
from gasoline_cdp.errors import Code, GasolineError
from gasoline_cdp.views.whole_bodies import holds_secret

# The endings that a name may have, by type. What could run when it is opened, such as HTML, is written as text.
_SUFFIXES = {
    "application/json": ".json",
    "application/pdf": ".pdf",
    "application/wasm": ".wasm",
    "application/zip": ".zip",
    "application/gzip": ".gz",
    "audio/mpeg": ".mp3",
    "font/woff2": ".woff2",
    "image/avif": ".avif",
    "image/gif": ".gif",
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/webp": ".webp",
    "text/csv": ".csv",
    "video/mp4": ".mp4",
}
_TEXT, _BINARY = ".txt", ".bin"
_SENT = "-request"


@frozen
class BodyFiles:
    """Where the bodies are now, and how many bytes they have."""

    path: str
    size: int
    # The request body beside it, if there is one.
    sent_path: str | None = None


def write_bodies(whole: WholeBodies, root: Path | None, output: str) -> BodyFiles:
    """Write the response to `output`, and a request body beside it. Raises `output_refused`."""
    mime = whole.record.mime
    if whole.content is not None:
        if holds_secret(whole.content):
            raise GasolineError(
                Code.OUTPUT_REFUSED,
                f"The binary body of {whole.record.id} holds what looks like a secret, which cannot be masked inside "
                "it: nothing was written.",
            )
        data, suffix = whole.content, _SUFFIXES.get(mime, _BINARY)
    else:
        data, suffix = whole.response.text.encode(errors="replace"), _SUFFIXES.get(mime, _TEXT)
        if mime.startswith(("image/", "audio/", "video/", "font/")):
            # It is text, whatever its type says.
            suffix = _TEXT
    path = write_output(root, output, data, suffix)
    sent_path = None
    if whole.request and whole.request.text:
        name = PurePosixPath(output)
        beside = str(name.with_name(f"{name.name.removesuffix(suffix)}{_SENT}{_TEXT}"))
        sent_path = write_output(root, beside, whole.request.text.encode(errors="replace"), _TEXT)
    return BodyFiles(path, len(data), sent_path)
