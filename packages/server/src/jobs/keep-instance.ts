import { hostname } from "node:os";
import {
  beatInstance,
  type InstanceRecord,
  insertInstance,
  removeDeadInstances,
} from "../store/instances.ts";
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
    run: () => beat(deps, instance),
  };
}

/**
 * Turns the running calls of dead instances into cancelled ones and forgets the instances; live
 * ones are left alone.
 */
export function createRecoveryJob(deps: InstanceDeps, instance: Instance): Job {
  let lookedAt = deps.now();
  return {
    name: "recover-runs",
    everyMs: deadAfterMs,
    runsAtStart: true,
    async run() {
      const now = deps.now();
      const wasAsleep = now - lookedAt > 2 * deadAfterMs;
      lookedAt = now;
      // Its own beat may be late, for the same reason as anyone's.
      await beat(deps, instance);
      // A suspended machine wakes with every beat old. Who lives has shown it by the next time.
      if (wasAsleep) return;
      const bounds = { deadBefore: now - deadAfterMs };
      await cancelInterruptedRuns(deps.db, bounds);
      await removeDeadInstances(deps.db, bounds);
    },
  };
}

async function beat({ db, now }: InstanceDeps, instance: Instance): Promise<void> {
  const isKnown = await beatInstance(db, instance.id, now());
  // After a long pause others took it for dead; it is back.
  if (!isKnown) await insertInstance(db, { ...instance, startedAt: now() });
}
