import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openTestBridge } from "@hub/server/bridges/mcp/testing/open-test-bridge.ts";
import { findProcess, readProcessSpace } from "@hub/server/lib/process/process-identity.ts";
import { runtimePrefix } from "@hub/server/lib/text/hide-paths.ts";
import { ownerFile } from "@hub/server/plugins/process/runtime-folder.ts";
import { sweepLeftovers } from "@hub/server/plugins/process/sweep-leftovers.ts";
import { startDoubleFork } from "@hub/server/plugins/testing/double-fork.ts";

type Tried = { what: string; pid: number; ms: number };

const testing = resolve(import.meta.dirname, "../../packages/server/src/bridges/mcp/testing");
const msMax = 6000;

/** Starts processes that have left their program's group and parent, and waits until they have ended. */
export async function tryDoubleForks(): Promise<Tried[]> {
  return [await tryEnd(), await tryKill(), await tryNextStart()];
}

async function tryEnd(): Promise<Tried> {
  const bridge = openTestBridge({ fenceMode: "auto" });
  const args = [{ value: join(testing, "stdio-test-server.ts") }, { value: "none" }];
  const config = { transport: "stdio", command: process.execPath, args };
  const pid = Number((await bridge.callTool(config, "double-fork")).result);
  const program = Number((await bridge.callTool(config, "pid")).result);
  process.kill(program, "SIGKILL");
  const tried = await waitForEnd("of a program that ended", pid);
  await bridge.close();
  return tried;
}

async function tryKill(): Promise<Tried> {
  const hub = Bun.spawn([process.execPath, join(testing, "killed-hub.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pids = (await hub.stdout.text()).split(" ").map(Number);
  await hub.exited;
  return await waitForEnd("of a hub that was killed", pids[2] ?? 0);
}

/** Its watchdog was killed, too. */
async function tryNextStart(): Promise<Tried> {
  const tmp = mkdtempSync(join(tmpdir(), "hub-s-"));
  const mark = `${crypto.randomUUID()}.`;
  const pid = await startDoubleFork(`${mark}1.`);
  const folder = join(tmp, `${runtimePrefix}killed`);
  mkdirSync(folder, { mode: 0o700 });
  const owner = { pid: process.pid, startedAt: "1", program: "/bin/hub", mark };
  const record = JSON.stringify({ ...owner, space: readProcessSpace() });
  writeFileSync(join(folder, ownerFile), record, { mode: 0o600 });
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  await sweepLeftovers({ log }, tmp);
  rmSync(tmp, { recursive: true, force: true });
  return await waitForEnd("that the next hub found", pid);
}

async function waitForEnd(what: string, pid: number): Promise<Tried> {
  const start = performance.now();
  const toMs = () => Math.round(performance.now() - start);
  if (!Number.isInteger(pid) || pid <= 0) throw new Error(`There was no double fork ${what}.`);
  while (findProcess(pid) !== null && toMs() < msMax) await Bun.sleep(10);
  return { what, pid, ms: toMs() };
}
