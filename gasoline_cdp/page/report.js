// @ts-check
// Sends reports of the other observers to the daemon (`gasolineSend`). Installed before all of them.
(function installReport() {
  /** @type {any} */
  const world = globalThis;
  /** @param {Record<string, unknown>} report */
  const send = (report) => {
    // Without the binding nobody listens. A name that is not set in this world may refer to an element of the page.
    if (Object.hasOwn(world, "gasolineReport")) world.gasolineReport(JSON.stringify(report));
  };
  Reflect.set(world, "gasolineSend", send);
})
