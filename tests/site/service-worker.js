importScripts("/script/matrix.js?as=service_worker");
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(clients.claim().then(() => console.log("worker active"))));
self.addEventListener("fetch", (event) => {
  const { searchParams } = new URL(event.request.url);
  if (searchParams.has("made-up")) {
    const options = { status: Number(searchParams.get("answer") || 200), headers: { "content-type": "application/json" } };
    event.respondWith(new Response(JSON.stringify({ made: "up" }), options));
  } else if (searchParams.has("from-cache")) {
    const fromCache = async () => {
      const cache = await caches.open("answers");
      await cache.put("/kept", new Response("out of the worker's cache", { headers: { "content-type": "text/plain" } }));
      return cache.match("/kept");
    };
    event.respondWith(fromCache());
  }
});
