// Vite's development server on a directory, with the API that the application calls. Prints its port when it is ready.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [root, packages] = process.argv.slice(2);
const find = createRequire(`${packages}/`);
const { createServer } = await import(pathToFileURL(`${packages}/vite/dist/node/index.js`).href);
const { default: react } = await import(pathToFileURL(find.resolve("@vitejs/plugin-react")).href);

const api = {
  name: "api",
  configureServer(server) {
    server.middlewares.use((request, response, next) => {
      const { pathname } = new URL(request.url, "http://localhost");
      if (pathname === "/api/save") {
        let sent = "";
        request.on("data", (part) => (sent += part));
        request.on("end", () => {
          response.statusCode = sent ? 200 : 500;
          response.end(JSON.stringify(sent ? { saved: true } : { error: "nothing to save" }));
        });
      } else if (pathname === "/api/prices") {
        response.end(JSON.stringify({ prices: [1, 2] }));
      } else if (pathname === "/missing.png") {
        response.statusCode = 404;
        response.end();
      } else next();
    });
    server.httpServer.on("upgrade", (request, socket) => {
      const { pathname, searchParams } = new URL(request.url, "http://localhost");
      if (pathname !== "/feed") return;
      if (!searchParams.has("topic")) {
        socket.end("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n");
        return;
      }
      const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
      const accept = createHash("sha1").update(key).digest("base64");
      socket.on("error", () => {});
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
      );
    });
  },
};

const server = await createServer({
  root,
  configFile: false,
  logLevel: "error",
  cacheDir: `${root}/.cache-${process.pid}`,
  plugins: [react(), api],
  optimizeDeps: { include: ["react", "react-dom/client", "react/jsx-dev-runtime"] },
  server: { host: "127.0.0.1", port: 0, strictPort: false, fs: { strict: false } },
});
await server.listen();
process.stdout.write(`${server.httpServer.address().port}\n`);
