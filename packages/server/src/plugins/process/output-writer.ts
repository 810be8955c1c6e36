import type { Pace } from "../../lib/streams/read-paced.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { PluginLog } from "./plugin-log.ts";

/** What a plugin may write to its output each second; the rest waits in its pipe. */
export const outputPace: Pace = { linesMax: 1000, bytesMax: 256 * 1024 };
export const outputLineBytesMax = 64 * 1024;
export const longLineNote = "A longer line was omitted.";

/** It rests as soon as this is what the output should have taken. */
const restMsMin = 100;
const newline = 10;

type WriterDeps = { timers: Pick<Timers, "after">; log: Pick<PluginLog, "writeLine"> };

/** Writes the output that a plugin sends in messages to the log. */
export type OutputWriter = {
  /** Returns a promise to await before the next message if the output exceeds its pace, else null. */
  write(data: Uint8Array): Promise<void> | null;
};

export function createOutputWriter({ timers, log }: WriterDeps): OutputWriter {
  let dueMs = 0;
  return {
    write(data) {
      let lines = 1;
      if (data.length > outputLineBytesMax) log.writeLine(longLineNote);
      else {
        for (const byte of data) if (byte === newline) lines += 1;
        for (const line of Buffer.from(data).toString("utf8").split("\n")) log.writeLine(line);
      }
      dueMs += 1000 * Math.max(lines / outputPace.linesMax, data.length / outputPace.bytesMax);
      if (dueMs < restMsMin) return null;
      const restMs = dueMs;
      dueMs = 0;
      return new Promise((resolve) => timers.after(restMs, resolve));
    },
  };
}
