import { describe, expect, test } from "bun:test";
import { createLanes, type Limits } from "./fair-semaphore.ts";
import type { QueueKey } from "./semaphore-lanes.ts";

/** Takes all that may be taken, and ends each at once. */
function takeAll(lanes: ReturnType<typeof createLanes<string>>): string[] {
  const taken: string[] = [];
  for (let entry = lanes.takeNext(); entry !== null; entry = lanes.takeNext()) {
    taken.push(entry.item);
    lanes.end(entry.line);
  }
  return taken;
}

function openLanes(...items: Array<[name: string, queueKey: QueueKey]>) {
  const lanes = createLanes<string>();
  for (const [name, queueKey] of items) lanes.add(queueKey, name);
  return lanes;
}

describe("rounds", () => {
  test("An owner with many items waits as long as another one", () => {
    const lanes = openLanes(
      ...["a1", "a2", "a3"].map((name): [string, QueueKey] => [name, { owner: "ann" }]),
      ...["b1", "b2"].map((name): [string, QueueKey] => [name, { owner: "bob" }]),
    );
    expect(takeAll(lanes)).toEqual(["a1", "b1", "a2", "b2", "a3"]);
  });

  test("The owners of one area have together the share of one owner of another area", () => {
    const many = Array.from({ length: 60 }, (_, n): [string, QueueKey] => [
      `network ${n}`,
      { owner: `${n}`, area: "one provider" },
    ]);
    const lanes = openLanes(...many, ["new", { owner: "new" }], ["new again", { owner: "new" }]);
    expect(takeAll(lanes).slice(0, 4)).toEqual(["network 0", "new", "network 1", "new again"]);
  });

  test("The areas of one lane have together the share of another lane", () => {
    const many = Array.from({ length: 60 }, (_, n): [string, QueueKey] => [
      `${n}`,
      { owner: `${n}`, lane: "strangers" },
    ]);
    const lanes = openLanes(
      ...many,
      ...["k1", "k2"].map((name): [string, QueueKey] => [name, { owner: name, lane: "known" }]),
    );
    expect(takeAll(lanes).slice(0, 4)).toEqual(["0", "k1", "1", "k2"]);
  });

  test("An owner at its limit is skipped until one of its items has ended", () => {
    const lanes = createLanes<string>({ atOnce: { owner: 1 } });
    const running = lanes.begin({ owner: "ann" });
    lanes.add({ owner: "ann" }, "a");
    lanes.add({ owner: "bob" }, "b");
    expect(takeAll(lanes)).toEqual(["b"]);
    if (running !== null) lanes.end(running);
    expect(takeAll(lanes)).toEqual(["a"]);
  });

  test("An item that is removed is not taken, and a second removal changes nothing", () => {
    const lanes = createLanes<string>();
    const first = lanes.add({ owner: "ann" }, "a1");
    lanes.add({ owner: "ann" }, "a2");
    lanes.remove(first);
    lanes.remove(first);
    expect(lanes.countWaiting()).toBe(1);
    expect(takeAll(lanes)).toEqual(["a2"]);
  });

  test("An item below all limits begins, and one above a limit of its lane, area or owner does not", () => {
    for (const limit of ["total", "lane", "area", "owner"] as const) {
      const lanes = createLanes<string>({ atOnce: { [limit]: 1 } });
      const queueKey = { owner: "ann", area: "home", lane: "users" };
      expect(lanes.begin(queueKey)).not.toBeNull();
      expect(lanes.begin(queueKey)).toBeNull();
      const others = [
        { ...queueKey, owner: "bob" },
        { owner: "bob", lane: "users" },
        { owner: "bob" },
      ];
      const begun = others.filter((other) => lanes.begin(other) !== null).length;
      expect([limit, begun]).toEqual([limit, { total: 0, lane: 1, area: 2, owner: 2 }[limit]]);
    }
  });
});

/** Numbers that look random and are the same each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test("Any sequence of calls keeps all limits, forgets nothing and leaves nothing that could run", () => {
  for (let seed = 1; seed <= 30; seed += 1) {
    const random = createRandom(seed);
    const ownerByLane: Record<string, number> = { 0: 1 + random(3), 1: 1 + random(3) };
    const atOnce = {
      total: 1 + random(6),
      lane: 1 + random(5),
      area: 1 + random(4),
      owner: ownerByLane,
    } satisfies Limits;
    const lanes = createLanes<QueueKey>({ atOnce });
    const waiting = new Set<ReturnType<typeof lanes.add>>();
    const running = new Map<object, QueueKey>();
    const toQueueKey = (): QueueKey => {
      const [owner, lane] = [random(8), random(2)];
      return { owner: `${owner}`, area: `${owner % 3}`, lane: `${lane}` };
    };
    const mayRun = (queueKey: QueueKey) => {
      const all = [...running.values()];
      const inLane = all.filter(({ lane }) => lane === queueKey.lane);
      return (
        all.length < atOnce.total &&
        inLane.length < atOnce.lane &&
        inLane.filter(({ area }) => area === queueKey.area).length < atOnce.area &&
        inLane.filter(({ owner }) => owner === queueKey.owner).length <
          (ownerByLane[queueKey.lane ?? ""] ?? 0)
      );
    };
    const takeAllReady = () => {
      for (let entry = lanes.takeNext(); entry !== null; entry = lanes.takeNext()) {
        expect(mayRun(entry.item)).toBeTrue();
        expect(waiting.delete(entry)).toBeTrue();
        running.set({ entry }, entry.item);
        lines.push(entry.line);
      }
      expect([...waiting].filter(({ item }) => mayRun(item))).toEqual([]);
    };
    const lines: Array<ReturnType<typeof lanes.add>["line"]> = [];
    for (let step = 0; step < 300; step += 1) {
      const queueKey = toQueueKey();
      const choice = random(4);
      if (choice === 0) {
        const [any] = [...waiting].slice(random(waiting.size + 1));
        if (any !== undefined) {
          lanes.remove(any);
          waiting.delete(any);
        }
      } else if (choice === 1 && lines.length > 0) {
        const [line] = lines.splice(random(lines.length), 1);
        const ended = [...running].find(
          ([, { owner, lane }]) =>
            line !== undefined && owner === line.key && lane === line.parent?.parent?.key,
        );
        if (line === undefined || ended === undefined) throw new Error("A line runs nothing.");
        running.delete(ended[0]);
        lanes.end(line);
        takeAllReady();
      } else {
        const line = lanes.begin(queueKey);
        expect(line !== null).toBe(mayRun(queueKey));
        if (line === null) waiting.add(lanes.add(queueKey, queueKey));
        else {
          running.set({}, queueKey);
          lines.push(line);
        }
      }
      expect([lanes.countRunning(), lanes.countWaiting()]).toEqual([running.size, waiting.size]);
    }
  }
});
