import { describe, expect, test } from "bun:test";
import { createFairQueue } from "./fair-queue.ts";
import type { Limits } from "./fair-semaphore.ts";
import type { QueueKey } from "./semaphore-lanes.ts";

/** Enters jobs, of one owner by default, and records the order in which they begin. */
function openLine(atOnce: Limits, max?: Limits) {
  const refuse = (limit: string) => new Error(`too many of ${limit}`);
  const queue = createFairQueue({ atOnce, ...(max && { waiting: { max, refuse } }) });
  const begun: string[] = [];
  const release = new Map<string, () => void>();
  return {
    queue,
    begun,
    release: (name: string) => release.get(name)?.(),
    enter: (name: string, queueKey: QueueKey = { owner: "ann" }, signal?: AbortSignal) =>
      queue.enter(queueKey, signal).then(
        (end) => {
          begun.push(name);
          release.set(name, end);
          return "begun";
        },
        (failure) => String(failure),
      ),
  };
}

test("Jobs beyond the limit wait and begin in their order", async () => {
  const line = openLine({ owner: 2 });
  const jobs = ["a", "b", "c", "d"].map((name) => line.enter(name));
  await Promise.all(jobs.slice(0, 2));
  expect(line.begun).toEqual(["a", "b"]);
  expect([line.queue.countRunning(), line.queue.countWaiting()]).toEqual([2, 2]);
  line.release("b");
  await jobs[2];
  line.release("a");
  await jobs[3];
  expect(line.begun).toEqual(["a", "b", "c", "d"]);
});

test("A newcomer does not overtake a job that waits", async () => {
  const line = openLine({ owner: 1 });
  await line.enter("a");
  const second = line.enter("b");
  line.release("a");
  expect(line.queue.tryEnter({ owner: "ann" })).toBeNull();
  const third = line.enter("c");
  await second;
  expect(line.begun).toEqual(["a", "b"]);
  line.release("b");
  await third;
});

test("The jobs of one owner do not hold up those of another", async () => {
  const line = openLine({ owner: 1 });
  await line.enter("a");
  await line.enter("b", { owner: "bob" });
  expect(line.begun).toEqual(["a", "b"]);
});

test("A job that ends twice frees one place", async () => {
  const line = openLine({ total: 1 });
  await line.enter("a");
  const others = ["b", "c"].map((name) => line.enter(name));
  line.release("a");
  line.release("a");
  await others[0];
  expect([line.queue.countRunning(), line.queue.countWaiting()]).toEqual([1, 1]);
});

test("A cancelled job leaves the queue", async () => {
  const line = openLine({ owner: 1 });
  await line.enter("a");
  const cancel = new AbortController();
  const second = line.enter("b", { owner: "ann" }, cancel.signal);
  const third = line.enter("c");
  cancel.abort(new Error("enough"));
  expect(await second).toBe("Error: enough");
  line.release("a");
  await third;
  expect(line.begun).toEqual(["a", "c"]);
  expect(await line.enter("d", { owner: "ann" }, cancel.signal)).toBe("Error: enough");
});

test("With a limit of all owners together, the owners are served round-robin", async () => {
  const line = openLine({ total: 2, owner: 2 });
  await Promise.all([line.enter("a1"), line.enter("a2")]);
  const waiting = [line.enter("a3"), line.enter("a4"), line.enter("b1", { owner: "bob" })];
  line.release("a1");
  line.release("a2");
  await Promise.all([waiting[0], waiting[2]]);
  // Bob is first, since Ann has run two.
  expect(line.begun).toEqual(["a1", "a2", "b1", "a3"]);
  line.release("b1");
  await waiting[1];
});

describe("a queue that is full", () => {
  test("An owner with too many waiting jobs is refused, and others are not", async () => {
    const line = openLine({ total: 1 }, { owner: 1 });
    await line.enter("a1");
    const second = line.enter("a2");
    expect(await line.enter("a3")).toBe("Error: too many of owner");
    expect(() => line.queue.checkCapacity({ owner: "ann" })).toThrow("too many of owner");
    const other = line.enter("b1", { owner: "bob" });
    line.release("a1");
    await second;
    line.release("a2");
    await other;
    expect(line.begun).toEqual(["a1", "a2", "b1"]);
  });

  test("A newcomer replaces the newest job of the area with the most, of its owner with the most", async () => {
    const line = openLine({ total: 1 }, { total: 5 });
    await line.enter("first");
    const flood = ["x", "y", "y", "y", "z"].map((owner, n) =>
      line.enter(`${owner}${n}`, { owner, area: "one provider" }),
    );
    line.queue.checkCapacity({ owner: "new" });
    const newcomers = ["new", "newer"].map((owner) => line.enter(owner, { owner }));
    expect(await flood[3]).toBe("Error: too many of total");
    // Each owner of the area has one or two now.
    expect(await flood[2]).toBe("Error: too many of total");
    line.release("first");
    await flood[0];
    line.release("x0");
    expect(await newcomers[0]).toBe("begun");
    expect(line.queue.countWaiting()).toBe(3);
  });

  test("A newcomer of an area with as many jobs as any other is refused", async () => {
    const line = openLine({ total: 1 }, { total: 4 });
    await line.enter("first");
    const waiting = ["x", "y", "x", "y"].map((area, n) =>
      line.enter(`${n}`, { owner: `${n}`, area }),
    );
    expect(await line.enter("5", { owner: "5", area: "x" })).toBe("Error: too many of total");
    expect(() => line.queue.checkCapacity({ owner: "5", area: "x" })).toThrow("too many of total");
    expect(line.queue.countWaiting()).toBe(waiting.length);
  });

  test("A newcomer of the area with the most replaces a job of an owner there who has two more", async () => {
    const line = openLine({ total: 1 }, { total: 4 });
    await line.enter("first");
    const flood = [1, 2, 3, 4].map((n) => line.enter(`${n}`, { owner: "x", area: "one" }));
    const neighbour = line.enter("neighbour", { owner: "y", area: "one" });
    expect(await flood[3]).toBe("Error: too many of total");
    line.release("first");
    await flood[0];
    line.release("1");
    expect(await neighbour).toBe("begun");
  });

  test("A full lane does not refuse another lane", async () => {
    const line = openLine({ total: 1 }, { lane: 1 });
    await line.enter("first");
    void line.enter("s1", { owner: "s1", lane: "strangers" });
    expect(await line.enter("s2", { owner: "s2", lane: "strangers" })).toBe(
      "Error: too many of lane",
    );
    const known = line.enter("known", { owner: "ann", lane: "known" });
    expect(line.queue.countWaiting()).toBe(2);
    line.release("first");
    line.release("s1");
    await Bun.sleep(0);
    line.release("s1");
    expect(await known).toBe("begun");
  });
});
