// Failures are kept to be sent later, which never happens.
class RequestFailed extends Error {
  constructor(url, sent) {
    super(`${url} failed`);
    this.sent = sent;
  }
}
const unsent = [];
async function request(url) {
  try {
    throw new RequestFailed(url, { headers: new Headers({ accept: "text/plain" }), at: performance.now() });
  } catch (error) {
    unsent.push(error);
  }
}
window.round = async () => {
  for (let turn = 0; turn < 3; turn += 1) await request(`/api/${turn}`);
  if (repaired) unsent.length = 0;
};
