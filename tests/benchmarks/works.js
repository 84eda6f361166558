// Kinds of work, done one at a time when the server says so, and timed by the page itself.
const works = {
  load() {
    // Goes on in the page that it loads, which has this script too.
    location.href = "/heavy";
    return new Promise(() => {});
  },
  compute() {
    let sum = 0;
    for (let n = 0; n < 6e7; n++) sum = (sum + Math.imul(n, 2654435761)) | 0;
    return JSON.stringify(Array.from({ length: 60000 }, (_, n) => ({ n, text: `item ${n + (sum & 1)}` }))).length;
  },
  render() {
    const room = document.querySelector("#room");
    for (let round = 0; round < 25; round++) {
      room.innerHTML = Array.from({ length: 2000 }, (_, n) => `<p class="c${n % 7}">row ${n} of ${round}</p>`).join("");
      room.style.width = `${300 + round}px`;
      room.getBoundingClientRect();
    }
    room.textContent = "";
  },
  promises: async () => {
    for (let n = 0; n < 3000000; n++) await null;
  },
  async fetch() {
    for (let batch = 0; batch < 50; batch++) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => fetch(`/small?${batch}-${n}`).then((reply) => reply.text())));
    }
  },
  websocket: () =>
    new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/echo`);
      let got = 0;
      socket.onopen = () => {
        for (let n = 0; n < 4000; n++) socket.send(`message ${n}`);
      };
      socket.onmessage = () => ++got === 4000 && resolve();
    }),
  console() {
    for (let n = 0; n < 10000; n++) console.log("line", n, "of many");
  },
  flood() {
    for (let n = 0; n < 50000; n++) console.log("flood line", n);
  },
};

async function doAsTold() {
  for (;;) {
    const work = await (await fetch("/next")).text();
    const begun = performance.now();
    await works[work]();
    await fetch(`/done?ms=${performance.now() - begun}`);
  }
}
