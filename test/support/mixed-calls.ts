import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { AuditRow } from "./audit.ts";
import { readAnswer } from "./mcp-client.ts";
import { postRpc, toToolCall } from "./rpc.ts";
import type { RunningHub } from "./start-hub.ts";

/** Where mixed calls go: a hub with the fixture connector, and rows in every state. */
export type Stage = {
  token: string;
  /** A value token of another user. */
  foreignValue: string;
  rows: Record<"seen" | "hidden" | "bare" | "off" | "half", string>;
};

/** What a client was told, and what the audit has to say of it. */
export type Told = { status: string; code: string | null; text: string };

/** Where one call is made, and the user agent by which its audit row can be told. */
type Place = { url: string; stage: Stage; marker: string };

type Call = { tool: string; args: Record<string, unknown> };
type Kind = {
  /** Null for success. */
  code: string | null;
  toCall(stage: Stage): Call;
};

const execute = (rowId: string, operation: string, params: Record<string, unknown> = {}): Call => ({
  tool: "hub_execute",
  args: { tool_id: `conn:${rowId}/${operation}`, params },
});

/** One kind for each way in which a call can end. */
export const kinds: Record<string, Kind> = {
  greet: { code: null, toCall: ({ rows }) => execute(rows.seen, "greet", { name: "Ada" }) },
  show: { code: null, toCall: ({ rows }) => execute(rows.seen, "show") },
  count: { code: null, toCall: ({ rows }) => execute(rows.seen, "count") },
  list: { code: null, toCall: () => ({ tool: "hub_list", args: {} }) },
  search: { code: null, toCall: () => ({ tool: "hub_search", args: { query: "greet" } }) },
  get: {
    code: null,
    toCall: ({ rows }) => ({ tool: "hub_get", args: { tool_id: `conn:${rows.seen}/greet` } }),
  },
  info: { code: null, toCall: () => ({ tool: "hub_info", args: {} }) },
  encrypt: { code: null, toCall: () => ({ tool: "hub_encrypt", args: {} }) },
  refuse: { code: "upstream_error", toCall: ({ rows }) => execute(rows.seen, "refuse") },
  crash: { code: "internal", toCall: ({ rows }) => execute(rows.seen, "crash") },
  overrun: { code: "timeout", toCall: ({ rows }) => execute(rows.seen, "overrun") },
  deaf: { code: "timeout", toCall: ({ rows }) => execute(rows.seen, "deaf") },
  invalid: {
    code: "invalid_params",
    toCall: ({ rows }) => execute(rows.seen, "greet", { nme: "Ada" }),
  },
  foreign: {
    code: "token_invalid",
    toCall: ({ rows, foreignValue }) => execute(rows.seen, "whisper", { password: foreignValue }),
  },
  bare: { code: "needs_setup", toCall: ({ rows }) => execute(rows.bare, "show") },
  hidden: { code: "not_found", toCall: ({ rows }) => execute(rows.hidden, "show") },
  absent: { code: "not_found", toCall: () => execute(crypto.randomUUID(), "show") },
  maintain: { code: "not_found", toCall: ({ rows }) => execute(rows.seen, "maintain") },
  hidden_get: {
    code: "not_found",
    toCall: ({ rows }) => ({ tool: "hub_get", args: { tool_id: `conn:${rows.hidden}/show` } }),
  },
  off: { code: "connector_disabled", toCall: ({ rows }) => execute(rows.off, "show") },
  half: { code: "operation_disabled", toCall: ({ rows }) => execute(rows.half, "show") },
  unknown_tool: { code: "unknown_tool", toCall: () => ({ tool: "hub_lisst", args: {} }) },
  malformed: {
    code: "invalid_params",
    toCall: () => ({ tool: "hub_get", args: { tool_id: 7 } }),
  },
};

/** How the audit names what a client was told, by the design's section 8 and not by the hub's table. */
const statuses: Record<string, string> = {
  not_found: "denied",
  connector_disabled: "denied",
  operation_disabled: "denied",
  token_invalid: "denied",
  rate_limited: "denied",
  unknown_tool: "denied",
  cancelled: "cancelled",
};

/** Makes the rows and users that the calls need, by the command line. */
export async function setStage(hub: RunningHub): Promise<Stage> {
  const env = { FIXTURE_SECRET: "s3cr3t/of+the=row" };
  const addRow = async (label: string, tag: string, ...more: string[]) => {
    const args = ["row", "add", "fixture", "--label", label, "--tag", tag, "--json", ...more];
    return (await hub.tryCli(args, { env })).json<{ id: string }>().id;
  };
  const secret = ["--secret-env", "secret=FIXTURE_SECRET"];
  const { token } = await hub.addUser("ada@example.com", { tags: ["lab"] });
  await hub.addUser("ben@example.com");
  const rows = {
    seen: await addRow("Seen", "lab", ...secret),
    hidden: await addRow("Hidden", "vault", ...secret),
    bare: await addRow("Bare", "lab", "--incomplete"),
    off: await addRow("Off", "lab", ...secret),
    half: await addRow("Half", "lab", ...secret),
  };
  await hub.cli("row", "disable", rows.off);
  await hub.cli("op", "disable", rows.half, "show");
  const sealed = await hub.tryCli(["encrypt", "--user", "ben@example.com"], {
    stdin: "a password",
  });
  return { token, rows, foreignValue: sealed.stdout.trim() };
}

/** Makes one call over HTTP. */
export async function makeCall({ url, stage, marker }: Place, { tool, args }: Call): Promise<Told> {
  const message = toToolCall(tool, args, marker);
  const response = await postRpc(url, stage.token, message, { "user-agent": marker });
  return readTold(await readMessage(response));
}

/** Starts an operation that waits, and cancels it as clients of the session mode do. */
export async function makeCancelledCall(place: Place): Promise<Told> {
  const { url, stage, marker } = place;
  let isOver = false;
  const call = makeEndlessCall(place).finally(() => {
    isOver = true;
  });
  const cancel = {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: marker },
  };
  // A cancel that arrives before its call does nothing, so it is said until it is obeyed.
  const insist = async () => {
    while (!isOver) await (await postRpc(url, stage.token, cancel)).text();
  };
  const [told] = await Promise.all([call, insist()]);
  return told;
}

/** Starts an operation that waits until its process ends or someone cancels it. */
export function makeEndlessCall(place: Place): Promise<Told> {
  return makeCall(place, execute(place.stage.rows.seen, "wait"));
}

/** The reply as one message, whichever form it came in. Throws where it broke off before its end. */
async function readMessage(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return JSON.parse(text);
  }
  const [data] = text.split("\n").filter((line) => line.startsWith("data: "));
  if (data === undefined || !text.endsWith("\n\n")) throw new Error("The reply broke off.");
  return JSON.parse(data.slice("data: ".length));
}

// biome-ignore lint/suspicious/noExplicitAny: what is missing fails the comparison with the audit.
function readTold(answer: any): Told {
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

/** What the audit has of calls whose marker begins so, as far as a client could know it. */
export function readRecorded(dataDir: string, markerStart: string): Map<string, Told[]> {
  using db = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
  const rows = db
    .query<AuditRow, [string]>("select * from connector_runs where user_agent glob ? || '*'")
    .all(markerStart);
  const byMarker = Map.groupBy(rows, (row) => row.user_agent ?? "");
  return new Map([...byMarker].map(([marker, all]) => [marker, all.map(toRecorded)]));
}

function toRecorded(row: AuditRow): Told {
  const text = row.status === "success" ? row.response : row.error_msg;
  return { status: row.status, code: row.error_code, text: text ?? "" };
}
