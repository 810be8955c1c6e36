import { HubError, toHubError } from "../errors.ts";
import type { ChannelHealthProblems } from "../workflows/channels/channel-health-problems.ts";
import { isUnavailable } from "../workflows/engine/claim/wait-for-database.ts";
import type { ChatEnvelope, ReceivedEnvelope } from "./chat-adapter.ts";
import { createEnvelopeQueue, type Waiting } from "./envelope-queue.ts";
import { createFailedEnvelopes } from "./failed-envelopes.ts";
import { type BatchDeps, type Stored, storeBatch } from "./store-batch.ts";

/** Turns what channels receive into runs. */
export type EnvelopeReceiver = {
  /**
   * Resolves when the runs of all matching workflows are on disk. Rejects if the platform must
   * deliver the envelope again, which then starts only what is missing: while the database is away,
   * and at most twice after another failure.
   */
  receive(rowId: string, envelope: ChatEnvelope): Promise<ReceivedEnvelope>;
};

/** For the list of the last deliveries. */
export type EnvelopeOutcome = ReceivedEnvelope & {
  failure: "again" | "given_up" | "unreadable" | null;
};

export type ReceiverDeps = BatchDeps & {
  record?(rowId: string, envelope: ChatEnvelope, outcome: EnvelopeOutcome): void;
  problems: Pick<ChannelHealthProblems, "record" | "end">;
  now(): number;
};

const retryAfterS = 5;

export function createEnvelopeReceiver(deps: ReceiverDeps): EnvelopeReceiver {
  const failed = createFailedEnvelopes(deps);
  const { problems } = deps;

  /** Resolves or rejects each envelope. A failed envelope does not stop the others of its batch. */
  async function store(rowId: string, batch: readonly Waiting[]): Promise<void> {
    try {
      const stored = await storeBatch(deps, rowId, batch);
      problems.end(rowId);
      for (const [at, waiting] of batch.entries()) {
        answerWaiting(rowId, waiting, stored[at] ?? { runs: 0, failed: [] });
      }
    } catch (err) {
      if (isUnavailable(err)) problems.record(rowId, toHubError(err).message);
      for (const { reject } of batch) reject(err);
    }
  }

  function answerWaiting(
    rowId: string,
    { envelope, resolve, reject }: Waiting,
    stored: Stored,
  ): void {
    const { runs } = stored;
    if (stored.failed.length === 0) {
      failed.forget(rowId, envelope.id);
      const failure = envelope.unreadable === undefined ? null : "unreadable";
      deps.record?.(rowId, envelope, { runs, failure });
      resolve({ runs });
      return;
    }
    const failure = failed.recordFailure(rowId, envelope.id, stored.failed);
    deps.record?.(rowId, envelope, { runs, failure });
    if (failure === "given_up") resolve({ runs });
    else reject(refuseFailed());
  }

  const queue = createEnvelopeQueue(store);
  return { receive: queue.add };
}

function refuseFailed(): HubError {
  const message = "An event could not be stored. The platform delivers it again.";
  return new HubError("unavailable", message, { detail: { retry_after_s: retryAfterS } });
}
