import { hostname } from "node:os";
import type { InstanceLocks } from "../store/instance-locks.ts";
import {
  beatInstance,
  type InstanceRecord,
  insertInstance,
  listInstances,
  removeInstances,
  setInstanceAddress,
} from "../store/instances.ts";
import { cancelInterruptedRuns } from "../store/runs.ts";
import type { Db, InstanceKind } from "../store/tables.ts";
import type { Job } from "./create-jobs.ts";

const beatMs = 5_000;
/** Three missed beats and a slow disk later, an instance counts as dead where no lock tells. */
const deadAfterMs = 30_000;

type InstanceDeps = { db: Db; now: () => number; locks: InstanceLocks };

/** This process among those that share the database. */
export type Instance = Omit<InstanceRecord, "heartbeatAt">;

export type OpenInstance = {
  instance: Instance;
  /** Says where the process answers, once it listens. */
  setAddress(address: { localUrl: string; baseUrl: string }): Promise<void>;
  close(): Promise<void>;
};

/** Registers this process, so that others can tell its running calls from interrupted ones. */
export async function openInstance(deps: InstanceDeps, kind: InstanceKind): Promise<OpenInstance> {
  const instance: Instance = {
    id: crypto.randomUUID(),
    kind,
    pid: process.pid,
    hostname: hostname(),
    startedAt: deps.now(),
    localUrl: null,
    baseUrl: null,
  };
  // Before anyone can read of it, so that nobody finds it without its lock.
  const release = deps.locks.hold(instance.id);
  try {
    await insertInstance(deps.db, instance);
  } catch (failure) {
    release();
    throw failure;
  }
  return {
    instance,
    async setAddress(address) {
      // Kept for the heartbeat as well, which registers the process anew after a long pause.
      Object.assign(instance, address);
      await setInstanceAddress(deps.db, instance.id, address);
    },
    async close() {
      await removeInstances(deps.db, [instance.id]).finally(release);
    },
  };
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
 * ones are left alone. An instance lives for as long as it holds its lock. Where there is no lock
 * (someone cleared the folder), its heartbeat tells.
 */
export function createRecoveryJob(deps: InstanceDeps, instance: Instance): Job {
  const { db, now, locks } = deps;
  let lookedAt = now();
  let wokeAt = Number.NEGATIVE_INFINITY;
  return {
    name: "recover-runs",
    everyMs: beatMs,
    runsAtStart: true,
    async run() {
      const at = now();
      // A suspended machine wakes with every beat old; who lives gets the time to show it.
      if (at - lookedAt > deadAfterMs) wokeAt = at;
      lookedAt = at;
      const isWaking = at - wokeAt < deadAfterMs;
      // Its own beat may be late, for the same reason as anyone's.
      await beat(deps, instance);
      const others = (await listInstances(db)).filter(({ id }) => id !== instance.id);
      const dead = others
        .filter(({ id, heartbeatAt }) => {
          const isBeating = isWaking || heartbeatAt >= at - deadAfterMs;
          return !(locks.isHeld(id) ?? isBeating);
        })
        .map(({ id }) => id);
      await cancelInterruptedRuns(db, { dead });
      for (const id of dead) locks.remove(id);
      // A process that died between its lock and its registration left the lock.
      const known = new Set([instance, ...others].map(({ id }) => id));
      locks.sweep(known, at - deadAfterMs);
    },
  };
}

async function beat({ db, now }: InstanceDeps, instance: Instance): Promise<void> {
  const isKnown = await beatInstance(db, instance.id, now());
  // After a long pause others took it for dead; it is back.
  if (!isKnown) await insertInstance(db, { ...instance, startedAt: now() });
}
