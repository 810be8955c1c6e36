import { defineConnector, type Json, parseJson, UpstreamError, wick } from "@hub/connector";
import { defineHubConnector } from "../../connectors/builtin/hub-connector.ts";
import { scriptOperations } from "../../connectors/builtin/script-operations.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { HubError } from "../../errors.ts";
import { openTestOperations } from "../../operations/testing/open-test-operations.ts";
import type { SandboxScript, ScriptEnd, ScriptQuestion } from "../../sandbox/script-sandbox.ts";
import { createScriptRunner } from "../run-script.ts";

/** What stands for a script: it asks as a script does, and returns what the script would return. */
export type FakeScript = (tools: FakeTools) => Promise<Json>;

type FakeTools = {
  script: SandboxScript;
  call(toolId: string, params?: unknown, options?: { fields?: string[] }): Promise<Json>;
  search(query: string): Promise<Json>;
  /** Aborts when the sandbox ends the script. */
  signal: AbortSignal;
};

/** The error of a call, as a script catches it. */
export type ScriptError = { message: string; code: string } & Record<string, unknown>;

/** An end of the sandbox other than a value. */
export class FakeEnd extends Error {
  readonly end: ScriptEnd;
  constructor(end: ScriptEnd) {
    super("The script ends");
    this.end = end;
  }
}

const shop = defineConnector({
  key: "shop",
  name: "Shop",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: { Key: wick("secret") },
  operations: {
    get: {
      description: "Read an order.",
      reads: true,
      input: { Id: wick.int("required") },
      run: ({ params, config }) => {
        taken.push(params);
        return { id: params.Id, note: `order ${params.Id}`, key: config.Key };
      },
    },
    take: {
      description: "Take a value.",
      destructive: true,
      input: { Value: wick.json() },
      run: ({ params }) => {
        taken.push(params);
        return params;
      },
    },
    fail: {
      description: "Fails as the outside system says.",
      reads: true,
      run() {
        throw new UpstreamError("Order 4711 of the team is locked.", { httpStatus: 409 });
      },
    },
    hang: {
      description: "Read until the call is cancelled.",
      reads: true,
      run: ({ signal }) =>
        new Promise((_, reject) => {
          hanging.resolve();
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    },
  },
});

/** The params that reached the operations of the shop. */
export const taken: unknown[] = [];
let hanging = Promise.withResolvers<void>();

/** Resolves when `hang` runs. */
export function awaitHang(): Promise<void> {
  hanging = Promise.withResolvers<void>();
  return hanging.promise;
}

/** Operations with the connector `hub`, whose sandbox runs functions. */
export async function openTestScripts(options: Parameters<typeof openTestOperations>[1] = {}) {
  const hub = await openTestOperations(shop, { resultBytesMax: 1024 * 1024, ...options });
  let next: FakeScript = async () => null;
  const sandbox = {
    async run(script: SandboxScript, signal: AbortSignal): Promise<ScriptEnd> {
      const asked: Promise<unknown>[] = [];
      const ended = new AbortController();
      const both = AbortSignal.any([signal, ended.signal]);
      const ask = async (question: ScriptQuestion): Promise<Json> => {
        const answering = script.answer(question, both);
        asked.push(answering);
        const reply = await answering;
        // Safe: both are JSON texts.
        const value = parseJson(reply.text) as Json;
        if (reply.kind === "value") return value;
        throw Object.assign(new Error(), value);
      };
      try {
        const value = await next({
          script,
          signal: both,
          call: (toolId, params, { fields } = {}) =>
            ask({ kind: "call", toolId, params, ...(fields && { fields }) }),
          search: (query) => ask({ kind: "search", query }),
        });
        return { kind: "value", value, logs: [] };
      } catch (thrown) {
        signal.throwIfAborted();
        if (thrown instanceof FakeEnd) return thrown.end;
        const message = `The script threw on line 1: ${String(Object(thrown).message)}`;
        return { kind: "failed", error: new HubError("code_failed", message), logs: ["seen"] };
      } finally {
        ended.abort(new HubError("cancelled", "The script has ended."));
        await Promise.allSettled(asked);
      }
    },
  };
  const runScript = createScriptRunner({
    ...hub.operations,
    sandbox,
    findCallsAtOnce: async () => options.user?.atOnce ?? 0,
    logFailure: (err) => hub.logged.push({ fields: { err }, message: String(err) }),
  });
  const own = defineHubConnector({ db: hub.store.db, runScript });
  hub.registry.register(
    createLocalConnector(own, (call) => ({ caller: call.caller, call }), { scriptOperations }),
  );
  const rowId = await hub.addRow({ connectorKey: "hub", tags: ["red"] });
  return {
    ...hub,
    rowId,
    /** What the next script does. */
    setScript(script: FakeScript) {
      next = script;
    },
  };
}
