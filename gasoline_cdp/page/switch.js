// @ts-check
// The page of the pilot's switch: built once in an empty document, then updated. Runs in our own world.
(function showSwitch(/** @type {{on: boolean, version: string, browser: string, total: number, events: {ts: number, what: string, by: string, tool: string}[]}} */ state) {
  const world = /** @type {any} */ (globalThis);
  const style = `
    :root { color-scheme: light dark; --edge: light-dark(#d9d5d0, #45413d); --ink: light-dark(#211c18, #f1ece6);
      --soft: light-dark(#645c55, #b3aaa1); --card: light-dark(#fff, #24211f); --on: light-dark(#a33b00, #ff8a4c); }
    body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f6f3ef, #191715);
      color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
    main { box-sizing: border-box; width: min(34rem, 100% - 2rem); margin: 2rem 0; padding: 2rem;
      background: var(--card); border: 1px solid var(--edge); border-radius: 14px; }
    h1 { margin: 0 0 .25rem; font-size: 1.4rem; }
    h2 { margin: 1.75rem 0 .5rem; font-size: .95rem; }
    p { margin: .25rem 0; color: var(--soft); }
    .row { display: flex; align-items: center; gap: 1rem; margin: 1.5rem 0 .5rem; padding: 1rem 1.1rem;
      border: 1px solid var(--edge); border-radius: 10px; }
    .row.on { border-color: var(--on); }
    .row > span { flex: 1; font-weight: 600; }
    output { display: block; font-weight: 400; color: var(--soft); }
    button { flex: none; width: 3.5rem; height: 2rem; padding: 0; border: 2px solid var(--soft); border-radius: 99px;
      background: transparent; cursor: pointer; }
    button::before { content: ""; display: block; width: 1.25rem; height: 1.25rem; margin: 0 .25rem; border-radius: 50%;
      background: var(--soft); transition: translate .15s; }
    button[aria-checked=true] { background: var(--on); border-color: var(--on); }
    button[aria-checked=true]::before { background: var(--card); translate: 1.35rem; }
    button:focus-visible { outline: 3px solid var(--on); outline-offset: 3px; }
    ol { margin: 0; padding: 0; list-style: none; font-size: .9rem; }
    li { display: flex; gap: .75rem; padding: .3rem 0; border-top: 1px solid var(--edge); }
    time { color: var(--soft); font-variant-numeric: tabular-nums; }
    footer { margin-top: 1.75rem; font-size: .85rem; color: var(--soft); }
    @media (prefers-reduced-motion: reduce) { button::before { transition: none; } }
    @media (forced-colors: active) { button[aria-checked=true] { background: Highlight; } }
  `;
  /** @param {string} tag @param {string} [text] @param {Record<string, string>} [attributes] */
  const make = (tag, text = "", attributes = {}) => {
    const element = document.createElement(tag);
    element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  const build = () => {
    document.documentElement.lang = "en";
    document.head.append(make("style", style), make("meta", "", { name: "viewport", content: "width=device-width" }));
    const main = make("main");
    const row = make("div", "", { class: "row" });
    const label = make("span", "AI pilot", { id: "label" });
    const word = make("output", "", { id: "word", "aria-live": "polite" });
    const button = make("button", "", {
      type: "button", role: "switch", "aria-labelledby": "label", "aria-describedby": "what", "aria-checked": "false",
    });
    button.addEventListener("click", (event) => {
      // From a mouse, a finger or a key: a script's own click is not trusted, whichever world it comes from.
      if (event.isTrusted) world.gasolineSwitch(JSON.stringify(button.getAttribute("aria-checked") !== "true"));
    });
    label.append(word);
    row.append(label, button);
    const list = make("ol");
    const past = make("section", "", { "aria-labelledby": "past" });
    past.append(make("h2", "Lately", { id: "past" }), list);
    const footer = make("footer");
    main.append(
      make("h1", "Gasoline CDP"),
      make("p", "This browser is being watched: what its pages log, request and do is kept in memory, for you and your assistant."),
      row,
      make(
        "p",
        "Off, assistants only look. On, they may also run scripts, mark elements, and replace cookies and storage, in every page of this browser. Only you can switch it, here.",
        { id: "what" },
      ),
      past,
      footer,
    );
    document.body.replaceChildren(main);
    world.gasolineParts = { row, word, button, list, past, footer };
  };

  const update = () => {
    if (!world.gasolineParts) build();
    const { row, word, button, list, past, footer } = world.gasolineParts;
    document.title = state.on ? "● Gasoline CDP: pilot on" : "Gasoline CDP";
    row.classList.toggle("on", state.on);
    const label = state.on ? "On: assistants may act in pages" : "Off: assistants only look";
    if (word.textContent !== label) word.textContent = label;
    button.setAttribute("aria-checked", String(state.on));
    /** @type {Record<string, string>} */
    const hands = { start: "by --pilot", person: "by you", browser_gone: "as the browser was started again" };
    /** @type {Record<string, string>} */
    const words = { switched_on: "Switched on", switched_off: "Switched off", allowed: "ran", refused: "was refused" };
    list.replaceChildren(
      ...state.events.map((event) => {
        const item = make("li");
        const what = event.tool
          ? `${event.tool} ${words[event.what]} (${event.by})`
          : `${words[event.what]} ${hands[event.by] || ""}`;
        item.append(make("time", new Date(event.ts).toLocaleTimeString()), make("span", what));
        return item;
      }),
    );
    past.hidden = state.events.length === 0;
    footer.textContent = `Gasoline CDP ${state.version}${state.browser ? ` · ${state.browser}` : ""} · You may close this tab: the pilot stays as it is.`;
  };

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", update, { once: true });
  else update();
})
