import type { GivenAnswer } from "../../../packages/connector/src/outbound/testing/serve-bytes.ts";
import type { PeerRequest } from "./peers.ts";

export const bodyMethods = ["post", "put", "patch", "delete", "options"] as const;
export const openApiBodies = ["none", "json", "form", "multipart", "text", "binary"] as const;

/** Answers as an OpenAPI server at `/openapi.json`, as an MCP server at `/mcp`, and as a plain API elsewhere. */
export function answerHub(request: PeerRequest): GivenAnswer {
  if (request.target === "/openapi.json") return toJson(toDocument());
  if (request.target === "/mcp") return answerMcp(request);
  return toJson({ ok: true });
}

function toJson(value: unknown): GivenAnswer {
  return { headers: { "content-type": "application/json" }, body: JSON.stringify(value) };
}

const members = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

const contents: Record<(typeof openApiBodies)[number], object | null> = {
  none: null,
  json: { "application/json": { schema: members } },
  form: { "application/x-www-form-urlencoded": { schema: members } },
  multipart: { "multipart/form-data": { schema: members } },
  text: { "text/plain": { schema: { type: "string" } } },
  binary: { "application/octet-stream": {} },
};

/** The operations `post_json` to `options_binary`, and `get_none`. */
function toDocument() {
  const parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
  const toOperation = (method: string, kind: (typeof openApiBodies)[number]) => {
    const content = contents[kind];
    return {
      operationId: `${method}_${kind}`,
      summary: `Sends ${kind}`,
      parameters,
      ...(content !== null && { requestBody: { required: true, content } }),
      responses: { 200: { description: "Done" } },
    };
  };
  const paths = openApiBodies.map((kind) => {
    const methods = kind === "none" ? ["get", ...bodyMethods] : bodyMethods;
    const operations = methods.map((method) => [method, toOperation(method, kind)]);
    return [`/openapi/${kind}/{id}`, Object.fromEntries(operations)];
  });
  return {
    openapi: "3.1.0",
    info: { title: "Framing", version: "1" },
    paths: Object.fromEntries(paths),
  };
}

function answerMcp({ method: httpMethod, body }: PeerRequest): GivenAnswer {
  if (httpMethod !== "POST") return { status: 405, body: "" };
  const { id, method } = JSON.parse(body.toString());
  if (id === undefined) return { status: 202, body: "" };
  const result = results[method];
  const failure = { code: -32601, message: "Method not found" };
  return toJson({ jsonrpc: "2.0", id, ...(result ? { result } : { error: failure }) });
}

const results: Record<string, object> = {
  initialize: {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "framing", version: "1" },
  },
  ping: {},
  "tools/list": { tools: [{ name: "say", description: "Says a text.", inputSchema: members }] },
  "tools/call": { content: [{ type: "text", text: "said" }] },
};
