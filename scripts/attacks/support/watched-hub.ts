import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HubOptions, type RunningHub, startHub } from "../../../test/support/start-hub.ts";

/** What a hub spent during an attack. Linux only. */
export type HubCost = {
  /** The longest time for which the event loop's thread worked in one go. */
  inOneGoMs: number;
  /** All processor time of the event loop's thread, and of all threads. */
  loopMs: number;
  cpuMs: number;
  /** The peak memory beyond that before the attack. */
  memoryMiB: number;
  wallMs: number;
};

export type WatchedHub = AsyncDisposable & {
  hub: RunningHub;
  measure(attack: () => Promise<unknown>): Promise<HubCost>;
};

const probe = join(import.meta.dirname, "loop-probe.ts");
/** The probe writes every 50 ms. */
const quietMs = 300;

/** A hub whose event loop is watched from inside. */
export async function startWatchedHub(options: HubOptions = {}): Promise<WatchedHub> {
  const folder = mkdtempSync(join(tmpdir(), "hub-probe-"));
  const file = join(folder, "turns");
  writeFileSync(file, "");
  const hub = await startHub({
    ...options,
    env: { BUN_OPTIONS: `--preload ${probe}`, HUB_PROBE_FILE: file, ...options.env },
  });

  return {
    hub,
    async measure(attack) {
      await Bun.sleep(quietMs);
      const proc = `/proc/${hub.pid}`;
      writeFileSync(`${proc}/clear_refs`, "5");
      const before = readUse(proc);
      const read = readFileSync(file, "utf8").length;
      const startedAt = performance.now();
      await attack();
      const wallMs = performance.now() - startedAt;
      await Bun.sleep(quietMs);
      const after = readUse(proc);
      const turns = readFileSync(file, "utf8").slice(read).split("\n").map(Number);
      return {
        inOneGoMs: Math.max(0, ...turns),
        loopMs: after.loopMs - before.loopMs,
        cpuMs: after.cpuMs - before.cpuMs,
        memoryMiB: after.peakMiB - before.presentMiB,
        wallMs,
      };
    },
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

function readUse(proc: string) {
  const stat = readFileSync(`${proc}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const pid = proc.slice("/proc/".length);
  const [loopNs] = readFileSync(`${proc}/task/${pid}/schedstat`, "utf8").split(" ");
  const status = readFileSync(`${proc}/status`, "utf8");
  const readMiB = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  return {
    loopMs: Number(loopNs) / 1e6,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
    presentMiB: readMiB("VmRSS"),
    peakMiB: readMiB("VmHWM"),
  };
}

export function describeCost({ inOneGoMs, loopMs, cpuMs, memoryMiB, wallMs }: HubCost): string {
  const numbers = [inOneGoMs, loopMs, cpuMs, memoryMiB, wallMs];
  return numbers.map((number) => number.toFixed(0).padStart(9)).join("");
}

export const costHeader = ["in one go", "loop ms", "cpu ms", "MiB", "wall ms"]
  .map((title) => title.padStart(9))
  .join("");
