import { expect, test } from "bun:test";
import { createMemoryJob } from "./free-memory.ts";

const mebibyte = 1024 * 1024;

/** Memory of which a collection leaves `needed`. */
function open({ resident = 100, needed = 100 } = {}) {
  const state = { resident, needed, collections: 0, processorMs: 0 };
  const job = createMemoryJob({
    memory: {
      residentBytes: () => state.resident * mebibyte,
      processorMs: () => state.processorMs,
      collect() {
        state.collections += 1;
        state.resident = state.needed;
      },
    },
  });
  return { state, job };
}

test("Memory that has grown much is collected once", async () => {
  const { state, job } = open();
  state.resident = 300;
  await job.run();
  await job.run();
  expect(state).toMatchObject({ resident: 100, collections: 1 });
});

test("A busy process is not paused for a collection, unless its memory has grown very much", async () => {
  const { state, job } = open();
  const work = async (resident: number) => {
    Object.assign(state, { resident, processorMs: state.processorMs + 1_001 });
    await job.run();
    return state.collections;
  };
  expect([await work(300), await work(612), await work(613)]).toEqual([0, 0, 1]);
});

test("Memory that a busy process has left is collected when it is idle", async () => {
  const { state, job } = open();
  Object.assign(state, { resident: 300, processorMs: 5_000 });
  await job.run();
  expect(state.collections).toBe(0);
  await job.run();
  expect(state.collections).toBe(1);
});

test("Small growth of memory is not collected", async () => {
  const { state, job } = open();
  state.resident = 200;
  await job.run();
  expect(state.collections).toBe(0);
});

test("Memory that grows in small steps is collected too", async () => {
  const { state, job } = open();
  for (state.resident = 150; state.collections === 0; state.resident += 50) await job.run();
  expect(state.collections).toBe(1);
});

test("Memory in use is not collected repeatedly", async () => {
  const { state, job } = open({ needed: 300 });
  state.resident = 500;
  await job.run();
  await job.run();
  expect(state).toMatchObject({ resident: 300, collections: 1 });
});
