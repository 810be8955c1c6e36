import type { IncomingMessage, ServerResponse } from "node:http";
import { toFetchResponse, toReqRes } from "fetch-to-node";

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

/**
 * Passes a request to the provider, which expects Node's server. The provider sees the base URL as
 * the requested one, so that its links are correct behind any proxy.
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

/** Request and response for calls that only read cookies. */
export function toNode(baseUrl: string, request: Request) {
  const base = new URL(baseUrl);
  const headers = new Headers(request.headers);
  for (const name of [...headers.keys()]) if (name.startsWith("x-forwarded-")) headers.delete(name);
  headers.delete("forwarded");
  headers.set("host", base.host);
  headers.set("x-forwarded-proto", base.protocol.slice(0, -1));
  // Koa expects one of two headers if there is a body; a request made in this process has neither.
  if (request.body !== null && !headers.has("content-length")) {
    headers.set("transfer-encoding", "chunked");
  }
  const { req, res } = toReqRes(new Request(request, { headers }));
  // Koa reads the peer and TLS from the socket; fetch-to-node provides no socket.
  Object.defineProperty(req, "socket", { value: { encrypted: base.protocol === "https:" } });
  return { req, res };
}
