import { describe, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { HubError } from "../../errors.ts";
import { releaseWorkflowRuns } from "../../store/workflow-runs/run-leases.ts";
import type { OpenStep, StepOutcome } from "./step/open-step.ts";
import { openEngine } from "./testing/open-engine.ts";

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;

const bodyOf = (nodes: Nodes, edges: string[] = [], more: WorkflowBodyInput = {}) => ({
  triggers: [{ id: "start", type: "manual" as const, entry: nodes[0]?.id ?? "" }],
  nodes,
  edges: edges.map((text) => {
    const [, from = "", to = "", name] = /^(\w+)>(\w+)(?::(\w+))?$/.exec(text) ?? [];
    return { from, to, ...(name !== undefined && { case: name }) };
  }),
  ...more,
});
const set = (id: string, value: unknown) => ({ id, type: "set" as const, value });
const call = (id: string, more: object = {}) => ({
  id,
  type: "operation" as const,
  tool_id: "conn:1/send",
  ...more,
});
/** An operation node whose calls `answer` gives. */
const operation =
  (
    answer: (call: {
      params: unknown;
      nodeId: string;
      item: number;
      signal: AbortSignal;
    }) => unknown,
    hasEffects = false,
  ): OpenStep<"operation"> =>
  (ctx, { params, repeat }) => {
    const input = ctx.render(params);
    return {
      input,
      effects: !hasEffects ? "none" : repeat ? "repeatable" : "once",
      run: async ({ signal }): Promise<StepOutcome> => ({
        kind: "done",
        output: await answer({ params: input, nodeId: ctx.nodeId, item: ctx.item, signal }),
      }),
    };
  };

test("With frees_place, a waiting run lets the next one start", async () => {
  await using hub = await openEngine();
  const workflow = hub.addWorkflow(
    bodyOf([{ id: "nap", type: "wait", seconds: 3600 }], [], {
      settings: { queue: { runs_at_once: 1, frees_place: true } },
    }),
  );
  const ids = [await hub.run(workflow), await hub.run(workflow), await hub.run(workflow)];
  for (const id of ids) expect((await hub.untilParked(id)).state).toBe("waiting");
});

describe("a run", () => {
  test("A run walks from its entry to the end and keeps each output", async () => {
    await using hub = await openEngine(operation(({ params }) => ({ got: params })));
    const workflow = hub.addWorkflow(
      bodyOf(
        [
          {
            id: "check",
            type: "branch",
            conditions: [{ left: "{{.Event.Payload.n}}", op: "gt", right: 3 }],
          },
          set("big", { n: "{{.Event.Payload.n}}", text: "n is {{.Event.Payload.n}}" }),
          set("small", 0),
          call("send", { params: { of: "{{.Node.big.n}}" } }),
        ],
        ["check>big:true", "check>small:false", "big>send"],
      ),
    );
    const run = await hub.untilParked(await hub.run(workflow, { payload: { n: 7 } }));
    expect(run).toMatchObject({ state: "succeeded", error: null, lastNode: "send" });
    expect(run.outputs).toEqual({
      check: true,
      big: { n: 7, text: "n is 7" },
      send: { got: { of: 7 } },
    });
    expect(run.steps.map(({ nodeId }) => nodeId)).toEqual(["check", "big", "send"]);
  });

  test("Branches run side by side and meet in a join, which runs once", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using hub = await openEngine(
      operation(async ({ nodeId }) => {
        // Each branch waits for the other one to start.
        if (nodeId === "b") await promise;
        else resolve();
        return nodeId;
      }),
    );
    const workflow = hub.addWorkflow(
      bodyOf(
        [set("a", 1), call("b"), call("c"), set("d", "{{.Node.b}}{{.Node.c}}")],
        ["a>b", "a>c", "b>d", "c>d"],
      ),
    );
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run.outputs).toMatchObject({ d: "bc" });
    expect(run.steps).toHaveLength(4);
  });

  test("A failed node fails the run, names its node, and no further node starts", async () => {
    await using hub = await openEngine(
      operation(() => {
        throw new HubError("upstream_error", "The shop is closed.");
      }),
    );
    const workflow = hub.addWorkflow(bodyOf([call("a"), set("b", 1)], ["a>b"]));
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run.state).toBe("failed");
    expect(run.error).toEqual({
      message: "The shop is closed.",
      code: "upstream_error",
      node_id: "a",
    });
    expect(run.steps).toMatchObject([{ nodeId: "a", state: "failed" }]);
  });

  test("With on_error continue the run goes on with the error as output", async () => {
    await using hub = await openEngine(
      operation(() => Promise.reject(new HubError("timeout", "Slow."))),
    );
    const workflow = hub.addWorkflow(
      bodyOf([call("a", { on_error: "continue" }), set("b", "{{.Node.a.code}}")], ["a>b"]),
    );
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run).toMatchObject({
      state: "succeeded",
      outputs: { a: { error: "Slow.", code: "timeout" }, b: "timeout" },
    });
  });

  test("With on_error route only the edge with the case error is taken", async () => {
    await using hub = await openEngine(
      operation(() => Promise.reject(new HubError("timeout", "Slow."))),
    );
    const workflow = hub.addWorkflow(
      bodyOf([call("a", { on_error: "route" }), set("b", 1), set("c", 2)], ["a>b", "a>c:error"]),
    );
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run).toMatchObject({ state: "succeeded", lastNode: "c" });
    expect(run.outputs).not.toHaveProperty("b");
  });

  test("A fail node ends the run with its message", async () => {
    await using hub = await openEngine();
    const workflow = hub.addWorkflow(
      bodyOf([{ id: "a", type: "fail", message: "No {{.Event.Payload.x}}" }]),
    );
    const run = await hub.untilParked(await hub.run(workflow, { payload: { x: "stock" } }));
    expect(run).toMatchObject({
      state: "failed",
      error: { message: "No stock", code: "run_failed" },
    });
  });

  test("A template error fails its node and names the position in the template", async () => {
    await using hub = await openEngine();
    const workflow = hub.addWorkflow(bodyOf([set("a", "{{.Secret.NAME}}")]));
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run.error).toMatchObject({ code: "secret_missing", node_id: "a" });
  });
});

