// @ts-check
// Reports what a page does to gasoline-cdp, for browsers that the DevTools Protocol does not reach.
//
// Load it before the scripts of the page: page.addInitScript (Playwright), page.evaluateOnNewDocument (Puppeteer),
// window:before:load (Cypress). It reads these globals, which you set before:
//
//   __GASOLINE_HOST, __GASOLINE_PORT   where gasoline-cdp listens (127.0.0.1, 7890)
//   __GASOLINE_KEY                     the ingest key of this run: GASOLINE_INGEST_KEY, or `ingest_key` in http.json
//   __GASOLINE_CONTEXT                 a name for the browser context, so that its records belong to a test
//   __GASOLINE_BODIES                  "errors" (only of failed requests, the default), "all" or "off"
//   __GASOLINE_SEND                    a function (endpoint, batch) to send with, in place of HTTP
//   __GASOLINE_DEBUG                   true: report each batch to the console
//
// It never breaks a page: what fails here is caught, and the page's own calls are passed on as they came.
((/** @type {any} */ win) => {
  if (!win || win.__GASOLINE_CI_INITIALIZED) return;
  Object.defineProperty(win, "__GASOLINE_CI_INITIALIZED", { value: true });

  const VERSION = 1;
  const FLUSH_MS = 100;
  const BATCH_ENTRIES = 50;
  const BATCH_CHARS = 300_000;
  // What waits while nobody answers. The oldest go, and the gap in the numbers tells.
  const WAITING_ENTRIES = 1000;
  const REQUEST_CHARS = 8 * 1024;
  const RESPONSE_CHARS = 16 * 1024;
  const MESSAGE_CHARS = 4 * 1024;
  const LOG_CHARS = 10_000;
  const BODY_MS = 5000;
  const PERFORMANCE_MS = 1000;
  // callerStack, the function that calls it, safely, and the trap of the console's method.
  const OWN_FRAMES = 4;

  // The page may replace any of these later.
  const { fetch: ownFetch, setTimeout: later, clearTimeout: cancel, console: ownConsole, performance, document } = win;
  const { JSON: json, Math: math, Date: date, String: string, Promise: promise, Error: error } = win;
  const originalDebug = ownConsole.debug;
  const beacon = win.navigator.sendBeacon?.bind(win.navigator);
  const parse = (/** @type {string} */ url) => new win.URL(url, document.baseURI).href;
  const sender = math.random().toString(36).slice(2, 12) + math.random().toString(36).slice(2, 8);
  const send = typeof win.__GASOLINE_SEND === "function" ? win.__GASOLINE_SEND : null;
  const base = `http://${win.__GASOLINE_HOST || "127.0.0.1"}:${win.__GASOLINE_PORT || 7890}`;
  const key = win.__GASOLINE_KEY || "";
  const bodies = win.__GASOLINE_BODIES || "errors";

  /** Whatever goes wrong here is not the page's business. */
  const safely = (/** @type {() => void} */ work) => {
    try {
      work();
    } catch {
      // A page that made something unreadable loses a record, and nothing else.
    }
  };

  /** Take note of each call of a method, then let it happen. */
  const patch = (/** @type {any} */ owner, /** @type {string} */ name, /** @type {(self: any, args: any[]) => void} */ note) => {
    safely(() => {
      owner[name] = new Proxy(owner[name], {
        apply(target, self, args) {
          safely(() => note(self, args));
          return Reflect.apply(target, self, args);
        },
      });
    });
  };

  // --- sending -----------------------------------------------------------------------------------------------------

  /** @type {Record<string, { entries: any[], chars: number, seq: number }>} */
  const queues = {};
  /** @type {Set<Promise<unknown>>} */
  const underWay = new win.Set();
  /** @type {any} */
  let timer = null;

  const add = (/** @type {string} */ endpoint, /** @type {Record<string, any>} */ entry) => {
    const queue = (queues[endpoint] ??= { entries: [], chars: 0, seq: 0 });
    const complete = { ts: date.now(), page: win.location.href, ...entry };
    queue.entries.push(complete);
    queue.chars += json.stringify(complete).length;
    if (queue.entries.length >= BATCH_ENTRIES || queue.chars > BATCH_CHARS) post(endpoint, false);
    else if (timer === null) timer = later(flush, FLUSH_MS);
  };

  const flush = () => {
    if (timer !== null) cancel(timer);
    timer = null;
    for (const endpoint of Object.keys(queues)) post(endpoint, false);
  };

  const post = (/** @type {string} */ endpoint, /** @type {boolean} */ leaving) => {
    const queue = queues[endpoint];
    if (!queue.entries.length) return;
    if (underWay.size > WAITING_ENTRIES / BATCH_ENTRIES) {
      // Nobody takes what was sent before: this batch is lost, and its number is missing.
      queue.seq += 1;
      queue.entries = [];
      queue.chars = 0;
      return;
    }
    const batch = { entries: queue.entries, sender: `${sender} ${endpoint}`, seq: (queue.seq += 1), version: VERSION };
    const context = win.__GASOLINE_CONTEXT;
    if (context) Object.assign(batch, { browser_context_id: context });
    const size = queue.chars;
    queue.entries = [];
    queue.chars = 0;
    safely(() => {
      if (win.__GASOLINE_DEBUG) originalDebug.call(ownConsole, "gasoline-ci:", endpoint, batch);
      const sending = deliver(endpoint, batch, size, leaving);
      if (!sending) return;
      const settled = promise.resolve(sending).catch(() => {});
      underWay.add(settled);
      settled.then(() => underWay.delete(settled));
    });
  };

  const deliver = (
    /** @type {string} */ endpoint,
    /** @type {any} */ batch,
    /** @type {number} */ size,
    /** @type {boolean} */ leaving,
  ) => {
    if (send) return send(endpoint, batch);
    const url = `${base}/${endpoint}?key=${encodeURIComponent(key)}`;
    const body = json.stringify(batch);
    if (leaving && beacon?.(url, new win.Blob([body], { type: "text/plain" }))) return null;
    // text/plain needs no preflight. Browsers refuse long bodies that are to outlive the page.
    const headers = { "content-type": "text/plain" };
    const sending = ownFetch.call(win, url, { method: "POST", body, headers, keepalive: size < 30_000, credentials: "omit" });
    return sending.catch(() => {});
  };

  // --- values as text ----------------------------------------------------------------------------------------------

  const cut = (/** @type {string} */ text, /** @type {number} */ chars) => (text.length > chars ? text.slice(0, chars) : text);

  /**
   * A value as a console shows it. Getters are not called: they are the page's code.
   * @type {(value: any, depth?: number) => string}
   */
  const show = (value, depth = 0) => {
    if (typeof value === "string") return depth ? json.stringify(cut(value, 200)) : value;
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return string(value);
    if (value instanceof error || Object.prototype.toString.call(value) === "[object Error]") {
      const stack = string(value.stack || "");
      return stack.includes(string(value.message)) ? stack : `${value.name}: ${value.message}\n${stack}`;
    }
    if (typeof value === "function") return `function ${value.name || ""}()`;
    if (value.nodeType === 1 && typeof value.tagName === "string") return `<${value.tagName.toLowerCase()}${value.id ? ` id="${value.id}"` : ""}>`;
    if (depth > 2) return win.Array.isArray(value) ? "[…]" : "{…}";
    const list = win.Array.isArray(value);
    const parts = [];
    for (const name of Object.keys(value).slice(0, 50)) {
      const property = Object.getOwnPropertyDescriptor(value, name);
      const shown = property && "value" in property ? show(property.value, depth + 1) : "(…)";
      parts.push(list ? shown : `${name}: ${shown}`);
    }
    return list ? `[${parts.join(", ")}]` : `{${parts.join(", ")}}`;
  };

  /** The text of a console call, with %s and its like filled in. */
  const format = (/** @type {any[]} */ args) => {
    const rest = [...args];
    let text = "";
    if (typeof rest[0] === "string" && rest.length > 1) {
      text = rest.shift().replace(/%([sdifoOc%])/g, (/** @type {string} */ whole, /** @type {string} */ kind) => {
        if (kind === "%") return "%";
        if (!rest.length) return whole;
        const value = rest.shift();
        if (kind === "c") return "";
        if (kind === "d" || kind === "i") return string(math.trunc(Number(value)));
        return kind === "f" ? string(Number(value)) : show(value);
      });
      return cut([text, ...rest.map((value) => show(value))].join(" "), LOG_CHARS);
    }
    return cut(rest.map((value) => show(value)).join(" "), LOG_CHARS);
  };

  /** Where the page called us from: the stack without its first line (where there is one) and our own frames. */
  const callerStack = () => {
    const lines = string(new error().stack || "").split("\n");
    return lines.slice(OWN_FRAMES + (lines[0].startsWith("Error") ? 1 : 0)).join("\n");
  };

  // --- console and exceptions --------------------------------------------------------------------------------------

  for (const [method, level] of Object.entries({ log: "log", info: "info", warn: "warning", error: "error", debug: "debug" })) {
    safely(() => {
      ownConsole[method] = new Proxy(ownConsole[method], {
        apply(target, self, args) {
          safely(() => {
            const stack = level === "error" || level === "warning" ? callerStack() : "";
            add("logs", { type: "console", level, message: format(args), stack });
          });
          return Reflect.apply(target, self, args);
        },
      });
    });
  }

  patch(ownConsole, "assert", (_, [holds, ...args]) => {
    if (!holds) add("logs", { type: "console", level: "error", message: `Assertion failed: ${format(args)}` });
  });

  const reportError = (/** @type {string} */ type, /** @type {any} */ thrown, /** @type {any} */ event) => {
    const said = thrown && typeof thrown === "object" && "message" in thrown ? `${thrown.name || "Error"}: ${thrown.message}` : "";
    const message = cut(string(said || event.message || show(thrown)), LOG_CHARS);
    const place = event.filename ? { filename: event.filename, lineno: event.lineno, colno: event.colno } : {};
    add("logs", { type, level: "error", message, stack: string(thrown?.stack || ""), ...place });
  };

  win.addEventListener(
    "error",
    (/** @type {any} */ event) => {
      safely(() => {
        const element = event.target;
        const url = element !== win && (element?.currentSrc || element?.src || element?.href);
        if (typeof url === "string" && url) {
          // The status is known a moment later, where the browser tells it at all.
          later(() => safely(() => reportResource(url, element)), 0);
        } else if (element === win || !element?.nodeType) {
          reportError("exception", event.error, event);
        }
      });
    },
    true,
  );
  win.addEventListener("unhandledrejection", (/** @type {any} */ event) => {
    safely(() => reportError("rejection", event.reason, event));
  });
  win.addEventListener("securitypolicyviolation", (/** @type {any} */ event) => {
    safely(() => {
      if (string(event.blockedURI).startsWith(base)) return;
      const message = `Blocked by the content security policy (${event.violatedDirective}): ${event.blockedURI}`;
      add("logs", { type: "console", level: "error", message, filename: event.sourceFile, lineno: event.lineNumber, colno: event.columnNumber });
    });
  });

  const reportResource = (/** @type {string} */ url, /** @type {any} */ element) => {
    const entry = performance.getEntriesByName(url).pop();
    const status = entry?.responseStatus || 0;
    if (status && status < 400) return;
    const failure = status ? {} : { error: `the browser could not load this ${string(element.tagName).toLowerCase()}` };
    add("network-bodies", { url, method: "GET", status, duration: entry?.duration ?? 0, ...failure });
  };

  // --- fetch and XMLHttpRequest ------------------------------------------------------------------------------------

  const wantsBody = (/** @type {number} */ status) => bodies === "all" || (bodies === "errors" && (status >= 400 || !status));
  const readable = (/** @type {string} */ type) => /^text\/(?!event-stream)|json|xml|javascript|x-www-form-urlencoded|^$/i.test(type);
  const sentText = (/** @type {any} */ body) => {
    if (typeof body === "string") return body;
    if (body instanceof win.URLSearchParams) return string(body);
    return body === null || body === undefined ? "" : `[${body.constructor?.name || "Body"}]`;
  };

  /** The beginning of a body, of a copy that is given up as soon as enough is known. */
  const beginning = async (/** @type {any} */ response) => {
    const reader = response.clone().body?.getReader();
    if (!reader) return { text: "", truncated: false };
    const decoder = new win.TextDecoder();
    let text = "";
    let truncated = false;
    const timeout = later(() => safely(() => ((truncated = true), reader.cancel().catch(() => {}))), BODY_MS);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      if (text.length > RESPONSE_CHARS) {
        truncated = true;
        reader.cancel().catch(() => {});
        break;
      }
    }
    cancel(timeout);
    return { text: cut(text, RESPONSE_CHARS), truncated };
  };

  const describeFetch = (/** @type {any[]} */ [input, init]) => {
    const isRequest = typeof win.Request === "function" && input instanceof win.Request;
    return {
      url: parse(isRequest ? input.url : string(input)),
      method: string(init?.method || (isRequest && input.method) || "GET").toUpperCase(),
      requestBody: cut(sentText(init?.body ?? (isRequest ? input.body : null)), REQUEST_CHARS),
    };
  };

  const reportFetch = async (/** @type {any} */ request, /** @type {number} */ start, /** @type {any} */ response) => {
    const contentType = response.headers.get("content-type") || "";
    const entry = { ...request, status: response.status, contentType, duration: performance.now() - start };
    // An opaque answer of another origin hides its status.
    if (response.type === "opaque" || response.type === "opaqueredirect") return;
    if (!wantsBody(response.status)) delete entry.requestBody;
    else if (readable(contentType) && !response.bodyUsed) {
      const { text, truncated } = await beginning(response);
      Object.assign(entry, { responseBody: text, truncated });
    }
    add("network-bodies", entry);
  };

  if (typeof ownFetch === "function") {
    win.fetch = new Proxy(ownFetch, {
      apply(target, self, args) {
        const start = performance.now();
        /** @type {any} */
        let request = null;
        safely(() => {
          request = describeFetch(args);
        });
        const answer = Reflect.apply(target, self, args);
        if (!request) return answer;
        // The page gets the promise after ours: a failure that it does not handle is still an unhandled one.
        return answer.then(
          (/** @type {any} */ response) => {
            // Our copy of the body is made here, before the page can read it.
            reportFetch(request, start, response).catch(() => {});
            return response;
          },
          (/** @type {any} */ reason) => {
            const failure = { status: 0, error: string(reason?.message || reason), duration: performance.now() - start };
            if (reason?.name !== "AbortError") safely(() => add("network-bodies", { ...request, ...failure }));
            throw reason;
          },
        );
      },
    });
  }

  const requests = new win.WeakMap();
  const reportXhr = (/** @type {any} */ xhr) => {
    const request = requests.get(xhr);
    if (!request || request.ended === "abort") return;
    const { url, method, requestBody, start } = request;
    const contentType = xhr.getResponseHeader("content-type") || "";
    const entry = { url, method, status: xhr.status, contentType, duration: performance.now() - start };
    if (!xhr.status) Object.assign(entry, { error: request.ended === "timeout" ? "timed out" : "network error" });
    if (wantsBody(xhr.status)) {
      const kind = xhr.responseType;
      const text = kind === "" || kind === "text" ? xhr.responseText : kind === "json" ? json.stringify(xhr.response) : "";
      Object.assign(entry, { requestBody, responseBody: cut(text, RESPONSE_CHARS), truncated: text.length > RESPONSE_CHARS });
    }
    add("network-bodies", entry);
  };

  const xhrPrototype = win.XMLHttpRequest?.prototype;
  if (xhrPrototype) {
    patch(xhrPrototype, "open", (self, [method, url]) => requests.set(self, { method: string(method).toUpperCase(), url: parse(string(url)), ended: "" }));
    patch(xhrPrototype, "send", (self, [body]) => {
      const request = requests.get(self);
      if (!request) return;
      Object.assign(request, { start: performance.now(), requestBody: cut(sentText(body), REQUEST_CHARS) });
      for (const ending of ["abort", "timeout"]) self.addEventListener(ending, () => (request.ended = ending), { once: true });
      self.addEventListener("loadend", () => safely(() => reportXhr(self)), { once: true });
    });
  }

  // --- WebSocket ---------------------------------------------------------------------------------------------------

  const sockets = new win.WeakMap();
  let socketCount = 0;
  const frame = (/** @type {any} */ data) => {
    if (typeof data === "string") return { data: cut(data, MESSAGE_CHARS), size: data.length, truncated: data.length > MESSAGE_CHARS };
    const size = data?.size ?? data?.byteLength ?? 0;
    return { data: `[Binary: ${size} bytes]`, size, truncated: false };
  };
  const watchSocket = (/** @type {any} */ socket) => {
    const id = `${sender}-${(socketCount += 1)}`;
    sockets.set(socket, id);
    const report = (/** @type {any} */ entry) => safely(() => add("websocket-events", { id, url: socket.url, ...entry }));
    socket.addEventListener("open", () => report({ event: "open" }));
    socket.addEventListener("message", (/** @type {any} */ event) => report({ event: "message", direction: "incoming", ...frame(event.data) }));
    socket.addEventListener("error", () => report({ event: "error" }));
    socket.addEventListener("close", (/** @type {any} */ event) => report({ event: "close", code: event.code, reason: event.reason }));
  };
  if (typeof win.WebSocket === "function") {
    patch(win.WebSocket.prototype, "send", (self, [data]) => {
      const id = sockets.get(self);
      if (id) add("websocket-events", { id, url: self.url, event: "message", direction: "outgoing", ...frame(data) });
    });
    win.WebSocket = new Proxy(win.WebSocket, {
      construct(target, args, newTarget) {
        const socket = Reflect.construct(target, args, newTarget);
        safely(() => watchSocket(socket));
        return socket;
      },
    });
    safely(() => (win.WebSocket.prototype.constructor = win.WebSocket));
  }

  // --- performance -------------------------------------------------------------------------------------------------

  const vitals = { lcp: 0, cls: 0, tasks: 0, blocking: 0, longest: 0 };
  const observe = (/** @type {string} */ type, /** @type {(entry: any) => void} */ note) => {
    safely(() => {
      if (!win.PerformanceObserver.supportedEntryTypes?.includes(type)) return;
      new win.PerformanceObserver((/** @type {any} */ list) => safely(() => list.getEntries().forEach(note))).observe({ type, buffered: true });
    });
  };
  observe("largest-contentful-paint", (entry) => (vitals.lcp = entry.startTime));
  observe("layout-shift", (entry) => (vitals.cls += entry.hadRecentInput ? 0 : entry.value));
  observe("longtask", (entry) => {
    vitals.tasks += 1;
    vitals.blocking += entry.duration - 50;
    vitals.longest = math.max(vitals.longest, entry.duration);
  });

  let measured = false;
  const measure = () => {
    const navigation = performance.getEntriesByType("navigation")[0];
    if (measured || !navigation || win.parent !== win) return;
    measured = true;
    if (navigation.responseStatus >= 400) {
      add("network-bodies", { url: win.location.href, method: "GET", status: navigation.responseStatus, duration: navigation.duration });
    }
    const paint = performance.getEntriesByName("first-contentful-paint")[0];
    const resources = [navigation, ...performance.getEntriesByType("resource")];
    const total = (/** @type {string} */ name) => resources.reduce((sum, entry) => sum + (entry[name] || 0), 0);
    const timing = {
      timeToFirstByte: navigation.responseStart,
      domInteractive: navigation.domInteractive,
      domContentLoaded: navigation.domContentLoadedEventEnd,
      load: navigation.loadEventEnd,
      ...(paint ? { firstContentfulPaint: paint.startTime } : {}),
      ...(vitals.lcp ? { largestContentfulPaint: vitals.lcp } : {}),
    };
    const network = { requestCount: resources.length, transferSize: total("transferSize"), decodedSize: total("decodedBodySize") };
    const longTasks = { count: vitals.tasks, totalBlockingTime: vitals.blocking, longest: vitals.longest };
    add("performance-snapshot", { url: win.location.href, timing, network, longTasks, cumulativeLayoutShift: vitals.cls });
  };
  win.addEventListener("load", () => later(() => safely(measure), PERFORMANCE_MS));
  win.addEventListener("pagehide", () => {
    safely(measure);
    if (timer !== null) cancel(timer);
    timer = null;
    for (const endpoint of Object.keys(queues)) safely(() => post(endpoint, true));
  });

  // Fulfilled when all that was seen so far has been sent: a test asks before it reads what was captured.
  Object.defineProperty(win, "__gasolineFlush", {
    value: () => {
      safely(flush);
      return promise.all([...underWay]).then(() => {});
    },
  });
})(typeof window === "undefined" ? null : window);
