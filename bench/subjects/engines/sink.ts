// The outside system that workflows call: it counts the distinct ids of `/done?id=…`.
const ids = new Set<string>();
const sink = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(req) {
    const { pathname, searchParams } = new URL(req.url);
    if (pathname === "/count") return Response.json(ids.size);
    ids.add(searchParams.get("id") ?? "");
    return Response.json({ done: true });
  },
});
console.log(`http://127.0.0.1:${sink.port}`);
