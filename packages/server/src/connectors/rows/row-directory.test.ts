import { describe, expect, test } from "bun:test";
import { noSecretReferences } from "../../secrets/at-rest/secret-references.ts";
import type { Snapshot } from "../../store/database/hot-reads.ts";
import { createConnectorRegistry } from "../registry.ts";
import { createRowDirectory } from "./row-directory.ts";

const testSettings = {} as never;

function openDirectory(
  reloadRing: () => Promise<unknown> = async () => null,
  followPlugins: () => Promise<unknown> = async () => {},
) {
  const state = { revision: 1, loads: 0 };
  const snapshot = (): Snapshot => ({
    revision: state.revision,
    rows: [],
    typeDisabled: new Set(),
    settings: new Map(),
    rules: [],
  });
  const directory = createRowDirectory({
    registry: createConnectorRegistry(),
    db: {} as never,
    references: noSecretReferences,
    followPlugins,
    toSettings: () => testSettings,
    ring: { current: () => ({}) as never, reload: async () => (await reloadRing()) as never },
    reads: {
      readRevision: async () => state.revision,
      loadSnapshot: async () => {
        state.loads += 1;
        return snapshot();
      },
    },
  });
  return { state, directory };
}

describe("the row directory", () => {
  test("Writing audit rows does not reload the directory", async () => {
    const { state, directory } = openDirectory();
    const first = await directory.current();
    expect(await directory.current()).toBe(first);
    expect(state.loads).toBe(1);
  });

  test("A change of configuration reloads the directory", async () => {
    const { state, directory } = openDirectory();
    const first = await directory.current();
    state.revision += 1;
    expect(await directory.current()).not.toBe(first);
    expect(state.loads).toBe(2);
  });

  test("A revision that was just read with the caller is not read again, an old one is", async () => {
    const { state, directory } = openDirectory();
    const first = await directory.current();
    state.revision = 2;
    const askedAt = performance.now();
    expect(await directory.current({ revision: 1, askedAt })).toBe(first);
    const second = await directory.current({ revision: 2, askedAt });
    expect(second).not.toBe(first);
    // A request that was slower than another one does not load the rows again.
    expect(await directory.current({ revision: 1, askedAt })).toBe(second);
    expect(state.loads).toBe(2);
    state.revision = 3;
    const long = askedAt - 1_000;
    expect(await directory.current({ revision: 2, askedAt: long })).not.toBe(second);
  });

  test("A database that was replaced by an earlier state is read again, and its plugins too", async () => {
    let syncs = 0;
    const { state, directory } = openDirectory(undefined, async () => {
      syncs += 1;
    });
    state.revision = 9;
    const first = await directory.current();
    state.revision = 7;
    const askedAt = performance.now();
    const earlier = await directory.current({ revision: 7, askedAt });
    expect(earlier).not.toBe(first);
    expect([earlier.stamp, state.loads, syncs]).toEqual(["7.0", 2, 2]);
    state.revision = 8;
    expect((await directory.current()).stamp).toBe("8.0");
  });

  test("A slower load that started earlier does not replace a newer one", async () => {
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
    state.revision += 1;
    const newer = await directory.current();
    slow.resolve();
    expect(await earlier).toBe(newer);
    expect(await directory.current()).toBe(newer);
  });

  test("Callers of one revision share one load", async () => {
    const { state, directory } = openDirectory();
    await directory.current();
    state.revision += 1;
    const before = state.loads;
    const loaded = await Promise.all(Array.from({ length: 5 }, () => directory.current()));
    expect(new Set(loaded).size).toBe(1);
    expect(state.loads).toBe(before + 1);
  });

  test("Plugins are synced once per revision, and callers wait for it", async () => {
    const looks: PromiseWithResolvers<void>[] = [];
    const { state, directory } = openDirectory(undefined, () => {
      const look = Promise.withResolvers<void>();
      looks.push(look);
      return look.promise;
    });
    const answered: string[] = [];
    const ask = async (name: string) => {
      await directory.current();
      answered.push(name);
    };
    const early = Promise.all([ask("first"), ask("second")]);
    await Bun.sleep(0);
    state.revision += 1;
    const late = ask("after a change");
    await Bun.sleep(0);
    // A check that began before the change may have missed it.
    expect([looks.length, answered]).toEqual([2, []]);
    for (const look of looks) look.resolve();
    await Promise.all([early, late]);
    await ask("later");
    expect(looks).toHaveLength(2);
  });

  test("A failed sync of plugins is tried again", async () => {
    let looks = 0;
    const { directory } = openDirectory(undefined, async () => {
      looks += 1;
      if (looks === 1) throw new Error("EMFILE");
    });
    await expect(directory.current()).rejects.toThrow("EMFILE");
    expect((await directory.current()).rows).toEqual([]);
  });

  test("If the database fails, the directory fails and does not answer from memory (trap 11)", async () => {
    const { state, directory } = openDirectory();
    await directory.current();
    Object.defineProperty(state, "revision", {
      get: () => {
        throw new Error("disk I/O error");
      },
    });
    await expect(directory.current()).rejects.toThrow("disk I/O error");
  });
});
