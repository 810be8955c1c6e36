import { toJsonText } from "../../json.ts";
import type { ConnectorLog } from "../../operation-context.ts";

export type LogLevel = keyof ConnectorLog;

/** Writes a line in the format of hclog, which every host of such plugins can read. */
export function writeStderrLine(
  level: LogLevel,
  message: string,
  details?: Record<string, unknown>,
): void {
  const head = { "@level": level, "@message": message, "@timestamp": new Date().toISOString() };
  process.stderr.write(`${toLine(head, details)}\n`);
}

function toLine(head: Record<string, string>, details?: Record<string, unknown>): string {
  try {
    return toJsonText({ ...details, ...head });
  } catch {
    return toJsonText(head);
  }
}
