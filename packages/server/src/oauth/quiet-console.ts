import type { Log } from "../lib/create-log.ts";

/**
 * oidc-provider speaks to the console where it has no option: that Bun is not Node, and that its
 * own guard of outgoing requests does not work here, in place of which the hub has another. Both
 * would frighten for nothing, in a log of JSON lines. Returns how to undo it.
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
