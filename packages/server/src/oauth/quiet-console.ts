import type { Log } from "../lib/logs/create-log.ts";

/**
 * oidc-provider warns on the console, without an option: that Bun is not Node, and that its own
 * guard of outgoing requests does not work here. The hub has its own guard, so both are false
 * alarms, and the log must be JSON lines. Returns a function that restores the console.
 */
export function quietConsole(log: Pick<Log, "debug">): () => void {
  const { warn } = console;
  console.warn = (...parts) => {
    const [first] = parts;
    if (typeof first === "string" && first.includes("oidc-provider WARNING")) log.debug({}, first);
    else warn(...parts);
  };
  return () => {
    console.warn = warn;
  };
}
