// Outside systems that answer at once: an MCP server, an API, and documents of it. It prints its address.
import { answerMcp } from "./answer-mcp.ts";

const things = [
  "invoice",
  "ticket",
  "shipment",
  "contract",
  "refund",
  "webhook",
  "member",
  "report",
];
const verbs = ["create", "list", "delete", "update", "archive"];
const largeOperations = 3000;

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    switch (new URL(req.url).pathname) {
      case "/mcp":
        return await serveMcp(req);
      case "/small.json":
        return Response.json(
          toDocument({ "/item": { get: toOperation("item", "Returns an item") } }),
        );
      case "/large.json":
        return Response.json(toDocument(toLargePaths()));
      default:
        return Response.json({ greeting: "Hello, Ada" });
    }
  },
});
console.log(`http://127.0.0.1:${server.port}`);

async function serveMcp(req: Request): Promise<Response> {
  // It has nothing of its own to send, and keeps no sessions.
  if (req.method !== "POST") return new Response(null, { status: 405 });
  const reply = answerMcp(await req.json());
  return reply === null ? new Response(null, { status: 202 }) : Response.json(reply);
}

function toOperation(operationId: string, summary: string) {
  const parameters = ["account", "since", "limit"].map((name) => ({
    name,
    in: "query",
    schema: { type: "string" },
    description: `The ${name} of the request, as the other operations have it`,
  }));
  return { operationId, summary, parameters, responses: { 200: { description: "Done" } } };
}

function toDocument(paths: object) {
  return { openapi: "3.1.0", info: { title: "Bench", version: "1" }, paths };
}

function toLargePaths(): Record<string, object> {
  const paths: Record<string, object> = {};
  for (let index = 0; index < largeOperations; index += 1) {
    const verb = verbs[index % verbs.length];
    const thing = things[Math.floor(index / verbs.length) % things.length];
    const summary = `${verb} a ${thing} of the account ${index}, with its history and owner`;
    paths[`/${thing}/${index}/${verb}`] = {
      get: toOperation(`${verb}_${thing}_${index}`, summary),
    };
  }
  return paths;
}
