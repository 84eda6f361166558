// Applies the steps of one way to repair an element, as they are told: each `Change` of gasoline_cdp.analysis.accessibility.changes.
(function applyWay(path, changes) {
  const find = (steps) => {
    let root = document;
    let found = null;
    for (const step of steps) {
      found = root.querySelector(step);
      root = found?.shadowRoot ?? found?.contentDocument ?? root;
    }
    return found;
  };
  const self = find(path);
  // Found before anything changes: a path may count siblings.
  const plans = changes.map((change) => ({
    ...change,
    targets:
      change.where === "children" ? [...self.children]
      : change.where === "parent" ? [self.parentElement]
      : change.on.length ? change.on.map(find)
      : [self],
  }));
  const aliases = new Map();
  const current = (element) => (aliases.has(element) ? current(aliases.get(element)) : element);
  const reference = () => {
    if (!document.getElementById("sample-target")) {
      const made = document.createElement("p");
      made.id = "sample-target";
      made.textContent = "Sample text";
      (document.querySelector("main") ?? document.body).append(made);
    }
    return "sample-target";
  };
  const retag = (element, name) => {
    const made = document.createElement(name);
    for (const { name: key, value } of [...element.attributes]) made.setAttribute(key, value);
    made.append(...element.childNodes);
    element.replaceWith(made);
    aliases.set(element, made);
    return made;
  };
  for (const { kind, name, value, hint, targets, refers } of plans)
    targets.map(current).forEach((element, place) => {
      const sample = refers ? `${value}${reference()}` : hint && targets.length > 1 ? `${value}${place}` : value;
      switch (kind) {
        case "set": element.setAttribute(name, sample); break;
        case "remove": element.removeAttribute(name); break;
        case "rename": element.setAttribute(value, element.getAttribute(name)); element.removeAttribute(name); break;
        case "style": element.style.setProperty(name, value, "important"); break;
        case "not_important": element.style.setProperty(name, element.style.getPropertyValue(name)); break;
        case "text": element.append(sample); break;
        case "tag": retag(element, name); break;
        case "delete": element.remove(); break;
        case "insert": {
          const html = value.replace("…", "Sample text");
          if (element === document.documentElement && html.startsWith("<title")) {
            document.title = "Sample text";
          } else if (element === document.documentElement) {
            document.body.insertAdjacentHTML("afterbegin", html);
          } else if (html.startsWith("<title")) {
            const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
            title.textContent = "Sample text";
            element.prepend(title);
          } else element.insertAdjacentHTML("afterbegin", html);
          break;
        }
        case "wrap": {
          const made = document.createElement(name);
          const attribute = /^(\S+)="(.*)"$/.exec(value);
          if (attribute) made.setAttribute(attribute[1], attribute[2]);
          element.replaceWith(made);
          if (name === "label") made.append("Sample text ");
          made.append(element);
          break;
        }
        case "wrap_content": {
          const made = document.createElement(name);
          made.append(...document.body.childNodes);
          document.body.append(made);
          break;
        }
        case "move_out": element.closest(name).after(element); break;
        case "move_after": self.after(element); break;
        default: throw new Error(kind);
      }
    });
  // A colour that fades in is judged as it will be.
  for (const animation of document.getAnimations())
    if (animation instanceof CSSTransition) animation.finish();
})