describe("secrets", () => {
  const secrets = async () => new Map([["KEY", "s3cret-value"]]);

  test("A secret is in no step: it is rendered as a token, and masked where an answer repeats it", async () => {
    await using hub = await openEngine(operation(() => ({ echo: "it was s3cret-value" })));
    const workflow = hub.addWorkflow(
      bodyOf(
        [call("a", { params: { key: "{{.Secret.KEY}}" } }), set("b", "{{.Event.Payload.text}}")],
        ["a>b"],
      ),
      { secrets },
    );
    const run = await hub.untilParked(
      await hub.run(workflow, { payload: { text: "s3cret-value" } }),
    );
    expect({ error: run.error, failures: hub.failures }).toEqual({ error: null, failures: [] });
    expect(JSON.stringify(run.steps)).not.toContain("s3cret-value");
    expect(run.steps[0]?.input).toContain("hub_enc_");
    expect(run.outputs.a.echo).toStartWith("it was hub_enc_");
  });
});

describe("tries", () => {
  test("A failure that can pass is tried again, as often as the node allows", async () => {
    let tries = 0;
    await using hub = await openEngine(
      operation(() => {
        tries += 1;
        if (tries < 3)
          throw new HubError("upstream_error", "Down.", { detail: { http_status: 503 } });
        return tries;
      }),
    );
    const workflow = hub.addWorkflow(bodyOf([call("a", { retry: { attempts: 3, backoff_s: 0 } })]));
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run).toMatchObject({ state: "succeeded", outputs: { a: 3 }, steps: [{ tries: 3 }] });
  });

  test("A refusal is not tried again", async () => {
    let tries = 0;
    await using hub = await openEngine(
      operation(() => {
        tries += 1;
        throw new HubError("upstream_error", "No.", { detail: { http_status: 403 } });
      }),
    );
    const workflow = hub.addWorkflow(bodyOf([call("a", { retry: { attempts: 3, backoff_s: 0 } })]));
    expect((await hub.untilParked(await hub.run(workflow))).state).toBe("failed");
    expect(tries).toBe(1);
  });

  test("A step with effects is not repeated after an uncertain failure: the run waits for a person", async () => {
    let tries = 0;
    await using hub = await openEngine(
      operation(() => {
        tries += 1;
        throw new HubError("timeout", "No answer.");
      }, true),
    );
    const workflow = hub.addWorkflow(bodyOf([call("a", { retry: { attempts: 3, backoff_s: 0 } })]));
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run.state).toBe("waiting");
    expect(JSON.parse(run.waitingFor ?? "")).toMatchObject({ kind: "person", node_id: "a" });
    expect(tries).toBe(1);
  });
});

