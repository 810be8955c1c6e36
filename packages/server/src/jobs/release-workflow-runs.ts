import { freeChannels, listChannelHolders } from "../store/channels/channels-table.ts";
import type { InstanceLocks } from "../store/data-folder/instance-locks.ts";
import type { Db } from "../store/database/database.ts";
import { type InstanceRecord, listInstances } from "../store/servers/instances.ts";
import type { SharedClock } from "../store/store.ts";
import { listLeaseHolders, releaseWorkflowRuns } from "../store/workflow-runs/run-leases.ts";
import type { Job } from "./create-jobs.ts";

type ReleaseDeps = { db: Db; clock: Pick<SharedClock, "now">; locks: InstanceLocks };

const everyMs = 1_000;
/** A process whose lock is held but that writes no heartbeat for this long is paused or hangs. */
const silentMsMax = 30_000;
/** Looks that are further apart than this were not made while this process was paused. */
const gapMsMax = 5 * everyMs;

/**
 * Frees the workflow runs and channels of processes that cannot work on them: dead ones, at once or after some seconds,
 * and ones that are silent for long, although they have their lock. That a process lives after all does no
 * harm: its writes for these runs are refused. Calls are recovered separately and more patiently, because
 * nothing refuses theirs.
 */
export function createReleaseJob(
  { db, clock, locks }: ReleaseDeps,
  instance: Pick<InstanceRecord, "id">,
): Job {
  /** When each process was first seen without its lock. */
  const unlocked = new Map<string, number>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** Since when the database answered each look, so that live processes could use it too. */
  let answersSince = clock.now();

  async function isGone(id: string, at: number, record: InstanceRecord | null): Promise<boolean> {
    const heartbeatAt = record?.heartbeatAt ?? Number.NEGATIVE_INFINITY;
    const isSilent = Math.max(heartbeatAt, answersSince) <= at - silentMsMax;
    const isHeld = await locks.isHeld(id);
    if (isHeld !== null) {
      unlocked.delete(id);
      return !isHeld || isSilent;
    }
    const since = Math.max(unlocked.get(id) ?? at, answersSince);
    unlocked.set(id, since);
    const { retakeMsMax } = locks;
    return isSilent || (retakeMsMax !== null && at - since >= retakeMsMax);
  }

  async function look(at: number): Promise<void> {
    const all = [...(await listLeaseHolders(db)), ...(await listChannelHolders(db))];
    const holders = [...new Set(all)].filter((id) => id !== instance.id);
    for (const id of unlocked.keys()) if (!holders.includes(id)) unlocked.delete(id);
    if (holders.length === 0) return;
    const records = new Map((await listInstances(db)).map((record) => [record.id, record]));
    const dead: string[] = [];
    for (const id of holders) {
      if (await isGone(id, at, records.get(id) ?? null)) dead.push(id);
    }
    await releaseWorkflowRuns(db, { dead, at: clock.now() });
    await freeChannels(db, dead);
  }

  return {
    name: "release-workflow-runs",
    everyMs,
    runsAtStart: true,
    async run() {
      const at = clock.now();
      if (Math.abs(at - lookedAt) > gapMsMax) answersSince = at;
      lookedAt = at;
      try {
        await look(at);
      } catch (failure) {
        answersSince = clock.now();
        throw failure;
      }
    },
  };
}
