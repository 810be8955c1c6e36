/** A request that the outside system received. */
type ReceivedRequest = {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: string;
};

export type EchoServer = AsyncDisposable & { url: string; received: ReceivedRequest[] };

/**
 * An outside system that echoes the credential of each request. Each path uses another encoding.
 */
export function startEchoServer(): EchoServer {
  const received: ReceivedRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      const request = await toReceived(req);
      received.push(request);
      return answer(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

async function toReceived(req: Request): Promise<ReceivedRequest> {
  const { pathname, searchParams } = new URL(req.url);
  return {
    method: req.method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(req.headers),
    body: await req.text(),
  };
}

function answer(request: ReceivedRequest): Response {
  const header = request.headers.authorization ?? "";
  const token = header.replace(/^Bearer /, "");
  switch (request.path) {
    case "/echo":
      return Response.json(request);
    case "/url":
      return Response.json({
        next: `https://outside.example/items?access_token=${encodeURIComponent(token)}&page=2`,
      });
    case "/base64":
      return Response.json({
        // At all three alignments of base64, as in Basic authentication or inside other data.
        alone: btoa(token),
        afterOne: btoa(`x${token}`),
        afterTwo: btoa(`me:${token}`.slice(1)),
        basic: `Basic ${btoa(`user:${token}`)}`,
        url: Buffer.from(`user:${token}`).toString("base64url"),
      });
    case "/key":
      return Response.json({ [token]: "a key", nested: [{ [`x-${token}`]: token }] });
    case "/text":
      return new Response(`you said "${header}"`, { headers: { "x-credential": header } });
    case "/error":
      return Response.json({ message: `token ${token} may not do this` }, { status: 403 });
    default:
      return Response.json({ message: "no such path" }, { status: 404 });
  }
}
