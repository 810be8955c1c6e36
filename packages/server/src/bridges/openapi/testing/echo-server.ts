/** A request as a server saw it. */
export type Seen = {
  method: string;
  /** Path and query, not decoded. */
  at: string;
  headers: Record<string, string>;
  body: string;
};

type Handler = (req: Request) => Response | Promise<Response>;

/** A server on this machine. Without a handler, it answers with what it saw. */
export function startEchoServer(handle?: Handler) {
  const seen: Seen[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      const { pathname, search } = new URL(req.url);
      const one = {
        method: req.method,
        at: pathname + search,
        headers: req.headers.toJSON(),
        body: await req.clone().text(),
      };
      seen.push(one);
      return (await handle?.(req)) ?? Response.json(one);
    },
  });
  return { seen, url: `http://api.test:${server.port}`, stop: () => server.stop(true) };
}
