/** An outside system that remembers the marker of each request, and answers after a short while. */
export type Outside = AsyncDisposable & {
  url: string;
  /** The number of requests by marker. */
  received: ReadonlyMap<string, number>;
};

const delayMsMax = 200;

export function startOutside(): Outside {
  const received = new Map<string, number>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(req) {
      const marker = await req.text();
      received.set(marker, (received.get(marker) ?? 0) + 1);
      await Bun.sleep((marker.length * 37 + received.size) % delayMsMax);
      return Response.json({ marker });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
