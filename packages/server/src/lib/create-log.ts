import pino from "pino";
import { createLineBudget } from "./line-budget.ts";
import { systemTimers, type Timers } from "./timers.ts";

/** Where the program says what happens inside: JSON lines on stderr. */
export type Log = pino.Logger;

type LogOptions = { timers?: Pick<Timers, "now">; destination?: pino.DestinationStream };

/** stdout stays free for protocol and documents; a line is written before the next step runs. */
export function createLog(level: string, options: LogOptions = {}): Log {
  const { timers = systemTimers, destination = pino.destination({ fd: 2, sync: true }) } = options;
  const budget = createLineBudget({ timers });
  const hooks: pino.LoggerOptions["hooks"] = {
    logMethod(parts, write) {
      const { isAllowed, note } = budget.take(findKind(parts));
      if (note !== null) write.apply(this, [{ kind: findKind(parts) }, note]);
      if (isAllowed) write.apply(this, parts);
    },
  };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, hooks }, destination);
}

/** The hub's own messages are fixed texts. A connector says what it likes, but under its key. */
function findKind([fields, message]: readonly unknown[]): string {
  const { connector } = Object(fields);
  return typeof connector === "string" ? `connector ${connector}` : String(message ?? fields);
}
