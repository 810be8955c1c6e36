import type { Config } from "../config.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { systemTimers } from "../lib/time/timers.ts";
import { yieldToEventLoop } from "../lib/time/yield-to-event-loop.ts";
import type { SemanticDeps } from "../operations/search/semantic-search.ts";
import type { Store } from "../store/store.ts";

type EmbeddingParts = {
  config: Config;
  store: Store;
  log: Log;
  instanceId: string;
};

export type Embeddings = SemanticDeps & {
  /** The number of texts of the catalogue, and of those with a vector. */
  progress(): { texts: number; vectors: number };
  close(): Promise<void>;
};

/** The vectors of the search. Loads its code only if an endpoint is configured. */
export async function openEmbeddings({
  config,
  store,
  log,
  instanceId,
}: EmbeddingParts): Promise<Embeddings | null> {
  const { embeddingsUrl: url, embeddingsModel: model, readEmbeddingsKey: readKey } = config;
  if (url === null || model === null) return null;
  const { createEmbeddingsEndpoint } = await import("../embeddings/embeddings-endpoint.ts");
  const { createEndpointHealth } = await import("../embeddings/endpoint-health.ts");
  const { createQueryVectors } = await import("../embeddings/query-vectors.ts");
  const { putEmbeddingsStatus } = await import("../embeddings/embeddings-status.ts");
  const { createTextVectors } = await import("../embeddings/text-vectors.ts");
  const { db, clock } = store;
  // Other processes compare the times of leases and of vectors in use.
  const timers = { ...systemTimers, now: clock.now };
  const endpoint = createEmbeddingsEndpoint({ url, model, readKey });
  const health = createEndpointHealth({ now: timers.now, log });
  const texts = createTextVectors({
    db,
    endpoint,
    health,
    model,
    holder: instanceId,
    timers,
    log,
    pause: yieldToEventLoop,
    onProgress: (progress) =>
      putEmbeddingsStatus(db, { model, ...progress, failure: health.lastFailure() }),
  });
  const queries = createQueryVectors({
    endpoint,
    health,
    onDimensions: (dimensions) => texts.recordDimensions(dimensions),
  });
  return {
    texts,
    queries,
    timers,
    log,
    progress: () => texts.progress(),
    async close() {
      await queries.close();
      await texts.close();
    },
  };
}
