import { systemTimers, type Timers } from "../../lib/time/timers.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Store } from "../../store/store.ts";
import { createEmbeddingsEndpoint } from "../embeddings-endpoint.ts";
import { createEndpointHealth } from "../endpoint-health.ts";
import { createQueryVectors } from "../query-vectors.ts";
import { createTextVectors } from "../text-vectors.ts";

/** Vectors of an endpoint, over a store. `timers` are those of searches. */
export function openTestEmbeddings(
  store: Store,
  { url, model = "test", timers = systemTimers }: { url: string; model?: string; timers?: Timers },
) {
  const log = { warn() {}, info() {}, error() {} };
  const endpoint = createEmbeddingsEndpoint({ url, model, readKey: () => null });
  const health = createEndpointHealth({ now: Date.now, log });
  const texts = createTextVectors({
    db: store.db,
    endpoint,
    health,
    model,
    holder: "test",
    timers: systemTimers,
    log,
    pause: yieldToEventLoop,
    onProgress: async () => {},
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
    async close() {
      await queries.close();
      await texts.close();
    },
  };
}
