importScripts("/script/matrix.js?as=service_worker");
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim().then(() => console.log("worker active"))));
self.addEventListener("fetch", (event) => {
  if (new URL(event.request.url).searchParams.has("made-up")) {
    event.respondWith(new Response(JSON.stringify({ made: "up" }), { headers: { "content-type": "application/json" } }));
  }
});
