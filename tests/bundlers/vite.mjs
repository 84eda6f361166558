// Builds a TypeScript file with Vite for production, as one minified script beside its map.
import { pathToFileURL } from "node:url";

const [packages, entry, out] = process.argv.slice(2);
const { build } = await import(pathToFileURL(`${packages}/vite/dist/node/index.js`).href);

await build({
  root: out,
  configFile: false,
  logLevel: "error",
  build: {
    outDir: out,
    emptyOutDir: false,
    sourcemap: true,
    rollupOptions: { input: entry, output: { format: "iife", entryFileNames: "app.js" } },
  },
});
