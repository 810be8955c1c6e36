import { afterAll, describe, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { createCodePool } from "../../../sandbox/code-pool.ts";
import { findCodeCommand } from "../../../sandbox/find-code-command.ts";
import { openCodeProcess } from "../../../sandbox/open-code-process.ts";
import { createCodeRunner } from "../../code/run-code.ts";
import { openEngine } from "../testing/open-engine.ts";
import { createOpenCode } from "./code-node.ts";
import { createNodeTypes } from "./create-node-types.ts";

const pool = createCodePool({
  timers: systemTimers,
  start: () => openCodeProcess({ command: findCodeCommand(), timers: systemTimers }),
});
afterAll(() => pool.close());
const openCode = createOpenCode({
  codeRunner: createCodeRunner({ scripts: pool, checks: pool, timers: systemTimers }),
});

const refuse = () => {
  throw new Error("This test calls nothing");
};

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;

/** Runs nodes in their order, and returns the run. */
async function run(nodes: Nodes, payload: object = {}, settings: object = {}) {
  await using hub = await openEngine(undefined, () => ({
    nodeTypes: createNodeTypes({ openOperation: refuse, openHttp: refuse, openCode }),
  }));
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: nodes[0]?.id ?? "" }],
    nodes,
    edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
    settings,
  });
  const ended = await hub.untilParked(await hub.run(workflow, { payload: { ...payload } }));
  return { ...ended, failures: hub.failures };
}

const code = (id: string, source: string, more: object = {}) => ({
  id,
  type: "code" as const,
  source,
  ...more,
});

describe("what a script gets and returns", () => {
  test("A script reads the event, earlier outputs and env, and its value is the output", async () => {
    const { state, outputs } = await run(
      [
        { id: "list", type: "set", value: { items: [1, 2, 3] } },
        code(
          "sum",
          "const sum = node.list.items.reduce((a, b) => a + b, 0);\nreturn { sum, name: event.Payload.name, type: event.Type, mode: env.mode };",
        ),
        { id: "after", type: "set", value: "{{.Node.sum.sum}}" },
      ],
      { name: "Ann" },
      { env: { mode: "test" } },
    );
    expect(state).toBe("succeeded");
    expect(outputs.sum).toEqual({ sum: 6, name: "Ann", type: "manual", mode: "test" });
    expect(outputs.after).toBe(6);
  });

  test("With for_each, a script gets each item and its index", async () => {
    const { outputs } = await run(
      [code("each", "return index + ': ' + item.name", { for_each: "{{.Event.Payload.list}}" })],
      { list: [{ name: "a" }, { name: "b" }, { name: "c" }] },
    );
    expect(outputs.each).toEqual(["0: a", "1: b", "2: c"]);
  });

  test("What a script prints is a warning of the step", async () => {
    const { steps } = await run([code("print", "console.log('seen', { a: 1 }); return 1")]);
    expect(JSON.parse(steps[0]?.warnings ?? "[]")).toEqual(['console: seen {"a":1}']);
  });

  test("A script may wait for promises", async () => {
    const { outputs } = await run([
      code("wait", "return await Promise.all([1, (async () => 2)()])"),
    ]);
    expect(outputs.wait).toEqual([1, 2]);
  });
});

test("An error names the line of the source", async () => {
  const { error } = await run([code("broken", "const a = 1;\n\nreturn a.b.c;")]);
  expect(error).toMatchObject({
    code: "code_failed",
    message: expect.stringContaining("threw on line 3: TypeError"),
  });
});
