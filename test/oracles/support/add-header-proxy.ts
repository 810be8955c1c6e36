export type HeaderProxy = AsyncDisposable & { url: string };

/**
 * A proxy before the hub that adds a bearer token, for checkers that cannot send one. It forwards
 * everything else unchanged, including foreign Host and Origin headers.
 */
export function startHeaderProxy(target: string, token: string): HeaderProxy {
  const targetHost = new URL(target).host;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(req) {
      const { pathname, search, port } = new URL(req.url);
      const headers = new Headers(req.headers);
      headers.set("authorization", `Bearer ${token}`);
      const isOwnHost = /^(localhost|127\.0\.0\.1)(:\d+)?$/.test(req.headers.get("host") ?? "");
      if (isOwnHost) headers.set("host", targetHost);
      const origin = req.headers.get("origin");
      if (origin !== null && new URL(origin).port === port) {
        headers.set("origin", origin.replace(port, new URL(target).port));
      }
      return await fetch(`${target}${pathname}${search}`, {
        method: req.method,
        headers,
        body: req.body,
        redirect: "manual",
        signal: req.signal,
      });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
