import type { Log } from "@hub/server/lib/create-log.ts";

/**
 * Logs what fails outside any call, such as a promise that a connector left behind, until the
 * function returned is called. The process goes on: everyone else's calls are in it, and what
 * they wrote is committed step by step.
 */
export function logStrays(log: Pick<Log, "error">): () => void {
  const note = (thrown: unknown) =>
    log.error({ err: toFrames(thrown) }, "something failed outside any call; the hub goes on");
  process.on("uncaughtException", note);
  process.on("unhandledRejection", note);
  return () => {
    process.off("uncaughtException", note);
    process.off("unhandledRejection", note);
  };
}

const framesMax = 20;

/**
 * Where it happened, without the words: they may hold a secret, and outside a call nobody knows
 * whose, so that no mask could find it.
 */
function toFrames(thrown: unknown): string[] {
  try {
    if (!(thrown instanceof Error)) return [`a thrown ${typeof thrown}, which has no stack`];
    const stack = String(thrown.stack).replaceAll(String(thrown.message), "");
    const frames = stack.split("\n").filter((line) => /^\s+at .*:\d+:\d+\)?$/.test(line));
    return frames.slice(0, framesMax).map((line) => line.trim());
  } catch {
    return ["What was thrown cannot be described."];
  }
}
