"""What the audit advises is done to the page, and axe-core asked again; contrast is measured in pixels too."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from gasoline_cdp.analysis.accessibility.changes import Fix, path_of
from gasoline_cdp.analysis.accessibility.contrast import Colour, ratio
from gasoline_cdp.analysis.accessibility.fixes import fix_for
from gasoline_cdp.analysis.accessibility.judge import show_node as show
from gasoline_cdp.frontends.http.loopback import serve_app
from tests.accessibility.failing import FAILING
from tests.accessibility.repairs import APPLY, audit, repair, steps
from tests.accessibility.site import accessibility_app
from tests.support import Watch

pytestmark = pytest.mark.requirement("F4-AUDIT")

# Half a step of a channel can be lost in each layer of a screenshot.
_ROUNDING = 0.03


@pytest.fixture
async def layers() -> AsyncIterator[str]:
    async with serve_app(accessibility_app()) as url:
        yield f"{url}pages/layers.html"


async def test_every_way_to_fix_an_element_makes_its_rule_pass(watch: Watch) -> None:
    passing: set[str] = set()
    wrong: list[str] = []
    for rule, documents in FAILING.items():
        for document in documents:
            fixes, tried = await repair(watch, rule, document)
            wrong += [f"{rule}: nothing found in {document}"] if not fixes else []
            wrong += [f"{rule}: no way to fix {node['html']}" for fix, node in fixes if not fix.ways]
            wrong += [f"{rule}: {one.sentence!r} leaves {one.after}" for one in tried if not one.passes]
            wrong += [f"{rule}: masked" for _, node in fixes if "[REDACTED]" in str(show(rule, node))]
            passing.add(rule)
    assert not wrong, "\n".join(wrong)
    assert len(passing) >= 95


async def test_the_answer_says_what_was_tried(watch: Watch) -> None:
    """The sentence of an answer is the one that the changes are told by."""
    await repair(watch, "label", FAILING["label"][0])
    await watch.evaluate("document.body.innerHTML = '<main><h1>S</h1><input></main>'")
    (node,) = await audit(watch, "label")
    answer = await watch.call("run_accessibility_audit", force_refresh=True)
    (label,) = [rule for rule in answer["violations"] if rule["id"] == "label"]
    assert label["fix"] == fix_for("label", node).sentence()


# --- contrast ----------------------------------------------------------------------------------------

# Where the text is painted, beside it, and the picture that tells their colours.
_POINTS = """(ids) => ids.map((id) => {
  const element = document.getElementById(id);
  const text = element.firstChild;
  const range = document.createRange();
  const start = text.data.indexOf("█") + 1;
  range.setStart(text, start);
  range.setEnd(text, start + 1);
  const glyph = range.getBoundingClientRect();
  const box = element.getBoundingClientRect();
  return [[glyph.x + glyph.width / 2, glyph.y + glyph.height / 2], [box.right - 2, box.y + box.height / 2]];
})"""
_COLOURS = """async (data, points) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height).getContext("2d");
  canvas.drawImage(image, 0, 0);
  return points.map((pair) => pair.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3)));
}"""


async def _seen(watch: Watch, ids: list[str]) -> dict[str, float]:
    """The contrast of each text with what is beside it, by the pixels of a screenshot."""
    points = await watch.evaluate(f"({_POINTS})({json.dumps(ids)})")
    picture = await watch.tab.session.send("Page.captureScreenshot", {"captureBeyondViewport": True})
    colours = await watch.evaluate(f"({_COLOURS})({json.dumps(picture['data'])}, {json.dumps(points)})")
    return {name: ratio(_colour(text), _colour(ground)) for name, (text, ground) in zip(ids, colours, strict=True)}


def _colour(channels: list[int]) -> Colour:
    red, green, blue = channels
    return red, green, blue


def _id(node: dict[str, Any]) -> str:
    return str(node["target"][-1]).removeprefix("#")


async def test_contrast_through_layers_passes_in_axe_and_in_pixels(watch: Watch, layers: str) -> None:
    await watch.open(layers)
    found = {_id(node): node for node in await audit(watch, "color-contrast")}
    fixes: dict[str, Fix] = {name: fix_for("color-contrast", node) for name, node in found.items()}
    decided = {name for name, fix in fixes.items() if fix.ways}
    assert decided >= {
        "plain", "half-text", "half-ground", "opacity", "opacity-pale", "opacity-faint", "opacity-parent",
        "opacity-twice", "opacity-ground", "opacity-dark", "opacity-mixed", "opacity-own-ground", "shadow", "fill",
        "modern", "large", "in-button",
    }  # fmt: skip
    for turn in range(max(len(fix.ways) for fix in fixes.values())):
        await watch.open(layers)
        names = [name for name in sorted(decided) if len(fixes[name].ways) > turn]
        for name in names:
            path = json.dumps(path_of(found[name]["target"]))
            await watch.evaluate(f"({APPLY})({path}, {steps(fixes[name].ways[turn])}); 0")
        again = {_id(node) for node in await audit(watch, "color-contrast")}
        assert not again & set(names), [fixes[name].sentence() for name in again & set(names)]
        for name, contrast in (await _seen(watch, names)).items():
            required = 3.0 if name == "large" else 4.5
            assert contrast >= required - _ROUNDING, (name, contrast, fixes[name].sentence())


async def test_contrast_that_cannot_be_decided_says_why(watch: Watch, layers: str) -> None:
    await watch.open(layers)
    answer = await watch.call("run_accessibility_audit", tags=["wcag2aa"], max_bytes=50_000)
    (failing,) = [rule for rule in answer["violations"] if rule["id"] == "color-contrast"]
    fixes = {node["selector"]: node.get("fix", failing["fix"]) for node in failing["nodes"]}
    reasons = {"#filter": "filter on `#filter`", "#blend": "mix-blend-mode on `#blend`",
               "#filter-around": "filter on `", "#outline": "the text has an outline"}  # fmt: skip
    for selector, reason in reasons.items():
        assert fixes[selector].startswith("No colour can be computed: "), selector
        assert reason in fixes[selector]
    (doubtful,) = [rule for rule in answer["incomplete"] if rule["id"] == "color-contrast"]
    reviews = {node["selector"]: node.get("review", doubtful["review"]) for node in doubtful["nodes"]}
    assert "gradient" in reviews["#gradient"]
    assert "image" in reviews["#image"]
    assert "overlap" in reviews["#overlay"]
