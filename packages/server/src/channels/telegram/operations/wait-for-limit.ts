import type { OperationTools } from "@hub/connector";
import { pause } from "../../pause.ts";
import { TelegramError } from "../telegram-client.ts";

/** The waits of one call together, and their number. They end well before the time limit of a call. */
const waitedMsMax = 90_000;
const waitsMax = 20;

type Deps = Pick<OperationTools, "signal" | "progress">;

/** The waits for Telegram's rate limit within one call. */
export type Waits = {
  /**
   * Sends, and again after the time that Telegram names if it limits the rate. Rejects with the `TelegramError` if the
   * waits of the call would become too long. `done` is reported with each wait: the messages sent, and their number.
   */
  send<Result>(send: () => Promise<Result>, done: [sent: number, total: number]): Promise<Result>;
};

export function createWaits({ signal, progress }: Deps): Waits {
  let waitedMs = 0;
  let waits = 0;
  return {
    async send(send, done) {
      for (;;) {
        try {
          return await send();
        } catch (thrown) {
          const seconds = findWait(thrown);
          if (seconds === null) throw thrown;
          waitedMs += seconds * 1000;
          waits += 1;
          if (waitedMs > waitedMsMax || waits > waitsMax) throw thrown;
          progress(...done, `Telegram asks to wait ${seconds} s.`);
          await pause(seconds * 1000, signal);
        }
      }
    },
  };
}

/** The seconds of a refusal that had no effect; null for other failures. */
function findWait(thrown: unknown): number | null {
  if (!(thrown instanceof TelegramError) || thrown.code !== 429) return null;
  return Math.max(0, thrown.retryAfterS ?? 1);
}
