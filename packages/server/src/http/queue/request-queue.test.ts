import { describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createRequestQueue, type RequestQueueKey } from "./request-queue.ts";

const user = (owner: string): RequestQueueKey => ({ lane: "users", owner });
const stranger = (owner: string, area: string): RequestQueueKey => ({
  lane: "strangers",
  owner,
  area,
});

/** A queue on a clock and an event loop that only the test moves on. */
function openQueue() {
  let ms = 0;
  const actions: Array<() => void> = [];
  const timers = createManualTimers();
  const queue = createRequestQueue({
    timers,
    readMs: () => ms,
    nextTurn: (action) => void actions.push(action),
  });
  const never = () => new AbortController().signal;
  const order: string[] = [];
  return {
    queue,
    order,
    timers,
    never,
    spend(more: number) {
      ms += more;
    },
    /** The next turn of the event loop. */
    async turn() {
      for (const action of actions.splice(0)) action();
      await setImmediate();
    },
    /** A request that records its name when it begins, and works for some time. */
    async send(queueKey: RequestQueueKey, workMs = 0, signal = never) {
      const release = await queue.enter(queueKey, signal);
      order.push(queueKey.owner);
      ms += workMs;
      release();
    },
  };
}

/** Lets the event loop turn until nothing waits. */
async function drain({ queue, turn }: ReturnType<typeof openQueue>): Promise<void> {
  for (let turns = 0; queue.countWaiting() > 0 && turns < 5_000; turns += 1) await turn();
}

describe("turns on the event loop", () => {
  test("A request of another user begins after few of a user who has sent many", async () => {
    const opened = openQueue();
    const { queue, order, send, turn } = opened;
    const many = Array.from({ length: 200 }, () => send(user("many"), 50));
    await turn();
    await turn();
    const before = order.length;
    const other = send(user("other"), 50);
    await drain(opened);
    await Promise.all([...many, other]);
    expect(order.indexOf("other") - before).toBeLessThanOrEqual(2);
    expect(order).toHaveLength(201);
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([0, 0]);
  });

  test("Strangers of many areas do not delay a user by more than one request each turn", async () => {
    const opened = openQueue();
    const { order, send, turn } = opened;
    const many = Array.from({ length: 300 }, (_, index) =>
      send(stranger(`10.0.${index}.1`, `10.0.${index}`), 50),
    );
    await turn();
    const before = order.length;
    const own = [send(user("ann"), 50), send(user("ann"), 50)];
    await drain(opened);
    await Promise.all([...many, ...own]);
    expect(order.lastIndexOf("ann") - before).toBeLessThanOrEqual(6);
  });

  test("The networks of one area share its rounds", async () => {
    const opened = openQueue();
    const { order, send, turn } = opened;
    const many = Array.from({ length: 100 }, (_, index) =>
      send(stranger(`10.0.0.${index}`, "10.0.0"), 50),
    );
    await turn();
    const before = order.length;
    const other = send(stranger("192.0.2.1", "192.0.2"), 50);
    await drain(opened);
    await Promise.all([...many, other]);
    expect(order.indexOf("192.0.2.1") - before).toBeLessThanOrEqual(2);
  });

  test("Within a portion of time, requests begin at once and ask for no signal", async () => {
    const { queue, turn } = openQueue();
    let signals = 0;
    const count = () => {
      signals += 1;
      return new AbortController().signal;
    };
    const first = queue.waitForLane(user("ann"), count);
    await turn();
    await first;
    for (let sent = 0; sent < 100; sent += 1) {
      expect(queue.waitForLane(user("ann"), count)).toBeNull();
    }
    expect([signals, queue.countWaiting()]).toEqual([0, 0]);
  });

  test("While turns are short, requests that wait for a few of them ask for no signal", async () => {
    const opened = openQueue();
    const { queue, spend, turn } = opened;
    let signals = 0;
    const count = () => {
      signals += 1;
      return new AbortController().signal;
    };
    const sendMany = (amount: number) =>
      Array.from({ length: amount }, () => queue.waitForLane(user("ann"), count));
    const long = sendMany(7);
    expect(signals).toBe(3);
    await drain(opened);
    spend(20);
    const short = sendMany(33);
    expect(signals).toBe(4);
    spend(1);
    await turn();
    const after = sendMany(1);
    expect(signals).toBe(5);
    await drain(opened);
    await Promise.all([...long, ...short, ...after]);
  });

  test("After a portion of time, a request waits for one turn of the event loop", async () => {
    const { queue, turn, never, spend } = openQueue();
    const first = queue.waitForLane(user("ann"), never);
    await turn();
    await first;
    expect(queue.waitForLane(user("ann"), never)).toBeNull();
    spend(20);
    const late = queue.waitForLane(user("ann"), never);
    expect([late === null, queue.countWaiting()]).toEqual([false, 1]);
    await turn();
    await late;
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([0, 0]);
  });
});

