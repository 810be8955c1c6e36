import { type AuditRow, readRunsOf } from "./audit.ts";
import { readAnswer } from "./mcp-client.ts";
import { postRpc, toToolCall } from "./rpc.ts";
import type { RunningHub } from "./start-hub.ts";

/** The targets of mixed calls: rows of the fixture connector in every state. */
export type CallTargets = {
  token: string;
  /** A value token of another user. */
  foreignValue: string;
  rows: Record<"visible" | "hidden" | "needsSetup" | "disabled" | "operationOff", string>;
};

/** The outcome of a call as its client got it, which the audit must contain. */
export type CallOutcome = { status: string; code: string | null; text: string };

/** The target of one call, and the user agent that identifies its run. */
type CallContext = { url: string; targets: CallTargets; marker: string };

type Call = { tool: string; args: Record<string, unknown> };
type Kind = {
  /** Null for success. */
  code: string | null;
  toCall(targets: CallTargets): Call;
};

const execute = (rowId: string, operation: string, params: Record<string, unknown> = {}): Call => ({
  tool: "hub_execute",
  args: { tool_id: `conn:${rowId}/${operation}`, params },
});

/** One kind of call for each outcome. */
export const kinds: Record<string, Kind> = {
  greet: { code: null, toCall: ({ rows }) => execute(rows.visible, "greet", { name: "Ada" }) },
  show: { code: null, toCall: ({ rows }) => execute(rows.visible, "show") },
  count: { code: null, toCall: ({ rows }) => execute(rows.visible, "count") },
  list: { code: null, toCall: () => ({ tool: "hub_list", args: { limit: 20 } }) },
  search: { code: null, toCall: () => ({ tool: "hub_search", args: { query: "greet" } }) },
  get: {
    code: null,
    toCall: ({ rows }) => ({ tool: "hub_get", args: { tool_id: `conn:${rows.visible}/greet` } }),
  },
  info: { code: null, toCall: () => ({ tool: "hub_info", args: {} }) },
  encrypt: { code: null, toCall: () => ({ tool: "hub_encrypt", args: {} }) },
  refuse: { code: "upstream_error", toCall: ({ rows }) => execute(rows.visible, "refuse") },
  crash: { code: "internal", toCall: ({ rows }) => execute(rows.visible, "crash") },
  overrun: { code: "timeout", toCall: ({ rows }) => execute(rows.visible, "overrun") },
  deaf: { code: "timeout", toCall: ({ rows }) => execute(rows.visible, "deaf") },
  invalid: {
    code: "invalid_params",
    toCall: ({ rows }) => execute(rows.visible, "greet", { nme: "Ada" }),
  },
  foreign: {
    code: "token_invalid",
    toCall: ({ rows, foreignValue }) =>
      execute(rows.visible, "whisper", { password: foreignValue }),
  },
  needsSetup: { code: "needs_setup", toCall: ({ rows }) => execute(rows.needsSetup, "show") },
  hidden: { code: "not_found", toCall: ({ rows }) => execute(rows.hidden, "show") },
  absent: { code: "not_found", toCall: () => execute(crypto.randomUUID(), "show") },
  maintain: { code: "not_found", toCall: ({ rows }) => execute(rows.visible, "maintain") },
  hidden_get: {
    code: "not_found",
    toCall: ({ rows }) => ({ tool: "hub_get", args: { tool_id: `conn:${rows.hidden}/show` } }),
  },
  disabled: { code: "connector_disabled", toCall: ({ rows }) => execute(rows.disabled, "show") },
  operationOff: {
    code: "operation_disabled",
    toCall: ({ rows }) => execute(rows.operationOff, "show"),
  },
  unknown_tool: { code: "unknown_tool", toCall: () => ({ tool: "hub_lisst", args: {} }) },
  malformed: {
    code: "invalid_params",
    toCall: () => ({ tool: "hub_get", args: { tool_id: 7 } }),
  },
};

/** The expected status of each error code, listed independently of the hub's table. */
const statuses: Record<string, string> = {
  not_found: "denied",
  connector_disabled: "denied",
  operation_disabled: "denied",
  token_invalid: "denied",
  rate_limited: "denied",
  unknown_tool: "denied",
  cancelled: "cancelled",
};

