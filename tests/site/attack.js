// What a hostile page tries against a daemon on this machine. Answers with everything that it could read or do.
async (target, paths) => {
  const got = [];
  const within = (promise) => Promise.race([promise, new Promise((done) => setTimeout(done, 3000, 'silence'))]);
  const note = (how, path, what) => got.push({ how, path, what: String(what).slice(0, 300) });
  for (const path of paths) {
    const url = target + path;
    const requests = {
      cors: [url, {}],
      credentials: [url, { credentials: 'include' }],
      authorized: [url, { headers: { Authorization: 'Bearer guess' } }],
      'no-cors': [url, { mode: 'no-cors' }],
      'post-cors': [url, { method: 'POST', body: '{}' }],
      'post-json': [url, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }],
      'post-no-cors': [url, { method: 'POST', mode: 'no-cors', body: '{}' }],
      'post-no-referrer': [url, { method: 'POST', mode: 'no-cors', body: '{}', referrerPolicy: 'no-referrer' }],
      delete: [url, { method: 'DELETE' }],
    };
    for (const [how, [address, options]] of Object.entries(requests)) {
      try {
        const reply = await within(fetch(address, options));
        if (reply !== 'silence') note(how, path, `${reply.type} ${reply.status} ${await reply.text()}`);
      } catch {
        // Refused: as it should be.
      }
    }
    navigator.sendBeacon(url, '{}');
    await within(new Promise((done) => {
      const events = new EventSource(url);
      events.onmessage = (event) => { note('eventsource', path, event.data); done(); };
      events.onopen = () => { note('eventsource', path, 'open'); done(); };
      events.onerror = () => { events.close(); done(); };
    }));
    await within(new Promise((done) => {
      const socket = new WebSocket(url.replace('http', 'ws'));
      socket.onopen = () => { note('websocket', path, 'open'); done(); };
      socket.onerror = done;
    }));
    for (const tag of ['img', 'script', 'iframe', 'object']) {
      await within(new Promise((done) => {
        const element = document.createElement(tag);
        element[tag === 'object' ? 'data' : 'src'] = url;
        element.onload = () => {
          let inside = '';
          try { inside = element.contentDocument?.body?.textContent ?? ''; } catch { /* of another origin */ }
          if (tag === 'img' || tag === 'script' || inside) note(tag, path, `loaded ${inside}`);
          done();
        };
        element.onerror = done;
        document.body.append(element);
      }));
    }
    await within(new Promise((done) => {
      const frame = Object.assign(document.createElement('iframe'), { name: `f${Math.random()}` });
      document.body.append(frame);
      const form = Object.assign(document.createElement('form'), {
        method: 'POST', action: url, target: frame.name, enctype: 'text/plain',
      });
      document.body.append(form);
      frame.onload = () => {
        try { if (frame.contentDocument.body.textContent) note('form', path, frame.contentDocument.body.textContent); }
        catch { /* of another origin */ }
        done();
      };
      form.submit();
    }));
  }
  return got;
}
