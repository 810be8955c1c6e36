/**
 * Protects: no operation decides an approval over stdio, not even for the local admin, and of decisions on two
 * servers at once one counts. The other doors are in `approvals.test.ts`.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type DecisionTrial, openDecisionTrial } from "../support/decision-trial.ts";
import { readAnswer } from "../support/mcp-client.ts";
import { toToolCall } from "../support/rpc.ts";
import { startHub } from "../support/start-hub.ts";
import { initialize, openStdioSession } from "../support/stdio-session.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let trial: DecisionTrial;
let dataDir: string;

beforeAll(async () => {
  const one = owned.use(await startHub({ hasCheapPasswords: true }));
  const two = owned.use(await startHub({ hasCheapPasswords: true, dataDir: one.dataDir }));
  dataDir = one.dataDir;
  const toServer = (hub: typeof one) => ({ hub, base: `http://localhost:${hub.port}` });
  trial = await openDecisionTrial([toServer(one), toServer(two)]);
});
afterAll(() => owned.disposeAsync());

/** Calls that end the run or begin another one, and so decide nothing. */
const endings = new Set(["workflow_cancel"]);

for (const user of [null, "first@example.com"]) {
  test(`Over stdio, no operation decides an approval for ${user === null ? "the local admin" : "an approver"}`, async () => {
    const asked = await trial.ask();
    const args = user === null ? [] : ["--user", user];
    await using session = openStdioSession({ dataDir, args });
    session.send(initialize);
    await session.answerTo("initialize");
    let id = 0;
    const call = async (name: string, given: Record<string, unknown> = {}) => {
      id += 1;
      session.send(toToolCall(name, given, id));
      return readAnswer((await session.answerTo(id)).result);
    };
    const { value } = await call("hub_list");
    const tools: Array<{ tool_id: string }> = value.tools;
    const ids = tools.map(({ tool_id }) => tool_id);
    const row = ids.find((tool) => tool.endsWith("/workflow_approvals"))?.split("/")[0];
    expect(row).toBeDefined();
    // Everything that a decision could be made of, in each operation.
    const params = {
      approval_id: asked.id,
      id: asked.id,
      run_id: asked.run,
      hash: asked.hash,
      decision: "approved",
      state: "approved",
      comment: "Yes",
      node_id: "ask",
      workflow_id: trial.workflow,
    };
    for (const tool_id of ids.filter((tool) => !endings.has(tool.split("/")[1] ?? ""))) {
      await call("hub_execute", { tool_id, params });
    }
    for (const name of ["approve", "deny", "decide", "resume", "approval_decide"]) {
      const tool = { tool_id: `${row}/workflow_${name}`, params };
      expect([name, (await call("hub_execute", tool)).value.code]).toEqual([name, "not_found"]);
    }
    const read = { tool_id: `${row}/workflow_approvals`, params: { approval_id: asked.id } };
    const { value: shown } = await call("hub_execute", read);
    expect(shown).toMatchObject({ state: "pending", decided_by: null });
    expect(await session.close()).toBe(0);
  });
}

test("Of decisions on two servers at once, one counts, in every round", async () => {
  for (let round = 0; round < 8; round += 1) {
    const asked = await trial.ask();
    const answers = await trial.decideAtOnce(asked);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200);
    expect(await trial.readEnd(asked)).toEqual({
      decidedBy: winner?.by,
      state: winner?.decision,
      changes: [winner?.by],
      nodes: [[winner?.decision === "approved" ? "yes" : "no", winner?.by]],
    });
  }
});
