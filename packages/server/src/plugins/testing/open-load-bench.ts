import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTimers } from "../../lib/time/timers.ts";
import { createFence } from "../fence/fence.ts";
import { checkUnchanged } from "../installed/check-unchanged.ts";
import { toPluginFolders } from "../installed/plugin-folders.ts";
import { createPluginConnector } from "../plugin-connector.ts";
import { createPluginProcesses } from "../process/plugin-processes.ts";
import { findHostPlatform } from "../verify/check-platform.ts";
import type { BuiltFixture } from "./build-fixture.ts";
import { openPluginBench } from "./open-plugin-bench.ts";
import { openTrust } from "./open-test-plugin-host.ts";
import { writeFixtureFolder } from "./write-fixture-folder.ts";

/** A plugin host with real files, a real database and real processes, for one built fixture. */
export async function openLoadBench(fixture: BuiltFixture) {
  const tmp = mkdtempSync(join(tmpdir(), "hubt-"));
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const pool = createPluginProcesses({
    log,
    timers: systemTimers,
    fence: createFence({ dataDir: tmp, mode: "off" }),
    env: process.env,
    systemTmp: tmp,
    procsMax: 8,
    toHomeDir: ({ key }) => toPluginFolders(bench.dataDir).homeOf(key),
    checkUnchanged,
  });
  const bench = await openPluginBench({
    verify: {
      trust: openTrust,
      hostPlatform: findHostPlatform(),
      hubVersion: null,
      reservedKeys: new Set(),
    },
    createConnector: async (plugin) => createPluginConnector({ pool, log }, plugin),
    release: (...args) => pool.drainAndReplace(...args),
  });
  const source = join(bench.sources, "fixture");

  return {
    pool,
    registry: bench.registry,
    host: bench.host,
    /** Installs the same program as another version. */
    async install(version: string) {
      const { problem } = await bench.install(await writeFixtureFolder(fixture, source, version));
      if (problem !== null) throw new Error(problem);
    },
    /** The files in the temporary folder, without the hub's own record. */
    listTemporaryFiles: () =>
      readdirSync(tmp, { recursive: true, encoding: "utf8" }).filter(
        (path) => !/^hubp-\w+(\/owner\.json)?$/.test(path),
      ),
    /** Ends everything and deletes the temporary folder; returns what was left in it. */
    async close(): Promise<string[]> {
      await pool.stopAll();
      await bench.close();
      const left = readdirSync(tmp);
      rmSync(tmp, { recursive: true, force: true });
      return left;
    },
  };
}

export type LoadBench = Awaited<ReturnType<typeof openLoadBench>>;
