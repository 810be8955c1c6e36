import { isJsonObject, type Json, parseJson, toJsonText, UpstreamError } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { ProgressReport } from "../../operations/operations.ts";
import { toTestCall } from "../../operations/testing/open-test-operations.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { type LeakCase, ring } from "./leak-cases.ts";
import type { LeakHub } from "./leak-hub.ts";
import { post, postStateless, request } from "./post-message.ts";

export type Ended =
  | { kind: "result"; text: string }
  | { kind: "failure"; code: string; message: string; detail: unknown };
type Answer = { ended: Ended; progress: string[] };

/** Makes the call of a case through its door, and reads the reply as a client does. */
export async function makeLeakCall(
  hub: LeakHub,
  given: LeakCase,
): Promise<Answer & { params: Record<string, unknown> }> {
  await hub.setSecrets({ token: given.token, pin: given.pin });
  hub.setAct((tools) => act(given, tools));
  hub.logged.length = 0;
  const params = toParams(hub, given);
  return { ...(await callThrough(given.door, hub, params)), params };
}

/** The operation outputs its secrets in every possible way. */
function act({ learned, learnedAnyCase, progress, logged, ending }: LeakCase, tools: Tools) {
  tools.mask(learned);
  tools.maskIgnoreCase(learnedAnyCase);
  for (const [index, message] of progress.entries()) tools.progress(index, 2, message);
  tools.log.warn(logged.message, { details: logged.details });
  switch (ending.kind) {
    case "result":
      return ending.value;
    case "params":
      return tools.params;
    case "upstream":
      throw new UpstreamError(ending.message, {
        httpStatus: 503,
        body: ending.body,
        cause: new Error(ending.cause),
      });
    case "error":
      throw new Error(ending.message, { cause: new Error(ending.cause) });
    case "fault":
      throw new TypeError(ending.message, { cause: ending.cause });
    case "thrown":
      throw ending.value;
    case "unknown param":
    case "broken token":
      throw new Error("A call that is to be refused has run.");
  }
}

type Tools = Parameters<Parameters<LeakHub["setAct"]>[0]>[0];

function toParams({ userId }: LeakHub, { password, held, text, data, ending }: LeakCase) {
  const token = sealValue(ring, { userId, rowId: null }, held);
  return Object.fromEntries([
    ["password", password],
    [
      "text",
      `${text} Bearer ${ending.kind === "broken token" ? token.slice(0, -1) : `${token}-prod`}`,
    ],
    ["data", [data, { deep: token }]],
    ...(ending.kind === "unknown param" ? [[ending.name, held]] : []),
  ]);
}

async function callThrough(
  door: LeakCase["door"],
  hub: LeakHub,
  params: Record<string, unknown>,
): Promise<Answer> {
  const { caller, mcp, toolId } = hub;
  if (door === "operations") return callOperations(hub, params);
  if (door === "many") return await callAsOneOfMany(hub, params);
  const call = {
    name: "hub_execute",
    arguments: { tool_id: toolId, params },
    _meta: { progressToken: "p" },
  };
  const accept = door === "events" ? "text/event-stream" : "application/json";
  if (door === "stateless") {
    const headers = { accept: "application/json, text/event-stream" };
    const meta = { progressToken: "p" };
    return await readFrames(
      await postStateless(mcp, "tools/call", call, { caller, headers, meta }),
    );
  }
  return await readFrames(
    await post(mcp, request("tools/call", call), { caller, headers: { accept } }),
  );
}

/** The call as the last of a message. The result of the other one must show nothing of it. */
async function callAsOneOfMany(
  { caller, mcp, toolId }: LeakHub,
  params: Record<string, unknown>,
): Promise<Answer> {
  const calls = [{ tool_id: `${toolId}_absent` }, { tool_id: toolId, params }];
  const message = request("tools/call", { name: "hub_read", arguments: { calls } });
  const { ended } = await readFrames(await post(mcp, message, { caller }));
  if (ended.kind === "failure") failCase("a message without results", ended.message);
  // Safe: parseJson returns JSON values.
  const { results } = parseJson(ended.text) as { results: ListedResult[] };
  const [other, own] = results;
  if (own === undefined || other?.code !== "not_found" || !absentMessage.test(other.error)) {
    return failCase("results of other calls", ended.text);
  }
  const { status, result, error: failure, code, tool_id: _, ...detail } = own;
  return status === "success"
    ? { ended: { kind: "result", text: toJsonText(result) }, progress: [] }
    : { ended: { kind: "failure", code, message: failure, detail }, progress: [] };
}

const absentMessage = /^[A-Za-z ,.'_"()-]+$/;

async function callOperations(hub: LeakHub, params: Record<string, unknown>): Promise<Answer> {
  const reports: ProgressReport[] = [];
  const ctx = toTestCall(["team"], { reports });
  const ended = await hub.operations.calls.call(ctx, { toolId: hub.toolId, params }).then(
    ({ text }): Ended => ({ kind: "result", text }),
    (thrown: unknown): Ended => {
      if (!(thrown instanceof HubError)) throw thrown;
      const { code, message, detail } = thrown;
      return { kind: "failure", code, message, detail };
    },
  );
  return { ended, progress: reports.map(({ message = "" }) => message) };
}

/** Parses a reply as an MCP client does, as JSON or as an event stream. */
async function readFrames(response: Response): Promise<Answer> {
  const body = await response.text();
  // Lines of an event stream end only with a line feed. Other line separators may occur inside
  // JSON.
  const lines = body.split("\n").filter((line) => line.startsWith("data: "));
  const events = lines.map((line) => line.slice("data: ".length));
  const frames = (events.length > 0 ? events : [body]).map((text) => parseJson(text) as Frame);
  const result = frames.at(-1)?.result;
  const text = result?.content[0].text ?? failCase("a reply without a result", body);
  if (result?.structuredContent !== undefined) {
    // Safe: parseJson returns JSON values.
    const value = parseJson(text) as Json;
    const structured = toJsonText(result.structuredContent);
    const expected = toJsonText(isJsonObject(value) ? value : { result: value });
    if (structured !== expected) failCase("two results", structured);
  }
  const progress = frames.slice(0, -1).map(({ params }) => params?.message ?? "");
  const isOfMany = text.startsWith('{"results":');
  if (result?.isError !== true || isOfMany) return { ended: { kind: "result", text }, progress };
  const { error: message, code, tool_id: _, ...detail } = parseJson(text) as Failure;
  return { ended: { kind: "failure", code, message, detail }, progress };
}

/** The parts of a reply that the checks read. A reply with another structure fails. */
type Frame = {
  result?: { content: [{ text: string }]; structuredContent?: unknown; isError?: boolean };
  params?: { message?: string };
};
type Failure = { error: string; code: string; tool_id?: string };
type ListedResult = Failure & { status: string; result: Json };

/** Ends the check of a case. */
export function failCase(fault: string, shown: string): never {
  throw new Error(`${fault}: ${shown}`);
}