describe("for_each", () => {
  const each = (more: object = {}) =>
    call("a", {
      for_each: "{{.Event.Payload.list}}",
      params: { v: "{{.Item}}", i: "{{.Index}}" },
      ...more,
    });

  test("A node runs once for each item, and its output is the list in order", async () => {
    await using hub = await openEngine(operation(({ params }) => params));
    const workflow = hub.addWorkflow(bodyOf([each({ items_at_once: 3 })]));
    const run = await hub.untilParked(
      await hub.run(workflow, { payload: { list: ["x", "y", "z"] } }),
    );
    expect(run.outputs.a).toEqual([
      { v: "x", i: 0 },
      { v: "y", i: 1 },
      { v: "z", i: 2 },
    ]);
    expect(run.steps.filter(({ item }) => item >= 0)).toHaveLength(3);
  });

  test("One failed item fails the node, and no item starts after it", async () => {
    const started: number[] = [];
    await using hub = await openEngine(
      operation(({ item }) => {
        started.push(item);
        if (item === 1) throw new HubError("upstream_error", "Bad.");
        return item;
      }),
    );
    const workflow = hub.addWorkflow(bodyOf([each()]));
    const run = await hub.untilParked(await hub.run(workflow, { payload: { list: [1, 2, 3, 4] } }));
    expect(run).toMatchObject({ state: "failed", error: { message: "Item 1 failed: Bad." } });
    expect(started).toEqual([0, 1]);
  });

  test("With on_error: continue, the output list holds the error of a failed item at its index", async () => {
    await using hub = await openEngine(
      operation(({ item }) => {
        if (item === 1) throw new HubError("upstream_error", "Bad.");
        return item;
      }),
    );
    const workflow = hub.addWorkflow(bodyOf([each({ on_error: "continue" })]));
    const run = await hub.untilParked(await hub.run(workflow, { payload: { list: [1, 2, 3] } }));
    expect(run.outputs.a).toEqual([0, { error: "Bad.", code: "upstream_error" }, 2]);
  });
});

describe("waiting", () => {
  test("A run with a long wait exits its process and continues when it is due", async () => {
    let now = Date.now();
    await using hub = await openEngine();
    const engine = hub.openAnother({ now: () => now });
    const workflow = hub.addWorkflow(
      bodyOf([{ id: "w", type: "wait", seconds: 3600 }, set("b", 1)], ["w>b"]),
    );
    const runId = await hub.run(workflow, {}, engine);
    expect(await hub.untilParked(runId)).toMatchObject({
      state: "waiting",
      dueAt: now + 3_600_000,
    });
    now += 3_600_001;
    await waitForState(hub, runId, "succeeded");
  });

  test("A node waits for the run of another workflow and gets its last output", async () => {
    await using hub = await openEngine();
    hub.addWorkflow(bodyOf([set("x", { doubled: "{{.Event.Payload.n}}{{.Event.Payload.n}}" })]), {
      id: "other",
    });
    const workflow = hub.addWorkflow(
      bodyOf(
        [
          { id: "sub", type: "workflow", workflow_id: "other", payload: { n: 4 } },
          set("b", "{{.Node.sub.doubled}}"),
        ],
        ["sub>b"],
      ),
    );
    const runId = await hub.run(workflow);
    const run = await waitForState(hub, runId, "succeeded");
    expect(run.outputs).toEqual({ sub: { doubled: "44" }, b: "44" });
  });

  test("A workflow that the owner may not run looks like one that does not exist", async () => {
    await using hub = await openEngine();
    hub.addWorkflow(bodyOf([set("x", 1)]), { id: "hidden", ownerId: "bob" });
    const start = (id: string) =>
      hub.run(hub.addWorkflow(bodyOf([{ id: "sub", type: "workflow", workflow_id: id }])));
    const hidden = await hub.untilParked(await start("hidden"));
    const absent = await hub.untilParked(await start("absent"));
    expect(hidden.error.message.replace("hidden", "")).toBe(
      absent.error.message.replace("absent", ""),
    );
  });
});

