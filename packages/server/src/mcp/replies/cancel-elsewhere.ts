import { createTokenBuckets } from "../../lib/limits/token-buckets.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { Db } from "../../store/database/database.ts";
import { insertRequestCancellation } from "../../store/servers/request-cancellations.ts";
import type { Signals } from "../../store/servers/signals.ts";
import type { CallName } from "./in-flight.ts";

/** Cancels a request that does not run in this process, wherever it runs. Never throws. */
export type CancelElsewhere = (name: CallName) => void;

/** Each is a write, and most are of requests that have just ended. */
const perUserAndMinute = 60;
const idLengthMax = 128;

export function createCancelElsewhere(deps: {
  db: Db;
  signals: Pick<Signals, "send">;
  log: Pick<Log, "warn">;
  now: () => number;
}): CancelElsewhere {
  const { db, signals, log, now } = deps;
  const buckets = createTokenBuckets({ now });

  async function announce({ owner, session, id: requestId }: CallName): Promise<void> {
    const id = crypto.randomUUID();
    await insertRequestCancellation(db, { id, userId: owner, sessionId: session, requestId });
    await signals.send("cancel");
  }

  return (name) => {
    if (name.id.length > idLengthMax || buckets.take(name.owner, perUserAndMinute) > 0) return;
    announce(name).catch((err) => {
      // A notification has no answer that could say so.
      log.warn({ err }, "The cancellation of a request could not be announced to other servers");
    });
  };
}
