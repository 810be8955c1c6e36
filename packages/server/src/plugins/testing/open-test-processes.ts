import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { createFence, type FenceDeps } from "../fence/fence.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import { createPluginConnector } from "../plugin-connector.ts";
import { createPluginProcesses, type ProcessesDeps } from "../process/plugin-processes.ts";
import type { BuiltFixture } from "./build-fixture.ts";

export type LoggedLine = { level: string; message: string } & Record<string, unknown>;

/** Real processes of a plugin, in a temporary folder of the test's own. */
export function openTestProcesses({
  fenceMode = "off",
  user = null,
  ...options
}: Partial<ProcessesDeps> & { fenceMode?: FenceDeps["mode"]; user?: string | null } = {}) {
  const dir = mkdtempSync(join(tmpdir(), "hubt-"));
  const lines: LoggedLine[] = [];
  const listeners = new Set<() => void>();
  const write = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, ...fields });
    for (const listener of listeners) listener();
  };
  const log = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  const pool = createPluginProcesses({
    log,
    timers: systemTimers,
    fence: createFence({ dataDir: dir, mode: fenceMode, user }),
    env: process.env,
    systemTmp: dir,
    procsMax: 8,
    toHomeDir: ({ key }) => join(dir, "homes", key),
    checkUnchanged: async () => {},
    ...options,
  });
  return {
    dir,
    pool,
    log,
    lines,
    toConnector: (plugin: InstalledPlugin) => createPluginConnector({ pool, log }, plugin),
    /** Resolves when a matching line has been logged. */
    async waitForLine(fits: (line: LoggedLine) => boolean): Promise<LoggedLine> {
      for (;;) {
        const found = lines.find(fits);
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        listeners.add(resolve);
        await promise;
        listeners.delete(resolve);
      }
    },
    async close() {
      await pool.stopAll();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A clock whose timers fire only when a test advances it. */
export function createHeldTimers(): Timers & { advance(byMs: number): void; pending(): number } {
  return createManualTimers();
}

export function toInstalled(
  { binaryPath, manifest, form = "standalone" }: BuiltFixture,
  key = "fixture",
  version = "1.0.0",
  protoVersion = 2,
): InstalledPlugin {
  return {
    key,
    dir: join(binaryPath, ".."),
    version,
    manifest: {
      schema_version: 1,
      kind: "connector",
      version,
      proto_version: protoVersion,
      os_arch: [form === "thin" ? thinPlatform : "linux/amd64"],
      sha256: "0".repeat(64),
      // Safe: the program printed it. The schema has its own tests.
      module: manifest as InstalledPlugin["manifest"]["module"],
    },
    binaryPath,
    binaryStamp: "",
    signature: "unsigned",
    enabled: true,
    problem: null,
  };
}
