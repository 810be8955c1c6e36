// A collector of traces that accepts everything and keeps nothing.
const collector = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    await req.arrayBuffer();
    return new Response(null, { headers: { "content-type": "application/x-protobuf" } });
  },
});
console.log(`http://127.0.0.1:${collector.port}`);
