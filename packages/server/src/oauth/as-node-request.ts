import type { IncomingMessage, ServerResponse } from "node:http";
import { toFetchResponse, toReqRes } from "fetch-to-node";

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/**
 * Lets the provider, which was written for Node's server, answer a request of this one. It gets to
 * see the base address as the one that was asked, so that its own links are right whatever stands
 * between it and the client.
 */
export async function answerAsNode(
  handler: Handler,
  baseUrl: string,
  request: Request,
): Promise<Response> {
  const { req, res } = toNode(baseUrl, request);
  await handler(req, res);
  return toFetchResponse(res);
}

/** The pair for calls that only read cookies. */
export function toNode(baseUrl: string, request: Request) {
  const base = new URL(baseUrl);
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (name.startsWith("x-forwarded-")) headers.delete(name);
  headers.delete("forwarded");
  headers.set("host", base.host);
  headers.set("x-forwarded-proto", base.protocol.slice(0, -1));
  // By these two headers Koa tells that there is a body; a request made in here has neither.
  if (request.body !== null && !headers.has("content-length")) {
    headers.set("transfer-encoding", "chunked");
  }
  const { req, res } = toReqRes(new Request(request, { headers }));
  // Koa looks into the socket for the peer and for TLS; fetch-to-node has none.
  Object.defineProperty(req, "socket", { value: { encrypted: base.protocol === "https:" } });
  return { req, res };
}
