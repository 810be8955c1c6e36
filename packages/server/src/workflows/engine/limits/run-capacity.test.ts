import { expect, test } from "bun:test";
import type { OpenStep } from "../step/open-step.ts";
import { openEngine } from "../testing/open-engine.ts";
import { createRunCapacity } from "./run-capacity.ts";

/** Starts as many runs as there is capacity for, and returns their number. */
function fill(
  capacity: ReturnType<typeof createRunCapacity>,
  ownerId: string,
  eventBytes = 1,
): number {
  let runs = 0;
  for (; capacity.hasFor(ownerId); runs += 1) capacity.take({ ownerId, eventBytes });
  return runs;
}

test("An owner with many runs leaves capacity for others, and so does a second one", () => {
  const capacity = createRunCapacity({ runsMax: 100, bytesMax: 1_000, outputCharsMax: 10 });
  expect([fill(capacity, "ann"), fill(capacity, "bob"), fill(capacity, "eve")]).toEqual([
    51, 25, 13,
  ]);
  expect(capacity.listFull()).toEqual(["ann", "bob", "eve"]);
  expect(capacity.count()).toBe(11);
});

test("Runs with large events leave capacity for other owners", () => {
  const capacity = createRunCapacity({ runsMax: 100, bytesMax: 1_000, outputCharsMax: 10 });
  expect([fill(capacity, "ann", 100), capacity.hasFor("bob")]).toEqual([6, true]);
});

test("A process without capacity starts no run, and one with capacity for one run starts one", () => {
  expect(fill(createRunCapacity({ runsMax: 0, bytesMax: 1_000, outputCharsMax: 10 }), "ann")).toBe(
    0,
  );
  expect(fill(createRunCapacity({ runsMax: 1, bytesMax: 1_000, outputCharsMax: 10 }), "ann")).toBe(
    1,
  );
});

test("Released capacity can be used again", () => {
  const capacity = createRunCapacity({ runsMax: 2, bytesMax: 1_000, outputCharsMax: 10 });
  const taken = capacity.take({ ownerId: "ann", eventBytes: 1_000 });
  expect([capacity.count(), capacity.hasFor("bob")]).toEqual([0, false]);
  taken.release();
  expect([capacity.count(), capacity.hasFor("ann"), capacity.listFull()]).toEqual([2, true, []]);
});

test("An owner whose runs hold many outputs has a limit, and another owner still has capacity", () => {
  const capacity = createRunCapacity({ runsMax: 9, bytesMax: 1_000, outputCharsMax: 10 });
  const [ann, other] = [0, 0].map(() => capacity.take({ ownerId: "ann", eventBytes: 1 }));
  const bob = capacity.take({ ownerId: "bob", eventBytes: 1 });
  expect([ann?.addOutput(5), other?.addOutput(1), bob.addOutput(2)]).toEqual([true, false, true]);
  ann?.release();
  expect(other?.addOutput(2)).toBeTrue();
});

test("A run starts although another owner has more endless runs than the process has capacity for", async () => {
  const endless: OpenStep<"operation"> = () => ({
    input: {},
    effects: "none" as const,
    run: () => new Promise(() => {}),
  });
  await using hub = await openEngine(endless, () => ({ activeMax: 4 }));
  const triggers = [{ id: "start", type: "manual" as const, entry: "out" }];
  const stuck = hub.addWorkflow({
    triggers,
    nodes: [{ id: "out", type: "operation", tool_id: "conn:1/wait" }],
  });
  const other = hub.addWorkflow(
    { triggers, nodes: [{ id: "out", type: "set", value: 1 }] },
    { ownerId: crypto.randomUUID() },
  );
  for (let runs = 0; runs < 6; runs += 1) await hub.run(stuck);
  expect((await hub.untilParked(await hub.run(other))).state).toBe("succeeded");
});
