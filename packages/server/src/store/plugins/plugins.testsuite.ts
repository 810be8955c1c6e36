import { describe, expect, test } from "bun:test";
import { insertInstance, removeInstances } from "../servers/instances.ts";
import type { TestStores } from "../testing/test-stores.ts";
import {
  addPluginBuild,
  deletePluginChunks,
  deletePluginInstall,
  findPluginChunk,
  findPluginManifest,
  listPluginInstalls,
  type NewPluginBuild,
  purgePluginChunks,
  putPluginChunk,
  putPluginInstall,
} from "./plugin-installs.ts";
import { deletePluginProblem, listPluginProblems, putPluginProblem } from "./plugin-problems.ts";

const parts = [Uint8Array.of(0, 1, 255), Uint8Array.of(2)];

export function describePlugins(stores: () => TestStores): void {
  describe("installed plugins", () => {
    /** A build whose chunks are stored. */
    async function storeBuild(given: Partial<NewPluginBuild> = {}, at = 1_000) {
      const build: NewPluginBuild = {
        id: crypto.randomUUID(),
        platforms: ["linux/amd64"],
        manifest: '{"version":"1.0.0"}',
        archiveSha256: "ab",
        archiveBytes: 4,
        chunks: 2,
        ...given,
      };
      const { db } = stores().store;
      for (const [position, bytes] of parts.entries()) {
        await putPluginChunk(db, { buildId: build.id, position, bytes, at });
      }
      return build;
    }

    const install = (
      build: NewPluginBuild,
      replaces: string | null,
      id: string = crypto.randomUUID(),
    ) =>
      putPluginInstall(
        stores().store.db,
        {
          key: "tracker",
          id,
          version: "1.0.0",
          source: "{}",
          build,
          installedBy: "ann@example.com",
          installedAt: 5,
        },
        { replaces },
      );

    const readInstall = async () => (await listPluginInstalls(stores().store.db))[0];

    test("An installed version is listed with its build, and its archive is read in chunks", async () => {
      const { db, reads } = stores().store;
      const revision = await reads.readRevision();
      const { manifest, ...build } = await storeBuild();
      expect(await listPluginInstalls(db)).toEqual([]);
      expect(await install({ ...build, manifest }, null, "one")).toBeTrue();
      expect(await reads.readRevision()).toBeGreaterThan(revision);
      expect(await listPluginInstalls(db)).toEqual([
        {
          key: "tracker",
          id: "one",
          version: "1.0.0",
          source: "{}",
          installedBy: "ann@example.com",
          installedAt: 5,
          builds: [build],
        },
      ]);
      expect(await findPluginManifest(db, build.id)).toBe(manifest);
      for (const [position, bytes] of parts.entries()) {
        const chunk = await findPluginChunk(db, { buildId: build.id, position });
        expect(new Uint8Array(chunk ?? [])).toEqual(bytes);
      }
      expect(await findPluginChunk(db, { buildId: build.id, position: 2 })).toBeNull();
    });

    test("An archive that lacks a chunk or a byte is not installed", async () => {
      expect(await install(await storeBuild({ chunks: 3 }), null)).toBeFalse();
      expect(await install(await storeBuild({ archiveBytes: 5 }), null)).toBeFalse();
      expect(await readInstall()).toBeUndefined();
    });

    test("An installation replaces only the one that its server has seen", async () => {
      const first = await storeBuild();
      expect(await install(first, "none")).toBeFalse();
      expect(await install(first, null, "one")).toBeTrue();
      const second = await storeBuild();
      expect(await install(second, null)).toBeFalse();
      expect(await install(second, "one", "two")).toBeTrue();
      expect(await readInstall()).toMatchObject({ id: "two", builds: [{ id: second.id }] });
      expect(await findPluginManifest(stores().store.db, first.id)).toBeNull();
    });

    test("Of installations at the same time, one succeeds", async () => {
      const builds = [await storeBuild(), await storeBuild(), await storeBuild()];
      const outcomes = await Promise.all(builds.map((build) => install(build, null)));
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect(await readInstall()).toMatchObject({
        builds: [{ id: builds[outcomes.indexOf(true)]?.id }],
      });
    });

    test("A build is added for another platform, once, and only to the present installation", async () => {
      const { db } = stores().store;
      await install(await storeBuild(), null, "one");
      const build = await storeBuild({ platforms: ["linux/arm64", "darwin/arm64"] });
      const add = (installId: string, added: NewPluginBuild) =>
        addPluginBuild(db, { key: "tracker", installId, build: added });
      expect(await add("other", build)).toBeFalse();
      expect(await add("one", { ...build, chunks: 1 })).toBeFalse();
      expect(await add("one", build)).toBeTrue();
      expect(await add("one", await storeBuild({ platforms: ["linux/arm64"] }))).toBeFalse();
      expect((await readInstall())?.builds.flatMap(({ platforms }) => platforms).sort()).toEqual([
        "darwin/arm64",
        "linux/amd64",
        "linux/arm64",
      ]);
    });

    test("A removed plugin is gone with its builds, and only the first removal counts", async () => {
      const { db, reads } = stores().store;
      const build = await storeBuild();
      await install(build, null);
      const revision = await reads.readRevision();
      expect(await deletePluginInstall(db, "tracker")).toBeTrue();
      const removed = await reads.readRevision();
      expect(removed).toBeGreaterThan(revision);
      expect(await deletePluginInstall(db, "tracker")).toBeFalse();
      expect(await reads.readRevision()).toBe(removed);
      expect([await readInstall(), await findPluginManifest(db, build.id)]).toEqual([
        undefined,
        null,
      ]);
    });

    test("Chunks without a build are deleted, by their id at once and otherwise when they are old", async () => {
      const { db } = stores().store;
      const isStored = async ({ id }: NewPluginBuild) =>
        (await findPluginChunk(db, { buildId: id, position: 0 })) !== null;
      const installed = await storeBuild();
      await install(installed, null);
      const [left, fresh, failed] = [
        await storeBuild(),
        await storeBuild({}, 9_000),
        await storeBuild({}, 9_000),
      ];
      await purgePluginChunks(db, { storedBefore: 9_000 });
      for (const { id } of [installed, failed]) await deletePluginChunks(db, id);
      const stored = await Promise.all([installed, left, fresh, failed].map(isStored));
      expect(stored).toEqual([true, false, true, false]);
    });

    test("A server's problem is replaced, deleted, and ends with the server", async () => {
      const { db } = stores().store;
      const instance = { kind: "serve" as const, pid: 1, hostname: "a", startedAt: 1 };
      for (const id of ["one", "two"]) await insertInstance(db, { ...instance, id });
      const put = (instanceId: string, message: string) =>
        putPluginProblem(db, { instanceId, key: "tracker", message, recordedAt: 7 });
      await put("one", "old");
      await put("one", "new");
      await put("two", "other");
      expect(await listPluginProblems(db)).toEqual([
        { instanceId: "one", key: "tracker", message: "new", recordedAt: 7 },
        { instanceId: "two", key: "tracker", message: "other", recordedAt: 7 },
      ]);
      await deletePluginProblem(db, { instanceId: "one", key: "tracker" });
      await removeInstances(db, ["two"]);
      expect(await listPluginProblems(db)).toEqual([]);
    });
  });
}
