import { HubError } from "../../../errors.ts";
import { toStoreError } from "../postgres-errors.ts";

/** Longer than any statement of the hub; clients still wait for the answer then. */
const defaultMsMax = 15_000;

/** How long the connections of a process wait for answers of the database. */
export type AnswerTimeout = {
  /** What the database answers, or `unavailable`. Failures are converted by `toStoreError`. */
  wait<T>(answer: PromiseLike<T>, onSilence?: () => void): Promise<T>;
  /**
   * For a process that ends: answers get little time, those that are awaited now too. After the first
   * one that does not come, the database counts as lost, and nothing waits for it any more.
   */
  shorten(): void;
  /** Whether the database counts as lost. */
  isLost(): boolean;
};

type AnswerTimeoutOptions = {
  answerMsMax?: number;
  /** The time for an answer when the process ends. */
  lastMsMax?: number;
};

type Wait = { timer: Timer; giveUp(): void };

export function createAnswerTimeout(options: AnswerTimeoutOptions = {}): AnswerTimeout {
  const { answerMsMax = defaultMsMax, lastMsMax = 2_000 } = options;
  const waits = new Set<Wait>();
  let isLimited = false;
  let isLost = false;

  function lose(): void {
    isLost = true;
    for (const { giveUp } of waits) giveUp();
  }

  const startTimer = (giveUp: () => void) =>
    isLimited ? setTimeout(lose, isLost ? 0 : lastMsMax) : setTimeout(giveUp, answerMsMax);

  return {
    async wait(answer, onSilence = () => {}) {
      const { promise: late, reject } = Promise.withResolvers<never>();
      const giveUp = () => {
        onSilence();
        reject(refuseSilence());
      };
      const wait: Wait = { timer: startTimer(giveUp), giveUp };
      waits.add(wait);
      try {
        return await Promise.race([answer, late]);
      } catch (err) {
        throw toStoreError(err);
      } finally {
        clearTimeout(wait.timer);
        waits.delete(wait);
      }
    },
    shorten() {
      if (isLimited) return;
      isLimited = true;
      for (const wait of waits) {
        clearTimeout(wait.timer);
        wait.timer = startTimer(wait.giveUp);
      }
    },
    isLost: () => isLost,
  };
}

export function refuseSilence(): HubError {
  return new HubError("unavailable", "The hub's database does not answer. Try again in a moment.");
}
