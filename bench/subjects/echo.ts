// The yardstick: the least that a server can do with a request, read whole and sent back.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    return new Response(await req.text(), { headers: { "content-type": "application/json" } });
  },
});
console.log(`http://127.0.0.1:${server.port}`);
