// The reference: a server that only reads each request and sends it back.
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    return new Response(await req.text(), { headers: { "content-type": "application/json" } });
  },
});
console.log(`http://127.0.0.1:${server.port}`);
