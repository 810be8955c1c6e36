import { expect, test } from "bun:test";
import type { OpenStep } from "./open-step.ts";
import { createRunRoom } from "./run-room.ts";
import { openEngine } from "./testing/open-engine.ts";

/** Begins as many runs as there is room for, and returns their number. */
function fill(room: ReturnType<typeof createRunRoom>, ownerId: string, eventBytes = 1): number {
  let runs = 0;
  for (; room.hasFor(ownerId); runs += 1) room.take({ ownerId, eventBytes });
  return runs;
}

test("An owner with many runs leaves room for others, and so does the next one", () => {
  const room = createRunRoom({ runsMax: 100, bytesMax: 1_000, outputCharsMax: 10 });
  expect([fill(room, "ann"), fill(room, "bob"), fill(room, "eve")]).toEqual([51, 25, 13]);
  expect(room.listFull()).toEqual(["ann", "bob", "eve"]);
  expect(room.count()).toBe(11);
});

test("Large events leave room for others, too", () => {
  const room = createRunRoom({ runsMax: 100, bytesMax: 1_000, outputCharsMax: 10 });
  expect([fill(room, "ann", 100), room.hasFor("bob")]).toEqual([6, true]);
});

test("A process without room begins nothing, and one with room for one run begins it", () => {
  expect(fill(createRunRoom({ runsMax: 0, bytesMax: 1_000, outputCharsMax: 10 }), "ann")).toBe(0);
  expect(fill(createRunRoom({ runsMax: 1, bytesMax: 1_000, outputCharsMax: 10 }), "ann")).toBe(1);
});

test("Room that is left can be taken again", () => {
  const room = createRunRoom({ runsMax: 2, bytesMax: 1_000, outputCharsMax: 10 });
  const taken = room.take({ ownerId: "ann", eventBytes: 1_000 });
  expect([room.count(), room.hasFor("bob")]).toEqual([0, false]);
  taken.leave();
  expect([room.count(), room.hasFor("ann"), room.listFull()]).toEqual([2, true, []]);
});

test("An owner whose runs hold many outputs has a limit, and another owner still has room for some", () => {
  const room = createRunRoom({ runsMax: 9, bytesMax: 1_000, outputCharsMax: 10 });
  const [ann, other] = [0, 0].map(() => room.take({ ownerId: "ann", eventBytes: 1 }));
  const bob = room.take({ ownerId: "bob", eventBytes: 1 });
  expect([ann?.addOutput(5), other?.addOutput(1), bob.addOutput(2)]).toEqual([true, false, true]);
  ann?.leave();
  expect(other?.addOutput(2)).toBeTrue();
});

test("A run starts although another owner has more runs that do not end than the process has room for", async () => {
  const endless: OpenStep<"operation"> = () => ({
    ...{ input: {}, effects: "none" as const },
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
  expect((await hub.settle(await hub.run(other))).state).toBe("succeeded");
});
