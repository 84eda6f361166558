console.log("plain text");
console.info("information", 42, true, null, undefined);
console.warn("a warning", { a: 1, b: "two", c: [1, 2, 3] });
console.error("an error", new TypeError("broken thing"));
console.debug("debugging");
console.log("%s is %d years and %c styled", "Ada", 36, "color: red", "rest");
console.assert(1 === 2, "the sum is wrong");
console.log(new Map([["k", 1]]), new Set([1, 2]), [1, "x"], () => 1, Symbol("s"), 10n);
console.group("a group");
console.log("inside");
console.groupEnd();

function thrower() {
  throw new RangeError("out of range: 11");
}
setTimeout(function later() {
  thrower();
}, 0);

async function rejecter() {
  throw new Error("nobody caught me");
}
setTimeout(() => rejecter(), 0);
setTimeout(() => Promise.reject("just a string"), 0);
setTimeout(() => Promise.reject({ code: 7, reason: "an object" }), 0);
setTimeout(() => console.log("console page done"), 50);
