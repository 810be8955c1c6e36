import { hostname } from "node:os";
import type { InstanceLocks } from "../store/data-folder/instance-locks.ts";
import type { Db } from "../store/database/database.ts";
import { cancelInterruptedRuns } from "../store/runs/runs-table.ts";
import {
  beatInstance,
  type InstanceRecord,
  insertInstance,
  listInstances,
  removeInstances,
  setInstanceAddress,
} from "../store/servers/instances.ts";
import type { SharedClock } from "../store/store.ts";
import { releaseWorkflowRuns } from "../store/workflow-runs/run-leases.ts";
import type { Job } from "./create-jobs.ts";

const beatMs = 5_000;
/** Without a lock, an instance counts as dead after about three missed heartbeats. */
const deadAfterMs = 30_000;

type InstanceDeps = { db: Db; clock: SharedClock; locks: InstanceLocks };

/** This process, one of those that share the database. */
export type Instance = Omit<InstanceRecord, "heartbeatAt">;

export type OpenInstance = {
  instance: Instance;
  /** Records the address of the process when it listens. */
  setAddress(address: { localUrl: string; baseUrl: string }): Promise<void>;
  close(): Promise<void>;
};

/** Registers this process, so that others can distinguish its running calls from interrupted ones. */
export async function openInstance(
  deps: InstanceDeps,
  { kind, version }: Pick<Instance, "kind" | "version">,
): Promise<OpenInstance> {
  const instance: Instance = {
    id: crypto.randomUUID(),
    kind,
    pid: process.pid,
    hostname: hostname(),
    startedAt: deps.clock.now(),
    localUrl: null,
    baseUrl: null,
    version,
    clockOffsetMs: deps.clock.offsetMs(),
  };
  // Before the registration, so that other processes never find it without its lock.
  const release = await deps.locks.hold(instance.id);
  try {
    await insertInstance(deps.db, instance);
  } catch (failure) {
    await release();
    throw failure;
  }
  return {
    instance,
    async setAddress(address) {
      // Also for the heartbeat, which registers the process again after a long pause.
      Object.assign(instance, address);
      await setInstanceAddress(deps.db, instance.id, address);
    },
    async close() {
      await removeInstances(deps.db, [instance.id]).finally(release);
    },
  };
}

/** Writes this process's heartbeat. */
export function createHeartbeatJob(deps: InstanceDeps, instance: Instance): Job {
  return {
    name: "heartbeat",
    everyMs: beatMs,
    runsAtStart: false,
    async run() {
      await deps.clock.measure();
      await beat(deps, instance);
    },
  };
}

/**
 * Cancels the running calls of dead instances and removes the instances. An instance is alive while it
 * holds its lock or, if the lock file is missing (the folder was cleared), while its heartbeat is
 * recent.
 */
export function createRecoveryJob(deps: InstanceDeps, instance: Instance): Job {
  const { db, clock, locks } = deps;
  let lookedAt = clock.now();
  let wokeAt = Number.NEGATIVE_INFINITY;
  return {
    name: "recover-runs",
    everyMs: beatMs,
    runsAtStart: true,
    async run() {
      // The clock of this machine may have been set since.
      await clock.measure();
      const at = clock.now();
      // After a suspend all heartbeats are old, so live instances get time to write one.
      if (at - lookedAt > deadAfterMs) wokeAt = at;
      lookedAt = at;
      const isWaking = at - wokeAt < deadAfterMs;
      // This process's own heartbeat may be late too.
      await beat(deps, instance);
      const others = (await listInstances(db)).filter(({ id }) => id !== instance.id);
      const dead: string[] = [];
      for (const { id, heartbeatAt } of others) {
        const isBeating = isWaking || heartbeatAt >= at - deadAfterMs;
        if (!((await locks.isHeld(id)) ?? isBeating)) dead.push(id);
      }
      // Before the instances are removed with their calls: a run without an instance would stay.
      await releaseWorkflowRuns(db, { dead, at: clock.now() });
      await cancelInterruptedRuns(db, { dead, at: clock.now() });
      for (const id of dead) await locks.remove(id);
      // Left by a process that died between its lock and its registration.
      const known = new Set([instance, ...others].map(({ id }) => id));
      await locks.sweep(known, at - deadAfterMs);
    },
  };
}

async function beat({ db, clock }: InstanceDeps, instance: Instance): Promise<void> {
  const clockOffsetMs = clock.offsetMs();
  const isKnown = await beatInstance(db, instance.id, clock.now(), clockOffsetMs);
  // Others may have removed it after a long pause.
  if (!isKnown) await insertInstance(db, { ...instance, startedAt: clock.now(), clockOffsetMs });
}
