/**
 * Attacks the code node of a running hub, and prints how each attack ended: `bun scripts/attack-code-node.ts`.
 * One user floods the hub with hostile scripts while another user's runs and `/health` are measured. Then
 * processes of scripts are killed, and the hub. At last, scripts that ask the hub are attacked: by what they ask, and by
 * forged messages. The exit code is 1 if something ended otherwise than it must. It needs Linux. The suite has
 * a short part in `run-code.test.ts`, `code-nodes.test.ts`, `script-sandbox.test.ts` and `taken-over-askers.test.ts`.
 */
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { hostileScripts } from "../packages/server/src/sandbox/testing/hostile-scripts.ts";
import {
  isBusy,
  isRunning,
  listScriptProcesses,
  waitForScript,
} from "../test/support/script-processes.ts";
import { waitFor } from "../test/support/wait-for.ts";
import { startWorkflowHub } from "../test/support/workflow-hub.ts";
import { attackAskers } from "./attacks/attack-askers.ts";
import { forgeMessages } from "./attacks/forge-messages.ts";

const flows = await startWorkflowHub();
const { hub, api } = flows;
let faults = 0;

const bodyOf = (source: string, timeoutMs: number): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: "script" }],
  nodes: [{ id: "script", type: "code", source, timeout_ms: timeoutMs }],
});
const runsPath = (id: string) => `/manager/api/workflows/${id}/runs`;

async function run(id: string): Promise<{ state: string; code: string | null }> {
  const { status, body } = await api("POST", runsPath(id), { wait_s: 30 });
  if (status >= 300) throw new Error(JSON.stringify(body));
  const shown = await api("GET", `${runsPath(id)}/${body.run_id}`);
  const error = shown.body.error as { code: string } | null | undefined;
  return { state: String(body.state), code: error?.code ?? null };
}

function report(name: string, isRight: boolean, facts: string): void {
  if (!isRight) faults += 1;
  console.log(`${isRight ? "ok   " : "FAULT"} ${name.padEnd(44)} ${facts}`);
}

const residentMiB = () => Math.max(0, ...listScriptProcesses(hub.pid).map((pid) => readMiB(pid)));

function readMiB(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return 0;
  }
}

console.log("# Each hostile script, one after another");
for (const { name, source, code } of hostileScripts) {
  const id = await flows.publish(bodyOf(source, code === "timeout" ? 500 : 10_000), { name });
  const startedMs = performance.now();
  const ended = await run(id);
  const ms = Math.round(performance.now() - startedMs);
  report(
    name,
    ended.code === code,
    `${ended.code ?? ended.state} ${ms} ms, ${Math.round(residentMiB())} MiB`,
  );
}

console.log("# A flood of one user, while another user works");
const other = await hub.addUser("other@example.com");
const made = await hub.cli(
  ...["token", "create", "--user", other.email, "--name", "manage", "--scope", "manage", "--json"],
);
const token = made.json<{ token: string }>().token;
const own = await api(
  "POST",
  "/manager/api/workflows",
  { name: "Own", body: bodyOf("return 1", 1000) },
  token,
);
const ownId = String(own.body.id);
await api("POST", `/manager/api/workflows/${ownId}/publish`, { revision: 1 }, token);
const floodMs = 20_000;
const loops = hostileScripts.filter(({ code }) => code === "timeout");
const floodIds = await Promise.all(
  loops.map(({ name, source }) => flows.publish(bodyOf(source, 5_000), { name })),
);
const untilMs = performance.now() + floodMs;
const flood: string[] = [];
for (const id of [...floodIds, ...floodIds, ...floodIds]) {
  const { body } = await api("POST", runsPath(id), {});
  flood.push(`${runsPath(id)}/${body.run_id}`);
}
const times = { health: [] as number[], run: [] as number[] };
let processesMax = 0;
const measure = async (kind: keyof typeof times, work: () => Promise<unknown>) => {
  while (performance.now() < untilMs) {
    const startedMs = performance.now();
    await work();
    times[kind].push(performance.now() - startedMs);
    processesMax = Math.max(processesMax, listScriptProcesses(hub.pid).length);
    await Bun.sleep(20);
  }
};
const runOwn = async () => {
  const { body } = await api("POST", runsPath(ownId), { wait_s: 30 }, token);
  if (body.state !== "succeeded") faults += 1;
};
await Promise.all([measure("health", () => fetch(`${hub.url}/health`)), measure("run", runOwn)]);
const show = (list: number[]) => {
  const sorted = list.toSorted((a, b) => a - b);
  const at = (part: number) => Math.round(sorted[Math.floor((sorted.length - 1) * part)] ?? 0);
  return `${list.length} times, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms`;
};
report(
  "/health during the flood",
  times.health.every((ms) => ms < 1000),
  show(times.health),
);
report(
  "runs of the other user",
  times.run.every((ms) => ms < 5000),
  show(times.run),
);
report("processes at once", processesMax <= 4, String(processesMax));

console.log("# Processes that are killed");
const slow = await flows.publish(
  bodyOf("const end = Date.now() + 1500; while (Date.now() < end); return 1", 10_000),
);
for (const path of flood) await api("POST", `${path}/cancel`, {});
await waitFor(() => !listScriptProcesses(hub.pid).some(isBusy));
const killed = run(slow);
process.kill(await waitFor(() => listScriptProcesses(hub.pid).find(isBusy)), "SIGKILL");
report(
  "kill -9 of a process with a script",
  (await killed).state === "succeeded",
  (await killed).state,
);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGSTOP"] as const) {
  const stopped = run(slow);
  process.kill(await waitFor(() => listScriptProcesses(hub.pid).find(isBusy)), signal);
  const { state, code } = await stopped;
  report(
    `${signal} of a process with a script`,
    /succeeded|failed/.test(state),
    `${state} ${code ?? ""}`,
  );
}

console.log("# The hub is killed");
for (const id of floodIds.slice(5, 9)) await api("POST", runsPath(id), {});
await waitForScript(hub.pid);
const left = listScriptProcesses(hub.pid);
await hub.kill();
await waitFor(() => left.every((pid) => !isRunning(pid)));
report("processes after kill -9 of the hub", true, `0 of ${left.length}`);
await rm(hub.dataDir, { recursive: true, force: true });

console.log("# Scripts that ask the hub");
for (const { name, ms, fault } of await attackAskers()) {
  report(name, fault === null, fault ?? `${ms} ms`);
}
console.log("# Forged messages of such scripts");
const seed = Number(process.env.SEED ?? 1);
const forged = await forgeMessages({ seed, rounds: 5000 });
report(`seed ${seed}`, forged.faults.length === 0, forged.faults[0] ?? forged.summary);
process.exit(faults === 0 ? 0 : 1);
