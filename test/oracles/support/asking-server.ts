import { isJsonObject } from "@hub/connector";
import {
  createMcpHandler,
  type InputRequiredResult,
  inputRequired,
  McpServer,
} from "@modelcontextprotocol/server";

type Form = Parameters<typeof inputRequired.elicit>[0];

/** What the tool of a round does: it asks by a form, or answers. */
export type Round = { form: Form } | { page: string } | { text: string };

/** A server of the official library of 2026-07-28, whose tool `ask` asks before it answers. */
export function serveAsking(next: (responses: Record<string, unknown>, round: number) => Round) {
  const received: Record<string, unknown>[] = [];
  const declared: unknown[] = [];
  const toServer = () => {
    const server = new McpServer({ name: "asking", version: "1" });
    server.registerTool("ask", { description: "Asks." }, (ctx) => {
      const { inputResponses = {}, requestState } = ctx.mcpReq;
      received.push(inputResponses);
      const round = Number(requestState?.() ?? 0);
      return toAnswer(next(inputResponses, round), round);
    });
    return server;
  };
  const handler = createMcpHandler(toServer, { legacy: "reject" });
  const listening = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (request.headers.get("mcp-method") === "tools/call") {
        declared.push(readDeclared(await request.clone().json()));
      }
      return await handler.fetch(request);
    },
  });
  return {
    url: `http://127.0.0.1:${listening.port}/mcp`,
    /** The answers that came with each request. */
    received,
    /** The capability `elicitation` that each call has declared. */
    declared,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await listening.stop(true);
    },
  };
}

function readDeclared(message: unknown): unknown {
  const { params } = isJsonObject(message) ? message : {};
  const { _meta } = isJsonObject(params) ? params : {};
  const name = "io.modelcontextprotocol/clientCapabilities";
  const capabilities = isJsonObject(_meta) ? _meta[name] : null;
  return isJsonObject(capabilities) ? (capabilities.elicitation ?? null) : null;
}

type Content = { content: Array<{ type: "text"; text: string }> };

function toAnswer(round: Round, count: number): Content | InputRequiredResult {
  if ("text" in round) return { content: [{ type: "text", text: round.text }] };
  const asked =
    "form" in round
      ? inputRequired.elicit(round.form)
      : inputRequired.elicitUrl({ message: "Open it.", url: round.page });
  return inputRequired({ inputRequests: { asked }, requestState: `${count + 1}` });
}
