import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { systemTimers, type Timers } from "../time/timers.ts";

/**
 * Where the lines of the log go. It never fails and never waits: if the disk is full, or who reads the log is gone or does not
 * read, lines are lost and counted, and the process goes on. The first line that can be written again says how many were lost.
 */
export type LogStream = {
  /** Takes one line with its line break. */
  write(line: string): void;
  readLoss(): LogLoss;
};

/** The lines that were lost since the start, and the code of the newest failure, such as `ENOSPC`. */
export type LogLoss = { lines: number; reason: string | null };

type LogStreamOptions = {
  /** Writes the beginning of these bytes and returns their number. Throws `EAGAIN` if the reader is slow. */
  write?: (bytes: Uint8Array) => number;
  timers?: Timers;
};

type Waiting = {
  bytes: Uint8Array;
  /** The lost lines that this line tells; 0 for a line of the log. */
  told: number;
};

/** What waits for a slow reader. */
const waitingBytesMax = 1024 * 1024;
const retryMs = 100;
const lineBreak = "\n".charCodeAt(0);

/** The default is standard error. */
export function createLogStream(options: LogStreamOptions = {}): LogStream {
  const { write = openStandardError(), timers = backgroundTimers } = options;
  const waiting: Waiting[] = [];
  const loss: LogLoss = { lines: 0, reason: null };
  let waitingBytes = 0;
  /** Lost lines that no line tells yet. */
  let untold = 0;
  /** The end of the newest line was lost. */
  let isBroken = false;
  let isRetrying = false;

  function add(line: string, told = 0): void {
    const bytes = Buffer.from(line);
    if (waitingBytes + bytes.length > waitingBytesMax) {
      lose({ bytes, told }, "EAGAIN");
    } else {
      waiting.push({ bytes, told });
      waitingBytes += bytes.length;
    }
  }

  function lose({ told }: Waiting, reason: string): void {
    loss.reason = reason;
    if (told === 0) loss.lines += 1;
    untold += told || 1;
  }

  function writeWaiting(): void {
    try {
      for (let [first] = waiting; first !== undefined; [first] = waiting) writeFirst(first);
    } catch (thrown) {
      const reason = toCode(thrown);
      if (reason === "EAGAIN") {
        retryLater();
      } else {
        for (const line of waiting.splice(0)) lose(line, reason);
        waitingBytes = 0;
      }
    }
  }

  function writeFirst(first: Waiting): void {
    const written = write(first.bytes);
    if (written === 0) throw Object.assign(new Error("Nothing was written."), { code: "EAGAIN" });
    isBroken = first.bytes[written - 1] !== lineBreak;
    waitingBytes -= written;
    first.bytes = first.bytes.subarray(written);
    if (first.bytes.length === 0) waiting.shift();
  }

  function retryLater(): void {
    if (isRetrying) return;
    isRetrying = true;
    timers.after(retryMs, () => {
      isRetrying = false;
      writeWaiting();
    });
  }

  return {
    write(line) {
      if (untold > 0 && waiting.length === 0) {
        const told = untold;
        untold = 0;
        add(`${isBroken ? "\n" : ""}${toLossLine(told, loss.reason, timers.now())}`, told);
      }
      add(line);
      writeWaiting();
    },
    readLoss: () => ({ ...loss }),
  };
}

/** Such as the lines of pino. */
function toLossLine(lostLines: number, reason: string | null, now: number): string {
  const warn = 40;
  const time = new Date(now).toISOString();
  const msg = "lines of the log were lost, because they could not be written";
  return `${JSON.stringify({ level: warn, time, lost_lines: lostLines, reason, msg })}\n`;
}

/**
 * A pipe is opened again, so that a reader that does not read cannot stop the process. A socket, such as that of systemd's journal,
 * does not wait either: the runtime has set it so.
 */
function openStandardError(): (bytes: Uint8Array) => number {
  const fd = reopenPipe(2) ?? 2;
  return (bytes) => writeSync(fd, bytes);
}

function reopenPipe(fd: number): number | null {
  try {
    if (process.platform !== "linux" || !fstatSync(fd).isFIFO()) return null;
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
}

function toCode(thrown: unknown): string {
  return thrown instanceof Error && "code" in thrown ? String(thrown.code) : "EIO";
}

/** They do not keep the process. */
const backgroundTimers: Timers = {
  now: systemTimers.now,
  after(delayMs, action) {
    const timer = setTimeout(action, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
