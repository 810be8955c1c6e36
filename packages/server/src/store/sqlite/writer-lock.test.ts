import { expect, test } from "bun:test";
import { createWriterLock } from "./writer-lock.ts";

test("The lock is given in the order of requests, also after a release", async () => {
  const lock = createWriterLock();
  const order: string[] = [];
  const use = async (name: string) => {
    await lock.acquire();
    order.push(`${name} in`);
    await Promise.resolve();
    order.push(`${name} out`);
    lock.release();
  };
  const early = [use("a"), use("b"), use("c")];
  await early[0];
  await Promise.all([...early, use("d")]);
  expect(order).toEqual(["a in", "a out", "b in", "b out", "c in", "c out", "d in", "d out"]);
});

test("A new request cannot overtake a waiting one during a release", async () => {
  const lock = createWriterLock();
  const holders: string[] = [];
  await lock.acquire();
  lock.acquire().then(() => holders.push("waited"));
  lock.release();
  lock.acquire().then(() => holders.push("newcomer"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(holders).toEqual(["waited"]);
});

test("Close waits for current holders and refuses later requests", async () => {
  const lock = createWriterLock();
  await lock.acquire();
  const waiting = lock.acquire();
  const closed = lock.close();
  await expect(lock.acquire()).rejects.toThrow("The hub is stopping");
  lock.release();
  await waiting;
  lock.release();
  await closed;
});

test("Code no longer counts as the lock's holder after its work has ended", async () => {
  const lock = createWriterLock();
  await lock.holdWhile(async () => {
    expect(() => lock.check()).toThrow("Inside a transaction");
    await expect(lock.acquire()).rejects.toThrow("Inside a transaction");
  });
  lock.check();
});
