function makeError() {
  return new TypeError("broken thing");
}
function save() {
  try { throw makeError(); } catch (error) { report(error); }
}
// One that logs for others, as most applications have it.
function report(error) {
  console.error("could not save", error);
}
save();

function price(item) {
  try {
    return item.price;
  } catch (error) {
    console.error(error);
  }
}
price(null);

const noCard = new RangeError("no card", { cause: "the root" });
console.error(Object.assign(new Error("checkout failed", { cause: noCard }), { code: "E_PAY", status: 402 }));

console.error(new AggregateError([new Error("one"), new TypeError("two")], "all failed"));

class HttpError extends Error {
  name = "HttpError";
  response = { status: 500, data: { errors: [{ message: "no stock" }] } };
}
console.error(new HttpError("500"));

setTimeout(() => {
  throw Object.assign(new Error("thrown with a cause", { cause: "why" }), { order: { id: 7 } });
});
setTimeout(() => Promise.reject({ reason: "rejected with", order: { id: 8 } }));
setTimeout(() => console.log("errors page done"), 50);
