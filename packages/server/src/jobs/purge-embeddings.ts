import { yieldToEventLoop } from "../lib/time/yield-to-event-loop.ts";
import type { Db } from "../store/database/database.ts";
import { purgeEmbeddings } from "../store/search/embeddings.ts";
import type { Job } from "./create-jobs.ts";

type EmbeddingPurgeDeps = { db: Db; now: () => number };

const dayMs = 24 * 60 * 60 * 1000;
/** Vectors in use are touched daily. */
const unusedMsMax = 7 * dayMs;
const batchSize = 100;

/** Deletes vectors of texts and models that are not used any more. */
export function createEmbeddingPurgeJob({ db, now }: EmbeddingPurgeDeps): Job {
  return {
    name: "purge-embeddings",
    everyMs: dayMs,
    runsAtStart: true,
    async run(isOver = () => false) {
      const usedBefore = now() - unusedMsMax;
      while (!isOver()) {
        const purged = await purgeEmbeddings(db, { usedBefore, limit: batchSize });
        if (purged < batchSize) return;
        await yieldToEventLoop();
      }
    },
  };
}
