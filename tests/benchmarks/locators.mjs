// What locators find in a fresh browser, and what Playwright would have written for the same elements.
import { pathToFileURL } from "node:url";

// --- in the page: also evaluated by locators.py
const ACTED = "a, button, input, select, textarea, label, summary, [role], [data-testid], [tabindex], [contenteditable], td, th, li, h1, h2, h3, p";
// Elements that a person could click, shadow roots included.
function elementsOf(root, most) {
  const found = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (element.matches(ACTED) && placeOf(element)) found.push(element);
      if (element.shadowRoot) look(element.shadowRoot);
    }
  };
  look(root);
  // Spread over the page; controls first.
  const controls = found.filter((element) => element.matches("a, button, input, select, textarea, summary, [role]"));
  const others = found.filter((element) => !controls.includes(element));
  const spread = (some, count) => some.filter((_, index) => Math.floor((index * count) / some.length) !== Math.floor(((index - 1) * count) / some.length));
  const chosen = spread(controls, Math.min(most, controls.length));
  return [...chosen, ...spread(others, Math.min(Math.max(0, most - chosen.length), others.length))];
}
// Where to click it, and the way to it from the document: null if something else would be clicked.
function placeOf(element) {
  element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const box = element.getBoundingClientRect();
  if (!box.width || !box.height) return null;
  const at = [box.x + box.width / 2, box.y + box.height / 2];
  let hit = document.elementFromPoint(...at);
  while (hit?.shadowRoot?.elementFromPoint(...at) && hit.shadowRoot.elementFromPoint(...at) !== hit) hit = hit.shadowRoot.elementFromPoint(...at);
  if (hit !== element) return null;
  const path = [];
  for (let node = element; node !== document; ) {
    const parent = node.parentNode;
    path.unshift([[...parent.children].indexOf(node), parent instanceof ShadowRoot]);
    node = parent instanceof ShadowRoot ? parent.host : parent;
  }
  return { at, path, element: `<${element.localName}> ${(element.innerText ?? element.value ?? "").trim().slice(0, 40).replace(/\s+/g, " ")}` };
}
// ---

const { chromium } = await import(pathToFileURL(process.argv[2]).href);
let input = "";
for await (const part of process.stdin) input += part;
const { browser, pages, rest } = JSON.parse(input);
const launched = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
const answers = [];
for (const { acted, name, url } of pages) {
  const page = await launched.newPage();
  await page.goto(url);
  await page.waitForTimeout(rest);
  for (const [number, { element, ours, path }] of acted.entries()) {
    const mark = String(number);
    const marked = await page.evaluate(([path, mark]) => {
      let node = document;
      for (const [index, inShadow] of path) node = (inShadow ? node.shadowRoot : node)?.children[index];
      node?.setAttribute("data-acted", mark);
      return Boolean(node);
    }, [path, mark]);
    const itself = page.locator(`[data-acted="${mark}"]`);
    // Playwright gives up where fields of a form shadow its properties.
    const theirs = marked ? await itself.normalize().then(String, () => "") : "";
    const locator = ours ? new Function("page", `return page.${ours}`)(page) : null;
    const found = locator ? await locator.count() : 0;
    // A click on what is in a button or link is a click on that, and one in an editor is about the editor.
    const isIt = found === 1 && (await locator.evaluate((one, mark) => {
      const inner = one.querySelector(`[data-acted="${mark}"]`);
      return one.getAttribute("data-acted") === mark || inner?.closest("a, button, label, summary, [role], [contenteditable]") === one;
    }, mark));
    if (marked) await itself.evaluate((node) => node.removeAttribute("data-acted"));
    answers.push({ page: name, element, ours, theirs, found, is_it: isIt });
  }
  await page.close();
}
await launched.close();
process.stdout.write(JSON.stringify(answers));
