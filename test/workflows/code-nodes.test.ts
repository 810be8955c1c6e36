/** Scripts of code nodes in a running hub: what reaches them, and what they can do to the hub. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { isUsageKnown, usageSkipReason } from "../support/process-usage.ts";
import { isRunning, waitForScript } from "../support/script-processes.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

let flows: WorkflowHub;
beforeAll(async () => {
  flows = await startWorkflowHub();
});
afterAll(() => flows[Symbol.asyncDispose]());

const bodyOf = (source: string, more: object = {}): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: "key" }],
  nodes: [
    { id: "key", type: "set", value: { key: "{{.Secret.KEY}}" } },
    { id: "script", type: "code", source, ...more },
  ],
  edges: [{ from: "key", to: "script" }],
});

test("A secret reaches a script as its encrypted value only, and stays one", async () => {
  const body = bodyOf("return { kept: node.key.key, seen: JSON.stringify([event, node, env]) }");
  const id = await flows.publish(body, { secrets: { KEY: "s3cret-of-the-owner" } });
  const started = await flows.api("POST", `/manager/api/workflows/${id}/runs`, { wait_s: 20 });
  expect(started.body).toMatchObject({ state: "succeeded" });
  const text = JSON.stringify(started.body);
  expect(text).toContain("hub_enc_");
  expect(text).not.toContain("s3cret");
});

test("A script with an error of syntax is a problem with its line, and is not published", async () => {
  const body = bodyOf("const a = 1;\nreturn a +* 2;");
  const checked = await flows.api("POST", "/manager/api/workflows/validate", { body });
  expect(checked.body.problems).toContainEqual(
    expect.objectContaining({
      path: "/nodes/1/source",
      severity: "error",
      message: expect.stringContaining("on line 2"),
    }),
  );
  const created = await flows.api("POST", "/manager/api/workflows", { name: "Broken", body });
  const path = `/manager/api/workflows/${created.body.id}`;
  await flows.api("PUT", `${path}/secrets/KEY`, { value: "x" });
  expect((await flows.api("POST", `${path}/publish`, { revision: 1 })).status).toBe(400);
});

test.skipIf(!isUsageKnown)(
  `A check of scripts ends when its client leaves, and the owner's next one is answered${usageSkipReason}`,
  async () => {
    const names = Array.from({ length: 9_000 }, (_, at) => `a${at}`);
    // Each takes 0.3 seconds or more to read.
    const nodes = Array.from({ length: 9 }, (_, at) => ({
      id: `s${at}`,
      type: "code",
      source: `let ${names.join(",")};`,
    }));
    const slow = { triggers: [{ id: "start", type: "manual", entry: "s0" }], nodes };
    const caller = new AbortController();
    const token = await flows.hub.makeManageToken();
    const left = fetch(`${flows.hub.url}/manager/api/workflows/validate`, {
      method: "POST",
      signal: caller.signal,
      body: JSON.stringify({ body: slow }),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    }).catch(() => "left");
    const pid = await waitForScript(flows.hub.pid);
    caller.abort();
    expect(await left).toBe("left");
    await waitFor(() => !isRunning(pid));
    const body = bodyOf("return 1 +");
    const { problems } = (await flows.api("POST", "/manager/api/workflows/validate", { body }))
      .body;
    expect(JSON.stringify(problems)).toContain("the source ends too early");
  },
);

const alone = (source: string, more: object = {}): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: "script" }],
  nodes: [{ id: "script", type: "code", source, timeout_ms: 10_000, ...more }],
});
const endless = "return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)";

/** Starts a run, and returns it with the process of its script. */
async function startScript(source: string): Promise<{ path: string; pid: number }> {
  const id = await flows.publish(alone(source));
  const { body } = await flows.api("POST", `/manager/api/workflows/${id}/runs`, {});
  const pid = await waitForScript(flows.hub.pid);
  return { path: `/manager/api/workflows/${id}/runs/${body.run_id}`, pid };
}

test.skipIf(!isUsageKnown)(
  `A process of scripts has no environment, no descriptors of the hub, and can open nothing; a cancelled run ends it${usageSkipReason}`,
  async () => {
    const { path, pid } = await startScript(endless);
    const limits = await waitFor(() => {
      const text = readFileSync(`/proc/${pid}/limits`, "utf8");
      return /^Max open files +0 /m.test(text) && text;
    });
    expect(limits).toMatch(/^Max core file size +0 +0/m);
    expect(limits).toMatch(/^Max file size +0 +0/m);
    await waitFor(() => /^Max cpu time +\d/m.test(readFileSync(`/proc/${pid}/limits`, "utf8")));
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toBe("");
    expect(readlinkSync(`/proc/${pid}/cwd`)).toBe("/");
    const opened = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) > 2);
    const targets = opened.map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
    expect(targets.filter((target) => !target.startsWith("anon_inode:"))).toEqual([]);
    await flows.api("POST", `${path}/cancel`, {});
    await waitFor(() => !isRunning(pid));
    const state = async () => (await flows.api("GET", path)).body.state;
    await waitFor(async () => (await state()) === "cancelled");
    const metrics = await (await fetch(`${flows.hub.url}/metrics`)).text();
    expect(metrics).toMatch(/^hub_code_processes_killed_total\{reason="cancelled"\} [1-9]/m);
  },
);

nightlyTest(
  "The processes of scripts are counted in the metrics, with those that scripts have ended",
  async () => {
    const read = async () => {
      const text = await (await fetch(`${flows.hub.url}/metrics`)).text();
      const find = (name: string) => Number(text.split(`\n${name} `)[1]?.split("\n")[0]);
      return {
        processes:
          find('hub_code_processes{state="busy"}') + find('hub_code_processes{state="idle"}'),
        waiting: find('hub_code_waiting{work="run"}'),
        late: find('hub_code_processes_killed_total{reason="timeout"}'),
      };
    };
    const before = await read();
    // The interpreter does not look at the time in this function.
    const source = "new Array(2 ** 32 - 1).indexOf(1)";
    const id = await flows.publish(bodyOf(source, { timeout_ms: 100 }), { secrets: { KEY: "x" } });
    const { body } = await flows.api("POST", `/manager/api/workflows/${id}/runs`, { wait_s: 20 });
    expect(body.error).toContain("did not end within its 100 ms");
    expect(await read()).toMatchObject({ waiting: 0, late: before.late + 1 });
    const quick = await flows.publish(bodyOf("return 1"), { secrets: { KEY: "x" } });
    await flows.api("POST", `/manager/api/workflows/${quick}/runs`, { wait_s: 20 });
    expect((await read()).processes).toBeGreaterThan(0);
  },
);

test.skipIf(!isUsageKnown)(
  `A hub that is killed leaves no process, also one that loops in the interpreter${usageSkipReason}`,
  async () => {
    const { pid } = await startScript(endless);
    await flows.hub.kill();
    await waitFor(() => !isRunning(pid));
  },
);
