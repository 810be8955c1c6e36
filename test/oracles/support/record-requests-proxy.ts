import type { HeaderProxy } from "./add-header-proxy.ts";

/** A request that passed: `POST tools/call 200`. */
export type RecordingProxy = HeaderProxy & { requests: string[] };

/** A proxy before the hub that notes which requests a client sends, and how they are answered. */
export function startRecordingProxy(target: string): RecordingProxy {
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(req) {
      const { pathname } = new URL(req.url);
      const headers = new Headers(req.headers);
      headers.set("host", new URL(target).host);
      const body = await req.text();
      const answer = await fetch(target + pathname, {
        method: req.method,
        headers,
        ...(body !== "" && { body }),
        redirect: "manual",
        signal: req.signal,
      });
      const method = body === "" ? "" : ` ${JSON.parse(body).method}`;
      requests.push(`${req.method}${method} ${answer.status}`);
      return answer;
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
