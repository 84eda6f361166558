// Builds a TypeScript file with webpack, as its options say.
const [packages, given] = process.argv.slice(2);
const webpack = require(`${packages}/webpack`);

webpack(JSON.parse(given), (error, stats) => {
  if (error || stats.hasErrors()) {
    process.stderr.write(`${error ?? stats.toString()}\n`);
    process.exitCode = 1;
  }
});
