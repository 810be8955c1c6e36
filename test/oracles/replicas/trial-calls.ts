import { connectHttp as connectSdk1 } from "../../support/connect-sdk-1.ts";
import { connectHttp as connectSdk2 } from "../../support/connect-sdk-2.ts";
import type { TestClient, ToolAnswer } from "../../support/mcp-client.ts";
import {
  type CallOutcome,
  type CallTargets,
  kinds,
  readMessage,
  readOutcome,
} from "../../support/mixed-calls.ts";
import type { Random } from "../../support/random.ts";
import { postRpc, toToolCall } from "../../support/rpc.ts";

/**
 * What a client got: the outcome of its call, a refusal of the hub before the call, or neither (a
 * broken connection or an error of the balancer).
 */
type ClientResult =
  | { kind: "answered"; outcome: CallOutcome }
  | { kind: "refused"; status: number; code: string }
  | { kind: "lost"; reason: string };

export type TrialCall = {
  marker: string;
  /** The column of the run that contains the marker. */
  markedBy: "user_agent" | "request";
  result: ClientResult;
};

type LoadContext = {
  url: string;
  targets: CallTargets;
  /** A row of the `http` connector in front of the outside system. */
  outsideRow: string;
  random: Random;
  prefix: string;
  isStopped(): boolean;
  onCall(call: TrialCall): void;
};

/** Makes calls of every kind over plain HTTP, one after another. */
export async function callByHttp(ctx: LoadContext, worker: string): Promise<void> {
  const names = Object.keys(kinds);
  for (let count = 0; !ctx.isStopped(); count += 1) {
    const marker = `${ctx.prefix}${worker}/${count}/`;
    const kind = kinds[ctx.random.pick(names)];
    if (kind === undefined) continue;
    const { tool, args } = kind.toCall(ctx.targets);
    const message = toToolCall(tool, args, marker);
    const result = await postRpc(ctx.url, ctx.targets.token, message, { "user-agent": marker })
      .then(readResponse)
      .catch(toLost);
    ctx.onCall({ marker, markedBy: "user_agent", result });
    if (result.kind !== "answered") await Bun.sleep(20);
  }
}

async function readResponse(response: Response): Promise<ClientResult> {
  if (response.status === 200) {
    return { kind: "answered", outcome: readOutcome(await readMessage(response)) };
  }
  const text = await response.text();
  if (response.headers.get("content-type")?.startsWith("application/json")) {
    return { kind: "refused", status: response.status, code: JSON.parse(text).code };
  }
  return { kind: "lost", reason: `balancer ${response.status}` };
}

function toLost(err: unknown): ClientResult {
  return { kind: "lost", reason: err instanceof Error ? err.name : "unknown" };
}

const connectors = {
  sdk1: connectSdk1,
  sdk2: (url: string, token: string) => connectSdk2(url, token, "auto"),
  legacy: (url: string, token: string) => connectSdk2(url, token, "legacy"),
};

/** Makes calls with an official client, which connects again after a failure. */
export async function callByClient(ctx: LoadContext, name: keyof typeof connectors): Promise<void> {
  let client: TestClient | null = null;
  const outside = `conn:${ctx.outsideRow}/post`;
  for (let count = 0; !ctx.isStopped(); count += 1) {
    const marker = `${ctx.prefix}${name}/${count}/`;
    const connect = connectors[name];
    client ??= await connect(ctx.url, ctx.targets.token).catch(() => null);
    if (client === null) {
      await Bun.sleep(50);
      continue;
    }
    const call =
      count % 2 === 0
        ? client.execute(outside, { path: "/", body: marker, content_type: "text/plain" })
        : client.execute(`conn:${ctx.targets.rows.visible}/greet`, { name: marker });
    const result = await call.then(toAnswered).catch(toLost);
    ctx.onCall({ marker, markedBy: "request", result });
    if (result.kind === "lost") {
      await close(client);
      client = null;
    }
  }
  if (client !== null) await close(client);
}

/** The end of a session may fail as its calls do. */
async function close(client: TestClient): Promise<void> {
  try {
    await client[Symbol.asyncDispose]();
  } catch {}
}

function toAnswered({ isError, text, value }: ToolAnswer): ClientResult {
  const outcome = isError
    ? {
        status: value.code === "cancelled" ? "cancelled" : "error",
        code: value.code,
        text: value.error,
      }
    : { status: "success", code: null, text };
  return { kind: "answered", outcome };
}
