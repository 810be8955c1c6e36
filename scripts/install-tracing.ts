/**
 * Installs OpenTelemetry, which `npm install` leaves out, for what needs it: types, tests of traces, the one file and the
 * benchmark. Does nothing where it is installed.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

/** Throws if npm cannot install it, for example without a network. The lock file says which versions. */
export function installTracing(root = resolve(import.meta.dirname, "..")): void {
  if (existsSync(join(root, "node_modules/@opentelemetry/exporter-trace-otlp-proto"))) return;
  const flags = ["--include=peer", "--no-save", "--no-audit", "--no-fund"];
  const { success, stderr } = Bun.spawnSync(["npm", "install", ...flags], { cwd: root });
  if (success) return;
  throw new Error(
    `OpenTelemetry is missing, and "npm install --include=peer" failed: ${stderr.toString().trim().slice(0, 500)}`,
  );
}

if (import.meta.main) installTracing();
