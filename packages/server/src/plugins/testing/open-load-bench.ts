import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { systemTimers } from "../../lib/timers.ts";
import { checkUnchanged } from "../check-unchanged.ts";
import { createPluginConnector } from "../plugin-connector.ts";
import { toPluginFolders } from "../plugin-folders.ts";
import { createPluginProcesses } from "../process/plugin-processes.ts";
import { hashFile } from "../verify/check-hash.ts";
import { findHostPlatform } from "../verify/check-platform.ts";
import type { BuiltFixture } from "./build-fixture.ts";
import { openPluginBench } from "./open-plugin-bench.ts";
import { openTrust } from "./open-test-plugin-host.ts";

/** A plugin host with real files, a real database and real processes, for one built fixture. */
export async function openLoadBench(fixture: BuiltFixture) {
  const tmp = mkdtempSync(join(tmpdir(), "hubt-"));
  const silent = () => {};
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const pool = createPluginProcesses({
    log,
    timers: systemTimers,
    env: process.env,
    systemTmp: tmp,
    procsMax: 8,
    toHomeDir: ({ key }) => toPluginFolders(bench.dataDir).homeOf(key),
    checkUnchanged,
  });
  const bench = await openPluginBench({
    verify: { trust: openTrust, hostPlatform: findHostPlatform(), reservedKeys: new Set() },
    createConnector: async (plugin) => createPluginConnector({ pool, log }, plugin),
    release: pool.drainAndReplace,
  });
  const source = join(bench.sources, "fixture");
  mkdirSync(source);
  copyFileSync(fixture.binaryPath, join(source, "fixture"));
  const sha256 = await hashFile(fixture.binaryPath);

  return {
    pool,
    registry: bench.registry,
    host: bench.host,
    /** Installs the same program as another version. */
    async install(version: string) {
      const manifest: PluginManifest = {
        schema_version: 1,
        kind: "connector",
        version,
        proto_version: 2,
        entry: "fixture",
        os_arch: [findHostPlatform()],
        sha256,
        // The program printed it; the schema's own tests are beside the schema.
        module: fixture.manifest as PluginManifest["module"],
      };
      writeFileSync(join(source, "plugin.json"), JSON.stringify(manifest));
      const { problem } = await bench.install(source);
      if (problem !== null) throw new Error(problem);
    },
    /** Ends all; returns what is left in the folder for temporary files, which goes then. */
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
