import { expect, test } from "bun:test";
import { createTurnWatch } from "./loop-watch.ts";

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("Only what outlasts its turn of the event loop is called, and once", async () => {
  const watch = createTurnWatch();
  const called: string[] = [];
  watch.enter(() => called.push("long"));
  const unwatch = watch.enter(() => called.push("short"));
  await Promise.resolve();
  expect(called).toEqual([]);
  unwatch();
  await nextTurn();
  await nextTurn();
  expect(called).toEqual(["long"]);
});

test("What begins after a turn is watched in the next one", async () => {
  const watch = createTurnWatch();
  const called: string[] = [];
  watch.enter(() => {
    called.push("first");
    watch.enter(() => called.push("second"));
  });
  await nextTurn();
  expect(called).toEqual(["first"]);
  await nextTurn();
  expect(called).toEqual(["first", "second"]);
});
