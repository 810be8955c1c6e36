import { replaceText } from "@hub/connector";
import type { Log } from "@hub/server/lib/logs/create-log.ts";

/**
 * Logs failures outside any call, such as a rejected promise that a connector did not await, until
 * the returned function is called. The process continues, because it serves calls of other users.
 */
export function logUncaughtErrors(log: Pick<Log, "error">): () => void {
  const note = (thrown: unknown) =>
    log.error({ err: toFrames(thrown) }, "uncaught error outside any call; the hub continues");
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  return () => {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
  };
}

const framesMax = 20;

/**
 * The stack frames without the message, which may contain a secret. Outside a call there is no mask
 * to find it.
 */
function toFrames(thrown: unknown): string[] {
  try {
    if (!(thrown instanceof Error)) return [`a thrown ${typeof thrown}, which has no stack`];
    const stack = replaceText(String(thrown.stack), String(thrown.message), "");
    const frames = stack.split("\n").filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line));
    return frames.slice(0, framesMax).map((line) => line.trim());
  } catch {
    return ["The thrown value cannot be described."];
  }
}
