import type { EmbeddingsError } from "./embeddings-endpoint.ts";

/** When the endpoint may be asked again after failures. Queries and background work share it. */
export type EndpointHealth = {
  /** How long to wait before the next request; 0 if the endpoint works. */
  waitMs(): number;
  recordSuccess(): void;
  recordFailure(failure: EmbeddingsError): void;
  /** The last failure, also if the endpoint works again. */
  lastFailure(): { at: number; message: string } | null;
};

type HealthDeps = {
  now(): number;
  log: { warn(fields: object, message: string): void; info(fields: object, message: string): void };
};

const firstWaitMs = 1_000;
const waitMsMax = 300_000;

export function createEndpointHealth({ now, log }: HealthDeps): EndpointHealth {
  let failures = 0;
  let until = 0;
  let last: { at: number; message: string } | null = null;

  return {
    waitMs: () => Math.max(until - now(), 0),
    recordSuccess() {
      if (failures > 0) log.info({ failures }, "The embeddings endpoint works again");
      failures = 0;
      until = 0;
    },
    recordFailure({ message, retryAfterMs }) {
      const at = now();
      // Requests that were sent before the first failure do not make the wait longer.
      if (failures > 0 && at < until) return;
      failures += 1;
      const wait = Math.min(firstWaitMs * 2 ** (failures - 1), waitMsMax);
      until = at + Math.max(wait, retryAfterMs ?? 0);
      last = { at, message };
      if (failures === 1) {
        log.warn({ reason: message }, "The embeddings endpoint failed; searches use words alone");
      }
    },
    lastFailure: () => last,
  };
}
