// A socket.io chat: everybody hears what anybody says. Prints its port.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { Server } = createRequire(process.env.WITNESS_PACKAGES + "/")("socket.io");
const page = readFileSync(new URL("chat.html", import.meta.url));
const http = createServer((request, response) => {
  response.setHeader("content-type", "text/html");
  response.end(page);
});
const chat = new Server(http, { serveClient: true });
chat.on("connection", (socket) => socket.on("say", (text) => chat.emit("said", text)));
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
