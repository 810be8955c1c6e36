import { isJsonObject, type JsonSchema, UpstreamError } from "@hub/connector";
import type { CallToolRequest, RequestOptions } from "@modelcontextprotocol/client";
import type { ElicitedAnswer } from "../../connectors/elicitation.ts";
import {
  checkQuestions,
  refuseQuestion,
  refuseUnasked,
  roundsMax,
} from "./elicitation/check-questions.ts";
import {
  findAsking,
  findRequiredPages,
  needsElicitation,
  type RepeatInput,
  readRelayed,
  type ServerQuestions,
  toKept,
} from "./elicitation/relayed-input.ts";
import type { McpContext } from "./mcp-context.ts";
import { anyResult, findKept } from "./results/keep-results.ts";
import type { McpSession } from "./sessions/open-mcp-session.ts";

type Tool = { name: string; inputSchema: JsonSchema };
type Params = CallToolRequest["params"];

/**
 * Calls a tool. Its result is as the server sent it. What a server of 2026-07-28 asks before is passed on to the client of
 * the call: by the answer to the call, which the client repeats, or within the call, which the hub repeats.
 */
export async function callTool(
  session: McpSession,
  ctx: McpContext,
  tool: Tool,
  params: Params,
  options: RequestOptions,
): Promise<Record<string, unknown>> {
  const { elicit } = ctx;
  const called = { ...ctx, tool: tool.name };
  if (session.client.getProtocolEra() !== "modern") {
    const request = { method: "tools/call", params };
    return await session.client.request(request, anyResult, options).then(findKept, (thrown) => {
      const pages = findRequiredPages(thrown);
      if (pages === null) throw thrown;
      return askForPages(ctx, called, pages);
    });
  }
  let { input, rounds } = readRelayed(elicit?.relay, called);
  for (;;) {
    const result = await send(session, tool, { ...params, ...input }, options).catch((thrown) => {
      throw elicit === undefined && needsElicitation(thrown) ? refuseUnasked(thrown) : thrown;
    });
    const asking = findAsking(result);
    if (asking === null) return findKept(result);
    rounds += 1;
    if (rounds > roundsMax) throw refuseQuestion(`It has asked ${roundsMax} times already.`);
    const asked = checkQuestions(ctx, asking.requests, asking.state);
    if (elicit?.relay?.isOpen()) elicit.relay.end(asked.questions, toKept(called, asked, rounds));
    input = await askWithin(ctx, asked);
  }
}

/** An earlier version names pages in an error. The user opens them, and the same call is made again by the client. */
async function askForPages(
  ctx: McpContext,
  called: Parameters<typeof toKept>[0],
  pages: Readonly<Record<string, unknown>>,
): Promise<never> {
  const { elicit } = ctx;
  const rounds = readRelayed(elicit?.relay, called).rounds + 1;
  if (rounds > roundsMax) throw refuseQuestion(`It has asked ${roundsMax} times already.`);
  const asked = checkQuestions(ctx, pages, null);
  if (elicit?.relay?.isOpen()) elicit.relay.end(asked.questions, toKept(called, asked, rounds));
  await askWithin(ctx, asked);
  throw new UpstreamError(
    "The MCP server needs its user to finish on a page, which the user was asked to open. Make the call again when that is done.",
  );
}

async function send(
  { client }: McpSession,
  { name, inputSchema }: Tool,
  params: Params,
  options: RequestOptions,
): Promise<{ _meta?: object | undefined }> {
  const asking = { ...options, allowInputRequired: true };
  if (!declaresHeaders(inputSchema)) {
    return await client.request({ method: "tools/call", params }, anyResult, asking);
  }
  // The library writes the headers. The definition has no output schema, which it would compile.
  const toolDefinition = { name, inputSchema: { ...inputSchema, type: "object" as const } };
  return await client.callTool(params, { ...asking, toolDefinition });
}

async function askWithin(
  { elicit }: McpContext,
  { questions, state }: ServerQuestions,
): Promise<RepeatInput> {
  const answers = new Map<string, ElicitedAnswer>();
  for (const [key, asked] of questions) {
    if (elicit?.ask === undefined) throw refuseQuestion("The client of the call cannot be asked.");
    const answer = await elicit.ask(asked);
    if ("refused" in answer) throw refuseQuestion(answer.refused);
    answers.set(key, answer);
  }
  return {
    ...(questions.size > 0 && { inputResponses: Object.fromEntries(answers) }),
    ...(state !== null && { requestState: state }),
  };
}

/** Whether an argument is also sent as a header, for what stands between the hub and the server. */
function declaresHeaders({ properties }: JsonSchema): boolean {
  if (!isJsonObject(properties)) return false;
  return Object.values(properties).some(
    (schema) =>
      isJsonObject(schema) && (schema["x-mcp-header"] !== undefined || declaresHeaders(schema)),
  );
}
