// Both ends of every channel stay open.
const channels = new Set();
window.round = async () => {
  const channel = new MessageChannel();
  channels.add(channel);
  const log = new Array(500).fill("line");
  channel.port1.onmessage = (event) => log.push(event.data);
  channel.port2.postMessage("hello");
  await nextFrame();
  if (repaired) {
    channel.port1.close();
    channels.delete(channel);
  }
};
