/** Streams of a user may watch the same task. Protects: each of them hears of its state, also one that comes later. */
import { expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { nextTurn } from "../testing/until.ts";
import { createTaskWatch } from "./watch-tasks.ts";

function open() {
  const timers = createManualTimers();
  const stamps = new Map([["a", "done 1"]]);
  const watch = createTaskWatch({ tasks: { listStamps: async () => stamps }, timers });
  const heard: string[] = [];
  return {
    stamps,
    heard,
    watch: (name: string) => watch.watch(["a"], (id) => heard.push(`${name} ${id}`)),
    async check() {
      timers.advance(1000);
      await nextTurn();
    },
  };
}

test("One who watches later hears of the state that others have heard of", async () => {
  const { watch, heard, check } = open();
  watch("first");
  await check();
  watch("second");
  await check();
  await check();
  expect(heard).toEqual(["first a", "second a"]);
});

test("Each change is reported once to each, until it stops", async () => {
  const { watch, heard, check, stamps } = open();
  const stop = watch("first");
  watch("second");
  await check();
  heard.length = 0;
  stamps.set("a", "done 2");
  await check();
  stop();
  stamps.delete("a");
  await check();
  expect(heard).toEqual(["first a", "second a", "second a"]);
});
