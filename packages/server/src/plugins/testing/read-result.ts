import { toPlainJson } from "../../lib/plain-json.ts";
import { UnreadBody } from "../../lib/unread-body.ts";

/** What a connector's result says; a plugin's large one comes unread. */
export function readResult(result: unknown): unknown {
  if (result instanceof UnreadBody) return JSON.parse(Buffer.from(result.bytes).toString("utf8"));
  return typeof result === "string" ? result : toPlainJson(result);
}
