import { expect } from "bun:test";
import { queryDatabase } from "./query-database.ts";
import type { RunningHub } from "./start-hub.ts";
import { waitFor } from "./wait-for.ts";
import { openWorkflowHub } from "./workflow-hub.ts";

/** A workflow on a hub whose database fails for a while. */
export type FaultyFlow = AsyncDisposable & {
  /** Starts a run, and waits until it calls the outside system, which does not answer yet. */
  startOne(): Promise<void>;
  /** Lets the outside system answer. */
  release(): void;
  /** Whether a webhook is accepted. A refusal is checked. */
  send(): Promise<boolean>;
  /** Waits until all accepted runs have succeeded, each with one call, and that nothing else has a run. */
  expectAllDone(): Promise<void>;
};

type RunRow = { id: string; state: string; error: string | null; event: string };

/** So large that a full disk refuses it soon. */
const bodyChars = 20_000;

export async function openFaultyFlow(
  hub: RunningHub,
  query: (statement: string) => RunRow[] | Promise<RunRow[]> = (statement) =>
    queryDatabase(hub.dataDir, statement),
): Promise<FaultyFlow> {
  const released = Promise.withResolvers<void>();
  const calls: string[] = [];
  const outside = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      calls.push(new URL(req.url).pathname.slice(1));
      await released.promise;
      return new Response("done");
    },
  });
  const flows = await openWorkflowHub(hub);
  const id = await flows.publish({
    triggers: [{ id: "hook", type: "webhook", entry: "once" }],
    nodes: [
      { id: "once", type: "http", method: "POST", url: `${outside.url}{{.Run.ID}}` },
      { id: "note", type: "set", value: "{{.Node.once.body}}" },
    ],
    edges: [{ from: "once", to: "note" }],
  });
  const accepted = new Map<string, string | null>();
  let sent = 0;
  const send = async (delivery = `delivery-${sent++}`) => {
    const headers = { "x-hub-delivery": delivery };
    const response = await flows.send(id, "", { headers, body: "x".repeat(bodyChars) });
    const text = await response.text();
    if (response.status === 202) {
      accepted.set(delivery, response.headers.get("x-hub-run-id"));
      return true;
    }
    expect([response.status, JSON.parse(text)]).toEqual([
      503,
      { error: expect.stringMatching(/database|disk is full/), code: "unavailable" },
    ]);
    expect(response.headers.get("retry-after")).toBe("5");
    return false;
  };
  const readRuns = () =>
    query("select id, state, error, event from workflow_runs where trigger_type = 'webhook'");
  return {
    async startOne() {
      expect(await send()).toBe(true);
      await waitFor(() => calls.length > 0);
    },
    release: released.resolve,
    send: () => send(),
    async expectAllDone() {
      // What was refused is accepted when it is sent again.
      for (let delivery = 0; delivery < sent; delivery += 1) {
        if (!accepted.has(`delivery-${delivery}`)) {
          await waitFor(() => send(`delivery-${delivery}`));
        }
      }
      const runs = await waitFor(async () => {
        const found = await readRuns();
        return found.every(({ state }) => !/queued|running/.test(state)) && found;
      });
      const outcomes = runs.map(({ id: runId, state, error, event }) => [
        JSON.parse(event).Payload.headers["x-hub-delivery"],
        [runId, state, error],
      ]);
      expect(Object.fromEntries(outcomes)).toEqual(
        Object.fromEntries([...accepted].map(([key, run]) => [key, [run, "succeeded", null]])),
      );
      expect(runs).toHaveLength(accepted.size);
      expect(calls.toSorted()).toEqual(runs.map((run) => run.id).toSorted());
    },
    [Symbol.asyncDispose]: () => outside.stop(true),
  };
}
