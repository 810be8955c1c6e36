/** With SQLite. `test/oracles/postgres-workflows.test.ts` runs the same suite with PostgreSQL. */
import { expect, test } from "bun:test";
import { amount } from "../../lib/testing/amount.ts";
import "./engine.testsuite.ts";
import { openEngine } from "./testing/open-engine.ts";

/** More than a look claims at once, which is 64. */
const runs = amount(80, 300);

test("Many runs of a dead process are taken up at once", async () => {
  await using hub = await openEngine();
  const dying = hub.openAnother({ instanceId: "dead", activeMax: 0 });
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "a" }],
    nodes: [{ id: "a", type: "set", value: 1 }],
    settings: { queue: { runs_at_once: 256 } },
  });
  const started = Array.from({ length: runs }, () => hub.run(workflow, {}, dying));
  for (const runId of await Promise.all(started)) await hub.ended(runId);
  const states = await Promise.all((await Promise.all(started)).map((runId) => hub.read(runId)));
  expect(states.filter(({ state }) => state === "succeeded")).toHaveLength(runs);
});
