import type { Db } from "../store/database/database.ts";
import { findRunBytesCut, purgeRunBytes, readRunScale } from "../store/runs/run-bytes.ts";
import {
  findHeldSince,
  listRunHolders,
  purgeRunsOfUser,
  type RunHolder,
} from "../store/runs/run-holders.ts";
import type { Job } from "./create-jobs.ts";
import { batchSize, pauseAfter, purgeInBatches } from "./purge-runs.ts";

const hourMs = 3_600_000;
/** Runs of the last 24 hours are kept regardless of their size. */
const keptMsMin = 24 * hourMs;
/** A smaller share is an inaccuracy, such as runs that were purged between the two counts. */
const noUserShareMin = 0.01;
/** Of more users, those who hold least keep their runs. */
const holdersMax = 10_000;

type LimitDeps = {
  db: Db;
  readUsedBytes(): Promise<number>;
  now: () => number;
  /** The current limit; 0 means no limit. */
  readBytesMax(): Promise<number>;
};

/**
 * Deletes audit rows if all together take more bytes than the setting allows: the oldest of those users who hold most.
 * The others keep theirs, also if the last 24 hours of one user alone exceed the limit.
 */
export function createBytesLimitJob(deps: LimitDeps): Job {
  return {
    name: "limit-run-bytes",
    everyMs: hourMs,
    runsAtStart: true,
    async run(isOver = () => false) {
      const bytesMax = await deps.readBytesMax();
      if (bytesMax === 0) return;
      const endedBefore = deps.now() - keptMsMin;
      const { counted, scale } = await readRunScale(deps);
      const holders = await listRunHolders(deps.db, { limit: holdersMax });
      const held = holders.reduce((sum, { bytes }) => sum + bytes, 0);
      const over = counted - bytesMax / scale;
      if (over <= 0) return;
      // Counted before users were. They are the oldest.
      const uncounted = counted - held;
      const ofNoUser = uncounted > counted * noUserShareMin ? uncounted : 0;
      if (ofNoUser > 0) {
        const left = (counted - Math.min(over, ofNoUser)) * scale;
        const heldSince = (await findHeldSince(deps.db)) ?? endedBefore;
        const limits = { bytesMax: left, endedBefore: Math.min(endedBefore, heldSince) };
        if (!(await purgeOldest(deps, limits, isOver))) return;
      }
      const level = findLevel(holders, held - Math.max(0, over - ofNoUser));
      for (const holder of holders.filter(({ bytes }) => bytes > level)) {
        await purgeHolder(deps, { holder, level, endedBefore }, isOver);
      }
    },
  };
}

/** Of all users. False if it is over before the end: the next run of the job continues. */
async function purgeOldest(
  deps: LimitDeps,
  limits: { bytesMax: number; endedBefore: number },
  isOver: () => boolean,
): Promise<boolean> {
  const endedBefore = await findRunBytesCut(deps, limits);
  if (endedBefore === null) return true;
  if (!(await purgeInBatches(deps, endedBefore, isOver))) return false;
  await purgeRunBytes(deps.db, { endedBefore });
  return true;
}

/** What each may hold at most, so that all together hold no more than `bytes`. */
function findLevel(holders: readonly RunHolder[], bytes: number): number {
  let left = bytes;
  const smallestFirst = holders.toReversed();
  for (const [index, holder] of smallestFirst.entries()) {
    const share = left / (smallestFirst.length - index);
    if (holder.bytes > share) return share;
    left -= holder.bytes;
  }
  return Number.POSITIVE_INFINITY;
}

async function purgeHolder(
  { db }: LimitDeps,
  given: { holder: RunHolder; level: number; endedBefore: number },
  isOver: () => boolean,
): Promise<void> {
  const { holder, level, endedBefore } = given;
  let { bytes } = holder;
  let after: string | null = null;
  while (bytes > level && !isOver()) {
    const startedAt = performance.now();
    const of = { userId: holder.userId, endedBefore, after, limit: batchSize };
    const purged = await purgeRunsOfUser(db, of);
    bytes -= purged.bytes;
    after = purged.lastId;
    await pauseAfter(startedAt);
    if (purged.count < batchSize) return;
  }
}
