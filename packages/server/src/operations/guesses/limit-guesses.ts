import { randomBytes } from "node:crypto";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { HubError } from "../../errors.ts";
import { budgetTable } from "../../lib/budgets/budget-table.ts";
import type { RowSecrets } from "../../secrets/masks/row-secrets.ts";
import type { HourlyCounts } from "../../store/limits/hourly-counts.ts";
import { countGuesses, type SentParams } from "./count-guesses.ts";
import { createSentBefore, type SentBefore } from "./sent-before.ts";

/**
 * Limits how often the callers of a row can guess its secret. If the outside system returns what a caller
 * sent, the answer has a token in the place of a right guess.
 */
export type GuessLimiter = {
  /**
   * Counts the guesses that these params make. The call must not start before the promise resolves; null if
   * it may start at once. Throws or rejects with `rate_limited`, for right and wrong guesses alike.
   */
  admit(call: GuessingCall, sent: SentParams): Promise<void> | null;
};

export type GuessingCall = { userId: string; row: Pick<Row, "id" | "label">; secrets: RowSecrets };

type LimiterDeps = { counts: HourlyCounts; perHour: number };

/** Users and rows whose texts are known. Of others, texts that were sent before count again. */
const knownMax = 500;

type Known = { secrets: RowSecrets; sent: SentBefore };

export function createGuessLimiter({ counts, perHour }: LimiterDeps): GuessLimiter {
  const key = randomBytes(32);
  const known = new Map<string, Known>();

  function findSent({ userId, row, secrets }: GuessingCall): SentBefore {
    const name = `${userId} ${row.id}`;
    const before = known.get(name);
    // A new secret makes old guesses new.
    const kept = before?.secrets === secrets ? before : { secrets, sent: createSentBefore(key) };
    // Moved to the end, so that the first one is the longest unused one.
    known.delete(name);
    known.set(name, kept);
    const [oldest] = known.keys();
    if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
    return kept.sent;
  }

  return {
    admit(call, sent) {
      const { row, userId, secrets } = call;
      if (!secrets.hasWeak()) return null;
      const { count, recordSent } = countGuesses(findSent(call), sent, perHour);
      if (count === 0) return null;
      if (count > perHour) throw refuseSize(row.label, perHour);
      const complete = (waitMs: number) => {
        if (waitMs > 0) throw refuse(row.label, perHour, waitMs);
        recordSent();
      };
      const waitMs = counts.take(`guesses:${userId}:${row.id}`, count, perHour);
      if (waitMs instanceof Promise) return waitMs.then(complete);
      complete(waitMs);
      return null;
    },
  };
}

const { setting } = budgetTable.guesses;
const advice = "Ask an admin to set a longer random secret in the row, which has no such limit.";

function refuse(label: string, perHour: number, waitMs: number): HubError {
  const retryAfterS = Math.max(1, Math.ceil(waitMs / 1000));
  return new HubError(
    "rate_limited",
    `"${label}" has a secret that can be guessed, so each user may send it ${perHour} words an hour (${setting}), and you have used them. Try again in ${retryAfterS} s. ${advice}`,
    { detail: { budget: "guesses", limit: perHour, retry_after_s: retryAfterS } },
  );
}

function refuseSize(label: string, perHour: number): HubError {
  return new HubError(
    "invalid_params",
    `"${label}" has a secret that can be guessed, so each user may send it ${perHour} words an hour (${setting}), and this call alone has more. Send fewer words at a time. Each character of a long word counts. ${advice}`,
    { detail: { budget: "guesses", limit: perHour } },
  );
}
