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
    fetch: (request) => handler.fetch(request),
  });
  return {
    url: `http://127.0.0.1:${listening.port}/mcp`,
    /** The answers that came with each request. */
    received,
    async [Symbol.asyncDispose]() {
      await handler.close();
      await listening.stop(true);
    },
  };
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