describe("cancel", () => {
  test("A cancelled run ends its call in flight and starts nothing more", async () => {
    const started = Promise.withResolvers<void>();
    await using hub = await openEngine(
      operation(({ signal }) => {
        started.resolve();
        return new Promise((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      }),
    );
    const workflow = hub.addWorkflow(bodyOf([call("a"), set("b", 1)], ["a>b"]));
    const runId = await hub.run(workflow);
    await started.promise;
    expect(await hub.engine.cancel(runId, "Ann stopped it.")).toBe("asked");
    expect(await hub.untilParked(runId)).toMatchObject({
      state: "cancelled",
      steps: [{ state: "cancelled" }],
    });
  });
});

describe("another process", () => {
  test("A run of a dead process goes on after its last committed step", async () => {
    const calls: string[] = [];
    let isBlocked = true;
    await using hub = await openEngine(
      operation(({ nodeId }) => {
        calls.push(nodeId);
        return nodeId === "b" && isBlocked ? new Promise(() => {}) : nodeId;
      }),
    );
    const dying = hub.openAnother({ instanceId: "dead" });
    const workflow = hub.addWorkflow(bodyOf([call("a"), call("b"), call("c")], ["a>b", "b>c"]));
    const runId = await hub.run(workflow, {}, dying);
    while (calls.length < 2) await Bun.sleep(1);
    isBlocked = false;
    await releaseWorkflowRuns(hub.store.db, { dead: ["dead"], at: Date.now() });
    const run = await waitForState(hub, runId, "succeeded");
    expect(calls).toEqual(["a", "b", "b", "c"]);
    expect(run.steps.map(({ nodeId }) => nodeId)).toEqual(["a", "b", "c"]);
  });

  test("A step with effects that was in flight is not repeated: the run waits for a person", async () => {
    const calls: string[] = [];
    await using hub = await openEngine(
      operation(({ nodeId }) => {
        calls.push(nodeId);
        return new Promise(() => {});
      }, true),
    );
    const dying = hub.openAnother({ instanceId: "dead" });
    const workflow = hub.addWorkflow(bodyOf([call("a")]));
    const runId = await hub.run(workflow, {}, dying);
    while (calls.length < 1) await Bun.sleep(1);
    await releaseWorkflowRuns(hub.store.db, { dead: ["dead"], at: Date.now() });
    const run = await waitForState(hub, runId, "waiting");
    expect(JSON.parse(run.waitingFor ?? "")).toMatchObject({ kind: "person", node_id: "a" });
    expect(calls).toEqual(["a"]);
  });

  test("A stopping process hands its runs over after the step in flight", async () => {
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await using hub = await openEngine(
      operation(async ({ nodeId }) => {
        started.resolve();
        if (nodeId === "a") await release.promise;
        return nodeId;
      }),
    );
    const stopping = hub.openAnother();
    const workflow = hub.addWorkflow(bodyOf([call("a"), call("b")], ["a>b"]));
    const runId = await hub.run(workflow, {}, stopping);
    await started.promise;
    const stopped = stopping.stop();
    release.resolve();
    await stopped;
    const run = await waitForState(hub, runId, "succeeded");
    expect(run.steps.map(({ nodeId, tries }) => [nodeId, tries])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
  });
});

async function waitForState(
  hub: Awaited<ReturnType<typeof openEngine>>,
  runId: string,
  state: string,
) {
  for (;;) {
    const run = await hub.untilParked(runId);
    if (run.state === state) return run;
    await Bun.sleep(5);
  }
}

describe("bounds", () => {
  test("Outputs of items that are too large together fail the node before all items have run", async () => {
    let calls = 0;
    await using hub = await openEngine(
      operation(() => {
        calls += 1;
        return "x".repeat(300_000);
      }),
    );
    const list = Array.from({ length: 100 }, (_, index) => index);
    const workflow = hub.addWorkflow(bodyOf([call("a", { for_each: "{{.Event.Payload.list}}" })]));
    const run = await hub.untilParked(await hub.run(workflow, { payload: { list } }));
    expect(run).toMatchObject({ state: "failed", error: { code: "invalid_params" } });
    expect(calls).toBe(4);
  });

  test("Outputs of a run that are larger than 32 MiB together fail it", async () => {
    const chars = 1_000_000;
    await using hub = await openEngine(operation(() => "x".repeat(chars)));
    const ids = Array.from({ length: 40 }, (_, index) => `n${index}`);
    const edges = ids.slice(1).map((id, index) => `${ids[index]}>${id}`);
    const workflow = hub.addWorkflow(
      bodyOf(
        ids.map((id) => call(id)),
        edges,
      ),
    );
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run).toMatchObject({
      state: "failed",
      error: { code: "run_failed", message: expect.stringContaining("larger than 32 MiB") },
    });
    const fitting = Math.floor((32 * 1024 * 1024) / chars);
    expect(run.error.node_id).toBe(`n${fitting}`);
  });

  test("A node that waits for another run fails at its time limit, and cancels that run", async () => {
    await using hub = await openEngine();
    const slow = [{ id: "w", type: "wait" as const, seconds: 3600 }];
    hub.addWorkflow(bodyOf(slow), { id: "slow" });
    const node = { id: "sub", type: "workflow" as const, workflow_id: "slow", timeout_s: 1 };
    const runId = await hub.run(hub.addWorkflow(bodyOf([node])));
    const run = await waitForState(hub, runId, "failed");
    expect(run.error).toMatchObject({ code: "timeout", node_id: "sub" });
    await waitForState(hub, run.steps[0]?.childRunId ?? "", "cancelled");
  });
});
