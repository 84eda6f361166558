// @ts-check
'use strict';

// The command that `gasoline-cdp ci` runs for `gasolineAutoStart`: tells the workers where gasoline-cdp listens, and ends
// when the process ends that starts them.

const fs = require('node:fs');

const LOOK_AGAIN_MS = 200;
const [runner, file] = process.argv.slice(2);
const { GASOLINE_URL: url, GASOLINE_TOKEN: token, GASOLINE_INGEST_KEY: ingestKey } = process.env;

process.once('exit', () => fs.rmSync(file, { force: true }));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.once(signal, () => process.exit());

// At once: a worker must never read half of it.
fs.writeFileSync(`${file}.new`, JSON.stringify({ url, token, ingestKey }), { mode: 0o600 });
fs.renameSync(`${file}.new`, file);

setInterval(() => {
  try {
    process.kill(Number(runner), 0);
  } catch {
    process.exit();
  }
}, LOOK_AGAIN_MS);
