import { expect, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import { openCallEngine } from "../testing/open-call-engine.ts";

let running = 0;
let runningMax = 0;
const counter = defineConnector({
  key: "counter",
  name: "Counter",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: {
    count: {
      description: "Counts the calls that run at the same time.",
      input: {},
      async run() {
        running += 1;
        runningMax = Math.max(runningMax, running);
        await Bun.sleep(1);
        running -= 1;
        return { ok: true };
      },
    },
  },
});

/** Runs a node for several items at once. */
async function runItems(options: Parameters<typeof openCallEngine>[1], items: number) {
  runningMax = 0;
  await using hub = await openCallEngine(counter, options);
  const rowId = await hub.calls.addRow({ tags: ["everyone"] });
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "count" }],
    nodes: [
      {
        id: "count",
        type: "operation",
        tool_id: toToolId(rowId, "count"),
        for_each: "{{.Event.Payload}}",
        items_at_once: 8,
      },
    ],
  });
  const payload = Array.from({ length: items }, (_, at) => at);
  const run = await hub.untilParked(await hub.run(workflow, { payload }));
  return { run, audit: await hub.calls.listRuns() };
}

test("Calls beyond the owner's limit wait, and each is recorded once", async () => {
  const { run, audit } = await runItems({ engine: { callsAtOnce: 2 } }, 8);
  expect(run).toMatchObject({ state: "succeeded", error: null });
  expect(runningMax).toBe(2);
  expect(audit.map(({ status }) => status)).toEqual(Array(8).fill("success"));
});

test("Calls of workflows do not count under the limit of the owner's own calls", async () => {
  const { run, audit } = await runItems({ operations: { user: { atOnce: 1, perMinute: 1 } } }, 4);
  expect(run.state).toBe("succeeded");
  expect(audit).toHaveLength(4);
});

test("A call beyond the row's limit is tried again until there is capacity", async () => {
  const { run, audit } = await runItems({ operations: { row: { atOnce: 1 } } }, 2);
  expect(run).toMatchObject({ state: "succeeded", error: null });
  expect(runningMax).toBe(1);
  expect(audit.filter(({ status }) => status === "success")).toHaveLength(2);
});
