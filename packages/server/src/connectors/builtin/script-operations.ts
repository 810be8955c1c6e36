import { InvalidInputError, type Json, type OperationSource, wick } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import { scriptSourceBytesMax } from "../../sandbox/script-limits.ts";
import type { ConnectorCall } from "../connector-port.ts";

/** What the operations of the connector `hub` get of each call. */
export type HubCall = { caller: Caller; call: ConnectorCall };

/** Runs scripts that make calls of their own: see `scripts/run-script.ts`. */
export type RunScript = (request: ScriptRequest, call: ConnectorCall) => Promise<Json>;

export type ScriptRequest = {
  /** JavaScript, the body of an async function. */
  source: string;
  input: Json;
  /** Of everything, waiting for calls included. */
  timeoutMs: number;
  /** Whether only operations that read may be called. */
  readsOnly: boolean;
};

/** Their params keep their value tokens, and neither of them is called by a script. */
export const scriptOperations: ReadonlySet<string> = new Set(["read_script", "run_script"]);

export const timeoutSDefault = 60;
export const timeoutSMax = 300;
/** The script's own limit comes first. It may have waited for another script of its user before. */
export const scriptCallMsMax = (timeoutSMax + 30) * 1000;

const input = {
  source: wick(
    "textarea;required;desc=JavaScript, at most 64 KiB: the body of an async function, so statements and a return. What it returns is the result.",
  ),
  input: wick.json("desc=Any JSON value. The script reads it as `input`."),
  timeout_s: wick.int(
    `default=${timeoutSDefault};desc=How long it may take, with all its calls: 1 to ${timeoutSMax} seconds.`,
  ),
};

export function defineReadScript(runScript: RunScript) {
  return defineScript({
    name: "Read by script",
    description:
      "Run JavaScript that reads by `await call(tool_id, params, {fields})` and `await search(query)`, and returns a value.\n\nUse it when a task needs many reads, or only a little of what they return. `await call(tool_id, params, {fields})` returns a result as hub_read does, or throws an Error with `code`. `await search(query)` answers as hub_search does. `input` is the given value. What it returns is the result; nothing else that it reads is. It may make 200 calls, five at once with Promise.all, each with a result of at most 200 KiB, and compute for 5 seconds. It has no network, files or timers, and values that begin with hub_enc_ stay encrypted: pass them on as they are.",
    reads: true,
    input,
    timeoutMs: scriptCallMsMax,
    examples: [
      {
        description: "Count the open issues of two repositories",
        params: {
          source:
            'const counts = await Promise.all(input.repos.map(async (repo) => {\n  const { total_count } = await call(input.tool, { repo, state: "open" }, { fields: ["total_count"] });\n  return [repo, total_count];\n}));\nreturn Object.fromEntries(counts);',
          input: { tool: "conn:…/list_issues", repos: ["hub", "docs"] },
        },
      },
    ],
    run: async ({ params, call }) => await runScript(toRequest(params, { readsOnly: true }), call),
  });
}

export function defineRunScript(runScript: RunScript) {
  return defineScript({
    name: "Run a script",
    description:
      "Run JavaScript that calls operations, also ones that change something.\n\nIt is written as for read_script, which runs scripts that only read without a question. Show the user the source, and say what it will change. It is not run again after a failure: then `calls` has what it called and how each call ended, so that you do not repeat what was done.",
    destructive: true,
    input,
    timeoutMs: scriptCallMsMax,
    examples: [
      {
        description: "Close the issues that have a label",
        params: {
          source:
            'const { items } = await call(input.list, { label: "stale" }, { fields: ["items.*.number"] });\nfor (const { number } of items) await call(input.close, { number });\nreturn { closed: items.length };',
          input: { list: "conn:…/list_issues", close: "conn:…/close_issue" },
        },
      },
    ],
    run: async ({ params, call }) => await runScript(toRequest(params, { readsOnly: false }), call),
  });
}

/** Gives the params their types. */
function defineScript(
  source: OperationSource<Record<never, never>, typeof input, HubCall>,
): OperationSource<Record<never, never>, typeof input, HubCall> {
  return source;
}

type Params = { source: string; input?: unknown; timeout_s: number | bigint };

function toRequest(
  { source, input: given, timeout_s: timeoutS }: Params,
  { readsOnly }: Pick<ScriptRequest, "readsOnly">,
): ScriptRequest {
  if (Buffer.byteLength(source) > scriptSourceBytesMax) {
    throw new InvalidInputError("source", "must have at most 64 KiB; pass data in input");
  }
  const seconds = Number(timeoutS);
  if (!(seconds >= 1 && seconds <= timeoutSMax)) {
    throw new InvalidInputError("timeout_s", `must be from 1 to ${timeoutSMax}`);
  }
  // Params are JSON.
  return { source, input: (given ?? null) as Json, timeoutMs: seconds * 1000, readsOnly };
}
