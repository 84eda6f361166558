// A loader for webpack: what TypeScript's compiler wrote, with the map that stands beside it.
const { readFileSync } = require("node:fs");

module.exports = function withMap(source) {
  const code = source.replace(/\/\/# sourceMappingURL=.*/, "");
  this.callback(null, code, JSON.parse(readFileSync(`${this.resourcePath}.map`, "utf8")));
};
