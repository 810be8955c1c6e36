import pino from "pino";

/** Where the program says what happens inside: JSON lines on stderr. */
export type Log = pino.Logger;

/** stdout stays free for protocol and documents; a line is written before the next step runs. */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );
}
