import { HubError } from "../errors.ts";
import type { ChatEnvelope, ReceivedEnvelope } from "./chat-adapter.ts";
import { countChars } from "./count-chars.ts";

/** An envelope with the promise that its adapter waits for. */
export type Waiting = {
  envelope: ChatEnvelope;
  chars: number;
  resolve(received: ReceivedEnvelope): void;
  reject(reason: unknown): void;
};

/** Envelopes of one channel that are matched and stored together. */
const batchMax = 64;
/** Their texts. Reading them is work in one go. */
const batchCharsMax = 400_000;
/** More of one channel are refused, so that the platform delivers them again later. */
const waitingMax = 10_000;
const waitingCharsMax = 32 * 1024 * 1024;
const allCharsMax = 128 * 1024 * 1024;

/** Gives each channel its own lane, so that a busy channel does not delay the others. */
export function createEnvelopeQueue(
  store: (rowId: string, batch: readonly Waiting[]) => Promise<void>,
) {
  const queues = new Map<string, { waiting: Waiting[]; chars: number }>();
  let allChars = 0;

  async function work(rowId: string, queue: { waiting: Waiting[]; chars: number }): Promise<void> {
    while (queue.waiting.length > 0) {
      const batch = takeBatch(queue.waiting);
      await store(rowId, batch);
      const chars = batch.reduce((sum, one) => sum + one.chars, 0);
      queue.chars -= chars;
      allChars -= chars;
    }
    queues.delete(rowId);
  }

  return {
    add(rowId: string, envelope: ChatEnvelope): Promise<ReceivedEnvelope> {
      const { promise, resolve, reject } = Promise.withResolvers<ReceivedEnvelope>();
      const known = queues.get(rowId);
      const chars = countChars(envelope.events);
      const isFull =
        known !== undefined &&
        (known.waiting.length >= waitingMax || known.chars + chars > waitingCharsMax);
      if (isFull || (allChars > 0 && allChars + chars > allCharsMax)) {
        const message = "Too many events wait. Deliver it again later.";
        reject(new HubError("rate_limited", message, { detail: { retry_after_s: 5 } }));
        return promise;
      }
      const entry = { envelope, chars, resolve, reject };
      allChars += chars;
      if (known !== undefined) {
        known.chars += chars;
        known.waiting.push(entry);
      } else {
        const queue = { waiting: [entry], chars };
        queues.set(rowId, queue);
        // After the calls of this moment, so that they share a batch.
        queueMicrotask(() => void work(rowId, queue));
      }
      return promise;
    },
  };
}

function takeBatch(waiting: Waiting[]): Waiting[] {
  let count = 0;
  let chars = 0;
  for (const one of waiting.slice(0, batchMax)) {
    chars += one.chars;
    if (count > 0 && chars > batchCharsMax) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
