// A socket.io chat: everybody hears what anybody says. CHAT_BREAK breaks it. Prints its port.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const broken = process.env.CHAT_BREAK;
const { Server } = createRequire(process.env.CHAT_PACKAGES + "/")("socket.io");
let page = readFileSync(new URL("chat.html", import.meta.url), "utf8");
if (broken === "renamed") page = page.replace(">Send<", ">Submit<");
if (broken === "throw") page = page.replace("form.onsubmit", "form.onclick = () => { throw new TypeError('sabotage'); }; form.onsubmit");
if (broken === "call") page = page.replace('socket.emit("say"', 'console.log("say"');
const http = createServer((request, response) => {
  response.setHeader("content-type", "text/html");
  response.end(page);
});
const chat = new Server(http, { serveClient: true });
chat.on("connection", (socket) => {
  socket.on("say", (text) => broken === "text" || chat.emit("said", `Somebody says ${text}`));
  socket.on("name", (name, done) => done({ welcome: broken === "field" ? "" : `Welcome, ${name}` }));
});
http.listen(0, "127.0.0.1", () => console.log(http.address().port));
