import { type ErrorCode, HubError } from "../../errors.ts";
import type { Timers } from "../time/timers.ts";

/** Work that reports nothing is checked this often: with the second before it is watched, within ten seconds. */
const checkEveryMs = 9_000;

/** Failures of a check that mean that the right has ended. Others may pass. */
const lostCodes: ReadonlySet<ErrorCode> = new Set([
  "unauthorized",
  "forbidden",
  "insufficient_scope",
  "not_found",
]);

export type CheckedRelay<Value> = {
  /** Passes a value on after a check. Values keep their order. */
  put(value: Value): void;
  /** Waits until everything is passed on, and checks a last time. Rejects if the right has ended. */
  end(): Promise<void>;
};

/**
 * Passes on what long work reports to a caller whose right may end meanwhile. `check` throws if it has ended, which is
 * also asked while nothing is reported. Then `onLost` runs once, and nothing more is passed on.
 */
export function createCheckedRelay<Value>({
  after,
  check,
  send,
  onLost,
}: {
  after: Timers["after"];
  check(): Promise<void>;
  send(value: Value): void;
  onLost(reason: HubError): void;
}): CheckedRelay<Value> {
  let waiting: Value[] = [];
  let sending: Promise<void> | null = null;
  let lost: HubError | null = null;
  let isEnded = false;
  let cancelTimer = after(checkEveryMs, poll);

  async function checkRight(): Promise<void> {
    if (lost !== null) throw lost;
    try {
      await check();
    } catch (thrown) {
      if (lost === null && thrown instanceof HubError && lostCodes.has(thrown.code)) {
        lost = thrown;
        cancelTimer();
        onLost(thrown);
      }
      throw thrown;
    }
  }

  /** Values that cannot be checked are left out, as progress may be. */
  async function sendWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const values = waiting;
      waiting = [];
      const isAllowed = await checkRight().then(
        () => true,
        () => false,
      );
      if (isAllowed) for (const value of values) send(value);
    }
    sending = null;
  }

  function poll(): void {
    const goOn = () => {
      if (!isEnded && lost === null) cancelTimer = after(checkEveryMs, poll);
    };
    checkRight().then(goOn, goOn);
  }

  return {
    put(value) {
      if (isEnded || lost !== null) return;
      waiting.push(value);
      sending ??= sendWaiting();
    },
    async end() {
      isEnded = true;
      cancelTimer();
      await sending;
      await checkRight();
    },
  };
}
