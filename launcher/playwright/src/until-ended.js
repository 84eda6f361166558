// @ts-check
'use strict';

// Ends when the process ends that is named: the command that `gasoline-cdp ci` runs for `gasolineAutoStart`.

const LOOK_AGAIN_MS = 200;
const runner = Number(process.argv[2]);

setInterval(() => {
  try {
    process.kill(runner, 0);
  } catch {
    process.exit();
  }
}, LOOK_AGAIN_MS);