/** Creates the rows and users that the calls need. */
export async function addCallTargets(hub: RunningHub): Promise<CallTargets> {
  const env = { FIXTURE_SECRET: "s3cr3t/of+the=row-9fK2xQ7vLm4R" };
  const addRow = async (label: string, tag: string, ...more: string[]) => {
    const args = ["row", "add", "fixture", "--label", label, "--tag", tag, "--json", ...more];
    return (await hub.tryCli(args, { env })).json<{ id: string }>().id;
  };
  const secret = ["--secret-env", "secret=FIXTURE_SECRET"];
  const { token } = await hub.addUser("ada@example.com", { tags: ["lab"] });
  await hub.addUser("ben@example.com");
  const rows = {
    visible: await addRow("Visible", "lab", ...secret),
    hidden: await addRow("Hidden", "vault", ...secret),
    needsSetup: await addRow("No setup", "lab", "--incomplete"),
    disabled: await addRow("Disabled", "lab", ...secret),
    operationOff: await addRow("Operation off", "lab", ...secret),
  };
  await hub.cli("row", "disable", rows.disabled);
  await hub.cli("op", "disable", rows.operationOff, "show");
  const sealed = await hub.tryCli(["encrypt", "--user", "ben@example.com"], {
    stdin: "a password",
  });
  return { token, rows, foreignValue: sealed.stdout.trim() };
}

/** Makes one call over HTTP. */
export async function makeCall(
  { url, targets, marker }: CallContext,
  { tool, args }: Call,
): Promise<CallOutcome> {
  const message = toToolCall(tool, args, marker);
  const response = await postRpc(url, targets.token, message, { "user-agent": marker });
  return readOutcome(await readMessage(response));
}

/** Makes calls of `hub_execute` as calls of one `hub_read`, and returns their outcomes in this order. */
export async function makeCallsAtOnce(
  { url, targets, marker }: CallContext,
  calls: readonly Call[],
): Promise<CallOutcome[]> {
  const message = toToolCall("hub_read", { calls: calls.map(({ args }) => args) }, marker);
  const response = await postRpc(url, targets.token, message, { "user-agent": marker });
  const { value } = readAnswer(Object(await readMessage(response)).result);
  return value.results.map(({ status, code = null, error, result }: Record<string, unknown>) => ({
    status,
    code,
    text: code === null ? JSON.stringify(result) : error,
  }));
}

/** Starts the operation `wait`, and cancels it as clients of the session mode do. */
export async function makeCancelledCall(context: CallContext): Promise<CallOutcome> {
  const { url, targets, marker } = context;
  let isEnded = false;
  const call = makeEndlessCall(context).finally(() => {
    isEnded = true;
  });
  const cancel = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: marker },
  };
  // A cancellation that arrives before its call has no effect, so it is sent until the call ends.
  const cancelUntilEnded = async () => {
    while (!isEnded) await (await postRpc(url, targets.token, cancel)).text();
  };
  const [outcome] = await Promise.all([call, cancelUntilEnded()]);
  return outcome;
}

/** Starts the operation `wait`, which ends only when it is cancelled or its process ends. */
export function makeEndlessCall(context: CallContext): Promise<CallOutcome> {
  return makeCall(context, execute(context.targets.rows.visible, "wait"));
}

/** Reads a JSON or SSE reply as one message. Throws if the reply is incomplete. */
export async function readMessage(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return JSON.parse(text);
  }
  const [data] = text.split("\n").filter((line) => line.startsWith("data: "));
  if (data === undefined || !text.endsWith("\n\n")) throw new Error("The reply is incomplete.");
  return JSON.parse(data.slice("data: ".length));
}

// biome-ignore lint/suspicious/noExplicitAny: missing members fail the comparison with the audit.
export function readOutcome(answer: any): CallOutcome {
  if (answer.error !== undefined) {
    const code = answer.error.message.startsWith("Unknown tool")
      ? "unknown_tool"
      : "malformed_params";
    return { status: statuses[code] ?? "error", code, text: answer.error.message };
  }
  const { isError, text, value } = readAnswer(answer.result);
  if (!isError) return { status: "success", code: null, text };
  return { status: statuses[value.code] ?? "error", code: value.code, text: value.error };
}

/** The recorded outcomes of the calls whose marker has this prefix. */
export function readRecorded(dataDir: string, markerStart: string): Map<string, CallOutcome[]> {
  const rows = readRunsOf(dataDir, markerStart);
  const byMarker = Map.groupBy(rows, (row) => row.user_agent ?? "");
  return new Map([...byMarker].map(([marker, all]) => [marker, all.map(toRecorded)]));
}

function toRecorded(row: AuditRow): CallOutcome {
  const text = row.status === "success" ? row.response : row.error_msg;
  return { status: row.status, code: row.error_code, text: text ?? "" };
}
