import { hostname } from "node:os";
import { beatInstance, type InstanceRecord, insertInstance } from "../store/instances.ts";
import { cancelInterruptedRuns } from "../store/runs.ts";
import type { Db, InstanceKind } from "../store/tables.ts";
import type { Job } from "./create-jobs.ts";

const beatMs = 5_000;
/** Three missed beats and a slow disk later, an instance counts as dead. */
const deadAfterMs = 30_000;

type InstanceDeps = { db: Db; now: () => number };

/** This process among those that share the database. */
export type Instance = Omit<InstanceRecord, "heartbeatAt">;

/** Registers this process, so that others can tell its running calls from interrupted ones. */
export async function openInstance(deps: InstanceDeps, kind: InstanceKind): Promise<Instance> {
  const instance = {
    id: crypto.randomUUID(),
    kind,
    pid: process.pid,
    hostname: hostname(),
    startedAt: deps.now(),
  };
  await insertInstance(deps.db, instance);
  return instance;
}

/** Says regularly that this process lives. */
export function createHeartbeatJob(deps: InstanceDeps, instance: Instance): Job {
  return {
    name: "heartbeat",
    everyMs: beatMs,
    runsAtStart: false,
    async run() {
      const isKnown = await beatInstance(deps.db, instance.id, deps.now());
      // After a long pause (a suspended laptop) others took it for dead; it is back.
      if (!isKnown) await insertInstance(deps.db, { ...instance, startedAt: deps.now() });
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
