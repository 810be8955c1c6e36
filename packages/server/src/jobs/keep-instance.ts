import { hostname } from "node:os";
import { beatInstance, insertInstance, removeInstance } from "../store/instances.ts";
import { cancelInterruptedRuns } from "../store/runs.ts";
import type { Db, InstanceKind } from "../store/tables.ts";
import type { Job } from "./create-jobs.ts";

const beatMs = 5_000;
/** Three missed beats and a slow disk later, an instance counts as dead. */
const deadAfterMs = 30_000;

type InstanceDeps = { db: Db; now: () => number };

/** Registers this process, so that others can tell its running calls from interrupted ones. */
export async function openInstance(
  deps: InstanceDeps,
  kind: InstanceKind,
): Promise<{ id: string; close(): Promise<void> }> {
  const id = crypto.randomUUID();
  const startedAt = deps.now();
  await insertInstance(deps.db, { id, kind, pid: process.pid, hostname: hostname(), startedAt });
  return { id, close: () => removeInstance(deps.db, id) };
}

/** Says regularly that this process lives. `onLost` runs when another took it for dead. */
export function createHeartbeatJob(
  deps: InstanceDeps & { onLost(): void },
  instanceId: string,
): Job {
  return {
    name: "heartbeat",
    everyMs: beatMs,
    runsAtStart: false,
    async run() {
      if (!(await beatInstance(deps.db, instanceId, deps.now()))) deps.onLost();
    },
  };
}

/** Turns the running calls of dead instances into cancelled ones; live instances are left alone. */
export function createRecoveryJob(deps: InstanceDeps): Job {
  return {
    name: "recover-runs",
    everyMs: deadAfterMs,
    runsAtStart: true,
    async run() {
      await cancelInterruptedRuns(deps.db, { deadBefore: deps.now() - deadAfterMs });
    },
  };
}
