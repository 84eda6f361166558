// Everything that can be captured, done once, in whatever kind of place this script runs. `here` names the place.
const here = new URLSearchParams(location.search).get("as") || "page";

async function doEverything() {
  console.log(`log in ${here}`);
  console.error(`error in ${here}`);
  setTimeout(() => {
    throw new Error(`exception in ${here}`);
  });
  Promise.reject(new Error(`rejection in ${here}`));
  await fetch(`/json?fetch-in-${here}`).then((reply) => reply.text());
  await fetch(`/status/500?failing-in-${here}`).then((reply) => reply.text());
  await fetch(`/redirect/1?in-${here}`).then((reply) => reply.text());
  const socket = new WebSocket(`ws://${location.host}/socket?in-${here}`);
  socket.binaryType = "arraybuffer";
  await new Promise((resolve, reject) => {
    let answers = 0;
    socket.onerror = reject;
    socket.onopen = () => {
      socket.send(`text from ${here}`);
      socket.send(new Uint8Array([1, 2, 3, 4, 5]));
    };
    socket.onmessage = () => {
      if (++answers === 2) socket.send("bye");
    };
    socket.onclose = resolve;
  });
  const stream = new EventSource(`/events?stay&in-${here}`);
  await new Promise((resolve) => stream.addEventListener("tick", resolve));
  stream.close();
  console.log(`done in ${here}`);
}
doEverything();
