// Every element that React makes gets a mark of its own, which is its name: what a reference was given for.
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";

const count = Number(new URLSearchParams(location.search).get("count"));
const mark = (element) => {
  if (element && !element.dataset.mark) {
    element.dataset.mark = crypto.randomUUID();
    element.setAttribute("aria-label", element.dataset.mark);
  }
};

function List({ items, keyOf }) {
  return items.map((item, place) => createElement("button", { key: keyOf(item, place), ref: mark }, `Item ${item}`));
}

const root = createRoot(document.getElementById("root"));
window.show = (items, keyOf = (item) => item) => flushSync(() => root.render(createElement(List, { items, keyOf })));
window.items = Array.from({ length: count }, (_, place) => place);
window.show(window.items);

const host = document.body.appendChild(document.createElement("section"));
const inside = createRoot(host.attachShadow({ mode: "open" }));
flushSync(() => inside.render(createElement("button", { ref: mark }, "inside")));
window.marks = () =>
  [document, host.shadowRoot].flatMap((from) => [...from.querySelectorAll("button")].map((one) => one.dataset.mark));
