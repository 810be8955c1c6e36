import type pino from "pino";
import { createLineBudget } from "./line-budget.ts";
import { systemTimers, type Timers } from "./timers.ts";

/** Where the program says what happens inside: JSON lines on stderr. */
export type Log = Pick<pino.Logger, Severity>;

type Severity = "debug" | "info" | "warn" | "error";

type LogOptions = {
  timers?: Pick<Timers, "now">;
  destination?: pino.DestinationStream;
  /** A process that stays has to write also when it can open no file any more. */
  isReadyAtOnce?: boolean;
};

/** stdout stays free for protocol and documents; a line is written before the next step runs. */
export function createLog(level: string, options: LogOptions = {}): Log {
  const severityMin = severities[level] ?? 0;
  let opened = options.isReadyAtOnce ? openLog(level, options) : null;
  const open = (name: Severity): pino.LogFn => {
    const write = (...parts: Parameters<pino.LogFn>) => {
      // The library is loaded with the first line: most short processes never write one.
      opened ??= openLog(level, options);
      opened[name](...parts);
    };
    return (severities[name] ?? 0) >= severityMin ? write : () => {};
  };
  return { debug: open("debug"), info: open("info"), warn: open("warn"), error: open("error") };
}

const severities: Record<string, number> = {
  ...{ trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 },
  silent: Number.POSITIVE_INFINITY,
};

function openLog(level: string, options: LogOptions): Log {
  const pino: typeof import("pino") = require("pino");
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
