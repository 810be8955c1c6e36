import { describe, expect, test } from "bun:test";
import type { Snapshot } from "../store/hot-reads.ts";
import { createConnectorRegistry } from "./registry.ts";
import { createRowDirectory } from "./row-directory.ts";

function openDirectory(reloadRing: () => Promise<unknown> = async () => null) {
  const state = { version: 1, revision: 1, loads: 0, reads: 0 };
  const snapshot = (): Snapshot => ({
    revision: state.revision,
    rows: [],
    typeDisabled: new Set(),
  });
  const directory = createRowDirectory({
    registry: createConnectorRegistry(),
    ring: { current: () => ({}) as never, reload: async () => (await reloadRing()) as never },
    reads: {
      dataVersion: () => state.version,
      readRevision: async () => {
        state.reads += 1;
        return state.revision;
      },
      loadSnapshot: async () => {
        state.loads += 1;
        return snapshot();
      },
    },
  });
  return { state, directory };
}

describe("the row directory", () => {
  test("asks nothing more while nobody has committed", async () => {
    const { state, directory } = openDirectory();
    const first = await directory.current();
    expect(await directory.current()).toBe(first);
    expect(state).toMatchObject({ loads: 1, reads: 1 });
  });

  test("asks for the revision alone when only audit rows were written", async () => {
    const { state, directory } = openDirectory();
    const first = await directory.current();
    state.version += 1;
    expect(await directory.current()).toBe(first);
    expect(state).toMatchObject({ loads: 1, reads: 2 });
  });

  test("loads again when the configuration changed", async () => {
    const { state, directory } = openDirectory();
    const first = await directory.current();
    state.version += 1;
    state.revision += 1;
    expect(await directory.current()).not.toBe(first);
    expect(state.loads).toBe(2);
  });

  test("a load that began earlier and took longer does not replace a newer one", async () => {
    const [asked, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let isFirst = true;
    const { state, directory } = openDirectory(async () => {
      if (!isFirst) return;
      isFirst = false;
      asked.resolve();
      await slow.promise;
    });
    const earlier = directory.current();
    await asked.promise;
    state.version += 1;
    state.revision += 1;
    const newer = await directory.current();
    slow.resolve();
    expect(await earlier).toBe(newer);
    expect(await directory.current()).toBe(newer);
  });

  test("fails when the database does, and does not answer from memory (trap 11)", async () => {
    const { state, directory } = openDirectory();
    await directory.current();
    Object.defineProperty(state, "version", {
      get: () => {
        throw new Error("disk I/O error");
      },
    });
    await expect(directory.current()).rejects.toThrow("disk I/O error");
  });
});
