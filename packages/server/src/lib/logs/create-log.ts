import type pino from "pino";
import { systemTimers, type Timers } from "../time/timers.ts";
import { createLineBudget } from "./line-budget.ts";
import { createLogStream, type LogLoss, type LogStream } from "./log-stream.ts";

/** The program's log: JSON lines on stderr. */
export type Log = Pick<pino.Logger, Severity>;

/** The log of a process, which knows what it has lost. */
export type ProgramLog = Log & { readLoss(): LogLoss };

type Severity = "debug" | "info" | "warn" | "error";

type LogOptions = {
  timers?: Pick<Timers, "now">;
  /** The default is standard error. */
  stream?: LogStream;
  /** For long-running processes, which must be able to log when no more files can be opened. */
  isReadyAtOnce?: boolean;
};

/** Writes to stderr at once; stdout is for protocol and documents. */
export function createLog(level: string, options: LogOptions = {}): ProgramLog {
  const severityMin = severities[level] ?? 0;
  const { timers = systemTimers, stream = createLogStream() } = options;
  let opened = options.isReadyAtOnce ? openLog(level, timers, stream) : null;
  const open = (name: Severity): pino.LogFn => {
    const write = (...parts: Parameters<pino.LogFn>) => {
      // The library is loaded with the first line, because most commands log nothing.
      opened ??= openLog(level, timers, stream);
      opened[name](...parts);
    };
    return (severities[name] ?? 0) >= severityMin ? write : () => {};
  };
  return {
    debug: open("debug"),
    info: open("info"),
    warn: open("warn"),
    error: open("error"),
    readLoss: stream.readLoss,
  };
}

const severities: Record<string, number> = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  fatal: 60,
  silent: Number.POSITIVE_INFINITY,
};

function openLog(level: string, timers: Pick<Timers, "now">, stream: LogStream): Log {
  const pino: typeof import("pino") = require("pino");
  const budget = createLineBudget({ timers });
  const hooks: pino.LoggerOptions["hooks"] = {
    logMethod(parts, write) {
      const { isAllowed, note } = budget.take(findKind(parts));
      if (note !== null) write.apply(this, [{ kind: findKind(parts) }, note]);
      if (isAllowed) write.apply(this, parts);
    },
  };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino({ level, base: null, timestamp, hooks }, stream);
}

/** The kind of a line: the hub's fixed message, or the key of the connector that logged it. */
function findKind([fields, message]: readonly unknown[]): string {
  const { connector } = Object(fields);
  return typeof connector === "string" ? `connector ${connector}` : String(message ?? fields);
}