describe("permits", () => {
  test("A user has eight requests at once, and those of others begin beside them", async () => {
    const { queue, turn, never } = openQueue();
    const releases: Array<() => void> = [];
    const enter = (owner: string) => queue.enter(user(owner), never).then((l) => releases.push(l));
    for (let sent = 0; sent < 9; sent += 1) void enter("ann");
    for (let turns = 0; turns < 10; turns += 1) await turn();
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([8, 1]);
    void enter("bob");
    await turn();
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([9, 1]);
    releases[0]?.();
    await turn();
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([9, 0]);
    for (const release of releases) release();
    for (const release of releases) release();
    expect(queue.countRunning()).toBe(0);
  });

  test("A network of strangers has 32 requests at once, so that webhooks are stored together", async () => {
    const { queue, turn, never } = openQueue();
    const releases: Array<() => void> = [];
    for (let sent = 0; sent < 33; sent += 1) {
      void queue
        .enter(stranger("10.0.0.1", "10.0.0"), never)
        .then((release) => releases.push(release));
    }
    for (let turns = 0; turns < 40; turns += 1) await turn();
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([32, 1]);
    releases[0]?.();
    await turn();
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([32, 0]);
    for (const release of releases) release();
  });

  test("A request that waits for a slow system for a second keeps no permit from those who wait", async () => {
    const { queue, turn, never, timers, spend } = openQueue();
    const releases: Array<() => void> = [];
    for (let sent = 0; sent < 9; sent += 1) {
      void queue.enter(user("ann"), never).then((release) => releases.push(release));
    }
    for (let turns = 0; turns < 10; turns += 1) await turn();
    expect(queue.countWaiting()).toBe(1);
    spend(1_001);
    timers.advance(250);
    await turn();
    expect(queue.countWaiting()).toBe(0);
    expect(releases).toHaveLength(9);
    for (const release of releases) release();
    expect(queue.countRunning()).toBe(0);
    timers.advance(10_000);
    expect(timers.pending()).toBe(0);
  });

  test("Beyond 1,000 waiting requests, a user is refused and told when to come back; others are not", async () => {
    const opened = openQueue();
    const { queue, never, spend } = opened;
    spend(1_000);
    const waiting = Array.from({ length: 1_000 }, () => queue.enter(user("ann"), never));
    await expect(queue.enter(user("ann"), never)).rejects.toMatchObject({
      code: "rate_limited",
      detail: { retry_after_s: 5 },
    });
    const other = queue.enter(user("bob"), never);
    void Promise.all(waiting.map(async (entered) => (await entered)()));
    await drain(opened);
    (await other)();
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([0, 0]);
  });

  test("Strangers who fill their part of the queue are replaced by those of other areas", async () => {
    const opened = openQueue();
    const { queue, never } = opened;
    const refused: unknown[] = [];
    const enter = (owner: string, area: string) =>
      queue.enter(stranger(owner, area), never).then(
        (release) => release(),
        (error) => void refused.push(error.code),
      );
    const many = Array.from({ length: 8_000 }, (_, index) =>
      enter(`10.0.0.${index % 200}`, "10.0.0"),
    );
    const other = enter("192.0.2.1", "192.0.2");
    expect(queue.countWaiting()).toBe(8_000);
    await drain(opened);
    await Promise.all([...many, other]);
    expect(refused).toEqual(["rate_limited"]);
  });

  test("A request whose client leaves while it waits takes no turn", async () => {
    const opened = openQueue();
    const { queue, order, send } = opened;
    const client = new AbortController();
    const others = ["ann", "cat", "dan", "eve"];
    const sent = others.map((name) => send(user(name), 50));
    const left = send(user("bob"), 50, () => client.signal);
    client.abort();
    await expect(left).rejects.toMatchObject({ code: "cancelled" });
    await drain(opened);
    await Promise.all(sent);
    expect(order).toEqual(others);
    expect([queue.countRunning(), queue.countWaiting()]).toEqual([0, 0]);
  });
});
