import { expect, test } from "bun:test";
import { newStep } from "../test-data.ts";
import { createRunWrites } from "../testing/run-writes.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { listWorkflowHolders } from "./workflow-run-holders.ts";
import {
  countSteps,
  listStepMarks,
  listSteps,
  readStepMarks,
  readSteps,
  stepsOfPage,
  sumStepBytes,
} from "./workflow-steps.ts";

/** The steps of runs: their order, pages and sizes. */
export function describeWorkflowSteps(stores: () => TestStores): void {
  const { commit, start } = createRunWrites(stores);

  test("The bytes of steps are summed by run, and those of the newest runs by workflow", async () => {
    const { db } = stores().store;
    const step = newStep({ input: '"éé"', output: '"1234"' });
    for (const workflowId of ["small", "large", "large"]) {
      const { id, lease } = await start({ workflowId, event: "{}" });
      await commit(id, lease, { workflowId, steps: [step] });
      expect(await sumStepBytes(db, id)).toBe(12);
    }
    expect(await sumStepBytes(db, "absent")).toBe(0);
    const holders = await listWorkflowHolders(db, { runs: 10, limit: 5 });
    expect(holders).toEqual([
      { workflowId: "large", name: null, bytes: 28 },
      { workflowId: "small", name: null, bytes: 14 },
    ]);
    expect(await listWorkflowHolders(db, { runs: 1, limit: 5 })).toEqual([
      { workflowId: "large", name: null, bytes: 14 },
    ]);
  });

  test("Steps are stored once, in their order, and written again by a later state", async () => {
    const { id, lease } = await start();
    await commit(id, lease, { steps: [newStep({ nodeId: "a", position: 0, state: "running" })] });
    await commit(id, lease, {
      steps: [
        newStep({ nodeId: "a", position: 0, output: '{"a":1}' }),
        newStep({ nodeId: "b", position: 1, item: 3 }),
      ],
    });
    const steps = await listSteps(stores().store.db, id);
    expect(steps).toEqual([
      newStep({ nodeId: "a", position: 0, output: '{"a":1}' }),
      newStep({ nodeId: "b", position: 1, item: 3 }),
    ]);
  });

  test("Many steps are read in pages of bounded number and size, each once and in their order", async () => {
    const { id, lease } = await start();
    const small = Array.from({ length: 2 * stepsOfPage + 10 }, (_, item) =>
      newStep({ nodeId: "small", item, position: item < 20 ? 7 : item }),
    );
    const value = `"${"x".repeat(200_000)}"`;
    const large = Array.from({ length: 6 }, (_, item) =>
      newStep({ nodeId: "large", item, position: 10_000 + item, output: value }),
    );
    await commit(id, lease, { steps: [...large, ...small].toReversed() });
    const { db } = stores().store;
    const pages = await Array.fromAsync(readSteps(db, id));
    const sizes = pages.map(({ length }) => length);
    expect([sizes[0], sizes[1], Math.max(...sizes.slice(2))]).toEqual([
      stepsOfPage,
      stepsOfPage,
      12,
    ]);
    expect(sizes.slice(3)).toEqual([2, 2]);
    const read = pages.flat();
    expect(new Set(read.map(({ nodeId, item }) => `${nodeId} ${item}`)).size).toBe(read.length);
    const positions = read.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    expect(read).toHaveLength(small.length + large.length);
    expect(await listStepMarks(db, id)).toHaveLength(read.length);
    expect((await Array.fromAsync(readSteps(db, id, "large"))).flat()).toEqual(large);
    expect(await countSteps(db, id)).toBe(read.length);
    expect(await countSteps(db, id, "large")).toBe(6);
  });

  test("A step that goes on while the steps are read is there once", async () => {
    const { id, lease } = await start();
    const others = Array.from({ length: stepsOfPage + 10 }, (_, item) =>
      newStep({ nodeId: "b", item, position: item + 1 }),
    );
    const steps = [
      newStep({ nodeId: "a", position: 0, state: "running", endedAt: null }),
      ...others,
    ];
    await commit(id, lease, { steps });
    const { db } = stores().store;
    const nodes: string[] = [];
    for await (const page of readStepMarks(db, id)) {
      if (nodes.length === 0) {
        await commit(id, lease, { steps: [newStep({ nodeId: "a", position: 9_000 })] });
      }
      nodes.push(...page.map(({ nodeId }) => nodeId));
    }
    expect(nodes.filter((node) => node === "a")).toEqual(["a"]);
    expect(nodes).toHaveLength(steps.length);
  });
}
